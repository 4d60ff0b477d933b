package siblings

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/evidence"
)

// A judgement is the model's verdict on a place.
type judgement struct {
	workflow.Sibling
	lines
}

// lines are the lines first to last of a file.
type lines struct {
	path        string
	first, last int
}

var lineForm = regexp.MustCompile(`(?s)^(.+?):(\d{1,7})(?:[-–](\d{1,7}))?$`)

// linesAt parses file:line or file:line-line. ok is false if at is neither.
func linesAt(at string) (l lines, ok bool) {
	m := lineForm.FindStringSubmatch(at)
	if m == nil {
		return l, false
	}
	l.path = path.Clean(m[1])
	l.first, _ = strconv.Atoi(m[2])
	l.last, _ = strconv.Atoi(m[3])
	l.last = max(l.first, l.last)
	return l, true
}

// readPlaces parses the places that the model judged.
func readPlaces(places []workflow.Sibling) (all []judgement, err error) {
	for _, p := range places {
		at, ok := linesAt(strings.Trim(strings.TrimSpace(p.At), "`"))
		if !ok {
			return nil, model.Mistakef("%q is no place; at is file:line.", plaintext.SafeLine(p.At, maxShown))
		}
		all = append(all, judgement{p, at})
	}
	return all, nil
}

func placeOf(h tool.Hit) evidence.Location {
	return evidence.Location{Path: h.Path, First: h.Line, Last: h.Line}
}

// inScope reports whether the text of the change names the line of h, or its file if the defect itself
// is in another file. A path may be given by its end ("total.go:12", and after it more lines: "20, 31"), as
// long as no other file of those with hits ends like it.
func inScope(change string, h tool.Hit, causePath string, hits []tool.Hit) bool {
	last := "" // the file that a number alone is a line of
	for _, word := range strings.FieldsFunc(change,
		func(r rune) bool { return strings.ContainsRune(" \t\r\n`'\"()[]<>,;", r) }) {
		word = strings.TrimRight(word, ".:!?")
		if lineNumber.MatchString(word) && last != "" {
			word = last + ":" + word
		}
		at, ok := linesAt(word)
		switch {
		case ok:
			last = at.path
			if at.first <= h.Line && h.Line <= at.last && isOnlyEnd(at.path, h.Path, hits) {
				return true
			}
		case !joinsLines[strings.ToLower(word)]:
			last = ""
			if h.Path != causePath && isOnlyEnd(path.Clean(word), h.Path, hits) {
				return true
			}
		}
	}
	return false
}

// lineNumber matches a line or lines without a file, and joinsLines are the words between two of them.
var (
	lineNumber = regexp.MustCompile(`^\d{1,7}(?:[-–]\d{1,7})?$`)
	joinsLines = map[string]bool{"and": true, "und": true, "et": true, "y": true, "e": true, "&": true}
)

// isOnlyEnd reports whether a path is the file full, or its end, and of no other file with hits.
func isOnlyEnd(end, full string, hits []tool.Hit) bool {
	if end == full {
		return true
	}
	if !evidence.EndsLike(full, end) {
		return false
	}
	for _, h := range hits {
		if h.Path != full && evidence.EndsLike(h.Path, end) {
			return false
		}
	}
	return true
}
