package screenshot

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Limits of the search for pages.
const (
	maxPages = 200
	maxText  = 1 << 20
	maxDeep  = 4 // levels from a page to a style sheet, to what it imports, and so on
)

// Pages returns the pages of a tree on which a change may be seen, at most most: first the changed pages,
// then those that use a changed file, directly or through a style sheet or script. It reads the names of
// used files from the text, and runs nothing.
func Pages(read func(path string) ([]byte, error), files, changed []string, most int) (pages []string) {
	touched := map[string]bool{}
	for _, c := range changed {
		touched[c] = true
	}
	var others []string
	for _, f := range files {
		switch {
		case !isPage(f):
		case touched[f]:
			pages = append(pages, f)
		default:
			others = append(others, f)
		}
	}
	slices.SortStableFunc(others,
		func(a, b string) int { return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")) })
	finder := finder{read: read, touched: touched, known: map[string]string{}}
	for _, f := range others[:min(len(others), maxPages)] {
		if len(pages) >= most {
			break
		}
		if finder.uses(f, f, maxDeep, map[string]bool{}) {
			pages = append(pages, f)
		}
	}
	return pages[:min(len(pages), most)]
}

func isPage(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext == ".html" || ext == ".htm"
}

// IsForeign reports whether a folder holds third-party files, in which no pages are searched.
func IsForeign(dir string) bool {
	return slices.Contains([]string{"node_modules", "vendor", "bower_components"}, path.Base(dir))
}

// named matches the names of files in pages, style sheets and scripts.
var named = regexp.MustCompile(
	`(?i)["'(=]\s*([^"'()<>\s?#]+\.(?:css|m?js|svg|png|jpe?g|gif|webp|avif|ico|woff2?|json)\b)`)

type finder struct {
	read    func(path string) ([]byte, error)
	touched map[string]bool
	known   map[string]string // texts by path
}

// uses reports whether a file that is named by file, directly or through others, was changed.
func (f finder) uses(page, file string, deep int, seen map[string]bool) bool {
	for _, m := range named.FindAllStringSubmatch(f.text(file), -1) {
		for _, at := range f.resolve(page, file, m[1]) {
			if f.touched[at] {
				return true
			}
			if seen[at] || deep == 0 || !slices.Contains([]string{".css", ".js", ".mjs"}, path.Ext(at)) {
				continue
			}
			seen[at] = true
			if f.uses(page, at, deep-1, seen) {
				return true
			}
		}
	}
	return false
}

// resolve returns the paths that a name in a file may mean.
func (f finder) resolve(page, file, name string) []string {
	switch {
	case strings.Contains(name, "://") || strings.HasPrefix(name, "//"):
		return nil
	case strings.HasPrefix(name, "/"):
		return places(page, strings.TrimPrefix(path.Clean(name), "/"))
	}
	return []string{path.Join(path.Dir(file), name)}
}

func (f finder) text(file string) string {
	text, known := f.known[file]
	if !known {
		if content, err := f.read(file); err == nil && len(content) <= maxText {
			text = string(content)
		}
		f.known[file] = text
	}
	return text
}
