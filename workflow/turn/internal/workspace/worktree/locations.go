package worktree

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// maxLinked is how many places of one text are looked up.
const maxLinked = 40

// locateCode returns the places in a text (path/to/file.ext:12) that exist at the session's base commit,
// so that the thread can link them. It returns nil if none exists, if the host has no pages for code, or
// once the session has a branch: its changed files have other line numbers.
func (co *Checkout) locateCode(s workflow.Session, text string) *workflow.Code {
	if co.Repository.CodeURL == "" || s.Branch != "" || s.BaseCommit == "" {
		return nil
	}
	c := &workflow.Code{Repository: co.Repository.Name, Commit: s.BaseCommit}
	for _, m := range LocationPattern.FindAllStringSubmatch(text, maxLinked) {
		if has, err := co.HasLine(m[1], m[2]); err == nil && has && !slices.Contains(c.Places, m[0]) {
			c.Places = append(c.Places, m[0])
		}
	}
	if c.Places == nil {
		return nil
	}
	return c
}

// HasLine reports whether the file at path in Copy has that line. It fails if line is no number, or if
// the file cannot be read.
func (co *Checkout) HasLine(path, line string) (bool, error) {
	n, err := strconv.Atoi(line)
	if err != nil {
		return false, err
	}
	b, err := ReadSome(co.Copy.FS(), path, maxEvidence)
	return n >= 1 && n <= bytes.Count(b, []byte{'\n'})+1, err
}

// Line returns a line of a file in Copy without the spaces around it, cut after maxQuoted characters. It
// returns an empty string if the file or the line does not exist, or if the file is binary or private.
func (co *Checkout) Line(path string, number int) string {
	b, err := ReadSome(co.Copy.FS(), path, maxEvidence)
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

// maxQuoted is how many characters of a cited line are shown beside the claim that cites it.
const maxQuoted = 160

var (
	// LocationPattern matches path/to/file.ext:12 in the text of a report.
	LocationPattern = regexp.MustCompile(`([A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*):(\d+)`)
	// folderMark matches a source that is only a file in a folder, with or without a line or a range of
	// lines.
	folderMark = regexp.MustCompile(
		`^(?:\./)?([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+?)+)(\.[a-z][a-z0-9]{0,4})?(?::(\d+)(?:[-–](\d+))?)?$`)
)

// SplitLocation returns the file and the line that a source of evidence names, or two empty strings if the
// source is anything other than one place: a command, say, or a name in code. Without a line it returns
// line 1, and of a range the last line.
func SplitLocation(source string) (path, line string) {
	m := folderMark.FindStringSubmatch(strings.Trim(strings.TrimSpace(source), "`"))
	if m == nil || m[2] == "" && m[3] == "" {
		return "", ""
	}
	return m[1] + m[2], cmp.Or(m[4], m[3], "1")
}

// maxEvidence is how many bytes of a file are read to find a line in it.
const maxEvidence = 50 << 20
