// Package spare keeps a workspace ready that nobody has used, for the next session.
//
// Writing the files of a large repository takes seconds, and a person waits for them. Most
// sessions begin at the commit that the session before began at. So a spare workspace of that
// commit is made after each workspace, and the next session's is made by renaming it:
//
//	mirror/spares/<commit>   a whole workspace, which nobody has used
//	mirror/spares/making-*   one that is not whole yet
//
// A rename is one step, so two sessions, or two processes, never get the same one. A spare takes
// as much of the disk as a session's files; it goes when a spare of another commit is whole, or
// with the mirror.
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

	"github.com/bobbinhq/bobbin/repo/bare"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/objects"
	"github.com/bobbinhq/bobbin/repo/worktree"
)

// A Pool is where the spares of one mirror are, and what they are made from.
type Pool struct {
	Mirror string // its folder
	Packs  *objects.Packs
	Store  *objects.Store
}

func (p Pool) dir() string { return filepath.Join(p.Mirror, "spares") }

func (p Pool) spare(commit string) string { return filepath.Join(p.dir(), commit) }

// Has reports whether there is a spare of a commit, named by its whole hash.
func (p Pool) Has(commit string) bool {
	_, err := os.Stat(p.spare(commit))
	return err == nil
}

// Take makes a worktree of the spare, and opens it; fs.ErrNotExist where there is none of that commit.
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
	if err := w.Open(); err != nil { // somebody spoilt it
		return errors.Join(err, disk.RemoveFolder(w.Dir))
	}
	return nil
}

// A Maker makes spares in the background, one at a time and a while after they were asked for:
// they are for the next session, and should not take the processor and the disk from this one.
type Maker struct {
	after time.Duration
	own   func(files string) error
	log   *slog.Logger
	now   func() time.Time

	ctx     context.Context
	stop    context.CancelFunc
	asking  sync.Mutex // whether it ended
	running sync.WaitGroup
	one     sync.Mutex // what is made
}

// NewMaker is one that works until End is called. own gives the files of each spare to the user
// whom commands run as, so that the session that takes it need not; nil: nobody is given them.
func NewMaker(after time.Duration, own func(files string) error, log *slog.Logger, now func() time.Time) *Maker {
	m := &Maker{after: after, own: own, log: log, now: now}
	m.ctx, m.stop = context.WithCancel(context.Background())
	return m
}

// End breaks off what is being made, and waits for that.
func (m *Maker) End() {
	m.asking.Lock()
	m.stop()
	m.asking.Unlock()
	m.running.Wait()
}

// Settle waits until nothing is being made.
func (m *Maker) Settle() { m.running.Wait() }

// Keep begins to make a spare of a commit, where there is none yet, and returns at once.
func (m *Maker) Keep(p Pool, commit string) {
	m.asking.Lock()
	defer m.asking.Unlock()
	if m.ctx.Err() != nil {
		return
	}
	m.running.Go(func() {
		select {
		case <-time.After(m.after):
		case <-m.ctx.Done():
			return
		}
		m.one.Lock()
		defer m.one.Unlock()
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
	if err := os.Mkdir(making, 0o755); err != nil { // MkdirTemp's would be closed to commands of another user
		return err
	}
	w := worktree.New(making, p.Packs)
	if err = w.Create(m.ctx, c); err == nil {
		err = w.Close()
	}
	if err == nil && m.own != nil {
		err = m.own(w.Files())
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

// removeOthers removes the spares of other commits, and what killed processes left.
func (m *Maker) removeOthers(p Pool, commit string) error {
	entries, err := os.ReadDir(p.dir())
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		switch info, err := e.Info(); {
		case e.Name() == commit, err != nil: // or it was taken just now
		case disk.IsAside(e.Name()), plumbing.IsHash(e.Name()), m.now().Sub(info.ModTime()) > bare.Abandoned:
			errs = append(errs, remove(filepath.Join(p.dir(), e.Name())))
		}
	}
	return errors.Join(errs...)
}

// remove takes a spare, which a session may be about to take, from under its name first.
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
