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

	"github.com/bobbinhq/bobbin/workflow/postgres/account"
)

// A home is the folder of one cluster, and whom its server runs as.
type home struct {
	dir  string // absolute
	data string // dir/data, links resolved
	as   account.Account
}

// settle makes the folder, and finds out who the server is to run as and whether they
// can get there.
func settle(dir, varLib string) (home, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return home{}, fmt.Errorf("cluster: %w", err)
	}
	if err := account.MakeOpen(abs); err != nil {
		return home{}, err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return home{}, fmt.Errorf("cluster: %w", err)
	}
	h := home{dir: abs, data: filepath.Join(abs, "data")}.follow()
	if err := account.MakeOpen(h.dir); err != nil {
		return home{}, err
	}
	if h.as, err = h.findAccount(); err != nil {
		return home{}, err
	}
	if os.Geteuid() != 0 {
		return h, nil
	}
	return h.reachable(varLib)
}

// checkOwner refuses data that another account made: Postgres would, in worse words.
func (h home) checkOwner() error {
	if uid, _, ok := account.Owner(h.data); ok && uid != h.as.UID {
		return fmt.Errorf("cluster: %s belongs to %s, and this program runs as uid %d: run it as that account or as root, or choose another folder (BOBBIN_DATA_DIR)", h.data, account.NameOf(uid), h.as.UID)
	}
	return nil
}

// someoneElse is whom root lets the server run as: whoever owns the data already, else
// the first of the accounts made for that. nobody comes last, since confined commands of
// agents run under that id.
func (h home) someoneElse() (account.Account, error) {
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
	return account.Account{}, errors.New("cluster: Postgres refuses to run as root, and there is no account postgres, daemon or nobody to run it as: start this program as an ordinary user, or set DATABASE_URL")
}

// reachable sees to it that the account can get to the folder: temporary folders of our
// own are opened for passing through; from anywhere else the cluster moves to varLib.
func (h home) reachable(varLib string) (home, error) {
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
	if err := account.MakeOpen(varLib); err != nil {
		return home{}, err
	}
	if at := h.as.BlockedAt(varLib); at != "" {
		return home{}, fmt.Errorf("cluster: Postgres has to run as %s, who may not enter %s: choose another folder (BOBBIN_DATA_DIR), or chmod o+x it", h.as.Name, at)
	}
	to := filepath.Join(varLib, "cluster-"+strings.ToLower(rand.Text()[:10]))
	switch err := os.Symlink(filepath.Join(to, "data"), h.data); {
	case errors.Is(err, os.ErrExist): // another program was quicker
		if to = h.follow().dir; to == h.dir {
			return home{}, fmt.Errorf("cluster: Postgres has to run as %s, who may not get to %s: choose another folder (BOBBIN_DATA_DIR)", h.as.Name, h.data)
		}
	case err != nil:
		return home{}, fmt.Errorf("cluster: %w", err)
	}
	return home{dir: to, data: filepath.Join(to, "data"), as: h.as}, account.MakeOpen(to)
}

// ours reports whether a folder is one that we may open: a temporary one of this user.
func ours(dir string) bool {
	tmp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return false
	}
	uid, _, ok := account.Owner(dir)
	return ok && uid == os.Geteuid() && strings.HasPrefix(dir, tmp+string(filepath.Separator))
}
