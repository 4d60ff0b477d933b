package workflow

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Form is what a button asks for in a modal, and of what.
type Form struct {
	ActionID string // of the button that opens it
	Value    string // of that button
	Thread   Thread
	Revision int      // that the button was shown with
	Choices  []string // to choose one of
	Late     string   // why nothing can be entered any more, for people; empty: it can
}

// FormOpened is the text of a press whose modal stands open: nothing needs to be said.
const FormOpened = "(a form was opened)"

// MostEntered is how long, in characters, one input of a form may be.
const MostEntered = 2000

// The buttons that open a form, beside saying in words what to do where that fails.
const (
	ActionCorrect    = "correct"
	ActionFixLimited = "fix_limited"
	ActionRepository = "change_repository"
)

// ActionChoose is the button of one repository, where no modal opens.
const ActionChoose = "repository"

// OpensForm reports whether a press of that button opens a modal.
func OpensForm(action string) bool {
	return action == ActionCorrect || action == ActionFixLimited || action == ActionRepository
}

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
	case utf8.RuneCountInString(files) > MostEntered || utf8.RuneCountInString(instructions) > MostEntered:
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
