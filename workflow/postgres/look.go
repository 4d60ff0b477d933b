package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/workflow/postgres/account"
)

// A Sight is what Start would find.
type Sight struct {
	Version string // of the server's programs; empty: they would be fetched through npm
	Dir     string // where they are
	Account string // whom the server would run as
	Made    int    // version that made the data; 0: there is none yet
	Data    string // where it is, or would be
	Owner   int    // pid of the program that runs the server now; 0: nobody does
}

// Look says whether Start could give a Postgres, and changes nothing. Like Start it fails
// with an *Unavailable where there can be none.
func Look(ctx context.Context, cfg Config) (Sight, error) {
	cfg = cfg.withDefaults()
	if cfg.Dir == "" {
		return Sight{}, errors.New("cluster: no folder was given")
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return Sight{}, fmt.Errorf("cluster: %w", err)
	}
	h := home{dir: dir, data: filepath.Join(dir, "data")}.follow()
	if h.as, err = h.findAccount(); err != nil {
		return Sight{}, err
	}
	s := Sight{Account: h.as.Name, Made: h.major(), Data: h.data, Owner: h.running()}
	// Folders that are missing can be left to Start; what is there decides.
	if blocked := h.as.BlockedAt(existing(h.dir)); blocked != "" && !ours(blocked) && h.as.BlockedAt(existing(cfg.varLib)) != "" {
		return s, fmt.Errorf("cluster: Postgres has to run as %s, who may not enter %s: choose another folder (BOBBIN_DATA_DIR), or chmod o+x it", h.as.Name, blocked)
	}
	bin, err := cfg.finder().Look(ctx, h.need())
	s.Version, s.Dir = bin.Version, bin.Dir
	return s, err
}

// existing is dir, or the first folder above it that is there.
func existing(dir string) string {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// findAccount is whom the server would run as.
func (h home) findAccount() (account.Account, error) {
	if os.Geteuid() == 0 {
		return h.someoneElse()
	}
	h.as = account.Self()
	return h.as, h.checkOwner()
}

// running is the pid of whoever holds the folder with a server that is alive.
func (h home) running() int {
	p, err := readPIDFile(h.data)
	if err != nil || !alive(p.pid) || !isPostmaster(p.pid, h.data) {
		return 0
	}
	return h.holder()
}
