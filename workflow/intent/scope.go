package intent

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
)

// LimitedTo makes the scope of an approval of what was entered in its form: the files or
// folders, each in a line or between commas, and instructions. Where it makes none, cure
// says why. It has the same meaning as the words after "fix it, but": a second agent holds
// every hunk against it. What says when instead of what could not be held against anything.
func LimitedTo(files, instructions string) (scope, cure string) {
	var named []string
	for _, f := range strings.FieldsFunc(files, func(r rune) bool { return r == '\n' || r == ',' || r == ';' }) {
		if f = strings.TrimSpace(f); f != "" {
			named = append(named, f)
		}
	}
	rest := polite(straighten(instructions))
	switch {
	case len(named) == 0 && rest == "":
		return "", `Say what the fix is limited to, or close this and press "Fix it" for all of it.`
	case utf8.RuneCountInString(files) > workflow.MostEntered || utf8.RuneCountInString(instructions) > workflow.MostEntered:
		return "", "That is longer than I can hold a change against. Please say it shorter."
	case refusesLater.MatchString(rest), saysWhen.MatchString(rest):
		return "", "I cannot wait for something and then fix it. Say what may change; approve it when the time has come."
	}
	if len(named) > 0 {
		scope = "only " + strings.Join(named, ", ")
		if rest != "" {
			scope += "; "
		}
	}
	return scope + rest, ""
}

// saysWhen is a sentence that begins with a condition of the whole.
var saysWhen = regexp.MustCompile(`(?im)(?:^|[.!;]\s+)(?:please |but |and |only |not )*(?:if|unless|until|once|as soon as|when|after|tomorrow|next (?:week|month|sprint))\b[^.!;\n]*`)
