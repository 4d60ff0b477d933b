package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// hold takes a data directory for this process until the file is closed; the kernel lets
// go of it when the process dies in whatever way. Two processes would write the same files.
func hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, usageError{fmt.Errorf("another Bobbin works in %s; each replica needs a data directory of its own (--data-dir or BOBBIN_DATA_DIR)", dir)}
	}
	return nil, fmt.Errorf("data directory: lock %s: %w", dir, err)
}
