package screenshot

import (
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// The most that one page is given.
const (
	mostFile  = 8 << 20
	mostBytes = 64 << 20
	mostAsked = 1000
)

// A site is a tree of files as the browser sees it.
type site struct {
	read    func(path string) ([]byte, error)
	page    string
	given   int
	asked   int
	missing bool // the page itself is not there
}

// answer is what a page gets for an address: StatusForbidden where that is not of the tree.
func (s *site) answer(address string) (content []byte, kind string, status int) {
	s.asked++
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Host != host || s.asked > mostAsked {
		return nil, "", http.StatusForbidden
	}
	wanted := strings.TrimPrefix(path.Clean("/"+u.Path), "/")
	for _, at := range places(s.page, wanted) {
		content, err := s.read(at)
		if err != nil {
			continue
		}
		s.given += len(content)
		if len(content) > mostFile || s.given > mostBytes {
			return nil, "", http.StatusForbidden
		}
		return content, kindOf(at), http.StatusOK
	}
	if page, _ := splitQuery(s.page); wanted == page {
		s.missing = true
	}
	return nil, "text/plain", http.StatusNotFound
}

// places are where a path may be that a page asks for: as it is, or, since a page may be served from
// its own folder, below that or one above it.
func places(page, wanted string) []string {
	list := []string{wanted}
	for dir := path.Dir(page); dir != "."; dir = path.Dir(dir) {
		list = append(list, path.Join(dir, wanted))
	}
	return list
}

// kinds are those that mime may not know, or call otherwise on some machines.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".json": "application/json", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".webp": "image/webp",
}

func kindOf(file string) string {
	ext := strings.ToLower(path.Ext(file))
	if kind := kinds[ext]; kind != "" {
		return kind
	}
	if kind := mime.TypeByExtension(ext); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

func splitQuery(page string) (path, query string) {
	path, query, _ = strings.Cut(page, "?")
	return path, query
}
