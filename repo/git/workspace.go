package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/history"
	"github.com/bobbinhq/bobbin/repo/git/internal/spare"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree"
)

// Workspace holds the files of one session over a mirror. Its methods may be called by several
// goroutines, but a result is only consistent if the files do not change meanwhile.
type Workspace struct {
	*worktree.Worktree
	mirror *Mirror
	fresh  bool
}

// IsFresh reports whether Mirror.Workspace made the workspace, and did not find it: then its files are exactly
// those of its commit, until something changes them.
func (w *Workspace) IsFresh() bool { return w.fresh }

// ErrOtherBase is the error of a workspace that exists, but at another commit than the requested one.
var ErrOtherBase = errors.New("git: the workspace has another base")

// Workspace opens the workspace in dir. If there is none, it makes one at the commit, from the mirror's
// spare if that is of the same commit. A workspace whose making was interrupted is made again. One that
// exists at another commit is refused with ErrOtherBase, because it holds somebody's work.
func (m *Mirror) Workspace(ctx context.Context, dir, commit string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("git: open workspace: %w", err)
	}
	w := m.workspaceIn(dir)
	err = w.Open()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = w.make(ctx, commit)
		w.fresh = err == nil
	case err == nil:
		err = w.checkBase(commit)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (m *Mirror) workspaceIn(dir string) *Workspace {
	return &Workspace{Worktree: worktree.New(dir, m.packs), mirror: m}
}

// make makes a new workspace, from a spare if there is one, and starts the making of a spare for the
// next one.
func (w *Workspace) make(ctx context.Context, commit string) error {
	c, err := w.commitAt(commit)
	if err != nil {
		return err
	}
	m := w.mirror
	full := c.Hash.String()
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

// HasSpare reports whether a spare workspace at a commit, named by its whole hash, is ready.
func (m *Mirror) HasSpare(commit string) bool { return m.sparePool().Has(commit) }

// checkBase returns an error, and closes the workspace, if its base is not the requested commit.
func (w *Workspace) checkBase(commit string) error {
	base := w.Base()
	if commit == "" || strings.HasPrefix(base, strings.ToLower(commit)) {
		return nil
	}
	if named, err := w.mirror.Commits().Resolve(commit); err == nil && named == base {
		return nil
	}
	return errors.Join(fmt.Errorf("%w: %s stands on %s, not on %s", ErrOtherBase, w.Dir, base,
		commit), w.Close())
}

// commitAt returns a commit of the mirror or of the workspace's own objects.
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

// MergeBase does what Commits.mergeBase does, also for commits that only the workspace has.
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
