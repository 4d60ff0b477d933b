package repo

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
)

// Fork makes a workspace in dir that stands on the same base and holds this
// one's files as they are now, what is not committed and no .gitignore names
// included. started is the tree that it began with: what was done in the fork
// is the difference to it, and Merge(ctx, fork, started, tree of the fork)
// brings that back. A fork that is there already is reopened as it is, and
// started is what it was. An interrupted making is begun again.
func (w *Workspace) Fork(ctx context.Context, dir string) (fork *Workspace, started string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, "", fmt.Errorf("repo: fork: %w", err)
	}
	f := &Workspace{mirror: w.mirror, dir: dir, store: &store{packs: w.mirror.packs, loose: filepath.Join(dir, "git", "objects")}}
	st, err := readState(f.statePath())
	switch {
	case err == nil:
		started, err = f.reopenFork(st)
	case errors.Is(err, fs.ErrNotExist):
		started, err = w.forkTo(ctx, f)
	}
	if err != nil {
		return nil, "", err
	}
	return f, started, nil
}

func (w *Workspace) startedPath() string { return filepath.Join(w.dir, "git", "started") }

func (w *Workspace) reopenFork(st *state) (string, error) {
	b, err := os.ReadFile(w.startedPath())
	started := strings.TrimSpace(string(b))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !plumbing.IsHash(started) {
		return "", fmt.Errorf("repo: the workspace %s is no fork: choose another folder", w.dir)
	}
	if err != nil {
		return "", fmt.Errorf("repo: open fork: %w", err)
	}
	w.base, w.tree = st.base, st.tree
	return started, w.openRoot()
}

func (w *Workspace) forkTo(ctx context.Context, f *Workspace) (string, error) {
	started, err := w.Tree(ctx)
	if err != nil {
		return "", err
	}
	base, err := w.store.commit(plumbing.NewHash(w.Base()))
	if err != nil {
		return "", err
	}
	f.base, f.tree = base.Hash, base.TreeHash
	if err := f.clear(); err != nil {
		return "", err
	}
	if err := f.openRoot(); err != nil {
		return "", err
	}
	err = errors.Join(f.Adopt(ctx, w, f.Base()), f.Adopt(ctx, w, started))
	if err == nil {
		err = f.begin(ctx, plumbing.NewHash(started))
	}
	if err != nil {
		return "", errors.Join(err, f.closeRoot(), f.wipe())
	}
	return started, nil
}

// begin writes the files, then what they are, then that this is a whole
// workspace.
func (w *Workspace) begin(ctx context.Context, started plumbing.Hash) error {
	written, err := w.store.checkout(ctx, started, w.root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.startedPath(), []byte(started.String()+"\n"), 0o644); err != nil {
		return fmt.Errorf("repo: record the fork: %w", err)
	}
	if written, err = w.move(ctx, written, started, w.tree); err != nil {
		return err
	}
	return w.record(written)
}

// move turns the records of one tree into those of another. What is the same
// keeps its stat data; the rest is read when it is next looked at.
func (w *Workspace) move(ctx context.Context, rs records, from, to plumbing.Hash) (records, error) {
	deltas, err := w.store.treeDeltas(ctx, from, to, "")
	if err != nil {
		return nil, err
	}
	gone := make(map[string]bool, len(deltas))
	for i := range deltas {
		gone[deltas[i].path] = true
	}
	out := slices.DeleteFunc(slices.Clone(rs), func(r record) bool { return gone[r.path] })
	for _, d := range deltas {
		if d.after.none() {
			continue
		}
		if err := checkSwaps([]swap{{path: d.path, want: d.after}}); err != nil {
			return nil, err
		}
		r := record{path: d.path, mode: d.after.mode, hash: d.after.hash, doubtful: true}
		if r.stat.size, err = w.largeSize(r); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b record) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// largeSize matters for files so large that they are read only where the size
// is the recorded one.
func (w *Workspace) largeSize(r record) (int64, error) {
	info, err := w.root.Lstat(fromSlash(r.path))
	if err != nil || info.Size() <= MaxFile || !r.node().isFile() {
		return 0, nil
	}
	return w.store.EncodedObjectSize(r.hash)
}

// SetBase lets the workspace stand on another commit, the mirror's or its own.
// The files stay as they are; what is said of them (Base, Changes, Diff, Hunks,
// Restore to the base) is against that commit from now on, also when the
// workspace is opened again.
func (w *Workspace) SetBase(ctx context.Context, commit string) error {
	c, err := w.commitAt(commit)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	st, err := readState(w.statePath())
	if err != nil {
		return fmt.Errorf("repo: the workspace's record: %w", err)
	}
	moved, err := w.move(ctx, st.records, st.tree, c.TreeHash)
	if err != nil {
		return err
	}
	st = &state{base: c.Hash, tree: c.TreeHash, records: moved}
	if err := st.write(w.statePath()); err != nil {
		return err
	}
	w.standing.Lock()
	defer w.standing.Unlock()
	w.base, w.tree = st.base, st.tree
	return nil
}

// Adopt makes a tree or a commit of another workspace of the same mirror
// readable here, by copying the objects that only the other one has.
func (w *Workspace) Adopt(ctx context.Context, from *Workspace, tree string) error {
	if from.mirror.dir != w.mirror.dir {
		return fmt.Errorf("repo: adopt: %s is a workspace of another repository", from.dir)
	}
	if !plumbing.IsHash(tree) {
		return fmt.Errorf("repo: adopt: %q is not the whole hash of a tree or commit", tree)
	}
	if err := w.store.adopt(ctx, from.store, plumbing.NewHash(tree)); err != nil {
		return fmt.Errorf("repo: adopt %s: %w", tree, err)
	}
	return nil
}

// adopt keeps what an object names before the object: one that is here is
// whole, also after a crash.
func (s *store) adopt(ctx context.Context, from *store, h plumbing.Hash) error {
	if s.has(h) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	kind, content, err := from.get(h)
	if err != nil {
		return err
	}
	names, err := from.named(kind, content, h)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := s.adopt(ctx, from, n); err != nil {
			return err
		}
	}
	_, err = s.put(kind, content)
	return err
}

// named gives the objects that an object needs. The pin of a submodule is
// another repository's.
func (s *store) named(kind plumbing.ObjectType, content []byte, h plumbing.Hash) (out []plumbing.Hash, err error) {
	switch kind {
	case plumbing.TreeObject:
		nodes, err := parseTree(content)
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			if n.mode != submodule {
				out = append(out, n.hash)
			}
		}
	case plumbing.CommitObject:
		c, err := s.commit(h)
		if err != nil {
			return nil, err
		}
		out = append(out, c.TreeHash)
		for _, p := range c.ParentHashes {
			if s.has(p) { // a shallow clone ends somewhere
				out = append(out, p)
			}
		}
	}
	return out, nil
}
