package result

import (
	"fmt"
	"regexp"
	"strings"
)

func SizeInWords(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.0f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// KeepEnds returns the text, or its beginning and its end if it is longer than most bytes.
func KeepEnds(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := "\n[… " + SizeInWords(len(text)-most) + " left out …]\n"
	return strings.ToValidUTF8(text[:most/2], "") + cut + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// terminal matches the escape sequences that move a terminal's cursor or change its colours.
var terminal = regexp.MustCompile(
	`\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[@-Z\\-_])`)

// StripTerminal returns the text without terminal escape sequences, and with \n for \r\n.
func StripTerminal(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.Contains(text, "\x1b") {
		text = terminal.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// MaxText is how many bytes of a text for people are kept, half of them from its end.
const MaxText = 64 << 10

// AppendBounded appends s, unless the text would become longer than 4*MaxText.
func AppendBounded(b *strings.Builder, s string) {
	if b.Len()+len(s) <= 4*MaxText {
		b.WriteString(s)
	}
}
