package find

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const (
	maxListed   = 200
	listingTime = 20 * time.Second
)

// ListFolder lists what is below a folder; with a glob, only the files that it matches.
func ListFolder(ctx context.Context, root *os.Root, start, glob string) (string, error) {
	keep, err := newGlobFilter(glob, start)
	if err != nil {
		return "", err
	}
	within, cancel := context.WithTimeout(ctx, listingTime)
	defer cancel()
	l := gatherListing(within, root, start, keep)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return l.String(), nil
}

// A listing is what was found below a folder.
type listing struct {
	start   string
	glob    string
	folders map[string]int // number of files in and below each folder
	files   []string
	notes   map[string]string // descriptions of files that are not regular
	cut     bool
}

func gatherListing(ctx context.Context, root *os.Root, start string, keep filter) *listing {
	l := &listing{start: start, glob: keep.glob, folders: map[string]int{}, notes: map[string]string{}}
	var mu sync.Mutex
	w := &disk.Walk{Root: root, Visit: func(_ int, _ *os.File, p string, e fs.DirEntry) {
		note := entryNote(root, p, e)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case e.IsDir():
			if keep.glob == "" {
				l.folders[p] += 0
			}
		case keep.keeps(p):
			l.files = append(l.files, p)
			if note != "" {
				l.notes[p] = note
			}
		}
	}}
	w.Run(ctx, start)
	l.cut = w.Incomplete.Load()
	slices.Sort(l.files)
	for _, f := range l.files {
		for i := strings.LastIndexByte(f,
			'/'); i > 0 && f[:i] != start; i = strings.LastIndexByte(f[:i], '/') {
			if start == "." || strings.HasPrefix(f[:i], start+"/") {
				l.folders[f[:i]]++
			}
		}
	}
	return l
}

func entryNote(root *os.Root, p string, e fs.DirEntry) string {
	switch {
	case e.IsDir() || e.Type().IsRegular():
		return ""
	case e.Type()&fs.ModeSymlink != 0:
		target, _ := root.Readlink(p)
		return " -> " + plaintext.QuotePath(target)
	}
	return " (" + workfile.DescribeKind(e.Type()) + ")"
}

func (l *listing) String() string {
	folders := make([]string, 0, len(l.folders))
	for f := range l.folders {
		folders = append(folders, f)
	}
	slices.Sort(folders)
	if l.glob != "" {
		return l.matches(len(folders))
	}
	if len(l.files)+len(folders) == 0 {
		return fmt.Sprintf("%s holds no files.%s", plaintext.QuotePath(l.start), l.unfinished())
	}
	if len(l.files)+len(folders) <= maxListed {
		return l.lines(folders, l.files) + l.unfinished()
	}
	direct := func(p string) bool {
		return !strings.Contains(strings.TrimPrefix(p, strings.TrimPrefix(l.start+"/", "./")), "/")
	}
	here := keepIf(folders, direct)
	own := keepIf(l.files, direct)
	left := max(0, len(here)+len(own)-maxListed)
	here = here[:min(len(here), maxListed)]
	own = own[:min(len(own), maxListed-len(here))]
	text := l.lines(here, own)
	if left > 0 {
		text += fmt.Sprintf("[%s more in this folder left out: use a glob]\n", plaintext.FormatCount(left))
	}
	return text + fmt.Sprintf(
		"[%s in %s below %s; only this folder is shown: name one of its folders, or use a glob]%s",
		plaintext.CountNoun(len(l.files), "file"),
		plaintext.CountNoun(len(folders), "folder"),
		plaintext.QuotePath(l.start),
		l.unfinished(),
	)
}

// matches returns the answer to a glob, which lists only files.
func (l *listing) matches(folders int) string {
	switch n := len(l.files); {
	case n == 0:
		return fmt.Sprintf("No file below %s matches %s. A glob without a slash is held against file "+
			"names, one with ** against paths.%s", plaintext.QuotePath(l.start), l.glob, l.unfinished())
	case n > maxListed:
		return l.lines(nil,
			l.files[:maxListed]) + fmt.Sprintf("[%s of %s in %s left out: use a narrower glob or a path]%s",
			plaintext.FormatCount(n-maxListed), plaintext.CountNoun(n, "file"),
			plaintext.CountNoun(folders, "folder"), l.unfinished())
	}
	return l.lines(nil, l.files) + l.unfinished()
}

func (l *listing) lines(folders, files []string) string {
	var s strings.Builder
	for _, f := range folders {
		fmt.Fprintf(&s, "%s/ (%s)\n", plaintext.QuotePath(f), plaintext.CountNoun(l.folders[f], "file"))
	}
	for _, f := range files {
		s.WriteString(plaintext.QuotePath(f) + l.notes[f] + "\n")
	}
	return s.String()
}

// unfinished returns the remarks at the end of every listing.
func (l *listing) unfinished() string {
	text := l.alike()
	if l.cut {
		text += "\n[not everything was looked at: the repository is very large or deep]"
	}
	return text
}

const maxAlike = 5

// alike names paths that differ only in upper and lower case, which people and other systems may confuse.
func (l *listing) alike() string {
	seen := map[string]string{}
	pairs := []string(nil)
	for _, f := range slices.Sorted(maps.Keys(l.folders)) {
		pairs = alikeIn(seen, f, pairs)
	}
	for _, f := range l.files {
		pairs = alikeIn(seen, f, pairs)
	}
	if len(pairs) == 0 {
		return ""
	}
	text := strings.Join(pairs[:min(len(pairs), maxAlike)], ", ")
	if more := len(pairs) - maxAlike; more > 0 {
		text += fmt.Sprintf(" and %s more", plaintext.FormatCount(more))
	}
	return "\n[different ones, whose names differ in upper and lower case alone: " + text + "]"
}

// alikeIn adds a path to seen, or a pair to pairs if a path with the same name in another case was seen
// before.
func alikeIn(seen map[string]string, p string, pairs []string) []string {
	folder, name := path.Split(p)
	key := folder + strings.ToLower(name)
	if other, ok := seen[key]; ok {
		return append(pairs, plaintext.QuotePath(other)+" and "+plaintext.QuotePath(p))
	}
	seen[key] = p
	return pairs
}

func keepIf(all []string, keep func(string) bool) []string {
	var kept []string
	for _, s := range all {
		if keep(s) {
			kept = append(kept, s)
		}
	}
	return kept
}
