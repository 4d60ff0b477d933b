package worktree

import (
	"context"
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree/index"
)

// An Obstacle is an untracked file on disk that a swap would overwrite. Found is its path, Path that of the
// swap.
type Obstacle struct{ Path, Found string }

// FindObstacles returns the untracked files on disk that the swaps would overwrite, such as files that a
// .gitignore matches.
func (w *Worktree) FindObstacles(ctx context.Context, swaps []gittree.Swap) ([]Obstacle, error) {
	known := map[string]bool{}
	for _, s := range swaps {
		known[s.Path] = !s.Is.None()
	}
	var out []Obstacle
	for _, s := range swaps {
		if s.Want.None() || !s.Is.None() {
			continue
		}
		found, err := w.findUntracked(ctx, s, known)
		if err != nil {
			return nil, err
		}
		if found != "" {
			out = append(out, Obstacle{s.Path, found})
		}
	}
	return out, nil
}

// findUntracked returns an untracked path at, above or below the path of the swap that would be lost, or an
// empty string. A file that already has the wanted content is no obstacle: the same merge may run a second
// time after a crash.
func (w *rootFiles) findUntracked(ctx context.Context, s gittree.Swap, known map[string]bool) (string, error) {
	for i := range len(s.Path) {
		if s.Path[i] != '/' {
			continue
		}
		info, err := w.root.Lstat(fromSlash(s.Path[:i]))
		if err != nil || !info.IsDir() {
			if err == nil && !known[s.Path[:i]] {
				return s.Path[:i], nil
			}
			return "", nil
		}
	}
	info, err := w.root.Lstat(fromSlash(s.Path))
	switch {
	case err != nil:
		return "", nil // if there is a real problem, the write reports it
	case info.IsDir():
		return w.findUntrackedBelow(s, known)
	}
	at := suspect{path: s.Path, mode: filemode.Regular, stat: index.Stat{Size: info.Size()}}
	if info.Mode()&fs.ModeSymlink != 0 {
		at.mode = filemode.Symlink
	} else if info.Mode()&0o100 != 0 {
		at.mode = filemode.Executable
	}
	n, err := w.hashFile(ctx, at)
	if err != nil || n.None() || n.Same(s.Want) {
		return "", err
	}
	return s.Path, nil
}

func (w *rootFiles) findUntrackedBelow(s gittree.Swap, known map[string]bool) (found string, err error) {
	if s.Want.Mode == gittree.Submodule {
		return "", nil
	}
	err = fs.WalkDir(w.FS(), s.Path, func(p string, d fs.DirEntry, err error) error {
		if err != nil && !isGone(err) || d != nil && !d.IsDir() && !known[p] {
			found = p
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}
