package disk

import "strings"

// special lists the characters that begin something other than literal text.
const special = `*?[\`

// A globMatch is the match of a path with a pattern of .gitignore: ? and [] match one byte and * any
// number of them, none of which is a slash; ** matches any number of folders. Only the last star of a
// name and the last ** ever have to be tried again, so the time grows with the product of the lengths
// and no faster.
type globMatch struct {
	glob, text    string
	i, j          int // the current positions
	star, starred int // the position after the last *, and how far it reaches; 0: none
	all, passed   int // the same for the last **/
}

func matchGlob(glob, text string) bool {
	m := globMatch{glob: glob, text: text}
	for m.i < len(glob) || m.j < len(text) {
		if m.skipStars() {
			continue
		}
		if width := m.matchByte(); width > 0 {
			m.i, m.j = m.i+width, m.j+1
		} else if !m.retry() {
			return false
		}
	}
	return true
}

// skipStars steps over one or more stars of the pattern, and reports whether it did.
func (m *globMatch) skipStars() bool {
	end := m.i
	for end < len(m.glob) && m.glob[end] == '*' {
		end++
	}
	if end == m.i {
		return false
	}
	begins := m.i == 0 || m.glob[m.i-1] == '/'
	rest, escaped := strings.CutPrefix(m.glob[end:], `\`)
	switch {
	case end-m.i > 1 && begins && end == len(m.glob):
		m.i, m.j = end, len(m.text)
	case end-m.i > 1 && begins && strings.HasPrefix(rest, "/"):
		if escaped { // at least one folder
			slash := strings.IndexByte(m.text[m.j:], '/')
			if slash < 0 {
				return false
			}
			m.j += slash + 1
		}
		m.i = len(m.glob) - len(rest) + 1
		m.all, m.passed, m.star = m.i, m.j, 0
	default:
		m.i = end
		m.star, m.starred = m.i, m.j
	}
	return true
}

// retry extends the last * by one byte or, if it cannot, the last ** by one folder.
func (m *globMatch) retry() bool {
	if m.star > 0 && m.starred < len(m.text) && m.text[m.starred] != '/' {
		m.starred++
		m.i, m.j = m.star, m.starred
		return true
	}
	slash := strings.IndexByte(m.text[m.passed:], '/')
	if m.all == 0 || slash < 0 {
		return false
	}
	m.passed += slash + 1
	m.i, m.j, m.star = m.all, m.passed, 0
	return true
}

// matchByte returns the length of the pattern that matches the next byte, or 0 if it does not match.
func (m *globMatch) matchByte() int {
	if m.i == len(m.glob) || m.j == len(m.text) {
		return 0
	}
	glob, c := m.glob[m.i:], m.text[m.j]
	switch {
	case glob[0] == '?' && c != '/':
		return 1
	case glob[0] == '[' && c != '/':
		return matchSet(glob, c)
	case glob[0] == '\\' && len(glob) > 1 && glob[1] == c:
		return 2
	case glob[0] == c && !strings.ContainsRune(special, rune(c)):
		return 1
	}
	return 0
}

// matchSet returns the length of the set, such as [^a-z[:digit:]], that glob begins with. It returns 0
// if c is not in the set or the set is not closed.
func matchSet(glob string, c byte) int {
	i := 1
	negated := i < len(glob) && (glob[i] == '!' || glob[i] == '^')
	if negated {
		i++
	}
	found, low := false, -1 // low: the possible start of a range
	for first := true; ; first = false {
		if i >= len(glob) {
			return 0
		}
		if class, rest, ok := strings.Cut(strings.TrimPrefix(glob[i:], "[:"), "]"); ok && strings.HasPrefix(glob[i:], "[:") && strings.HasSuffix(class, ":") {
			within := classes[strings.TrimSuffix(class, ":")]
			if within == nil {
				return 0
			}
			found, low, i = found || within(c), -1, len(glob)-len(rest)
			continue
		}
		if glob[i] == ']' && !first {
			break
		}
		ranged := glob[i] == '-' && low >= 0 && i+1 < len(glob) && glob[i+1] != ']'
		if ranged {
			i++
		}
		if glob[i] == '\\' {
			i++
		}
		if i >= len(glob) {
			return 0
		}
		if ranged {
			found, low = found || int(c) >= low && c <= glob[i], -1
		} else {
			found, low = found || c == glob[i], int(glob[i])
		}
		i++
	}
	if found == negated {
		return 0
	}
	return i + 1
}

func between(bounds string) func(byte) bool {
	return func(c byte) bool {
		for i := 0; i < len(bounds); i += 2 {
			if bounds[i] <= c && c <= bounds[i+1] {
				return true
			}
		}
		return false
	}
}

// classes holds the named character classes.
var classes = map[string]func(byte) bool{
	"alnum": between("09AZaz"), "alpha": between("AZaz"), "blank": between("  \t\t"), "cntrl": between("\x00\x1f\x7f\x7f"),
	"digit": between("09"), "graph": between("!~"), "lower": between("az"), "print": between(" ~"),
	"punct": between("!/:@[`{~"), "space": between("\t\n\r\r  "), "upper": between("AZ"), "xdigit": between("09AFaf"),
}
