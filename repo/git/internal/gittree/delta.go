package gittree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// MaxFile is the size in bytes of the largest file that is compared line by line, committed or
// restored. Hosts refuse pushes with files not much larger.
const MaxFile = 50 << 20

// Delta is one path that differs between two trees. Before or After is the zero node if the path does
// not exist on that side. Size is that of the file on disk, Kept that of the larger side in the store,
// as far as they were measured.
type Delta struct {
	Path          string
	Before, After Node
	Size, Kept    int64
}

func (d *Delta) TooLarge() bool { return max(d.Size, d.Kept) > MaxFile }

func TooLargeError(path string, size int64) error {
	return &PathError{path, fmt.Sprintf("is %s, more than the %s that a commit may hold: remove it or name it in .gitignore", FormatMegabytes(size), FormatMegabytes(MaxFile))}
}

func FormatMegabytes(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
}

// Compare compares two trees and reads only the folders that differ. The zero hash is the empty tree.
func Compare(ctx context.Context, s *objects.Store, before, after plumbing.Hash, prefix string) ([]Delta, error) {
	if before == after {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := readTreeOrNone(s, before)
	if err != nil {
		return nil, err
	}
	b, err := readTreeOrNone(s, after)
	if err != nil {
		return nil, err
	}
	var out []Delta
	for name, pair := range pairByName(a, b) {
		more, err := compareNodes(ctx, s, pair[0], pair[1], prefix+name)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	if prefix == "" {
		slices.SortFunc(out, func(a, b Delta) int { return strings.Compare(a.Path, b.Path) })
	}
	return out, nil
}

func readTreeOrNone(s *objects.Store, h plumbing.Hash) ([]Node, error) {
	if h.IsZero() {
		return nil, nil
	}
	return Read(s, h)
}

func pairByName(a, b []Node) map[string][2]Node {
	out := map[string][2]Node{}
	for _, n := range a {
		out[n.Name] = [2]Node{n, {}}
	}
	for _, n := range b {
		out[n.Name] = [2]Node{out[n.Name][0], n}
	}
	return out
}

// compareNodes compares one path. A file that became a folder is both a removal and the additions in
// the folder.
func compareNodes(ctx context.Context, s *objects.Store, before, after Node, path string) ([]Delta, error) {
	if before.Same(after) {
		return nil, nil
	}
	var a, b plumbing.Hash
	d := Delta{Path: path, Before: before, After: after}
	if before.IsDir() {
		a, d.Before = before.Hash, Node{}
	}
	if after.IsDir() {
		b, d.After = after.Hash, Node{}
	}
	out, err := Compare(ctx, s, a, b, path+"/")
	if !d.Before.None() || !d.After.None() {
		out = append(out, d)
	}
	return out, err
}
