package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/packages"
)

// CacheKeep says what stays under CacheDir. Zero: everything.
type CacheKeep struct {
	Bytes  int64         // of all repositories together; the least lately used files go first
	Unused time.Duration // a repository that nothing was built of for so long goes whole
	Dry    bool          // only say what would go
}

// Clean removes what was built longest ago from the caches, and what killed processes left
// behind. A repository that is being built or tested at this moment is left for the next
// time. What is gone is built again when it is needed.
func (c *Checker) Clean(ctx context.Context, keep CacheKeep) ([]repo.Removed, error) {
	entries, err := os.ReadDir(c.CacheDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check: clean the caches: %w", err)
	}
	var out []repo.Removed
	var errs []error
	var kept []*shelf
	for _, e := range entries {
		if !e.IsDir() || ctx.Err() != nil {
			continue
		}
		s := &shelf{dir: filepath.Join(c.CacheDir, e.Name()), keep: keep}
		gone, err := s.sweep()
		out, errs = append(out, gone...), append(errs, err)
		defer s.close()
		if s.free {
			kept = append(kept, s)
		}
	}
	gone, err := shrink(kept, keep)
	return append(out, gone...), errors.Join(append(errs, err)...)
}

// A shelf is what is kept of one repository, while it is cleaned.
type shelf struct {
	dir  string
	keep CacheKeep
	free bool // nobody builds there, and nobody can until close
	lock *os.File
	open []*os.Root
}

// left is how old a work folder is before nobody can be at work in it.
const left = 24 * time.Hour

// sweep takes the repository for cleaning, if nobody uses it, and removes what needs no
// thought.
func (s *shelf) sweep() (out []repo.Removed, err error) {
	if s.lock, s.free, err = tryLock(filepath.Join(s.dir, inUse)); err != nil || !s.free {
		return nil, err
	}
	if info, err := os.Stat(filepath.Join(s.dir, inUse)); err == nil && s.keep.Unused > 0 && time.Since(info.ModTime()) > s.keep.Unused {
		s.free = false // nothing is left to shrink
		if packages.InUse(filepath.Join(s.dir, packagesDir)) {
			return nil, nil
		}
		return s.remove(nil, s.dir, "nothing was built of it for longer than it is kept")
	}
	for _, k := range packages.List(filepath.Join(s.dir, packagesDir)) {
		if !k.Abandoned() {
			continue
		}
		if out, err = s.removePackages(out, k, "left behind"); err != nil {
			return out, err
		}
	}
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		info, gone := e.Info()
		if gone == nil && time.Since(info.ModTime()) > left && (strings.HasPrefix(e.Name(), "work-") || strings.HasPrefix(e.Name(), "cache-")) {
			out, err = s.remove(out, filepath.Join(s.dir, e.Name()), "left behind")
		}
	}
	return out, err
}

func (s *shelf) remove(out []repo.Removed, dir, why string) ([]repo.Removed, error) {
	gone := repo.Removed{What: dir, Why: why, Bytes: repo.DiskUse(dir)}
	if !s.keep.Dry {
		if err := repo.RemoveFolder(dir); err != nil {
			return out, fmt.Errorf("check: clean: %w", err)
		}
	}
	return append(out, gone), nil
}

// removePackages removes packages, unless somebody uses them.
func (s *shelf) removePackages(out []repo.Removed, k packages.Kept, why string) ([]repo.Removed, error) {
	if !s.keep.Dry {
		if gone, err := k.Remove(); !gone || err != nil {
			return out, err
		}
	}
	return append(out, repo.Removed{What: k.Path, Why: why, Bytes: k.Bytes}), nil
}

func (s *shelf) close() {
	for _, root := range s.open {
		root.Close()
	}
	if s.lock != nil {
		s.lock.Close()
	}
}

// A built file is one of a build cache, or a result that is remembered; or it is a folder of
// packages.
type built struct {
	root     *os.Root // the cache
	name     string   // in it
	used     time.Time
	bytes    int64
	packages *packages.Kept
}

// place is where it stands, for people and for the order among what was used at one time.
func (b built) place() string {
	if b.packages != nil {
		return b.packages.Path
	}
	return b.root.Name() + "/" + b.name
}

// remove removes it, unless it is used; what is gone.
func (b built) remove() (gone bool, err error) {
	if b.packages != nil {
		return b.packages.Remove()
	}
	err = b.root.Remove(b.name)
	return err == nil, err
}

// shrink removes files until all repositories together take no more than may be kept. Go
// marks what it uses; what it does not find it builds.
func shrink(shelves []*shelf, keep CacheKeep) ([]repo.Removed, error) {
	if keep.Bytes <= 0 {
		return nil, nil
	}
	var sum int64
	var files []built
	of := map[string]*repo.Removed{}
	var order []string
	for _, s := range shelves {
		for _, f := range s.files() {
			files, sum = append(files, f), sum+f.bytes
		}
	}
	slices.SortFunc(files, func(a, b built) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.place(), b.place())) })
	var errs []error
	for _, f := range files {
		if sum <= keep.Bytes {
			break
		}
		if !keep.Dry {
			gone, err := f.remove()
			if err != nil {
				errs = append(errs, fmt.Errorf("check: clean: %w", err))
			}
			if !gone {
				continue
			}
		}
		sum -= f.bytes
		if f.packages != nil {
			of[f.place()], order = &repo.Removed{What: f.place(), Why: "packages that were used longest ago: more than may be kept", Bytes: f.bytes}, append(order, f.place())
			continue
		}
		dir := f.root.Name()
		if of[dir] == nil {
			of[dir], order = &repo.Removed{What: dir, Why: "the files that were used longest ago: more than may be kept"}, append(order, dir)
		}
		of[dir].Bytes += f.bytes
	}
	var out []repo.Removed
	for _, dir := range order {
		out = append(out, *of[dir])
	}
	return out, errors.Join(errs...)
}

// files are those that may go one by one. The tests of a base branch have written the
// cache, and may have put a link in a folder's place: no file is reached by its path.
func (s *shelf) files() (out []built) {
	for folder, pattern := range map[string]string{"go-build": "[0-9a-f][0-9a-f]", "results": "."} {
		root, err := os.OpenRoot(filepath.Join(s.dir, folder))
		if err != nil {
			continue // nothing was built
		}
		s.open = append(s.open, root)
		tree := repo.PlainFS(root)
		folders, _ := fs.Glob(tree, pattern)
		for _, below := range folders {
			if info, err := fs.Lstat(tree, below); err != nil || !info.IsDir() {
				continue
			}
			entries, _ := fs.ReadDir(tree, below)
			for _, e := range entries {
				name := path.Join(below, e.Name())
				if info, err := fs.Lstat(tree, name); err == nil && info.Mode().IsRegular() {
					out = append(out, built{root: root, name: name, used: info.ModTime(), bytes: repo.SizeOnDisk(info)})
				}
			}
		}
	}
	for _, k := range packages.List(filepath.Join(s.dir, packagesDir)) {
		if !k.Abandoned() {
			out = append(out, built{used: k.Used, bytes: k.Bytes, packages: &k})
		}
	}
	return out
}

// inUse is the file of a repository whose lock is shared by all that build there.
const inUse = "in-use"

// using keeps the caches of m's repository from being cleaned until done is called, and
// marks them as used.
func (c *Checker) using(m *repo.Mirror) (done func(), err error) {
	if m == nil || c.CacheDir == "" {
		return func() {}, nil
	}
	dir, err := c.repository(m)
	if err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(filepath.Join(dir, inUse), os.O_CREATE|os.O_RDWR, 0o644)
		if errors.Is(err, fs.ErrNotExist) { // it was removed whole this moment
			if dir, err = c.repository(m); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		if err := flock(f, syscall.LOCK_SH); err != nil {
			f.Close()
			return nil, fmt.Errorf("check: %w", err)
		}
		if mine, err := f.Stat(); err == nil {
			if there, err := os.Stat(f.Name()); err == nil && os.SameFile(mine, there) {
				now := time.Now()
				_ = os.Chtimes(f.Name(), now, now)
				return func() { f.Close() }, nil
			}
		}
		f.Close()
	}
}

// tryLock takes a lock that excludes all others, if it is free.
func tryLock(path string) (*os.File, bool, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, false, fmt.Errorf("check: clean: %w", err)
	}
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, false, nil
	}
	if err != nil {
		f.Close()
		return nil, false, fmt.Errorf("check: clean: %w", err)
	}
	return f, true, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
