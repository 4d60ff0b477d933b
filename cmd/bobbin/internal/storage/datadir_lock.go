package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/repo/filelock"
)

// lockPatience is how long a former process may take to be gone: a child that it was about
// to start holds the lock, too, until it runs its own program.
const lockPatience = 2 * time.Second

// LockDataDir takes a data directory for this process until Release; the kernel lets go of it
// when the process dies in whatever way. Two processes would write the same files.
func LockDataDir(dir string) (*filelock.Lock, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	lock, err := filelock.Exclusive(ctx, filepath.Join(dir, "lock"))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, cli.UsageError{Err: fmt.Errorf("another Bobbin works in %s; each replica needs a data directory of its own (--data-dir or BOBBIN_DATA_DIR)", dir)}
	case err != nil:
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return lock, nil
}

// IsLocked reports whether a process works in a data directory.
func IsLocked(dir string) bool {
	name := filepath.Join(dir, "lock")
	if _, err := os.Stat(name); err != nil {
		return false
	}
	lock, err := filelock.TryExclusive(name)
	lock.Release()
	return lock == nil && err == nil
}
