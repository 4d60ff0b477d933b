package filetree

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Ignore is the rules of one folder's .gitignore above those of its parents. Folders
// that are ignored are not entered, so a path is only ever asked for when its parents
// are not ignored. The rules are sorted by what they compare, because nearly all of them
// are a name or an ending and every file is held against every rule.
type Ignore struct {
	parent *Ignore
	base   string // folder of the rules with a slash at its end; empty for the root
	rules  []ignoreRule
}

type ignoreRule struct {
	name, suffix string // of the base name; both empty: glob
	glob         string // on the path below base
	negate       bool
	folder       bool // for folders only
}

// ParseIgnore reads a .gitignore.
func ParseIgnore(parent *Ignore, base, text string) *Ignore {
	g := &Ignore{parent: parent, base: base}
	for line := range strings.SplitSeq(text, "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			g.rules = append(g.rules, r)
		}
	}
	if len(g.rules) == 0 {
		return parent
	}
	return g
}

func parseRule(line string) (r ignoreRule, ok bool) {
	line = trimSpaces(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	if line[0] == '!' {
		r.negate, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.folder, line = true, strings.TrimRight(line, "/")
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	const special = `*?[\`
	switch rest := line[1:]; {
	case anchored:
		r.glob = braces(line)
	case !strings.ContainsAny(line, special):
		r.name = line
	case line[0] == '*' && rest != "" && !strings.ContainsAny(rest, special):
		r.suffix = rest
	default:
		r.glob = "**/" + braces(line)
	}
	if strings.HasSuffix(r.glob, "/**") {
		r.glob += "/*" // what is inside, not the folder itself
	}
	return r, r.glob == "" || doublestar.ValidatePattern(r.glob)
}

// trimSpaces takes off the spaces at the end that are not escaped.
func trimSpaces(line string) string {
	t := strings.TrimRight(line, " ")
	if strings.HasSuffix(t, `\`) && len(t) < len(line) {
		t += " "
	}
	return t
}

// braces takes the meaning from characters that are none in a .gitignore.
func braces(glob string) string {
	return strings.NewReplacer("{", `\{`, "}", `\}`).Replace(glob)
}

// Ignored judges an entry by the nearest rule, the last one of each folder first.
func (g *Ignore) Ignored(p, name string, folder bool) bool {
	for ; g != nil; g = g.parent {
		below := strings.TrimPrefix(p, g.base)
		for i := len(g.rules) - 1; i >= 0; i-- {
			if g.rules[i].matches(below, name, folder) {
				return !g.rules[i].negate
			}
		}
	}
	return false
}

func (r *ignoreRule) matches(below, name string, folder bool) bool {
	switch {
	case r.folder && !folder:
		return false
	case r.name != "":
		return name == r.name
	case r.suffix != "":
		return strings.HasSuffix(name, r.suffix)
	}
	return doublestar.MatchUnvalidated(r.glob, below)
}
