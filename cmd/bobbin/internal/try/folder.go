package try

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
)

const (
	folderPrefix = "bobbin-try-"
	// lockName is the file in a temporary folder that is locked while the folder is in use.
	lockName = "in-use"
)

// makeFolder makes a temporary folder, which remove removes with all that is in it. It first removes the
// folders of programs that were killed.
func makeFolder(errs io.Writer) (dir string, remove func(), err error) {
	removeAbandoned(errs)
	if dir, err = os.MkdirTemp("", folderPrefix); err != nil {
		return "", nil, fmt.Errorf("a temporary folder: %w", err)
	}
	lock, err := disk.TryExclusive(filepath.Join(dir, lockName))
	// Commands may run as another user, who has to enter the folder.
	if err = errors.Join(err, os.Chmod(dir, 0o755)); err != nil {
		os.RemoveAll(dir)
		return "", nil, fmt.Errorf("a temporary folder: %w", err)
	}
	return dir, func() {
		if err := disk.RemoveFolder(dir); err != nil {
			sayStays(errs, dir, err)
		}
		lock.Release()
	}, nil
}

// removeAbandoned removes the temporary folders that no program uses.
func removeAbandoned(errs io.Writer) {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, dir := range found {
		file := filepath.Join(dir, lockName)
		if _, err := os.Stat(file); err != nil && !isOld(dir) {
			continue
		}
		lock, err := disk.TryExclusive(file)
		if lock == nil || err != nil {
			continue
		}
		if err := disk.RemoveFolder(dir); err != nil {
			sayStays(errs, dir, err)
		}
		lock.Release()
	}
}

// isOld reports whether a folder without a lock was not made just now: a program that was killed while it
// removed the folder has removed the lock already.
func isOld(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && time.Since(info.ModTime()) > time.Minute
}

func sayStays(w io.Writer, dir string, err error) {
	fmt.Fprintf(w, "bobbin: the temporary folder %s stays: %v\n", dir, err)
}
