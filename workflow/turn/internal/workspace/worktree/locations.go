package worktree

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// maxLinked is how many places of one text are looked up.
const maxLinked = 40

// locateCode returns the places in a text (path/to/file.ext:12) that exist at the session's base commit,
// and those in other repositories (api:path/to/file.ext:12) that exist at the commits that agents read, so
// that the thread shows them as code, and as links where the host has pages for code. It returns nil if none
// exists. Once the session has a branch, the places of its own repository are left out: its changed files
// have other line numbers.
func (co *Checkout) locateCode(s workflow.Session, text string) *workflow.Code {
	own := workflow.Code{Repository: co.Repository.Name, Commit: s.BaseCommit}
	others := map[string]*workflow.OtherCode{}
	for _, m := range LocationPattern.FindAllStringSubmatch(text, maxLinked) {
		name, rest := tool.SplitRepository(m[1])
		to := &own.Places
		place := m[0]
		if o := co.Others[name]; o != nil {
			if others[name] == nil {
				others[name] = &workflow.OtherCode{Repository: name, Commit: o.Read.Commit}
			}
			to = &others[name].Places
		} else if s.Branch != "" || s.BaseCommit == "" {
			continue
		} else if name != "" { // a word and a colon before the path
			place = rest + ":" + m[2]
		}
		if slices.Contains(*to, place) {
			continue
		}
		if has, err := co.HasLine(m[1], m[2]); err == nil && has {
			*to = append(*to, place)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if others[name].Places != nil {
			own.Others = append(own.Others, *others[name])
		}
	}
	if own.Places == nil && own.Others == nil {
		return nil
	}
	return &own
}

// HasLine reports whether the file at path has that line, in Copy or in another repository. It fails if line
// is no number, or if the file cannot be read.
func (co *Checkout) HasLine(path, line string) (bool, error) {
	n, err := strconv.Atoi(line)
	if err != nil {
		return false, err
	}
	files, path := co.tree(path)
	b, err := ReadSome(files, path, maxEvidence)
	return n >= 1 && n <= bytes.Count(b, []byte{'\n'})+1, err
}

// Line returns a line of a file in Copy, or in another repository, without the spaces around it, cut after
// maxQuoted characters. It returns an empty string if the file or the line does not exist, or if the file is
// binary or private.
func (co *Checkout) Line(path string, number int) string {
	files, path := co.tree(path)
	b, err := ReadSome(files, path, maxEvidence)
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
	// LocationPattern matches path/to/file.ext:12 in the text of a report, and api:path/to/file.ext:12 of
	// another repository; what stands before the first colon may also be a word that is none.
	LocationPattern = regexp.MustCompile(
		`((?:[A-Za-z0-9][A-Za-z0-9._-]*:)?[A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*):(\d+)`)
	// folderMark matches a source that is only a file in a folder, with or without a line or a range of
	// lines.
	folderMark = regexp.MustCompile(
		`^(?:\./)?((?:[A-Za-z0-9][A-Za-z0-9._-]*:[A-Za-z_.-][A-Za-z0-9_.-]*|[A-Za-z0-9_.-]+)` +
			`(?:/[A-Za-z0-9_.-]+?)+)(\.[a-z][a-z0-9]{0,4})?(?::(\d+)(?:[-–](\d+))?)?$`)
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
