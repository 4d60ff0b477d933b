package mrkdwn

import (
	"net/url"
	"regexp"
	"strings"
)

// codePlace matches a place in code, such as path/to/file.go:12.
var codePlace = regexp.MustCompile(`[A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*:\d+`)

// linkPlaces returns escaped text in which each known place in code is a link.
func (p *page) linkPlaces(s string) string {
	if p.known == nil || p.Code[p.known.Repository] == "" {
		return Escape(s)
	}
	var b strings.Builder
	for {
		at := codePlace.FindStringIndex(s)
		if at == nil {
			break
		}
		found := s[at[0]:at[1]]
		link := p.linkPlace(found)
		if link == "" {
			link = Escape(found)
		}
		b.WriteString(Escape(s[:at[0]]) + link)
		s = s[at[1]:]
	}
	return b.String() + Escape(s)
}

// linkPlace returns the link to a line of code, or an empty string if the line is not known.
func (p *page) linkPlace(found string) string {
	if p.known == nil {
		return ""
	}
	pattern := p.Code[p.known.Repository]
	for _, known := range p.known.Places {
		if known != found || pattern == "" {
			continue
		}
		path, line, _ := strings.Cut(found, ":")
		parts := strings.Split(path, "/")
		for i, name := range parts {
			parts[i] = url.PathEscape(name)
		}
		to := strings.NewReplacer("{commit}", url.PathEscape(p.known.Commit), "{path}", strings.Join(parts, "/"), "{line}", line).Replace(pattern)
		return "<" + linkTarget.Replace(to) + "|" + Escape(found) + ">"
	}
	return ""
}
