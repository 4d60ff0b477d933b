package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn"
)

// retention says what is kept. Zero: everything, for ever.
type retention struct {
	Sessions, Waiting, Decisions, Files, Mirrors time.Duration
	FilesBytes, CacheBytes                       int64
}

// every is how often it is looked what may go: each hour, and more often where something
// is kept for a few hours only.
func (r retention) every() time.Duration {
	often := time.Hour
	for _, d := range []time.Duration{r.Sessions, r.Waiting, r.Decisions, r.Files} {
		if d > 0 {
			often = min(often, d/4)
		}
	}
	return max(often, time.Second)
}

// A housekeeper takes away what is older, or more, than is kept. What it takes from the
// disk is made again when it is needed, and what is in use stays; so nothing that it does
// fails a session, and whatever fails for it is tried again the next time.
type housekeeper struct {
	keep    retention
	store   *store.Store
	runner  *turn.Runner
	mirrors *repo.Mirrors
	checker *proof.Checker // nil: there is no cache
	log     *slog.Logger
}

// housekeeping is for a data directory that no bot works in.
func housekeeping(s settings, st *store.Store, log *slog.Logger) *housekeeper {
	return &housekeeper{
		keep: s.Keep, store: st, log: log,
		runner:  &turn.Runner{Dir: filepath.Join(s.DataDir, "sessions"), Log: log},
		mirrors: &repo.Mirrors{Dir: filepath.Join(s.DataDir, "mirrors"), Log: log},
		checker: &proof.Checker{CacheDir: filepath.Join(s.DataDir, "cache"), Log: log},
	}
}

// run cleans now and then, until ctx ends.
func (h *housekeeper) run(ctx context.Context) {
	tick := time.NewTicker(h.keep.every())
	defer tick.Stop()
	first := time.NewTimer(min(h.keep.every(), time.Minute)) // the sessions that wait go first
	defer first.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-first.C:
		case <-tick.C:
		}
		h.once(ctx)
	}
}

func (h *housekeeper) once(ctx context.Context) {
	began := time.Now()
	c, err := h.clean(ctx, false)
	switch {
	case err != nil && ctx.Err() == nil:
		h.log.Warn("cleaning did not get everything done; it is tried again", "err", err, "freed", c)
	case c.any():
		h.log.Info("cleaned", "freed", c, "took", time.Since(began).Round(time.Millisecond))
	}
}

// A cleaning is what went, or what would.
type cleaning struct {
	Rows store.Cleaned
	Disk []repo.Removed
}

func (c cleaning) any() bool { return c.Rows != (store.Cleaned{}) || len(c.Disk) > 0 }

// String is the whole of it in a line.
func (c cleaning) String() string {
	var bytes int64
	for _, gone := range c.Disk {
		bytes += gone.Bytes
	}
	return fmt.Sprintf("%d sessions' words and files and %d sessions' decisions from the database, %d old jobs; %d folders with %s from the disk",
		c.Rows.Sessions, c.Rows.Records, c.Rows.Jobs, len(c.Disk), megabytes(bytes))
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// clean does each part, whatever becomes of the others.
func (h *housekeeper) clean(ctx context.Context, dry bool) (c cleaning, _ error) {
	rows, err := h.rows(ctx, dry)
	c.Rows = rows
	errs := []error{err}
	for _, part := range []func(context.Context, bool) ([]repo.Removed, error){h.folders, h.caches, h.clones} {
		gone, err := part(ctx, dry)
		c.Disk, errs = append(c.Disk, gone...), append(errs, err)
	}
	return c, errors.Join(errs...)
}

func (h *housekeeper) rows(ctx context.Context, dry bool) (store.Cleaned, error) {
	keep := store.Keep{Sessions: h.keep.Sessions, Waiting: h.keep.Waiting, Decided: h.keep.Decisions}
	if dry {
		return h.store.Cleanable(ctx, keep)
	}
	return h.store.Clean(ctx, keep)
}

func (h *housekeeper) folders(ctx context.Context, dry bool) ([]repo.Removed, error) {
	return h.runner.CleanFolders(ctx, turn.FolderKeep{Age: h.keep.Files, Alone: h.keep.Waiting, Bytes: h.keep.FilesBytes, Dry: dry})
}

func (h *housekeeper) caches(ctx context.Context, dry bool) ([]repo.Removed, error) {
	if h.checker == nil {
		return nil, nil
	}
	return h.checker.Clean(ctx, proof.CacheKeep{Bytes: h.keep.CacheBytes, Unused: h.keep.Mirrors, Dry: dry})
}

func (h *housekeeper) clones(ctx context.Context, dry bool) ([]repo.Removed, error) {
	return h.mirrors.Clean(ctx, repo.MirrorKeep{Unused: h.keep.Mirrors, Dry: dry})
}
