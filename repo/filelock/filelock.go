// Package filelock locks files among the processes of one machine, by flock(2). A lock is
// held by the open file, so the end of a process ends its locks too; the file itself stays.
// Locks are advisory: they bind only those that ask. Waiting polls, so that ctx can end it.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// A Lock is held until Release.
type Lock struct{ file *os.File }

// pollEvery is how often a lock that somebody holds is tried again.
const pollEvery = 50 * time.Millisecond

// TryExclusive takes a lock that excludes all others; nil if somebody holds one. The file is
// made where it is missing.
func TryExclusive(path string) (*Lock, error) { return try(path, syscall.LOCK_EX) }

// TryShared takes a lock that excludes exclusive ones; nil if somebody holds one of these.
func TryShared(path string) (*Lock, error) { return try(path, syscall.LOCK_SH) }

// Exclusive is TryExclusive that waits until the lock is free or ctx ends.
func Exclusive(ctx context.Context, path string) (*Lock, error) { return wait(ctx, path, TryExclusive) }

// Shared is TryShared that waits until the lock is free or ctx ends.
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

// Release lets go of the lock; of nil it does nothing. To close the file is not enough: a
// process that is being started at this moment has it open a little longer.
func (l *Lock) Release() {
	if l == nil {
		return
	}
	_ = flock(l.file, syscall.LOCK_UN)
	l.file.Close()
}

// Current reports whether the path still leads to the file that is locked: somebody may have
// removed it while we waited.
func (l *Lock) Current() bool {
	mine, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.file.Name())
	return err == nil && os.SameFile(mine, there)
}

// Touch sets the file's time to now, which says when it was last used.
func (l *Lock) Touch() {
	now := time.Now()
	_ = os.Chtimes(l.file.Name(), now, now)
}
