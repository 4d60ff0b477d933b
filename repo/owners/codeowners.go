package owners

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// Places are where hosts look for a CODEOWNERS file, the first that is there: GitHub's, then
// GitLab's, then those of Gitea and Forgejo.
var Places = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS", ".gitea/CODEOWNERS", ".forgejo/CODEOWNERS"}

// MaxFile is how much of a file is read; what is larger counts for nothing, as at GitHub.
const MaxFile = 3 << 20

const (
	maxLine   = 4 << 10 // bytes of a line, and of its pattern
	maxRules  = 20_000
	maxOwners = 20 // of one file
)

// A File is a CODEOWNERS file that was read.
type File struct{ rules []rule }

// A rule is one line: of the rules of a section that match a path, the last counts.
type rule struct {
	section string
	globs   []string       // any of them
	whole   *regexp.Regexp // in Gitea's files, in place of globs
	owners  []string
}

// Parse reads what stands at one of Places. It never fails: hosts drop a line that they cannot
// read, too.
func Parse(at string, text []byte) *File {
	f, section, defaults := &File{}, "", []string(nil)
	expressions := strings.HasPrefix(at, ".gitea/") || strings.HasPrefix(at, ".forgejo/")
	if len(text) > MaxFile {
		return f
	}
	for line := range bytes.Lines(text) {
		if len(line) > maxLine || len(f.rules) == maxRules {
			continue
		}
		words := splitWords(string(line))
		switch {
		case len(words) == 0:
		case !expressions && sectionMark.MatchString(strings.TrimSpace(string(line))):
			m := sectionMark.FindStringSubmatch(strings.TrimSpace(string(line)))
			section, defaults = strings.ToLower(m[1]), ownersIn(strings.Fields(m[2]))
		default:
			r := rule{section: section, owners: ownersIn(words[1:])}
			if len(r.owners) == 0 {
				r.owners = defaults
			}
			if r.read(words[0], expressions) {
				f.rules = append(f.rules, r)
			}
		}
	}
	return f
}

// sectionMark is the head of one of GitLab's sections: ^[Name][2] @default.
var sectionMark = regexp.MustCompile(`^\^?\[([^\[\]]{1,200})\](?:\[\d{1,3}\])?((?:\s+\S+)*)$`)

// splitWords splits a line at blanks that no backslash stands before, and drops what a # begins.
func splitWords(line string) (words []string) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
		}
		word.Reset()
	}
	escaped := false
	for _, r := range line {
		switch {
		case !escaped && (unicode.IsSpace(r) || r == '#'):
			end()
			if r == '#' {
				return words
			}
		default:
			word.WriteRune(r)
		}
		escaped = r == '\\' && !escaped
	}
	end()
	return words
}

// ownersIn are the words that name somebody: @name, @group/team, or an address.
func ownersIn(words []string) (owners []string) {
	for _, w := range words {
		if ownerForm.MatchString(w) && len(owners) < maxOwners && !slices.Contains(owners, w) {
			owners = append(owners, w)
		}
	}
	return owners
}

var ownerForm = regexp.MustCompile(`^(?:@{1,2}[A-Za-z0-9][A-Za-z0-9_./-]{0,100}|[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,100})$`)

// read takes the pattern; false: it is none. One behind an exclamation mark takes the owners away.
func (r *rule) read(pattern string, expression bool) bool {
	if rest, not := strings.CutPrefix(pattern, "!"); not {
		pattern, r.owners = rest, nil
	}
	if expression {
		whole, err := regexp.Compile(`^(?:` + pattern + `)$`)
		r.whole = whole
		return err == nil
	}
	folder := strings.HasSuffix(pattern, "/")
	from, rooted := strings.CutPrefix(strings.TrimRight(pattern, "/"), "/")
	if from == "" {
		return false
	}
	if from = classes.Replace(from); !rooted && !strings.Contains(from, "/") {
		from = "**/" + from
	}
	r.globs = []string{from + "/**"}
	if !folder {
		if path.Base(from) == "*" { // what lies directly there, and not below
			r.globs = nil
		}
		r.globs = append(r.globs, from)
	}
	return !slices.ContainsFunc(r.globs, func(g string) bool { return !doublestar.ValidatePattern(g) })
}

// classes are plain characters in these files.
var classes = strings.NewReplacer("[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

func (r rule) matches(path string) bool {
	if r.whole != nil {
		return r.whole.MatchString(path)
	}
	return slices.ContainsFunc(r.globs, func(g string) bool { return doublestar.MatchUnvalidated(g, path) })
}

// Of are the owners of a path, as the file writes them: of each section, those of the last rule
// that matches. Nil File: none.
func (f *File) Of(path string) (owners []string) {
	if f == nil {
		return nil
	}
	decided := map[string]bool{}
	for _, r := range slices.Backward(f.rules) {
		if decided[r.section] || !r.matches(path) {
			continue
		}
		decided[r.section] = true
		for _, o := range r.owners {
			if !slices.Contains(owners, o) && len(owners) < maxOwners {
				owners = append(owners, o)
			}
		}
	}
	return owners
}
