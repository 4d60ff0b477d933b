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

	"github.com/bobbinhq/bobbin/repo/git/internal/bundle"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree/index"
)

// OpenFork opens a worktree that ForkTo made, and returns the hash of the tree that it started with. It
// returns fs.ErrNotExist if there is no worktree.
func (w *Worktree) OpenFork() (started string, err error) {
	st, err := index.Read(w.StatePath())
	if err != nil {
		return "", err
	}
	b, err := os.ReadFile(filepath.Join(w.Dir, "git", "started"))
	started = strings.TrimSpace(string(b))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !plumbing.IsHash(started) {
		return "", fmt.Errorf("git: the workspace %s is no fork: choose another folder", w.Dir)
	}
	if err != nil {
		return "", fmt.Errorf("git: open fork: %w", err)
	}
	w.base = st.Base
	w.tree = st.Tree
	return started, w.openRoot()
}

// ForkTo makes f a worktree over the same base with a copy of the current files of w, and returns the hash
// of their tree.
func (w *Worktree) ForkTo(ctx context.Context, f *Worktree) (started string, err error) {
	if started, err = w.Tree(ctx); err != nil {
		return "", err
	}
	base, err := w.Store.Commit(plumbing.NewHash(w.Base()))
	if err != nil {
		return "", err
	}
	f.base = base.Hash
	f.tree = base.TreeHash
	if err := f.clearFolders(); err != nil {
		return "", err
	}
	if err := f.openRoot(); err != nil {
		return "", err
	}
	from := plumbing.NewHash(started)
	err = errors.Join(bundle.CopyObjects(ctx, f.Store, w.Store, base.Hash),
		bundle.CopyObjects(ctx, f.Store, w.Store, from))
	if err == nil {
		err = f.checkoutFork(ctx, from)
	}
	if err != nil {
		return "", errors.Join(err, f.Close(), f.removeFolders())
	}
	return started, nil
}

// checkoutFork writes the files, then the hash of the started tree, then the state file that makes the
// worktree complete.
func (w *Worktree) checkoutFork(ctx context.Context, started plumbing.Hash) error {
	written, err := CheckoutTree(ctx, w.Store, started, w.root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "git", "started"), []byte(started.String()+"\n"),
		0o644); err != nil {
		return fmt.Errorf("git: record the fork: %w", err)
	}
	if written, err = w.moveRecords(ctx, written, started, w.tree); err != nil {
		return err
	}
	return w.recordFiles(written)
}

// moveRecords turns the records of tree from into records of tree to. Unchanged paths keep their stat data;
// the others are marked doubtful, so the next walk reads their files.
func (w *Worktree) moveRecords(
	ctx context.Context, rs index.Records, from, to plumbing.Hash,
) (index.Records, error) {
	deltas, err := gittree.Compare(ctx, w.Store, from, to, "")
	if err != nil {
		return nil, err
	}
	gone := make(map[string]bool, len(deltas))
	for i := range deltas {
		gone[deltas[i].Path] = true
	}
	out := slices.DeleteFunc(slices.Clone(rs), func(r index.Record) bool { return gone[r.Path] })
	for _, d := range deltas {
		if d.After.None() {
			continue
		}
		if err := gittree.CheckSwaps([]gittree.Swap{{Path: d.Path, Want: d.After}}); err != nil {
			return nil, err
		}
		r := index.Record{Path: d.Path, Mode: d.After.Mode, Hash: d.After.Hash, Doubtful: true}
		if r.Stat.Size, err = w.largeSize(r); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b index.Record) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// largeSize returns the size of the blob if the file on disk is larger than gittree.MaxFile, and 0
// otherwise: hashFile reads such a large file only if it has the recorded size.
func (rf *rootFiles) largeSize(r index.Record) (int64, error) {
	info, err := rf.root.Lstat(fromSlash(r.Path))
	if err != nil || info.Size() <= gittree.MaxFile || !r.Node().IsFile() {
		return 0, nil
	}
	return rf.Store.EncodedObjectSize(r.Hash)
}

// MoveBase makes c the base, the commit that the files are compared with. It does not change the files.
func (w *Worktree) MoveBase(ctx context.Context, c *object.Commit) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	st, err := index.Read(w.StatePath())
	if err != nil {
		return fmt.Errorf("git: the workspace's record: %w", err)
	}
	moved, err := w.moveRecords(ctx, st.Records, st.Tree, c.TreeHash)
	if err != nil {
		return err
	}
	st = &index.Index{Base: c.Hash, Tree: c.TreeHash, Records: moved}
	if err := st.Write(w.StatePath()); err != nil {
		return err
	}
	w.baseMu.Lock()
	defer w.baseMu.Unlock()
	w.base = st.Base
	w.tree = st.Tree
	return nil
}
