package token

import (
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/source"
)

// scanTheme finds the strings and numbers in a theme, in JSON or in a script, and reports them with the
// path of their keys, such as colors.accent. It does not run the script, so it does not see computed
// values.
func scanTheme(text string, found func(key, value string)) {
	s := &themeScan{text: text, found: found}
	for s.i < len(text) {
		s.scanNext()
	}
}

type themeScan struct {
	text  string
	i     int
	outer []string // the keys around it, "" for a brace without a key
	word  string   // the last name or string
	key   string   // the name whose value comes next
	found func(key, value string)
}

func (s *themeScan) scanNext() {
	start := s.i
	switch c := s.text[s.i]; {
	case strings.HasPrefix(s.text[s.i:], "//"):
		s.i += len(source.UpToLineEnd(s.text[s.i:]))
	case strings.HasPrefix(s.text[s.i:], "/*"):
		s.i = source.After(s.text, s.i+2, "*/")
	case c == '"' || c == '\'' || c == '`':
		s.i = source.AfterString(s.text, s.i)
		s.takeWord(strings.Trim(s.text[start:s.i], "\"'`"))
	case c >= '0' && c <= '9' || c == '_' || c == '$' || c == '-' || c == '.' || c|0x20 >= 'a' && c|0x20 <= 'z':
		for s.i < len(s.text) && (source.IsNameByte(s.text[s.i]) || s.text[s.i] == '.') {
			s.i++
		}
		s.i = max(s.i, start+1)
		s.takeWord(s.text[start:s.i])
	default:
		s.i++
		s.takeMark(c)
	}
}

// takeWord takes a word that may be a key or the value of one.
func (s *themeScan) takeWord(word string) {
	if s.key != "" && len(s.outer) < 32 {
		s.found(s.keyPath(), word)
		s.key = ""
	}
	s.word = word
}

func (s *themeScan) keyPath() string {
	var parts []string
	for _, part := range append(s.outer[:len(s.outer):len(s.outer)], s.key) {
		if part != "" && part != "value" && part != "$value" {
			parts = append(parts, part)
		}
	}
	return strings.TrimPrefix(strings.Join(parts, "."), "module.exports.")
}

func (s *themeScan) takeMark(c byte) {
	switch c {
	case ':', '=':
		s.key = s.word
	case '{':
		s.outer, s.key, s.word = append(s.outer, s.key), "", ""
	case '}':
		if len(s.outer) > 0 {
			s.outer = s.outer[:len(s.outer)-1]
		}
		s.key, s.word = "", ""
	case ',', ';', '[', '(', ')', ']':
		s.key, s.word = "", ""
	}
}
