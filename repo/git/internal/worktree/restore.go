package worktree

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

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

// Restore puts the files back to a tree that Tree returned, or to the base if tree is empty: changed files
// are rewritten, added ones removed. Files that a .gitignore matches stay, unless they are in the way. If
// folders are nested deeper than MaxDepth, the whole top-level folder that holds them is removed first.
func (w *Worktree) Restore(ctx context.Context, tree string) error {
	base, here, err := w.deltasTo(ctx)
	var deep *tooDeep
	for errors.As(err, &deep) {
		if err := disk.RemoveFolder(filepath.Join(w.Files(), fromSlash(deep.top))); err != nil {
			return fmt.Errorf("git: restore: %w", err)
		}
		base, here, err = w.deltasTo(ctx)
	}
	if err != nil {
		return err
	}
	target := base
	if tree != "" {
		if !plumbing.IsHash(tree) {
			return fmt.Errorf("git: restore: %q is not a tree", tree)
		}
		target = plumbing.NewHash(tree)
	}
	goal, err := gittree.Compare(ctx, w.Store, base, target, "")
	if err != nil {
		return err
	}
	remove, write := planRestore(here, goal)
	for _, p := range remove {
		if err := w.removePath(p); err != nil {
			return err
		}
	}
	for _, d := range write {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.restoreFile(d.Path, d.After); err != nil {
			return err
		}
	}
	return nil
}

// planRestore returns the paths to remove and the files to write. here is the difference between the base
// and the files, goal the one between the base and the target tree. Removals are sorted from the deepest
// path up.
func planRestore(here, goal []gittree.Delta) (remove []string, write []gittree.Delta) {
	want := map[string]gittree.Node{}
	for _, d := range here {
		want[d.Path] = d.Before
	}
	for _, d := range goal {
		want[d.Path] = d.After
	}
	is := map[string]gittree.Node{}
	for _, d := range goal {
		is[d.Path] = d.Before // the file is as in the base, unless here has the path too
	}
	for _, d := range here {
		is[d.Path] = d.After
	}
	for p, n := range want {
		switch {
		case n.Same(is[p]) && !n.Hash.IsZero():
		case n.None():
			remove = append(remove, p)
		default:
			write = append(write, gittree.Delta{Path: p, After: n})
		}
	}
	slices.SortFunc(remove, func(a, b string) int { return strings.Compare(b, a) })
	slices.SortFunc(write, func(a, b gittree.Delta) int { return strings.Compare(a.Path, b.Path) })
	return remove, write
}

// removePath removes a file and the folders that become empty by that.
func (rf *rootFiles) removePath(p string) error {
	err := rf.root.Remove(fromSlash(p))
	if err != nil && !isGone(err) {
		info, statErr := rf.root.Lstat(fromSlash(p))
		if statErr == nil && info.IsDir() {
			return nil // a folder took the file's place; its files are removed one by one
		}
		return fmt.Errorf("git: remove %s: %w", p, err)
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		info, err := rf.root.Lstat(fromSlash(dir))
		if err != nil || !info.IsDir() || rf.root.Remove(fromSlash(dir)) != nil {
			break
		}
	}
	return nil
}

func (rf *rootFiles) restoreFile(p string, n gittree.Node) error {
	if err := rf.clearPath(p); err != nil {
		return err
	}
	name := fromSlash(p)
	if n.Mode == filemode.Submodule {
		return rf.root.Mkdir(name, 0o755)
	}
	if n.IsLink() {
		target, err := rf.Store.GetTyped(plumbing.BlobObject, n.Hash)
		if err == nil {
			err = rf.root.Symlink(string(target), name)
		}
		return err
	}
	f, err := rf.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, permissionsOf(n.Mode))
	if err != nil {
		return fmt.Errorf("git: restore %s: %w", p, err)
	}
	if err := errors.Join(rf.Store.CopyBlob(f, n.Hash), f.Close()); err != nil {
		return fmt.Errorf("git: restore %s: %w", p, err)
	}
	return nil
}

// clearPath makes real folders above a path and removes whatever is at the path. A symbolic link among the
// folders is replaced, so that nothing is written through it.
func (rf *rootFiles) clearPath(p string) error {
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		dir := fromSlash(p[:i])
		info, err := rf.root.Lstat(dir)
		if err == nil && info.IsDir() {
			continue
		}
		if err == nil {
			err = rf.root.Remove(dir)
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = rf.root.Mkdir(dir, 0o755)
		}
		if err != nil {
			return fmt.Errorf("git: make folder %s: %w", p[:i], err)
		}
	}
	if err := rf.root.RemoveAll(fromSlash(p)); err != nil {
		return fmt.Errorf("git: clear %s: %w", p, err)
	}
	return nil
}
