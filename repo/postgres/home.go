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

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
)

// A home is the folder of one cluster, with the account that its server runs as.
type home struct {
	dir  string // absolute path
	data string // dir/data, symbolic links resolved
	as   account.Account
}

// settle creates the folder and chooses the account that the server runs as.
func settle(dir string) (home, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return home{}, fmt.Errorf("postgres: %w", err)
	}
	if err := account.MakeOpen(abs); err != nil {
		return home{}, err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return home{}, fmt.Errorf("postgres: %w", err)
	}
	h, err := home{dir: abs, data: filepath.Join(abs, "data")}.follow()
	if err != nil {
		return home{}, err
	}
	h.as, err = h.findAccount()
	return h, err
}

// checkOwner refuses data that another account owns. Postgres would refuse it too, with a less helpful
// message.
func (h home) checkOwner() error {
	if uid, _, ok := account.Owner(h.data); ok && uid != h.as.UID {
		return fmt.Errorf("postgres: %s belongs to %s, and this program runs as uid %d: "+
			"run it as that account or as root, or choose another folder (BOBBIN_DATA_DIR)", h.data,
			account.NameOf(uid), h.as.UID)
	}
	return nil
}

// nonRootAccount returns the account that the server runs as if this program is root: the owner of existing
// data, or else the first that exists of postgres, daemon and nobody. nobody is last, because confined
// commands of agents run under that id.
func (h home) nonRootAccount() (account.Account, error) {
	if uid, gid, ok := account.Owner(h.data); ok && uid != 0 {
		return account.New(account.NameOf(uid), uid, gid), nil
	}
	for _, name := range []string{"postgres", "daemon", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if uid != 0 {
			return account.New(name, uid, gid), nil
		}
	}
	return account.Account{},
		errors.New("postgres: the server refuses to run as root, and there is no account postgres, " +
			"daemon or nobody to run it as: start this program as an ordinary user, or set DATABASE_URL")
}

// reachable makes sure that the server's account can reach the folder, if this program is root. Temporary
// folders of this user get the search permission; in any other case the cluster moves to varLib.
func (h home) reachable(cfg Config) (home, error) {
	if os.Geteuid() != 0 {
		return h, nil
	}
	blocked := h.as.BlockedAt(h.dir)
	for blocked != "" && ours(blocked) {
		if account.LetPass(blocked) != nil {
			break
		}
		if again := h.as.BlockedAt(h.dir); again != blocked {
			blocked = again
			continue
		}
		break
	}
	if blocked == "" {
		return h, nil
	}
	moved, err := h.move(cfg.varLib, blocked)
	if err == nil {
		cfg.Log.Warn("Postgres may not enter this folder, so its data is elsewhere; "+
			"if you copy the data directory, copy that folder, too", "folder", blocked,
			"account", h.as.Name, "data", moved.data)
	}
	return moved, err
}

// follow returns the home that the data was moved to by an earlier start, or h if it was not moved. A link
// whose folder is missing is an error: it was copied without the data, and a new cluster would be empty.
func (h home) follow() (home, error) {
	to, err := os.Readlink(h.data)
	if err != nil || !filepath.IsAbs(to) {
		return h, nil
	}
	if _, err := os.Stat(filepath.Dir(to)); errors.Is(err, os.ErrNotExist) {
		return home{}, fmt.Errorf("postgres: the database is not here: %s is a link to %s, "+
			"which is missing: copy the folder %s from where the link was made, "+
			"or remove the link to begin with an empty database", h.data, to, filepath.Dir(to))
	}
	h.dir = filepath.Dir(to)
	h.data = to
	return h, nil
}

// move puts the cluster into a new folder under varLib, because the server's account may not enter the folder
// blocked, and leaves a symbolic link at h.data. The new folder has a random name, so that a cluster folder
// which was removed and created again does not find its old data.
func (h home) move(varLib, blocked string) (home, error) {
	if err := account.MakeOpen(varLib); err != nil {
		return home{}, err
	}
	if at := h.as.BlockedAt(varLib); at != "" {
		return home{}, fmt.Errorf("postgres: the server has to run as %s, who may not enter %s: "+
			"choose another folder (BOBBIN_DATA_DIR), or chmod o+x it", h.as.Name, at)
	}
	to := filepath.Join(varLib, "cluster-"+strings.ToLower(rand.Text()[:10]))
	if err := account.MakeOpen(to); err != nil { // before the link, which without its folder is refused
		return home{}, err
	}
	switch err := os.Symlink(filepath.Join(to, "data"), h.data); {
	case errors.Is(err, os.ErrExist): // another program made the link first
		os.Remove(to)
		there, err := h.follow()
		if to = there.dir; err != nil {
			return home{}, err
		} else if to == h.dir {
			return home{}, fmt.Errorf("postgres: %s belongs to %s, who may not enter %s when root starts "+
				"Postgres: start the bot first, and run this beside it", h.data, h.as.Name, blocked)
		}
	case err != nil:
		return home{}, fmt.Errorf("postgres: %w", err)
	}
	return home{dir: to, data: filepath.Join(to, "data"), as: h.as}, nil
}

// ours reports whether this program may open a folder to others: a temporary folder of this user.
func ours(dir string) bool {
	tmp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return false
	}
	uid, _, ok := account.Owner(dir)
	return ok && uid == os.Geteuid() && strings.HasPrefix(dir, tmp+string(filepath.Separator))
}
