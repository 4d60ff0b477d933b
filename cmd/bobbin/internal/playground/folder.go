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

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A folder is the directory of a playground, which outlives the program. A small JSON file in it stores the
// fields below; a lock file shows that a process has the playground open.
type folder struct {
	dir  string
	lock *disk.Lock

	Repository string // without the secrets of its address
	Push       bool
	Address    string // address of the page
	Key        string // key of the page
}

const (
	folderFile = "playground.json"
	lockFile   = "playground.lock"
)

// openFolder locks the folder for this process and reads what an earlier run stored. It fails if another
// process has the folder open, or if check refuses it.
func openFolder(opt Options) (*folder, error) {
	f := &folder{dir: opt.Dir}
	var err error
	if f.lock, err = disk.TryExclusive(filepath.Join(f.dir, lockFile)); err != nil {
		return nil, err
	}
	found, err := f.read()
	if f.lock == nil {
		return nil, fmt.Errorf("the playground in %s is open already, at %s; --keep names another folder",
			f.dir, f.url())
	}
	if err == nil && found && opt.Fresh {
		err = f.clear()
		found = false
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
		return false, fmt.Errorf("%s is not what a playground wrote there (%w); remove the folder, "+
			"or name another with --keep", filepath.Join(f.dir, folderFile), err)
	}
	return true, nil
}

// check refuses a folder of another repository, and a folder with other content. For an empty folder it makes
// a key and writes the JSON file.
func (f *folder) check(opt Options, found bool) error {
	from := cmp.Or(remote.Redact(opt.Repository.From), "the sample project")
	if found && (f.Repository != from || f.Push != opt.Repository.Push) {
		return fmt.Errorf(
			"%s is a playground of %s, opened in another way; name another folder with --keep, "+
				"or start over with --fresh", f.dir, f.Repository)
	}
	if !found {
		entries, err := os.ReadDir(f.dir)
		if err != nil {
			return err
		}
		if len(entries) > 1 { // more than the lock file
			_ = os.Remove(filepath.Join(f.dir, lockFile))
			return fmt.Errorf("%s holds something other than a playground; name an empty folder", f.dir)
		}
		f.Repository = from
		f.Push = opt.Repository.Push
		f.Key = rand.Text()
		return f.write()
	}
	return nil
}

// write replaces the JSON file by a rename.
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

// clear removes everything but the lock file. The JSON file goes last, so that an interrupted clear is
// repeated.
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

// listen opens the page's listener: at wanted; or at the address of the last run, so that an open page finds
// it again; or at a free port.
func (f *folder) listen(wanted string) (net.Listener, error) {
	before := f.Address
	if host, _, err := net.SplitHostPort(before); err != nil || !net.ParseIP(host).IsLoopback() {
		before = "" // the file was edited: never listen beyond this machine
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

// url returns the page's address with the key.
func (f *folder) url() string { return "http://" + f.Address + "/?key=" + f.Key }

// release unlocks the folder.
func (f *folder) release() {
	if f != nil {
		f.lock.Release()
	}
}

// Place returns the folder's default name: "shop", or a name for each repository and choice of Push.
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
