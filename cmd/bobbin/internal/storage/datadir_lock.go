package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// holdPatience is how long a former process may take to be gone: a child that it was about
// to start holds the lock, too, until it runs its own program.
const holdPatience = 2 * time.Second

// LockDataDir takes a data directory for this process until the file is closed; the kernel lets
// go of it when the process dies in whatever way. Two processes would write the same files.
func LockDataDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	for until := time.Now().Add(holdPatience); ; time.Sleep(20 * time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) || time.Now().After(until) {
			break
		}
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, cli.UsageError{Err: fmt.Errorf("another Bobbin works in %s; each replica needs a data directory of its own (--data-dir or BOBBIN_DATA_DIR)", dir)}
	}
	return nil, fmt.Errorf("data directory: lock %s: %w", dir, err)
}

// IsLocked reports whether a process works in a data directory.
func IsLocked(dir string) bool {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer lock.Close() // and lets go of it
	return errors.Is(syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
