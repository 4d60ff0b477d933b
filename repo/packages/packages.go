package packages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

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
	held *os.File
}

// Key names what was fetched; empty for none.
func (p *Packages) Key() string {
	if p == nil {
		return ""
	}
	return filepath.Base(p.dir)
}

// Bytes is what they take of the disk.
func (p *Packages) Bytes() int64 { return size(p.dir) }

// Close lets them be cleaned away.
func (p *Packages) Close() {
	if p != nil && p.held != nil {
		release(p.held)
	}
}

// Where commands see what was fetched. The check package has mounts of its own there, for
// which these stand in.
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
		if host := filepath.Join(p.dir, "out", x.name); filled(host) {
			mounts, env = append(mounts, sandbox.Mount{Host: host, Inside: x.inside}), append(env, x.variable+"="+x.inside)
		}
	}
	for i, dir := range p.note.Node {
		host := filepath.Join(p.dir, "node", strconv.Itoa(i))
		if filled(host) && free(tree, path.Join(dir, "node_modules")) {
			mounts = append(mounts, sandbox.Mount{Host: host, Inside: path.Join("/src", dir, "node_modules")})
		}
	}
	return mounts, env
}

// filled reports whether there is a folder, no link, with something in it.
func filled(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// free reports whether something may be shown at a path of a tree, which is a stranger's:
// nothing on the way is anything but a folder, and the one above is there.
func free(tree, at string) bool {
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

// use holds what is in dir; nil when there is nothing.
func use(dir string) (*Packages, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil
	}
	f, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err == nil {
		err = flock(f, syscall.LOCK_SH|syscall.LOCK_NB)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) { // it is being removed
		f.Close()
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	p := &Packages{dir: dir, held: f}
	text, err := os.ReadFile(filepath.Join(dir, "setup.json"))
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
	now := time.Now()
	_ = os.Chtimes(f.Name(), now, now)
	return p, nil
}

// lockEvery is how often a lock that somebody holds is tried again.
const lockEvery = 100 * time.Millisecond

// lock waits until nobody else, in this process or another, holds the file.
func lock(ctx context.Context, file string) (unlock func(), err error) {
	for {
		f, err := tryLock(file)
		if f != nil || err != nil {
			return func() { release(f) }, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockEvery):
		}
	}
}

// tryLock takes a lock that excludes all others; nil when somebody has it.
func tryLock(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	switch err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, nil
	case err != nil:
		f.Close()
		return nil, fmt.Errorf("setup: %w", err)
	}
	return f, nil
}

// release lets go of a lock. To close the file is not enough: what is being started at this
// moment, anywhere in the program, has it open a little longer.
func release(f *os.File) {
	_ = flock(f, syscall.LOCK_UN)
	f.Close()
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
