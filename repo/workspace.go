package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/history"
	"github.com/bobbinhq/bobbin/repo/spare"
	"github.com/bobbinhq/bobbin/repo/worktree"
)

// Workspace is a session's own tree over a mirror. Its methods may be called by
// several goroutines, but what they say is only as steady as the files are.
type Workspace struct {
	*worktree.Worktree
	mirror *Mirror
}

// Workspace opens the workspace in dir, making it at the commit where there is
// none, of the mirror's spare where that is of the same commit. An interrupted
// making is begun again. One that exists at another commit is refused: it holds
// somebody's work.
func (m *Mirror) Workspace(ctx context.Context, dir, commit string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("repo: open workspace: %w", err)
	}
	w := m.workspaceIn(dir)
	err = w.Open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = w.make(ctx, commit)
	case err == nil:
		err = w.checkBase(commit)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (m *Mirror) workspaceIn(dir string) *Workspace {
	return &Workspace{worktree.New(dir, m.packs), m}
}

// make makes a workspace where there is none, and sees to a spare for the next one.
func (w *Workspace) make(ctx context.Context, commit string) error {
	c, err := w.commitAt(commit)
	if err != nil {
		return err
	}
	m, full := w.mirror, c.Hash.String()
	if m.spares == nil || m.sparePool().Take(full, w.Worktree) != nil {
		if err := w.Create(ctx, c); err != nil {
			return err
		}
	}
	if m.spares != nil {
		m.spares.Keep(m.sparePool(), full)
	}
	return nil
}

func (m *Mirror) sparePool() spare.Pool {
	return spare.Pool{Mirror: m.dir, Packs: m.packs, Store: m.store}
}

// HasSpare reports whether the next workspace at a commit, named by its whole hash, is there already.
func (m *Mirror) HasSpare(commit string) bool { return m.sparePool().Has(commit) }

// checkBase refuses a workspace that stands on another commit than the one asked for.
func (w *Workspace) checkBase(commit string) error {
	base := w.Base()
	if commit == "" || strings.HasPrefix(base, strings.ToLower(commit)) {
		return nil
	}
	if named, err := w.mirror.Commits().Resolve(commit); err == nil && named == base {
		return nil
	}
	return errors.Join(fmt.Errorf("repo: the workspace %s stands on %s, not on %s", w.Dir, base, commit), w.Close())
}

// commitAt finds a commit of the mirror or of the session's own.
func (w *Workspace) commitAt(name string) (*object.Commit, error) {
	h := plumbing.NewHash(name)
	if !plumbing.IsHash(name) {
		full, err := w.mirror.Commits().Resolve(name)
		if err != nil {
			return nil, err
		}
		h = plumbing.NewHash(full)
	}
	return w.Store.Commit(h)
}

// MergeBase is commits.Reader's, for commits of the session's own too.
func (w *Workspace) MergeBase(ctx context.Context, a, b string) (string, error) {
	one, err := w.commitAt(a)
	if err != nil {
		return "", err
	}
	other, err := w.commitAt(b)
	if err != nil {
		return "", err
	}
	return history.MergeBase(ctx, w.Store, one, other)
}
