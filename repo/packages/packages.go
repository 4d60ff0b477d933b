package packages

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/filelock"
	"github.com/bobbinhq/bobbin/repo/packages/manager"
	"github.com/bobbinhq/bobbin/repo/proxy"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Packages are what a repository names, on this machine. Nil is none. They stay until Close.
type Packages struct {
	Fetched bool // now, and not earlier
	Took    time.Duration
	Refused []proxy.Refusal // while they were fetched
	Missing []Missing       // what could not be had

	sets []*set // each by one package manager
}

// A set is a folder of packages.
type set struct {
	dir  string
	note note
	held *filelock.Lock
}

// Key names what was fetched; empty for none.
func (p *Packages) Key() string {
	if p == nil {
		return ""
	}
	var keys []string
	for _, s := range p.sets {
		keys = append(keys, filepath.Base(s.dir))
	}
	return strings.Join(keys, "-")
}

// Resolved are the lock files that the repository does not have, and that its tools write where
// they are run: what was fetched stands for them.
func (p *Packages) Resolved() (files []string) {
	if p != nil {
		for _, s := range p.sets {
			files = append(files, s.note.Resolved...)
		}
	}
	return files
}

// Bytes is what they take of the disk.
func (p *Packages) Bytes() (sum int64) {
	for _, s := range p.sets {
		sum += disk.DiskUse(s.dir)
	}
	return sum
}

// Close lets them be cleaned away.
func (p *Packages) Close() {
	if p != nil {
		for _, s := range p.sets {
			s.held.Release()
		}
	}
}

// Where commands see what was fetched. Package buildcache has mounts of its own
// there, which these replace.
const (
	InsideGo    = "/cache/gomod"
	InsideCargo = "/cache/cargo"
)

// outputs are the folders below out/, with the variables by which commands find them.
var outputs = []struct {
	name, inside string
	env          []string
}{
	{"go", InsideGo, []string{"GOMODCACHE=" + InsideGo}},
	{"cargo", InsideCargo, []string{"CARGO_HOME=" + InsideCargo}},
	{"python", "/cache/python", []string{"PYTHONPATH=/cache/python", "PATH=/cache/python/bin:$PATH"}},
	{"ruby", "/cache/ruby", []string{"BUNDLE_PATH=/cache/ruby"}},
	{"maven", "/cache/maven", []string{"MAVEN_OPTS=-Dmaven.repo.local=/cache/maven", "MAVEN_ARGS=-o"}},
	{"gradle", "/cache/gradle", []string{"GRADLE_RO_DEP_CACHE=/cache/gradle/caches"}},
}

// Mounts show a command over the files of tree, a folder of this machine, what was fetched,
// read-only, with the environment that points there.
func (p *Packages) Mounts(tree string) (mounts []sandbox.Mount, env []string) {
	if p == nil {
		return nil, nil
	}
	for _, s := range p.sets {
		for _, o := range outputs {
			host := filepath.Join(s.dir, "out", o.name)
			if hasEntries(host) {
				mounts, env = append(mounts, sandbox.Mount{Host: host, Inside: o.inside}), append(env, o.env...)
			}
			if o.name == "go" && hasEntries(filepath.Join(host, manager.GoWorkspace)) {
				env = append(env, "GOWORK="+path.Join(o.inside, manager.GoWorkspace, "go.work"))
			}
		}
		for i, dir := range s.note.Node {
			host := filepath.Join(s.dir, "node", strconv.Itoa(i))
			if hasEntries(host) && canMountAt(tree, path.Join(dir, "node_modules")) {
				mounts = append(mounts, sandbox.Mount{Host: host, Inside: path.Join("/src", dir, "node_modules")})
			}
		}
	}
	return mounts, env
}

// hasEntries reports whether there is a folder, no link, with something in it.
func hasEntries(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// canMountAt reports whether something may be shown at a path of a tree, which is a stranger's:
// nothing on the way is anything but a folder, and the one above is there.
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

// openFetched holds what is in dir; nil when there is nothing.
func openFetched(dir string) (*set, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil
	}
	held, err := filelock.TryShared(dir + ".lock")
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	if held == nil { // it is being removed
		return nil, nil
	}
	p := &set{dir: dir, held: held}
	text, err := os.ReadFile(filepath.Join(dir, noteFile))
	if errors.Is(err, fs.ErrNotExist) { // removed before we held it
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
