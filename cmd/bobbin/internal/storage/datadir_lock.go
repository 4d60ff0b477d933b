package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/repo/disk"
)

// lockTimeout is how long to wait for the end of a former process: a child that it had just forked holds
// the lock too, until the child executes its own program.
const lockTimeout = 5 * time.Second

// ErrBusy is wrapped by the error of LockDataDir if another process works in the directory, which may pass.
var ErrBusy = errors.New("another Bobbin works in")

// LockDataDir locks a data directory for this process until Release, because two processes would write the
// same files. The kernel releases the lock when the process dies, however it dies.
func LockDataDir(dir string) (*disk.Lock, error) {
	if err := CheckDataDir(dir); err != nil {
		return nil, cli.UsageError{Err: fmt.Errorf("bobbin: %w", err)}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	lock, err := disk.Exclusive(ctx, filepath.Join(dir, "lock"))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%w %s; each replica needs a data directory of its own (--data-dir or "+
			"BOBBIN_DATA_DIR)", ErrBusy, dir)
	case err != nil:
		return nil, describeDataDir(dir, err)
	}
	return lock, nil
}

// IsLocked reports whether a process works in the data directory.
func IsLocked(dir string) bool {
	name := filepath.Join(dir, "lock")
	if _, err := os.Stat(name); err != nil {
		return false
	}
	lock, err := disk.TryExclusive(name)
	lock.Release()
	return lock == nil && err == nil
}
