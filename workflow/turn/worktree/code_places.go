package worktree

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// maxLinked is how many places of one line are looked at.
const maxLinked = 40

// locateCode says which places in a text are there, at the commit that was looked at, so that
// the thread can link them. Nil where the host has no pages for code, or once files have
// been changed: the lines are others then.
func (p *Place) locateCode(s workflow.Session, text string) *outgoing.Code {
	if p.Repository.CodeURL == "" || s.Branch != "" || s.BaseCommit == "" {
		return nil
	}
	c := &outgoing.Code{Repository: p.Repository.Name, Commit: s.BaseCommit}
	for _, m := range PlaceMark.FindAllStringSubmatch(text, maxLinked) {
		if has, err := p.HasLine(m[1], m[2]); err == nil && has && !slices.Contains(c.Places, m[0]) {
			c.Places = append(c.Places, m[0])
		}
	}
	if c.Places == nil {
		return nil
	}
	return c
}

// HasLine looks in the copy for exactly that path and line. The error says that there is no
// such number, or that the file cannot be read.
func (p *Place) HasLine(path, line string) (bool, error) {
	n, err := strconv.Atoi(line)
	if err != nil {
		return false, err
	}
	b, err := ReadSome(p.Copy.FS(), path, maxEvidence)
	return n >= 1 && n <= bytes.Count(b, []byte{'\n'})+1, err
}

// Line is that line of a file in the copy, without the space around it; empty where it is not
// there, or is no text.
func (p *Place) Line(path string, number int) string {
	b, err := ReadSome(p.Copy.FS(), path, maxEvidence)
	if err != nil || number < 1 || workfile.IsBinary(b) || workfile.IsPrivate(path) {
		return ""
	}
	for line := range bytes.Lines(b) {
		if number--; number == 0 {
			return plaintext.SafeLine(string(line), maxQuoted)
		}
	}
	return ""
}

// maxQuoted is how much of a line is shown beside a claim that cites it, in characters.
const maxQuoted = 160

var (
	// PlaceMark matches path/to/file.ext:12 in the words of a report.
	PlaceMark = regexp.MustCompile(`([A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*):(\d+)`)
	// folderMark matches a source that is nothing but a file in a folder, its lines or none.
	folderMark = regexp.MustCompile(`^(?:\./)?([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+?)+)(\.[a-z][a-z0-9]{0,4})?(?::(\d+)(?:[-–](\d+))?)?$`)
)

// PlaceOf is the place that a source names where it is nothing else: a file without a line
// counts as its first. A command, a name of the code and the like are no place.
func PlaceOf(source string) (path, line string) {
	m := folderMark.FindStringSubmatch(strings.Trim(strings.TrimSpace(source), "`"))
	if m == nil || m[2] == "" && m[3] == "" {
		return "", ""
	}
	return m[1] + m[2], cmp.Or(m[4], m[3], "1")
}

// maxEvidence is as much of a file as is read to find a line in it.
const maxEvidence = 50 << 20
