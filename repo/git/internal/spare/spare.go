// Package spare prepares unused workspaces, so that the next session does not wait for its files.
//
// Writing the files of a large repository takes seconds, and a person waits for them. Most sessions begin at
// the commit that the previous session began at. So after each new workspace, a spare workspace of the same
// commit is made in the background, and the next session gets its workspace by renaming the spare:
//
//	mirror/spares/<commit>   a complete, unused workspace
//	mirror/spares/making-*   a workspace that is not complete yet
//
// A rename is atomic, so two sessions, or two processes, never get the same spare. A spare takes as much disk
// space as the files of a session. It is removed when a spare of another commit is complete, or together with
// the mirror.
package spare

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/internal/bare"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree"
)

// A Pool locates the spares of one mirror and the objects that they are made from.
type Pool struct {
	Mirror string // the folder of the mirror
	Packs  *objects.Packs
	Store  *objects.Store
}

func (p Pool) dir() string { return filepath.Join(p.Mirror, "spares") }

func (p Pool) spare(commit string) string { return filepath.Join(p.dir(), commit) }

// Has reports whether there is a spare of the commit, which is given by its full hash.
func (p Pool) Has(commit string) bool {
	_, err := os.Stat(p.spare(commit))
	return err == nil
}

// Take renames the spare of the commit to the folder of w, and opens w. It returns fs.ErrNotExist if there is
// no spare of that commit.
func (p Pool) Take(commit string, w *worktree.Worktree) error {
	if !p.Has(commit) {
		return fs.ErrNotExist
	}
	if err := os.MkdirAll(filepath.Dir(w.Dir), 0o755); err != nil {
		return err
	}
	if err := os.Rename(p.spare(commit), w.Dir); err != nil {
		return err
	}
	if err := w.Open(); err != nil { // the spare was damaged
		return errors.Join(err, disk.RemoveFolder(w.Dir))
	}
	return nil
}

// A Maker makes spares in the background, one at a time. It waits for a delay first, because a spare is for
// the next session and should not take processor and disk time from the current one.
type Maker struct {
	after       time.Duration
	changeOwner func(files string) error
	log         *slog.Logger
	now         func() time.Time

	ctx     context.Context
	stop    context.CancelFunc
	endMu   sync.Mutex // guards the end of ctx against a concurrent Keep
	running sync.WaitGroup
	makeMu  sync.Mutex // held while a spare is made
}

// NewMaker returns a Maker that works until End is called and waits for after before it makes a spare. own
// makes the user that commands run as the owner of a spare's files, so that the session that takes the spare
// need not. If own is nil, the owner stays the same.
func NewMaker(after time.Duration, own func(files string) error, log *slog.Logger, now func() time.Time) *Maker {
	m := &Maker{after: after, changeOwner: own, log: log, now: now}
	m.ctx, m.stop = context.WithCancel(context.Background())
	return m
}

// End cancels the spare that is being made, and waits until the Maker has stopped.
func (m *Maker) End() {
	m.endMu.Lock()
	m.stop()
	m.endMu.Unlock()
	m.running.Wait()
}

// Settle waits until no spare is being made.
func (m *Maker) Settle() { m.running.Wait() }

// Keep starts to make a spare of the commit in the background if there is none yet, and returns at once.
func (m *Maker) Keep(p Pool, commit string) {
	m.endMu.Lock()
	defer m.endMu.Unlock()
	if m.ctx.Err() != nil {
		return
	}
	m.running.Go(func() {
		select {
		case <-time.After(m.after):
		case <-m.ctx.Done():
			return
		}
		m.makeMu.Lock()
		defer m.makeMu.Unlock()
		if err := m.make(p, commit); err != nil && m.ctx.Err() == nil {
			m.log.Warn("could not make a spare workspace; the next session writes its files itself", "mirror", p.Mirror, "err", err)
		}
	})
}

func (m *Maker) make(p Pool, commit string) error {
	if p.Has(commit) {
		return nil
	}
	c, err := p.Store.Commit(plumbing.NewHash(commit))
	if err != nil {
		return nil //nolint:nilerr // a commit that only a session has
	}
	switch err := os.Mkdir(p.dir(), 0o755); {
	case errors.Is(err, fs.ErrNotExist): // the mirror was removed
		return nil
	case err != nil && !errors.Is(err, fs.ErrExist):
		return err
	}
	making := filepath.Join(p.dir(), "making-"+rand.Text())
	if err := os.Mkdir(making, 0o755); err != nil { // MkdirTemp would make a folder that commands of another user cannot enter
		return err
	}
	w := worktree.New(making, p.Packs)
	if err = w.Create(m.ctx, c); err == nil {
		err = w.Close()
	}
	if err == nil && m.changeOwner != nil {
		err = m.changeOwner(w.Files())
	}
	if err == nil {
		err = os.Rename(making, p.spare(commit))
	}
	if err != nil {
		if p.Has(commit) { // another process was faster
			err = nil
		}
		return errors.Join(err, disk.RemoveFolder(making))
	}
	return m.removeOthers(p, commit)
}

// removeOthers removes the spares of other commits, and the unfinished ones that killed processes left
// behind.
func (m *Maker) removeOthers(p Pool, commit string) error {
	entries, err := os.ReadDir(p.dir())
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		switch info, err := e.Info(); {
		case e.Name() == commit, err != nil: // keep it, or it was taken just now
		case disk.IsAside(e.Name()), plumbing.IsHash(e.Name()), m.now().Sub(info.ModTime()) > bare.Abandoned:
			errs = append(errs, remove(filepath.Join(p.dir(), e.Name())))
		}
	}
	return errors.Join(errs...)
}

// remove moves a spare aside before it removes it, so that no session can take a spare that is partly
// removed.
func remove(dir string) error {
	if !disk.IsAside(dir) {
		var err error
		if dir, err = disk.MoveAside(dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return disk.RemoveFolder(dir)
}
