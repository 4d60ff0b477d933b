package disk

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Removed is something that cleaning took off the disk, or would have.
type Removed struct {
	What  string // a path
	Why   string
	Bytes int64
}

// aside is what a folder is named while it is being removed: whoever wants it meanwhile
// makes a new one, and what a crash leaves is known for what it is.
const aside = ".gone-"

// IsAside tells whether a name is of a folder that was being removed.
func IsAside(name string) bool { return strings.Contains(name, aside) }

// MoveAside gives a folder another name, under which it may be removed at leisure.
func MoveAside(dir string) (string, error) {
	to := fmt.Sprintf("%s%s%d", dir, aside, time.Now().UnixNano())
	return to, os.Rename(dir, to)
}

// DiskUse is what a file, or a folder with all that is below it, takes of the disk. What
// cannot be read counts nothing.
func DiskUse(path string) (bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // somebody else removes it, or closed it to us
		}
		if info, err := d.Info(); err == nil {
			bytes += SizeOnDisk(info)
		}
		return nil
	})
	return bytes
}

// SizeOnDisk is what one file takes of the disk.
func SizeOnDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}
