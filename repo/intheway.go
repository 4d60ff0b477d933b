package repo

import (
	"context"
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// inTheWay looks for what the merge would run over on the disk and no tree
// holds: files that a .gitignore names.
func (w *Workspace) inTheWay(ctx context.Context, swaps []swap) ([]Conflict, error) {
	known := map[string]bool{}
	for _, s := range swaps {
		known[s.path] = !s.is.none()
	}
	var out []Conflict
	for _, s := range swaps {
		if s.want.none() || !s.is.none() {
			continue
		}
		found, err := w.stranger(ctx, s, known)
		if err != nil {
			return nil, err
		}
		if found != "" {
			out = append(out, Conflict{Path: s.path, Why: "in the way: " + quote(found) + " is here and in no commit, since a .gitignore names it"})
		}
	}
	return out, nil
}

// stranger gives a path on the disk, at or above or below that of the swap,
// that would be lost. A file that is what it is to become is none: the same
// merge may come a second time after a crash.
func (w *Workspace) stranger(ctx context.Context, s swap, known map[string]bool) (string, error) {
	for i := range len(s.path) {
		if s.path[i] != '/' {
			continue
		}
		info, err := w.root.Lstat(fromSlash(s.path[:i]))
		if err != nil || !info.IsDir() {
			if err == nil && !known[s.path[:i]] {
				return s.path[:i], nil
			}
			return "", nil
		}
	}
	info, err := w.root.Lstat(fromSlash(s.path))
	switch {
	case err != nil:
		return "", nil // what it is, if anything, the writing says
	case info.IsDir():
		return w.strangerBelow(s, known)
	}
	at := suspect{path: s.path, mode: filemode.Regular, stat: stat{size: info.Size()}}
	if info.Mode()&fs.ModeSymlink != 0 {
		at.mode = filemode.Symlink
	} else if info.Mode()&0o100 != 0 {
		at.mode = filemode.Executable
	}
	n, err := w.hash(ctx, at)
	if err != nil || n.none() || n.same(s.want) {
		return "", err
	}
	return s.path, nil
}

func (w *Workspace) strangerBelow(s swap, known map[string]bool) (found string, err error) {
	if s.want.mode == submodule {
		return "", nil
	}
	err = fs.WalkDir(w.root.FS(), s.path, func(p string, d fs.DirEntry, err error) error {
		if err != nil && !gone(err) || d != nil && !d.IsDir() && !known[p] {
			found = p
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}
