package skill

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maxSkills = 50 // per folder
	maxFront  = 4 << 10
	maxBody   = 64 << 10
	maxFile   = maxFront + maxBody + 64 // with the lines "---"
)

const fileName = "SKILL.md"

// A malformed is the reason why a skill is left out, with its cure.
type malformed string

func (m malformed) Error() string { return string(m) }

func malformedf(format string, args ...any) error { return malformed(fmt.Sprintf(format, args...)) }

// Read returns the skills of a folder that contains one directory per skill, sorted by name, and a Problem
// for each one left out. It ignores files next to the directories, and names that begin with a dot. A
// missing folder contains no skills. Read a repository's folder through an [os.Root], so that no link leads
// out of the repository.
func Read(fsys fs.FS, source Source) ([]Skill, []Problem) {
	entries, err := fs.ReadDir(fsys, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []Problem{{
			Path: ".",
			Reason: "the folder of skills cannot be read; check that it is a folder and its permissions: " +
				plaintext.OneLine(cause(err)),
		}}
	}
	var (
		skills   []Skill
		problems []Problem
	)
	candidates := directories(entries)
	for _, d := range candidates[:min(len(candidates), maxSkills)] {
		s, err := readSkill(fsys, d)
		if err != nil {
			problems = append(problems, problem(d.Name(), err))
			continue
		}
		s.Source = source
		skills = append(skills, s)
	}
	if more := len(candidates) - maxSkills; more > 0 {
		problems = append(problems, Problem{
			Path: ".",
			Reason: fmt.Sprintf("a folder has at most %d skills, and those from %s on are left out; "+
				"remove %d of them", maxSkills, quote(candidates[maxSkills].Name()), more),
		})
	}
	return skills, problems
}

// directories returns the entries that may be skills, sorted by name. Symbolic links are included, so that
// they get a Problem.
func directories(entries []fs.DirEntry) (found []fs.DirEntry) {
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return found
}

func readSkill(fsys fs.FS, d fs.DirEntry) (Skill, error) {
	if !d.IsDir() {
		return Skill{},
			malformed("it is a symbolic link, which is not followed here; put a directory in its place")
	}
	text, err := readText(fsys, path.Join(d.Name(), fileName))
	if err != nil {
		return Skill{}, err
	}
	return parse(d.Name(), text)
}

// readText reads only a regular file, because opening a named pipe could block for ever.
func readText(fsys fs.FS, name string) (string, error) {
	info, err := fs.Lstat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", malformed("there is no " + fileName + " in it; add one, or remove the directory")
	case err != nil:
		return "", err
	case info.Mode()&fs.ModeSymlink != 0:
		return "", malformed("it is a symbolic link, which is not followed here; put the file in its place")
	case !info.Mode().IsRegular():
		return "", malformed("it is not a regular file; put one in its place")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxFile:
		return "", malformedf("it is too long; shorten it to %d KiB of body and %d KiB of front matter at "+
			"most", maxBody>>10, maxFront>>10)
	}
	return string(text), nil
}

// problem returns the Problem of a directory's SKILL.md.
func problem(directory string, err error) Problem {
	p := Problem{Path: path.Join(directory, fileName), Reason: err.Error()}
	if _, ours := errors.AsType[malformed](err); !ours {
		p.Reason = "it cannot be read; check its permissions: " + plaintext.OneLine(cause(err))
	}
	return p
}

// cause returns the text of an error without the path, which a Problem names anyway.
func cause(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// maxQuoted is the maximum length of text by others that a Problem quotes.
const maxQuoted = 80

// quote returns a name as it is, or as an escaped Go string if it is too long or has characters that could
// harm a terminal.
func quote(s string) string {
	if len(s) > maxQuoted {
		return strconv.QuoteToASCII(s[:maxQuoted]) + "…"
	}
	for _, r := range s {
		if !shown(r) {
			return strconv.QuoteToASCII(s)
		}
	}
	return s
}

// shown reports whether a character is visible: not one that controls a terminal, breaks a line, is hidden
// or changes the text direction.
func shown(r rune) bool { return unicode.IsPrint(r) && r != unicode.ReplacementChar }
