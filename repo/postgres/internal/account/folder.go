package account

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// BlockedAt returns the first folder on the path to dir that p may not pass through, or "" if p can reach
// dir.
func (a Account) BlockedAt(dir string) string {
	way := []string{dir}
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		way = append(way, filepath.Dir(d))
	}
	for i := len(way) - 1; i >= 0; i-- {
		uid, gid, _ := Owner(way[i])
		pass := os.FileMode(0o001)
		switch {
		case uid == a.UID:
			pass = 0o100
		case gid == a.GID:
			pass = 0o010
		}
		if permissions(way[i])&pass == 0 {
			return way[i]
		}
	}
	return ""
}

// Give creates the folder dir with mode 0700 and makes the account its owner.
func (a Account) Give(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	if a.cred == nil {
		return nil
	}
	if err := os.Chown(dir, a.UID, a.GID); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	return nil
}

// MakeOpen creates the missing folders on the path to dir with mode 0755, whatever the umask is, so that
// every account may pass through them.
func MakeOpen(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := MakeOpen(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("postgres: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	return nil
}

// Owner returns the user and group ids that own a file or folder; ok is false if the path does not exist.
func Owner(path string) (uid, gid int, ok bool) {
	fi, err := os.Stat(path)
	if err != nil {
		return 0, 0, false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// LetPass adds the search permission (x) on a folder for every account.
func LetPass(dir string) error { return os.Chmod(dir, permissions(dir)|0o111) }

func permissions(path string) os.FileMode {
	fi, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return fi.Mode().Perm()
}

// NameOf returns the name of the account with the user id uid, or "uid N" if there is no such account.
func NameOf(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(uid)
}
