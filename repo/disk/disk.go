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

// Removed describes something that a cleaning removed from the disk, or would remove in a dry run.
type Removed struct {
	What  string // the path
	Why   string
	Bytes int64
}

// aside is part of the name of a folder that is being removed. The original name is free for a new folder,
// and the name shows what a folder is that a crash left behind.
const aside = ".gone-"

// IsAside reports whether name is the name of a folder that was being removed.
func IsAside(name string) bool { return strings.Contains(name, aside) }

// MoveAside renames a folder, so that it can be removed later, and returns the new path.
func MoveAside(dir string) (string, error) {
	to := fmt.Sprintf("%s%s%d", dir, aside, time.Now().UnixNano())
	return to, os.Rename(dir, to)
}

// DiskUse returns the disk space in bytes that a file takes, or a folder with everything below it. Files that
// cannot be read are not counted.
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

// SizeOnDisk returns the disk space in bytes that one file takes.
func SizeOnDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}
