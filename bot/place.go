package bot

import (
	"net/url"
	"regexp"
	"strings"
)

// codePlace matches path/to/file.go:12 in a text.
var codePlace = regexp.MustCompile(`[A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*:\d+`)

// places is text that means nothing to Slack, with links where it names a line of code
// that is there.
func (r renderer) places(s string) string {
	if r.code == nil || r.Code[r.code.Repository] == "" {
		return escape(s)
	}
	var b strings.Builder
	for {
		at := codePlace.FindStringIndex(s)
		if at == nil {
			break
		}
		found := s[at[0]:at[1]]
		link := r.place(found)
		if link == "" {
			link = escape(found)
		}
		b.WriteString(escape(s[:at[0]]) + link)
		s = s[at[1]:]
	}
	return b.String() + escape(s)
}

// place is the link to a line of code that is there; empty for anything else.
func (r renderer) place(found string) string {
	if r.code == nil {
		return ""
	}
	pattern := r.Code[r.code.Repository]
	for _, known := range r.code.Places {
		if known != found || pattern == "" {
			continue
		}
		path, line, _ := strings.Cut(found, ":")
		parts := strings.Split(path, "/")
		for i, p := range parts {
			parts[i] = url.PathEscape(p)
		}
		to := strings.NewReplacer("{commit}", url.PathEscape(r.code.Commit), "{path}", strings.Join(parts, "/"), "{line}", line).Replace(pattern)
		return "<" + linkTarget.Replace(to) + "|" + escape(found) + ">"
	}
	return ""
}
