package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/bundle"
	"github.com/bobbinhq/bobbin/repo/gittree"
)

func (w *Worktree) startedPath() string { return filepath.Join(w.Dir, "git", "started") }

// OpenFork opens a worktree that ForkTo made, and returns the tree that it began with;
// fs.ErrNotExist where there is no worktree.
func (w *Worktree) OpenFork() (started string, err error) {
	st, err := ReadState(w.StatePath())
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(w.startedPath())
	started = strings.TrimSpace(string(b))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !plumbing.IsHash(started) {
		return "", fmt.Errorf("repo: the workspace %s is no fork: choose another folder", w.Dir)
	}
	if err != nil {
		return "", fmt.Errorf("repo: open fork: %w", err)
	}
	w.base, w.tree = st.base, st.tree
	return started, w.openRoot()
}

// ForkTo makes f a worktree over the same base that holds these files as they are now, and
// returns their tree.
func (w *Worktree) ForkTo(ctx context.Context, f *Worktree) (started string, err error) {
	if started, err = w.Tree(ctx); err != nil {
		return "", err
	}
	base, err := w.Store.Commit(plumbing.NewHash(w.Base()))
	if err != nil {
		return "", err
	}
	f.base, f.tree = base.Hash, base.TreeHash
	if err := f.clearFolders(); err != nil {
		return "", err
	}
	if err := f.openRoot(); err != nil {
		return "", err
	}
	from := plumbing.NewHash(started)
	err = errors.Join(bundle.CopyObjects(ctx, f.Store, w.Store, base.Hash), bundle.CopyObjects(ctx, f.Store, w.Store, from))
	if err == nil {
		err = f.checkoutFork(ctx, from)
	}
	if err != nil {
		return "", errors.Join(err, f.Close(), f.removeFolders())
	}
	return started, nil
}

// checkoutFork writes the files, then what they are, then that this is a whole
// workspace.
func (w *Worktree) checkoutFork(ctx context.Context, started plumbing.Hash) error {
	written, err := CheckoutTree(ctx, w.Store, started, w.root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.startedPath(), []byte(started.String()+"\n"), 0o644); err != nil {
		return fmt.Errorf("repo: record the fork: %w", err)
	}
	if written, err = w.moveRecords(ctx, written, started, w.tree); err != nil {
		return err
	}
	return w.recordFiles(written)
}

// moveRecords turns the records of one tree into those of another. What is the same
// keeps its stat data; the rest is read when it is next looked at.
func (w *Worktree) moveRecords(ctx context.Context, rs records, from, to plumbing.Hash) (records, error) {
	deltas, err := gittree.Compare(ctx, w.Store, from, to, "")
	if err != nil {
		return nil, err
	}
	gone := make(map[string]bool, len(deltas))
	for i := range deltas {
		gone[deltas[i].Path] = true
	}
	out := slices.DeleteFunc(slices.Clone(rs), func(r Record) bool { return gone[r.path] })
	for _, d := range deltas {
		if d.After.None() {
			continue
		}
		if err := gittree.CheckSwaps([]gittree.Swap{{Path: d.Path, Want: d.After}}); err != nil {
			return nil, err
		}
		r := Record{path: d.Path, mode: d.After.Mode, hash: d.After.Hash, Doubtful: true}
		if r.Stat.size, err = w.largeSize(r); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Record) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// largeSize matters for files so large that they are read only where the size
// is the recorded one.
func (w *Worktree) largeSize(r Record) (int64, error) {
	info, err := w.root.Lstat(fromSlash(r.path))
	if err != nil || info.Size() <= gittree.MaxFile || !r.Node().IsFile() {
		return 0, nil
	}
	return w.Store.EncodedObjectSize(r.hash)
}

// MoveBase compares the files with another commit from now on. They stay as they are.
func (w *Worktree) MoveBase(ctx context.Context, c *object.Commit) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	st, err := ReadState(w.StatePath())
	if err != nil {
		return fmt.Errorf("repo: the workspace's record: %w", err)
	}
	moved, err := w.moveRecords(ctx, st.Records, st.tree, c.TreeHash)
	if err != nil {
		return err
	}
	st = &state{base: c.Hash, tree: c.TreeHash, Records: moved}
	if err := st.Write(w.StatePath()); err != nil {
		return err
	}
	w.standing.Lock()
	defer w.standing.Unlock()
	w.base, w.tree = st.base, st.tree
	return nil
}
