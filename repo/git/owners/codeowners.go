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

// CodeownersPaths are the paths at which hosts look for a CODEOWNERS file; the first that exists counts. The
// paths are GitHub's, then GitLab's, then those of Gitea and Forgejo.
var CodeownersPaths = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS", ".gitea/CODEOWNERS", ".forgejo/CODEOWNERS"}

// MaxFile is the size in bytes of the largest file that is read. A larger file counts as empty, as at
// GitHub.
const MaxFile = 3 << 20

const (
	maxLine   = 4 << 10 // bytes of a line, and of its pattern
	maxRules  = 20_000
	maxOwners = 20 // of one file
)

// A File is a parsed CODEOWNERS file.
type File struct{ rules []rule }

// A rule is one line. Of the rules of a section that match a path, the last one counts.
type rule struct {
	section string
	globs   []string       // any of them may match
	whole   *regexp.Regexp // in Gitea's files, instead of globs
	owners  []string
}

// Parse parses the file at one of CodeownersPaths. It never fails: like the hosts, it skips a line that it
// cannot parse.
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

// sectionMark matches the head of a GitLab section: ^[Name][2] @default.
var sectionMark = regexp.MustCompile(`^\^?\[([^\[\]]{1,200})\](?:\[\d{1,3}\])?((?:\s+\S+)*)$`)

// splitWords splits a line at blanks that are not escaped by a backslash, and drops a comment that
// begins with #.
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

// ownersIn returns the words that name an owner: @name, @group/team, or an email address.
func ownersIn(words []string) (owners []string) {
	for _, w := range words {
		if ownerForm.MatchString(w) && len(owners) < maxOwners && !slices.Contains(owners, w) {
			owners = append(owners, w)
		}
	}
	return owners
}

var ownerForm = regexp.MustCompile(`^(?:@{1,2}[A-Za-z0-9][A-Za-z0-9_./-]{0,100}|[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,100})$`)

// read parses the pattern of a rule and reports whether it is one. An exclamation mark before it
// removes the owners.
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
		if path.Base(from) == "*" { // the files directly in the folder, and not below
			r.globs = nil
		}
		r.globs = append(r.globs, from)
	}
	return !slices.ContainsFunc(r.globs, func(g string) bool { return !doublestar.ValidatePattern(g) })
}

// classes escapes brackets and braces, which are plain characters in these files.
var classes = strings.NewReplacer("[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

func (r rule) matches(path string) bool {
	if r.whole != nil {
		return r.whole.MatchString(path)
	}
	return slices.ContainsFunc(r.globs, func(g string) bool { return doublestar.MatchUnvalidated(g, path) })
}

// Of returns the owners of a path, as the file writes them: of each section, those of the last matching
// rule. A nil File has none.
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
