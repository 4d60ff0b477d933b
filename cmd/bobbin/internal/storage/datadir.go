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

// DefaultDataDir follows the XDG base directories; root's home is closed to the
// unprivileged users that Postgres and commands run as.
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

// ReplicaName is the same for every process that works in this data directory, one after
// another: what a dead one had in hand is its successor's at once.
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
	// A folder that was copied to another machine does not make two of one name.
	return host + "-" + strings.TrimSpace(string(token)), nil
}
