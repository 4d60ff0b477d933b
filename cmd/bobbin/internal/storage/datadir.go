package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/store"
)

// DefaultDataDir returns the data directory by the XDG base directory rules, or /var/lib/bobbin for root:
// root's home is closed to the unprivileged users that Postgres and commands run as.
func DefaultDataDir(env func(string) string) string {
	if os.Getuid() == 0 {
		return "/var/lib/bobbin"
	}
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "bobbin")
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".local", "share", "bobbin")
	}
	return filepath.Join(os.TempDir(), "bobbin")
}

// ReplicaName returns the name of the replica in this data directory. It is the same for each process that
// works there, one after another, so that a new process takes over the work of a dead one at once.
func ReplicaName(dir string) (string, error) {
	host, _ := os.Hostname()
	name := filepath.Join(dir, "replica")
	token, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		token = []byte(store.NewToken()[:12])
		err = os.WriteFile(name, token, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	// The host name tells apart the replicas of a folder that was copied to another machine.
	return host + "-" + strings.TrimSpace(string(token)), nil
}
