package disk

import (
	"os"
	"strings"
)

// Ignore holds the rules of one folder's .gitignore and refers to those of its parents. A walk does not
// enter ignored folders, so a path is only ever checked if its parents are not ignored. Each rule knows
// how it is compared, because nearly all rules are a name or an ending and every file is checked
// against every rule. Rules match bytes, as git's do.
type Ignore struct {
	parent *Ignore
	base   string // folder of the rules with a trailing slash; empty for the root
	rules  []ignoreRule
}

type ignoreRule struct {
	text     string
	literal  int  // length of the beginning of text that is literal
	suffix   bool // a * and an ending
	anchored bool // compared with the path below base, not with the name
	negate   bool
	folder   bool // for folders only
}

const maxIgnore = 1 << 20 // bytes of a .gitignore; a larger one is ignored

// ReadIgnore reads the .gitignore of an open folder, if it is a plain file. Without any rules it
// returns parent.
func ReadIgnore(parent *Ignore, base string, folder *os.File) *Ignore {
	text, _, err := ReadEntry(folder, ".gitignore", maxIgnore, nil)
	if err != nil {
		return parent
	}
	return parseIgnore(parent, base, string(text))
}

func parseIgnore(parent *Ignore, base, text string) *Ignore {
	g := &Ignore{parent: parent, base: base}
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if r := parseRule(strings.TrimSuffix(line, "\r")); r.text != "" {
			g.rules = append(g.rules, r)
		}
	}
	if len(g.rules) == 0 {
		return parent
	}
	return g
}

// parseRule parses one line. The text of the rule is empty if the line holds no rule.
func parseRule(line string) (r ignoreRule) {
	if strings.HasPrefix(line, "#") {
		return r
	}
	line, _, _ = strings.Cut(line, "\x00") // git takes the line to end here
	line = trimSpaces(line)
	line, r.negate = strings.CutPrefix(line, "!")
	line, r.folder = strings.CutSuffix(line, "/")
	r.anchored = strings.Contains(line, "/")
	r.text = strings.TrimPrefix(line, "/")
	r.literal = strings.IndexAny(r.text, special)
	if r.literal < 0 {
		r.literal = len(r.text)
	}
	r.suffix = !r.anchored && strings.HasPrefix(r.text, "*") && !strings.ContainsAny(r.text[1:], special)
	return r
}

// trimSpaces removes the spaces at the end that are not escaped.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		if line[i] == ' ' {
			continue
		}
		if line[i] == '\\' {
			i++
		}
		end = i + 1
	}
	return line[:min(end, len(line))]
}

// IsIgnored reports whether an entry is ignored. The nearest matching rule decides: the last one in the
// .gitignore of the deepest folder.
func (g *Ignore) IsIgnored(p, name string, folder bool) bool {
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
	if r.folder && !folder {
		return false
	}
	if r.anchored {
		name = below
	}
	switch {
	case r.literal == len(r.text):
		return name == r.text
	case r.suffix:
		return strings.HasSuffix(name, r.text[1:])
	}
	// What follows the literal part is matched as a separate pattern, even if it begins with **.
	return strings.HasPrefix(name, r.text[:r.literal]) && matchGlob(r.text[r.literal:], name[r.literal:])
}
