//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	if h.as, err = h.account(); err != nil {
		return Sight{}, err
	}
	s := Sight{Account: h.as.name, Made: h.major(), Data: h.data, Owner: h.running()}
	// Folders that are missing can be left to Start; what is there decides.
	if blocked := h.as.blockedAt(existing(h.dir)); blocked != "" && !ours(blocked) && h.as.blockedAt(existing(cfg.varLib)) != "" {
		return s, fmt.Errorf("cluster: Postgres has to run as %s, who may not enter %s: choose another folder (BOBBIN_DATA_DIR), or chmod o+x it", h.as.name, blocked)
	}
	bin, err := cfg.installed(ctx, h)
	s.Version, s.Dir = bin.version, bin.dir
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

// account is whom the server would run as.
func (h home) account() (person, error) {
	if os.Geteuid() == 0 {
		return h.someoneElse()
	}
	h.as = person{name: "uid " + strconv.Itoa(os.Geteuid()), uid: os.Geteuid(), gid: os.Getegid()}
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

// installed finds the programs that are here; none of that version means that npm has them.
func (c Config) installed(ctx context.Context, h home) (programs, error) {
	f := c.find
	if f == nil {
		f = thisMachine()
	}
	want := h.major()
	if f.named != "npm" {
		bin, seen, err := f.choose(ctx, h, want)
		switch {
		case err != nil || bin.dir != "":
			return bin, err
		case f.named != "" && want != 0:
			return bin, otherVersion(h, want, seen)
		case f.named != "":
			return bin, none(seen, f)
		case !f.fetches(want) && want != 0:
			return bin, otherVersion(h, want, seen)
		case !f.fetches(want):
			return bin, none(seen, f)
		}
	}
	if !f.fetches(want) {
		return programs{}, none(nil, f)
	}
	return programs{}, nil
}

// fetches reports whether npm could give programs for that data.
func (f *finder) fetches(want int) bool {
	return f.pkg.name != "" && (want == 0 || want == f.pkg.major) && inPath(f.path, "npm") != ""
}
