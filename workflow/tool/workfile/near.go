package workfile

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const nearNames = 5

// NearPaths returns the paths of the workspace that may be meant by p, the likeliest first.
func NearPaths(ctx context.Context, root *os.Root, p string) []string {
	type guess struct {
		path  string
		score int
	}
	var mu sync.Mutex
	var guesses []guess
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	w := &disk.Walk{Root: root, Visit: func(_ int, _ *os.File, found string, _ fs.DirEntry) {
		if s, ok := pathDistance(p, found); ok {
			mu.Lock()
			guesses = append(guesses, guess{found, s})
			mu.Unlock()
		}
	}}
	w.Run(ctx, ".")
	slices.SortFunc(guesses, func(a, b guess) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(countCommonFolders(p, b.path), countCommonFolders(p, a.path)), cmp.Compare(a.path, b.path))
	})
	names := make([]string, 0, nearNames)
	for _, g := range guesses[:min(len(guesses), nearNames)] {
		names = append(names, g.path)
	}
	return names
}

func SuggestPaths(names []string) string {
	if len(names) == 0 {
		return " Use list_files or search to find it."
	}
	for i, n := range names {
		names[i] = plaintext.QuotePath(n)
	}
	return " Near names: " + strings.Join(names, ", ") + "."
}

// pathDistance returns how far apart two paths are by their base names; 0 is the same path in another case.
// It returns false if they are not similar.
func pathDistance(want, have string) (int, bool) {
	w, h := strings.ToLower(want), strings.ToLower(have)
	if w == h {
		return 0, true
	}
	w, h = path.Base(w), path.Base(h)
	if w == h {
		return 1, true
	}
	most := max(1, min(len(w), len(h))/3)
	if d := plaintext.EditDistance(w, h, most); d <= most {
		return 1 + d, true
	}
	stem := strings.TrimSuffix(w, path.Ext(w))
	if len(stem) >= 4 && strings.Contains(h, stem) {
		return 8, true
	}
	return 0, false
}

func countCommonFolders(a, b string) int {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}
