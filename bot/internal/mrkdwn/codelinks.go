package mrkdwn

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
)

// codePlace matches a place in code, such as path/to/file.go:12, or api:path/to/file.go:12 of another
// repository.
var codePlace = regexp.MustCompile(
	`([A-Za-z0-9][A-Za-z0-9._-]*:)?([A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*:\d+)`)

// linkPlaces returns escaped text in which each known place is code, and a link.
func (p *page) linkPlaces(s string) string {
	if p.known == nil {
		return Escape(s)
	}
	var b strings.Builder
	for {
		at := codePlace.FindStringSubmatchIndex(s)
		if at == nil {
			break
		}
		from := at[0]
		link := p.linkPlace(s[from:at[1]])
		if link == "" { // what stands before the path may be a word and a colon
			from = at[4]
			link = p.linkPlace(s[from:at[1]])
		}
		if link == "" {
			link = Escape(s[from:at[1]])
		}
		b.WriteString(Escape(s[:from]) + link)
		s = s[at[1]:]
	}
	return b.String() + Escape(s)
}

// linkPlace returns the place of a known line as code, and as a link if its host shows the line, or an empty
// string if the line is not known. Slack shows code within the text of a link as code.
func (p *page) linkPlace(found string) string {
	if p.known == nil {
		return ""
	}
	own := workflow.OtherCode{Repository: p.known.Repository, Commit: p.known.Commit, Places: p.known.Places}
	for _, c := range append([]workflow.OtherCode{own}, p.known.Others...) {
		if !slices.Contains(c.Places, found) {
			continue
		}
		code := "`" + Escape(found) + "`"
		if pattern := p.Code[c.Repository]; pattern != "" {
			return "<" + linkTarget.Replace(lineAddress(pattern, c, found)) + "|" + code + ">"
		}
		return code
	}
	return ""
}

// lineAddress returns the address of a place in code.
func lineAddress(pattern string, c workflow.OtherCode, place string) string {
	path, line, _ := strings.Cut(strings.TrimPrefix(place, c.Repository+":"), ":")
	parts := strings.Split(path, "/")
	for i, name := range parts {
		parts[i] = url.PathEscape(name)
	}
	return strings.NewReplacer("{commit}", url.PathEscape(c.Commit),
		"{path}", strings.Join(parts, "/"), "{line}", line).Replace(pattern)
}
