package bot

import (
	"strings"
	"unicode"
)

// visible drops what could hide or turn around other text: control characters, bidi
// marks, tag characters and the like. Line ends and tabs stay; an emoji's joiner and
// variation selector stay too.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u200d':
			return r
		case r == '\r', unicode.IsControl(r), unicode.Is(unicode.Cf, r), r >= 0xe0000 && r <= 0xe0fff:
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"))
}

// escape makes text mean itself to Slack: no mention, no link, no entity.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
