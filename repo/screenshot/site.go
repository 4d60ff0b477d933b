package screenshot

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Limits for one page: bytes of a file, bytes of all files, and the number of requests.
const (
	maxFile  = 8 << 20
	maxBytes = 64 << 20
	maxAsked = 1000
)

// A site is a tree of files as served to the browser.
type site struct {
	read  func(path string) ([]byte, error)
	page  string
	given int
	asked int
}

// check returns a NoPictureError if the page itself cannot be served.
func (s site) check() error {
	switch _, _, status := s.answer(s.address()); status {
	case http.StatusNotFound:
		return &NoPictureError{NoPage}
	case http.StatusForbidden:
		return &NoPictureError{fmt.Sprintf("its file is larger than %d MB", maxFile>>20)}
	}
	return nil
}

// answer returns the response for an address. The status is StatusForbidden if the address is not of the
// tree or a limit is reached.
func (s *site) answer(address string) (content []byte, kind string, status int) {
	s.asked++
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Host != host || s.asked > maxAsked {
		return nil, "", http.StatusForbidden
	}
	wanted := strings.TrimPrefix(path.Clean("/"+u.Path), "/")
	for _, at := range places(s.page, wanted) {
		content, err := s.read(at)
		if err != nil {
			continue
		}
		s.given += len(content)
		if len(content) > maxFile || s.given > maxBytes {
			return nil, "", http.StatusForbidden
		}
		return content, kindOf(at), http.StatusOK
	}
	return nil, "text/plain", http.StatusNotFound
}

// places returns the paths where a requested path may be. A page may be served from its own folder, so
// these are the path itself, and the path below the page's folder and each folder above it.
func places(page, wanted string) []string {
	list := []string{wanted}
	for dir := path.Dir(page); dir != "."; dir = path.Dir(dir) {
		list = append(list, path.Join(dir, wanted))
	}
	return list
}

// kinds are the media types that the package mime does not know, or has other names for on some machines.
var kinds = map[string]string{
	".html":  "text/html; charset=utf-8",
	".htm":   "text/html; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".mjs":   "text/javascript; charset=utf-8",
	".json":  "application/json",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
	".webp":  "image/webp",
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
