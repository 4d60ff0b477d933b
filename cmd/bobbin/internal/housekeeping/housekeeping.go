// Package housekeeping removes what is older, or more, than the configuration keeps: rows of the database,
// folders of sessions, mirrors and build caches. It leaves alone what is in use. What it removes from the
// disk is made again when it is needed. What could not be removed is tried again at the next run.
package housekeeping

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/retention"
	"github.com/bobbinhq/bobbin/workflow/turn"
)

// A Retention says how long and how much is kept. A zero field means no limit.
type Retention struct {
	Sessions, Waiting, Decisions, Files, Mirrors time.Duration
	FilesBytes, CacheBytes                       int64
}

// cleanEvery returns the interval between cleanings: an hour, or a quarter of the shortest age limit if
// that is less; at least a second.
func (r Retention) cleanEvery() time.Duration {
	often := time.Hour
	for _, d := range []time.Duration{r.Sessions, r.Waiting, r.Decisions, r.Files} {
		if d > 0 {
			often = min(often, d/4)
		}
	}
	return max(often, time.Second)
}

// A Housekeeper removes what is older, or more, than Keep says. It leaves alone what is in use, and what it
// removes from the disk is made again when it is needed, so it cannot make a session fail. What it fails to
// remove is tried again at the next run.
type Housekeeper struct {
	Keep    Retention
	Store   *store.Store
	Folders *turn.Folders
	Mirrors *git.Mirrors
	Checker *build.Checker // nil: there is no cache
	Log     *slog.Logger
}

// New returns a Housekeeper for a data directory in which no bot runs.
func New(dir string, keep Retention, st *store.Store, log *slog.Logger) *Housekeeper {
	return &Housekeeper{
		Keep: keep, Store: st, Log: log,
		Folders: &turn.Folders{Dir: filepath.Join(dir, "sessions")},
		Mirrors: &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: log},
		Checker: &build.Checker{Caches: build.Caches{Dir: filepath.Join(dir, "cache"), Log: log}},
	}
}

// Run cleans after a minute at most, and then every cleanEvery, until ctx ends.
func (h *Housekeeper) Run(ctx context.Context) {
	tick := time.NewTicker(h.Keep.cleanEvery())
	defer tick.Stop()
	// the first cleaning waits, so that waiting sessions start before it
	first := time.NewTimer(min(h.Keep.cleanEvery(), time.Minute))
	defer first.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-first.C:
		case <-tick.C:
		}
		h.cleanOnce(ctx)
	}
}

func (h *Housekeeper) cleanOnce(ctx context.Context) {
	began := time.Now()
	c, err := h.Clean(ctx, false)
	switch {
	case err != nil && ctx.Err() == nil:
		h.Log.Warn("cleaning did not get everything done; it is tried again", "err", err, "freed", c)
	case c.removedAny():
		h.Log.Info("cleaned", "freed", c, "took", time.Since(began).Round(time.Millisecond))
	}
}

// A cleaning lists what was removed, or in a dry run what would be.
type cleaning struct {
	Rows retention.Removed
	Disk []disk.Removed
}

func (c cleaning) removedAny() bool { return c.Rows != (retention.Removed{}) || len(c.Disk) > 0 }

// String returns the cleaning in one line.
func (c cleaning) String() string {
	var bytes int64
	for _, gone := range c.Disk {
		bytes += gone.Bytes
	}
	return fmt.Sprintf("%d sessions' words and files and %d sessions' decisions from the database, "+
		"%d old jobs and %d old alerts; %d folders with %s from the disk",
		c.Rows.Sessions, c.Rows.Records, c.Rows.Jobs, c.Rows.Alerts, len(c.Disk), cli.Megabytes(bytes))
}

// Clean cleans each part, also if another part fails. With dry it removes nothing and returns what would be
// removed.
func (h *Housekeeper) Clean(ctx context.Context, dry bool) (c cleaning, _ error) {
	rows, err := h.cleanRows(ctx, dry)
	c.Rows = rows
	errs := []error{err}
	for _, part := range []func(context.Context, bool) ([]disk.Removed, error){
		h.cleanFolders, h.cleanCaches, h.cleanMirrors,
	} {
		gone, err := part(ctx, dry)
		c.Disk = append(c.Disk, gone...)
		errs = append(errs, err)
	}
	return c, errors.Join(errs...)
}

func (h *Housekeeper) cleanRows(ctx context.Context, dry bool) (retention.Removed, error) {
	keep := retention.Policy{Sessions: h.Keep.Sessions, Waiting: h.Keep.Waiting, Decided: h.Keep.Decisions}
	if dry {
		return retention.CountCleanable(ctx, h.Store.DB, keep)
	}
	return retention.Clean(ctx, h.Store.DB, keep)
}

func (h *Housekeeper) cleanFolders(ctx context.Context, dry bool) ([]disk.Removed, error) {
	return h.Folders.Clean(ctx,
		turn.Retention{Age: h.Keep.Files, Alone: h.Keep.Waiting, Bytes: h.Keep.FilesBytes, Dry: dry})
}

func (h *Housekeeper) cleanCaches(ctx context.Context, dry bool) ([]disk.Removed, error) {
	if h.Checker == nil {
		return nil, nil
	}
	return h.Checker.Caches.Clean(ctx,
		build.CacheRetention{Bytes: h.Keep.CacheBytes, Unused: h.Keep.Mirrors, Dry: dry})
}

func (h *Housekeeper) cleanMirrors(ctx context.Context, dry bool) ([]disk.Removed, error) {
	return h.Mirrors.Clean(ctx, git.MirrorRetention{Unused: h.Keep.Mirrors, Dry: dry})
}

// FromConfig returns the Retention of the configuration, with its defaults filled in.
func FromConfig(k config.Keep) Retention {
	k = k.WithDefaults()
	days := func(n float64) time.Duration { return time.Duration(n * 24 * float64(time.Hour)) }
	bytes := func(gb float64) int64 { return int64(gb * 1e9) }
	return Retention{
		Sessions:   days(k.Sessions),
		Waiting:    days(k.Waiting),
		Decisions:  days(k.Decisions),
		Files:      days(k.Files),
		Mirrors:    max(days(k.Mirrors), time.Hour),
		FilesBytes: bytes(k.FilesGB),
		CacheBytes: bytes(k.CacheGB),
	}
}
