package playground

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo/filelock"
	"github.com/bobbinhq/bobbin/repo/remote"
)

// A folder is where a playground is, also after the program has ended. What it keeps of the
// playground itself is in one small file; the lock says who has it open.
type folder struct {
	dir  string
	lock *filelock.Lock

	Repository string // without what is secret in its address
	Push       bool
	Address    string // of the page
	Key        string // to it
}

const (
	folderFile = "playground.json"
	lockFile   = "playground.lock"
)

// openFolder takes the folder for this process, and finds what was there.
func openFolder(opt Options) (*folder, error) {
	f := &folder{dir: opt.Dir}
	var err error
	if f.lock, err = filelock.TryExclusive(filepath.Join(f.dir, lockFile)); err != nil {
		return nil, err
	}
	found, err := f.read()
	if f.lock == nil {
		return nil, fmt.Errorf("the playground in %s is open already, at %s; --keep names another folder", f.dir, f.url())
	}
	if err == nil && found && opt.Fresh {
		err, found = f.clear(), false
	}
	if err == nil {
		err = f.check(opt, found)
	}
	if err != nil {
		f.lock.Release()
		return nil, err
	}
	return f, nil
}

func (f *folder) read() (found bool, err error) {
	raw, err := os.ReadFile(filepath.Join(f.dir, folderFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, f)
	}
	if err != nil {
		return false, fmt.Errorf("%s is not what a playground wrote there (%w); remove the folder, or name another with --keep", filepath.Join(f.dir, folderFile), err)
	}
	return true, nil
}

// check refuses a folder that is something else.
func (f *folder) check(opt Options, found bool) error {
	from := cmp.Or(remote.Redact(opt.Repository.From), "the sample project")
	if found && (f.Repository != from || f.Push != opt.Repository.Push) {
		return fmt.Errorf("%s is a playground of %s, opened otherwise; name another folder with --keep, or begin anew with --fresh", f.dir, f.Repository)
	}
	if !found {
		entries, err := os.ReadDir(f.dir)
		if err != nil {
			return err
		}
		if len(entries) > 1 { // beside the lock
			_ = os.Remove(filepath.Join(f.dir, lockFile))
			return fmt.Errorf("%s holds something that is no playground; name an empty folder", f.dir)
		}
		f.Repository, f.Push, f.Key = from, opt.Repository.Push, rand.Text()
		return f.write()
	}
	return nil
}

// write puts the file in its place in one step.
func (f *folder) write() error {
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(f.dir, folderFile)
	if err := os.WriteFile(name+".new", append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// clear removes all of a playground. Its own file goes last: what is cut off is cleared again.
func (f *folder) clear() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockFile && e.Name() != folderFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(f.dir, e.Name())))
		}
	}
	if err == nil {
		err = os.Remove(filepath.Join(f.dir, folderFile))
	}
	*f = folder{dir: f.dir, lock: f.lock}
	return err
}

// listen listens for the page: where it is wanted, or where it was, so that a page that is open
// finds it again; or anywhere.
func (f *folder) listen(wanted string) (net.Listener, error) {
	before := f.Address
	if host, _, err := net.SplitHostPort(before); err != nil || !net.ParseIP(host).IsLoopback() {
		before = "" // somebody has written there
	}
	l, err := net.Listen("tcp", cmp.Or(wanted, before, "127.0.0.1:0"))
	if err != nil && wanted == "" {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen for the page: %w", err)
	}
	f.Address = l.Addr().String()
	if err := f.write(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// url is the page's address, with the key.
func (f *folder) url() string { return "http://" + f.Address + "/?key=" + f.Key }

// release lets go of the folder.
func (f *folder) release() {
	if f != nil {
		f.lock.Release()
	}
}

// Place is the name of the folder that is meant where none is named: one for each repository.
func (o Options) Place() string {
	from := o.Repository.From
	if from == "" {
		return "shop"
	}
	if o.Repository.Push {
		from += " push"
	}
	return o.Repository.name() + "-" + fmt.Sprintf("%x", sha256.Sum256([]byte(remote.Redact(from))))[:8]
}
