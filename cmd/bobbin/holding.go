package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// holdPatience is how long a former process may take to be gone: a child that it was about
// to start holds the lock, too, until it runs its own program.
const holdPatience = 2 * time.Second

// hold takes a data directory for this process until the file is closed; the kernel lets
// go of it when the process dies in whatever way. Two processes would write the same files.
func hold(dir string) (*os.File, error) {
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
		return nil, usageError{fmt.Errorf("another Bobbin works in %s; each replica needs a data directory of its own (--data-dir or BOBBIN_DATA_DIR)", dir)}
	}
	return nil, fmt.Errorf("data directory: lock %s: %w", dir, err)
}
