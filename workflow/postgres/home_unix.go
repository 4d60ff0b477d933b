//go:build unix

package postgres

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// a person is whom the server runs as.
type person struct {
	name     string
	uid, gid int
	cred     *syscall.Credential // nil: as ourselves
}

// A home is the folder of one cluster, and whom its server runs as.
type home struct {
	dir  string // absolute
	data string // dir/data, links resolved
	as   person
}

// settle makes the folder, and finds out who the server is to run as and whether they
// can get there.
func settle(dir, varLib string) (home, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return home{}, fmt.Errorf("cluster: %w", err)
	}
	if err := makeOpen(abs); err != nil {
		return home{}, err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return home{}, fmt.Errorf("cluster: %w", err)
	}
	h := home{dir: abs, data: filepath.Join(abs, "data")}.follow()
	if err := makeOpen(h.dir); err != nil {
		return home{}, err
	}
	if os.Geteuid() != 0 {
		h.as = person{name: "uid " + strconv.Itoa(os.Geteuid()), uid: os.Geteuid(), gid: os.Getegid()}
		return h, h.checkOwner()
	}
	if h.as, err = h.someoneElse(); err != nil {
		return home{}, err
	}
	return h.reachable(varLib)
}

// checkOwner refuses data that another account made: Postgres would, in worse words.
func (h home) checkOwner() error {
	if uid, _, ok := owner(h.data); ok && uid != h.as.uid {
		return fmt.Errorf("cluster: %s belongs to %s, and this program runs as uid %d: run it as that account or as root, or choose another folder (BOBBIN_DATA_DIR)", h.data, nameOf(uid), h.as.uid)
	}
	return nil
}

// someoneElse is whom root lets the server run as: whoever owns the data already, else
// the first of the accounts made for that. nobody comes last, since confined commands of
// agents run under that id.
func (h home) someoneElse() (person, error) {
	if uid, gid, ok := owner(h.data); ok && uid != 0 {
		return asPerson(nameOf(uid), uid, gid), nil
	}
	for _, name := range []string{"postgres", "daemon", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if uid != 0 {
			return asPerson(name, uid, gid), nil
		}
	}
	return person{}, errors.New("cluster: Postgres refuses to run as root, and there is no account postgres, daemon or nobody to run it as: start this program as an ordinary user, or set DATABASE_URL")
}

func asPerson(name string, uid, gid int) person {
	return person{name, uid, gid, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// reachable sees to it that the account can get to the folder: temporary folders of our
// own are opened for passing through; from anywhere else the cluster moves to varLib.
func (h home) reachable(varLib string) (home, error) {
	blocked := h.as.blockedAt(h.dir)
	for blocked != "" && ours(blocked) {
		if os.Chmod(blocked, mode(blocked)|0o111) != nil {
			break
		}
		if again := h.as.blockedAt(h.dir); again != blocked {
			blocked = again
			continue
		}
		break
	}
	if blocked == "" {
		return h, nil
	}
	return h.move(varLib)
}

// follow goes where the data was moved to before, if it was.
func (h home) follow() home {
	if to, err := os.Readlink(h.data); err == nil && filepath.IsAbs(to) {
		h.dir, h.data = filepath.Dir(to), to
	}
	return h
}

// move puts the cluster into a new folder under varLib, with a link where it was asked
// for. The folder's name is new every time: a folder that was removed and made again is
// not to find its old data.
func (h home) move(varLib string) (home, error) {
	if err := makeOpen(varLib); err != nil {
		return home{}, err
	}
	if at := h.as.blockedAt(varLib); at != "" {
		return home{}, fmt.Errorf("cluster: Postgres has to run as %s, who may not enter %s: choose another folder (BOBBIN_DATA_DIR), or chmod o+x it", h.as.name, at)
	}
	to := filepath.Join(varLib, "cluster-"+strings.ToLower(rand.Text()[:10]))
	switch err := os.Symlink(filepath.Join(to, "data"), h.data); {
	case errors.Is(err, os.ErrExist): // another program was quicker
		if to = h.follow().dir; to == h.dir {
			return home{}, fmt.Errorf("cluster: Postgres has to run as %s, who may not get to %s: choose another folder (BOBBIN_DATA_DIR)", h.as.name, h.data)
		}
	case err != nil:
		return home{}, fmt.Errorf("cluster: %w", err)
	}
	return home{dir: to, data: filepath.Join(to, "data"), as: h.as}, makeOpen(to)
}

// ours reports whether a folder is one that we may open: a temporary one of this user.
func ours(dir string) bool {
	tmp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return false
	}
	uid, _, ok := owner(dir)
	return ok && uid == os.Geteuid() && strings.HasPrefix(dir, tmp+string(filepath.Separator))
}

// blockedAt is the first folder on the way to dir that p may not pass; "" when p gets there.
func (p person) blockedAt(dir string) string {
	way := []string{dir}
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		way = append(way, filepath.Dir(d))
	}
	for i := len(way) - 1; i >= 0; i-- {
		uid, gid, _ := owner(way[i])
		pass := os.FileMode(0o001)
		switch {
		case uid == p.uid:
			pass = 0o100
		case gid == p.gid:
			pass = 0o010
		}
		if mode(way[i])&pass == 0 {
			return way[i]
		}
	}
	return ""
}

// give makes a folder that is the account's alone.
func (p person) give(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if p.cred == nil {
		return nil
	}
	if err := os.Chown(dir, p.uid, p.gid); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// makeOpen makes the folders that are missing on the way to dir; everybody may pass
// through those, whatever the umask says.
func makeOpen(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := makeOpen(filepath.Dir(dir)); err != nil {
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

func owner(path string) (uid, gid int, ok bool) {
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

func mode(path string) os.FileMode {
	fi, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return fi.Mode().Perm()
}

func nameOf(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(uid)
}
