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

func (t *themeScan) scanNext() {
	start := t.i
	switch c := t.text[t.i]; {
	case strings.HasPrefix(t.text[t.i:], "//"):
		t.i += len(source.UpToLineEnd(t.text[t.i:]))
	case strings.HasPrefix(t.text[t.i:], "/*"):
		t.i = source.After(t.text, t.i+2, "*/")
	case c == '"' || c == '\'' || c == '`':
		t.i = source.AfterString(t.text, t.i)
		t.takeWord(strings.Trim(t.text[start:t.i], "\"'`"))
	case c >= '0' && c <= '9' || c == '_' || c == '$' || c == '-' || c == '.' ||
		c|0x20 >= 'a' && c|0x20 <= 'z':
		for t.i < len(t.text) && (source.IsNameByte(t.text[t.i]) || t.text[t.i] == '.') {
			t.i++
		}
		t.i = max(t.i, start+1)
		t.takeWord(t.text[start:t.i])
	default:
		t.i++
		t.takeMark(c)
	}
}

// takeWord takes a word that may be a key or the value of one.
func (t *themeScan) takeWord(word string) {
	if t.key != "" && len(t.outer) < 32 {
		t.found(t.keyPath(), word)
		t.key = ""
	}
	t.word = word
}

func (t *themeScan) keyPath() string {
	var parts []string
	for _, part := range append(t.outer[:len(t.outer):len(t.outer)], t.key) {
		if part != "" && part != "value" && part != "$value" {
			parts = append(parts, part)
		}
	}
	return strings.TrimPrefix(strings.Join(parts, "."), "module.exports.")
}

func (t *themeScan) takeMark(c byte) {
	switch c {
	case ':', '=':
		t.key = t.word
	case '{':
		t.outer, t.key, t.word = append(t.outer, t.key), "", ""
	case '}':
		if len(t.outer) > 0 {
			t.outer = t.outer[:len(t.outer)-1]
		}
		t.key, t.word = "", ""
	case ',', ';', '[', '(', ')', ']':
		t.key, t.word = "", ""
	}
}
