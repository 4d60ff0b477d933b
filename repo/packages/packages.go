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
	"github.com/bobbinhq/bobbin/repo/proxy"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Packages are what a repository names, on this machine. Nil is none. They stay until Close.
type Packages struct {
	Fetched bool // now, and not earlier
	Took    time.Duration
	Refused []proxy.Refusal // while they were fetched

	dir  string
	note note
	held *filelock.Lock
}

// Key names what was fetched; empty for none.
func (p *Packages) Key() string {
	if p == nil {
		return ""
	}
	return filepath.Base(p.dir)
}

// Bytes is what they take of the disk.
func (p *Packages) Bytes() int64 { return disk.DiskUse(p.dir) }

// Close lets them be cleaned away.
func (p *Packages) Close() {
	if p != nil {
		p.held.Release()
	}
}

// Where commands see what was fetched. Package buildcache has mounts of its own
// there, which these replace.
const (
	InsideGo     = "/cache/gomod"
	InsideCargo  = "/cache/cargo"
	insidePython = "/cache/python"
)

// Mounts show a command over the files of tree, a folder of this machine, what was fetched,
// read-only, with the environment that points there.
func (p *Packages) Mounts(tree string) (mounts []sandbox.Mount, env []string) {
	if p == nil {
		return nil, nil
	}
	for _, x := range []struct{ name, inside, variable string }{
		{"go", InsideGo, "GOMODCACHE"}, {"cargo", InsideCargo, "CARGO_HOME"}, {"python", insidePython, "PYTHONPATH"},
	} {
		if host := filepath.Join(p.dir, "out", x.name); hasEntries(host) {
			mounts, env = append(mounts, sandbox.Mount{Host: host, Inside: x.inside}), append(env, x.variable+"="+x.inside)
		}
	}
	for i, dir := range p.note.Node {
		host := filepath.Join(p.dir, "node", strconv.Itoa(i))
		if hasEntries(host) && canMountAt(tree, path.Join(dir, "node_modules")) {
			mounts = append(mounts, sandbox.Mount{Host: host, Inside: path.Join("/src", dir, "node_modules")})
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
func openFetched(dir string) (*Packages, error) {
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
	p := &Packages{dir: dir, held: held}
	text, err := os.ReadFile(filepath.Join(dir, noteFile))
	if errors.Is(err, fs.ErrNotExist) { // removed before we held it
		p.Close()
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p.note)
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("setup: %w", err)
	}
	held.Touch()
	return p, nil
}
