package storage

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
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

// CheckDataDir returns what is wrong with a data directory of that path, with the cure; nil if it is a
// folder, or nothing yet.
func CheckDataDir(dir string) error {
	at, err := os.Stat(dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the data directory %s cannot be made: a part of that path is a file; "+
			"name a folder with --data-dir or BOBBIN_DATA_DIR", dir)
	case err == nil && !at.IsDir():
		return fmt.Errorf("the data directory %s is a file; "+
			"name a folder with --data-dir or BOBBIN_DATA_DIR", dir)
	}
	return nil
}

// MakeDataDir makes a data directory, unless it is there.
func MakeDataDir(dir string) error {
	if err := CheckDataDir(dir); err != nil {
		return cli.UsageError{Err: fmt.Errorf("bobbin: %w", err)}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return describeDataDir(dir, err)
	}
	return nil
}

// describeDataDir returns an error of one line, with the cure, if err is that the data directory cannot be
// made or written, and any other error as that of the data directory.
func describeDataDir(dir string, err error) error {
	var errno syscall.Errno
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) || !errors.As(err, &errno) {
		return fmt.Errorf("data directory: %w", err)
	}
	return fmt.Errorf("the data directory %s cannot be written: %w; give it to user id %d, or name another "+
		"with --data-dir or BOBBIN_DATA_DIR", dir, errno, os.Getuid())
}

// ReplicaName returns the name of the replica in this data directory. It is the same for each process that
// works there, one after another, so that a new process takes over the work of a dead one at once. No two
// replicas may have the same name, since each would take the other for its dead predecessor.
func ReplicaName(dir string) (string, error) {
	host, _ := os.Hostname()
	token, err := replicaToken(filepath.Join(dir, "replica"))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	// The host name and the path tell apart the replicas of a folder that was copied, to
	// another machine or on this one.
	return fmt.Sprintf("%s-%s-%.4x", host, token, sha256.Sum256([]byte(dir))), nil
}

// replicaToken reads the token in that file, and makes one if there is none, or if a full disk or a
// power cut left the file empty.
func replicaToken(file string) (string, error) {
	kept, err := os.ReadFile(file)
	if token := strings.Trim(string(kept), " \n\x00"); token != "" ||
		err != nil && !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	token := store.NewToken()[:12]
	if err := os.WriteFile(file+".new", []byte(token), 0o600); err != nil {
		return "", err
	}
	return token, os.Rename(file+".new", file)
}
