//go:build unix

package postgres

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// errHeld means that a live program holds the lock.
var errHeld = errors.New("cluster: held by another program")

// tryLock takes the cluster for this program until the file is closed; the kernel lets go
// of it when the program dies in whatever way.
func (h home) tryLock() (*os.File, error) {
	f, err := lockFile(filepath.Join(h.dir, "lock"), syscall.LOCK_EX|syscall.LOCK_NB)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("cluster: %w", err)
		}
	}
	return f, nil
}

// holder is the pid that the holder of the lock wrote; 0 when it is not known.
func (h home) holder() int {
	f, err := os.Open(filepath.Join(h.dir, "lock"))
	if err != nil {
		return 0
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 32))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return pid
}

func lockFile(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errHeld
	}
	return nil, fmt.Errorf("cluster: cannot lock %s: %w", path, err)
}
