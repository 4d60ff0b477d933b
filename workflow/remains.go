package workflow

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Limits of what a report itself shows of what speaks against its fix. The rest is behind its Details button.
const (
	maxRemainsLines = 3
	maxRemains      = 600 // characters
)

// nothingRemains holds the words with which a report says that nothing speaks against its fix.
var nothingRemains = []string{
	"nothing", "none", "no", "n/a", "nothing known", "nothing i know of", "nichts", "nichts bekannt",
	"keine", "rien", "nada", "ninguno", "niente", "nulla", "niets", "geen", "nic", "brak",
	"なし", "特になし", "无", "没有", "없음",
}

// SpeaksAgainst returns what a report says against its own fix: what stays broken, what gets worse, what
// contradicts the thread. It returns an empty string if the report says that there is nothing.
func SpeaksAgainst(remains string) string {
	said := strings.ToLower(strings.Trim(plaintext.OneLine(remains), " .!`\"'“”。-"))
	if said == "" || slices.Contains(nothingRemains, said) {
		return ""
	}
	return strings.TrimSpace(remains)
}

// RemainsText returns the lines of a report that say what speaks against its fix, each ended by a newline;
// empty if there is nothing. A long text is cut, and says where the rest is.
func RemainsText(remains string) string {
	text := SpeaksAgainst(remains)
	if text == "" {
		return ""
	}
	lines := slices.DeleteFunc(strings.Split(text, "\n"), plaintext.Blank)
	shown := strings.Join(lines[:min(len(lines), maxRemainsLines)], "\n")
	left := len(lines) > maxRemainsLines
	if cut := plaintext.CutLine(shown, maxRemains); cut != shown {
		shown = cut
		left = true
	}
	if left {
		shown += " … (the rest is under Details)"
	}
	return "Before you approve: " + shown + "\n"
}
