package packages

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// makingPrefix is the prefix of the name of a folder whose packages are still being fetched.
const makingPrefix = "new-"

// removeLeftovers removes what an interrupted fetch of the same key left behind. The caller holds the lock of
// the key.
func removeLeftovers(dir, key string) {
	found, _ := filepath.Glob(filepath.Join(dir, makingPrefix+key+"-*"))
	for _, path := range found {
		_ = disk.RemoveFolder(path) // what stays is removed by the next fetch, and by cleaning
	}
}

// A Kept describes a folder of packages on disk, for a cleaning.
type Kept struct {
	Path  string
	Used  time.Time
	Bytes int64
}

// List returns the folders of packages in the folder of a repository, including those that killed processes
// left there.
func List(dir string) (out []Kept) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !e.IsDir() || strings.HasSuffix(e.Name(), pinsSuffix) {
			continue
		}
		k := Kept{Path: filepath.Join(dir, e.Name())}
		if info, err := os.Stat(k.lockPath()); err == nil {
			k.Used = info.ModTime()
		}
		k.Bytes = disk.DiskUse(k.Path)
		out = append(out, k)
	}
	return out
}

// lockPath returns the path of the lock file for the folder.
func (k Kept) lockPath() string {
	base := filepath.Base(k.Path)
	if rest, ok := strings.CutPrefix(base, makingPrefix); ok {
		base, _, _ = strings.Cut(rest, "-")
	} else if disk.IsAside(base) {
		base, _, _ = strings.Cut(base, ".")
	}
	return filepath.Join(filepath.Dir(k.Path), base+".lock")
}

// Abandoned reports whether a killed process left the folder behind. Such a folder holds no usable packages.
func (k Kept) Abandoned() bool {
	base := filepath.Base(k.Path)
	return strings.HasPrefix(base, makingPrefix) || disk.IsAside(base)
}

// Remove removes the folder unless it is in use, and reports whether it did.
func (k Kept) Remove() (gone bool, err error) {
	held, err := disk.TryExclusive(k.lockPath())
	if held == nil || err != nil {
		return false, err
	}
	defer held.Release()
	aside := k.Path
	if !k.Abandoned() {
		if aside, err = disk.MoveAside(k.Path); err != nil {
			return false, err
		}
	}
	return true, disk.RemoveFolder(aside)
}

// InUse reports whether any packages of a repository are in use.
func InUse(dir string) bool {
	for _, k := range List(dir) {
		held, err := disk.TryExclusive(k.lockPath())
		if held == nil || err != nil {
			return true
		}
		held.Release()
	}
	return false
}
