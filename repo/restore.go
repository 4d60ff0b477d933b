package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// Restore puts the files back to a tree that Tree gave ("" is the base): what
// was changed is rewritten, what was added is removed. Files that a .gitignore
// names stay, unless they stand in the way. What is nested too deep to be looked
// at is removed with the whole folder at the top that it is in.
func (w *Workspace) Restore(ctx context.Context, tree string) error {
	base, here, err := w.deltasTo(ctx)
	var deep *tooDeep
	for errors.As(err, &deep) {
		if err := RemoveFolder(filepath.Join(w.Files(), fromSlash(deep.top))); err != nil {
			return fmt.Errorf("repo: restore: %w", err)
		}
		base, here, err = w.deltasTo(ctx)
	}
	if err != nil {
		return err
	}
	target := base
	if tree != "" {
		if !plumbing.IsHash(tree) {
			return fmt.Errorf("repo: restore: %q is not a tree", tree)
		}
		target = plumbing.NewHash(tree)
	}
	goal, err := w.store.treeDeltas(ctx, base, target, "")
	if err != nil {
		return err
	}
	remove, write := plan(here, goal)
	for _, p := range remove {
		if err := w.removePath(p); err != nil {
			return err
		}
	}
	for _, d := range write {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.restoreFile(d.path, d.after); err != nil {
			return err
		}
	}
	return nil
}

// plan compares what differs here from the base with what is to differ from it.
// Removals go from the deepest path up.
func plan(here, goal []delta) (remove []string, write []delta) {
	want := map[string]node{}
	for _, d := range here {
		want[d.path] = d.before
	}
	for _, d := range goal {
		want[d.path] = d.after
	}
	is := map[string]node{}
	for _, d := range goal {
		is[d.path] = d.before // as in the base, unless it was changed here
	}
	for _, d := range here {
		is[d.path] = d.after
	}
	for p, n := range want {
		switch {
		case n.same(is[p]) && !n.hash.IsZero():
		case n.none():
			remove = append(remove, p)
		default:
			write = append(write, delta{path: p, after: n})
		}
	}
	slices.SortFunc(remove, func(a, b string) int { return strings.Compare(b, a) })
	slices.SortFunc(write, func(a, b delta) int { return strings.Compare(a.path, b.path) })
	return remove, write
}

// removePath takes a file away, and the folders that it leaves empty.
func (w *Workspace) removePath(p string) error {
	err := w.root.Remove(fromSlash(p))
	if err != nil && !gone(err) {
		info, statErr := w.root.Lstat(fromSlash(p))
		if statErr == nil && info.IsDir() {
			return nil // a folder took its place; what is in it is removed by name
		}
		return fmt.Errorf("repo: remove %s: %w", p, err)
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		info, err := w.root.Lstat(fromSlash(dir))
		if err != nil || !info.IsDir() || w.root.Remove(fromSlash(dir)) != nil {
			break
		}
	}
	return nil
}

func (w *Workspace) restoreFile(p string, n node) error {
	if err := w.makeWay(p); err != nil {
		return err
	}
	name := fromSlash(p)
	if n.mode == filemode.Submodule {
		return w.root.Mkdir(name, 0o755)
	}
	if n.isLink() {
		target, err := w.store.typed(plumbing.BlobObject, n.hash)
		if err == nil {
			err = w.root.Symlink(string(target), name)
		}
		return err
	}
	f, err := w.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, permissions(n.mode))
	if err != nil {
		return fmt.Errorf("repo: restore %s: %w", p, err)
	}
	if err := errors.Join(w.store.copyBlob(f, n.hash), f.Close()); err != nil {
		return fmt.Errorf("repo: restore %s: %w", p, err)
	}
	return nil
}

// makeWay leaves real folders above a path and nothing at it. A link among the
// folders is replaced: nothing is written through one.
func (w *Workspace) makeWay(p string) error {
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		dir := fromSlash(p[:i])
		info, err := w.root.Lstat(dir)
		if err == nil && info.IsDir() {
			continue
		}
		if err == nil {
			err = w.root.Remove(dir)
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = w.root.Mkdir(dir, 0o755)
		}
		if err != nil {
			return fmt.Errorf("repo: make folder %s: %w", p[:i], err)
		}
	}
	if err := w.root.RemoveAll(fromSlash(p)); err != nil {
		return fmt.Errorf("repo: clear %s: %w", p, err)
	}
	return nil
}
