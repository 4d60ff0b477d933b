package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/filelock"
)

// tryLock takes the cluster for this program until the lock is released, or the program ends
// in whatever way; nil while a live program holds it.
func (h home) tryLock() (*filelock.Lock, error) {
	lock, err := filelock.TryExclusive(h.lockPath())
	if err == nil && lock != nil {
		err = os.WriteFile(h.lockPath(), []byte(strconv.Itoa(os.Getpid())), 0o644)
	}
	if err != nil {
		lock.Release()
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return lock, nil
}

// holder returns the pid that the holder of the lock wrote; 0 when it is not known.
func (h home) holder() int {
	b, _ := os.ReadFile(h.lockPath())
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return pid
}

func (h home) lockPath() string { return filepath.Join(h.dir, "lock") }
