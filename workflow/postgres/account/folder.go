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

// BlockedAt is the first folder on the way to dir that p may not pass; "" when p gets there.
func (p Account) BlockedAt(dir string) string {
	way := []string{dir}
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		way = append(way, filepath.Dir(d))
	}
	for i := len(way) - 1; i >= 0; i-- {
		uid, gid, _ := Owner(way[i])
		pass := os.FileMode(0o001)
		switch {
		case uid == p.UID:
			pass = 0o100
		case gid == p.GID:
			pass = 0o010
		}
		if permissions(way[i])&pass == 0 {
			return way[i]
		}
	}
	return ""
}

// Give makes a folder that is the account's alone.
func (p Account) Give(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if p.cred == nil {
		return nil
	}
	if err := os.Chown(dir, p.UID, p.GID); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// MakeOpen makes the folders that are missing on the way to dir; everybody may pass
// through those, whatever the umask says.
func MakeOpen(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := MakeOpen(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// Owner returns whom a file or folder belongs to; ok is false where there is none.
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

// LetPass lets everybody pass through a folder.
func LetPass(dir string) error { return os.Chmod(dir, permissions(dir)|0o111) }

func permissions(path string) os.FileMode {
	fi, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return fi.Mode().Perm()
}

// NameOf returns the name of the account with that id.
func NameOf(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(uid)
}
