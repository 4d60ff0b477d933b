package packages

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/manager"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Packages holds the fetched packages of a repository. Nil means no packages. They are not removed until
// Close.
type Packages struct {
	Fetched bool // some were fetched by this call, not earlier
	Took    time.Duration
	Refused []proxy.Refusal // requests that the proxy refused during the fetch
	Missing []Missing       // packages that could not be fetched

	sets []*packageSet // one for each package manager

	mu      sync.Mutex
	changed []*packageSet // of lock files that differ from the base's, by Bump
}

// A packageSet is the folder of the packages of one package manager.
type packageSet struct {
	dir  string
	note setupRecord
	held *disk.Lock
	at   string // of a submodule: its folder in the repository; empty: these are packages
	key  string // for Packages.Key; empty: the name of the folder
	// lfs are the files whose content is an object in the folder, and folders those of which all files are.
	lfs     []git.LFSFile
	folders []lfsFolder
}

// add adds a set, and what it lacks.
func (p *Packages) add(s *packageSet) {
	p.sets = append(p.sets, s)
	p.Missing = append(p.Missing, s.note.Lost...)
}

// Key returns a key that identifies the packages, or an empty string if there are none.
func (p *Packages) Key() string {
	if p == nil {
		return ""
	}
	var keys []string
	for _, s := range p.sets {
		keys = append(keys, cmp.Or(s.key, filepath.Base(s.dir)))
	}
	return strings.Join(keys, "-")
}

// Resolved returns the paths of the lock files that the repository does not have but that its tools would
// write. The fetched packages replace them.
func (p *Packages) Resolved() (files []string) {
	if p != nil {
		for _, s := range p.sets {
			files = append(files, s.note.Resolved...)
		}
	}
	return files
}

// Bytes returns the disk space of the packages in bytes.
func (p *Packages) Bytes() (sum int64) {
	if p != nil {
		for _, s := range p.sets {
			sum += disk.DiskUse(s.dir)
		}
	}
	return sum
}

// Close releases the packages, so that a cleaning can remove them.
func (p *Packages) Close() {
	if p != nil {
		for _, s := range p.sets {
			s.held.Release()
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, s := range p.changed {
			s.held.Release()
		}
	}
}

// Paths inside a sandbox. The mounts of these packages replace those of build.Caches at the same paths.
const (
	InsideGo    = "/cache/gomod"
	InsideCargo = "/cache/cargo"
)

// InstalledPnpm makes pnpm do its work itself if packageManager of package.json names another version of it,
// as it does by default before version 10. From then on it would fetch that version first, without which no
// command of the repository runs (https://pnpm.io/settings#managepackagemanagerversions). The name is in
// capitals, since pnpm hides others from the scripts that it runs, which may call pnpm again.
const InstalledPnpm = "NPM_CONFIG_MANAGE_PACKAGE_MANAGER_VERSIONS=false"

// outputs lists the folders below out/, their paths inside a sandbox, and the variables that point to them.
var outputs = []struct {
	name, inside string
	env          []string
}{
	{"go", InsideGo, []string{"GOMODCACHE=" + InsideGo}},
	{"cargo", InsideCargo, []string{"CARGO_HOME=" + InsideCargo}},
	{"python", "/cache/python", []string{"PYTHONPATH=/cache/python", "PATH=/cache/python/bin:$PATH"}},
	{"ruby", "/cache/ruby", []string{"BUNDLE_PATH=/cache/ruby"}},
	{"maven", "/cache/maven", []string{"MAVEN_OPTS=-Dmaven.repo.local=/cache/maven", "MAVEN_ARGS=-o"}},
	{extraDir, InsideEnvironment, []string{
		"ENVIRONMENT=" + InsideEnvironment, "PATH=" + InsideEnvironment + "/bin:$PATH",
	}},
	{"gradle", "/cache/gradle", []string{"GRADLE_RO_DEP_CACHE=/cache/gradle/caches"}},
}

// Absent returns the paths of files that Git LFS keeps and whose content is not here, and of the folders of
// submodules that could not be fetched; these end with a slash.
func (p *Packages) Absent() (paths []string) {
	if p == nil {
		return nil
	}
	for _, m := range p.Missing {
		paths = append(paths, m.lfsPaths...)
		if m.Submodule != "" {
			paths = append(paths, m.Submodule+"/")
		}
	}
	return paths
}

// Mounts returns the mounts that show the packages to a command, read-only, and the environment variables
// that point to them. tree is the folder on this machine of the files that the command works in.
func (p *Packages) Mounts(tree string) (mounts []sandbox.Mount, env []string) {
	if p == nil {
		return nil, nil
	}
	for _, s := range p.setsFor(tree) {
		for _, o := range outputs {
			host := filepath.Join(s.dir, "out", o.name)
			if hasEntries(host) {
				mounts = append(mounts, sandbox.Mount{Host: host, Inside: o.inside})
				env = append(env, o.env...)
			}
			if o.name == "go" && hasEntries(filepath.Join(host, manager.GoWorkspace)) {
				env = append(env, "GOWORK="+path.Join(o.inside, manager.GoWorkspace, "go.work"))
			}
		}
		if host, inside, ok := s.submoduleFolder(tree); ok {
			mounts = append(mounts, sandbox.Mount{Host: host, Inside: inside})
		}
		mounts = append(mounts, s.lfsMounts(tree)...)
		mounts = append(mounts, s.mountsBeside(tree, s.note.Node, nodeModules, nodeDir)...)
		mounts = append(mounts, s.mountsBeside(tree, s.note.Vendor, vendor, vendor)...)
	}
	return mounts, env
}

// mountsBeside returns the mounts of the folders that keepBeside kept below kept.
func (p *packageSet) mountsBeside(tree string, dirs []string, name, kept string) (mounts []sandbox.Mount) {
	for i, dir := range dirs {
		host := filepath.Join(p.dir, kept, strconv.Itoa(i))
		if hasEntries(host) && canMountAt(tree, path.Join(dir, name)) {
			mounts = append(mounts, sandbox.Mount{Host: host, Inside: path.Join("/src", dir, name)})
		}
	}
	return mounts
}

// hasEntries reports whether dir is a folder, not a link, and not empty.
func hasEntries(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// canMountAt reports whether a mount at the path at of tree is safe. The tree's content is not trusted, so
// every existing part of the path must be a folder, and the parent folder must exist.
func canMountAt(tree, at string) bool {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return false
	}
	defer root.Close()
	parts := strings.Split(at, "/")
	for i := range parts {
		info, err := root.Lstat(path.Join(parts[:i+1]...))
		if i == len(parts)-1 && errors.Is(err, fs.ErrNotExist) {
			return true
		}
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// openFetched opens the packages in dir and locks them against removal. It returns nil if there are none.
func openFetched(dir string) (*packageSet, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil
	}
	held, err := disk.TryShared(dir + ".lock")
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	if held == nil { // the packages are being removed
		return nil, nil
	}
	p := &packageSet{dir: dir, held: held}
	text, err := os.ReadFile(filepath.Join(dir, noteFile))
	if errors.Is(err, fs.ErrNotExist) { // removed before the lock was taken
		held.Release()
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p.note)
	}
	if err != nil {
		held.Release()
		return nil, fmt.Errorf("setup: %w", err)
	}
	held.Touch()
	return p, nil
}
