package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// A Lock locks a file between the processes of one machine with flock(2). The open file holds the lock, so a
// lock ends with its process; the lock file itself stays. Locks are advisory: they bind only processes that ask
// for them. A waiting call polls every 50 ms, so that its context can end it.
//
// It is held until Release.
type Lock struct{ file *os.File }

// pollEvery is the interval at which a waiting call tries again.
const pollEvery = 50 * time.Millisecond

// TryExclusive takes a lock that excludes all others, or returns nil if the file is locked. It creates
// the file if it does not exist.
func TryExclusive(path string) (*Lock, error) { return try(path, syscall.LOCK_EX) }

// TryShared takes a lock that excludes only exclusive ones, or returns nil if the file has an exclusive
// lock.
func TryShared(path string) (*Lock, error) { return try(path, syscall.LOCK_SH) }

// Exclusive does what TryExclusive does, but waits until the lock is free or ctx ends.
func Exclusive(ctx context.Context, path string) (*Lock, error) { return wait(ctx, path, TryExclusive) }

// Shared does what TryShared does, but waits until the lock is free or ctx ends.
func Shared(ctx context.Context, path string) (*Lock, error) { return wait(ctx, path, TryShared) }

func wait(ctx context.Context, path string, try func(string) (*Lock, error)) (*Lock, error) {
	for {
		l, err := try(path)
		if l != nil || err != nil {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

func try(path string, kind int) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	switch err := flock(f, kind|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, nil
	case err != nil:
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &Lock{f}, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Release unlocks and closes the file; on a nil Lock it does nothing. Closing alone is not enough: a
// child process that is just being started keeps the file open a little longer.
func (l *Lock) Release() {
	if l == nil {
		return
	}
	_ = flock(l.file, syscall.LOCK_UN)
	l.file.Close()
}

// Current reports whether the path still names the locked file. Another process may have removed the
// file while this one waited for the lock.
func (l *Lock) Current() bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.file.Name())
	return err == nil && os.SameFile(mine, there)
}

// Touch sets the file's modification time to now, to record when it was last used.
func (l *Lock) Touch() {
	now := time.Now()
	_ = os.Chtimes(l.file.Name(), now, now)
}
