package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// tryLock takes the cluster's lock for this program, until the lock is released or the program ends in any
// way. It returns nil if a live program holds the lock.
func (h home) tryLock() (*disk.Lock, error) {
	lock, err := disk.TryExclusive(h.lockPath())
	if err == nil && lock != nil {
		err = os.WriteFile(h.lockPath(), []byte(strconv.Itoa(os.Getpid())), 0o644)
	}
	if err != nil {
		lock.Release()
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return lock, nil
}

// holder returns the pid that the holder of the lock wrote, or 0 if it is unknown.
func (h home) holder() int {
	b, _ := os.ReadFile(h.lockPath())
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return pid
}

func (h home) lockPath() string { return filepath.Join(h.dir, "lock") }
