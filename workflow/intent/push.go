package intent

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

// readPush reads a message that allows a push: "push it" for a change that decides more than what the code
// does, "push it unproven" for a change of which nothing could be proven, "push it, 899 is right" for one
// that changes what a test expects (namedValue), or what pushesAllTheSame or provesByCI reads. The whole
// message has to say so, in the form that an approval has. said holds the message's pushWords.
func readPush(said string) (allows, unproven bool) {
	bare, unproven := strings.CutSuffix(said, " unproven")
	allows = slices.Contains([]string{"push it", "yes, push it", "yes push it"}, bare)
	_, right := pushedValue(said)
	return allows || right || pushesAllTheSame(said) || provesByCI(said), allows && unproven
}

// withoutWords matches "push it without the thread's words".
var withoutWords = regexp.MustCompile(`^(?:(?:yes|ok|okay),? )?push (?:it )?(?:` +
	`without (?:the |our |any )?(?:thread['’]s )?(?:words|names|details)(?: of the thread)?|neutrally)$`)

// readDisclosure reads how a push from a private thread is to be worded: "push it so", as it was shown, or
// "push it without the thread's words". The whole message has to say so.
func readDisclosure(said string) workflow.DisclosureChoice {
	rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(said, "yes"), ","))
	switch {
	case slices.Contains([]string{"push it so", "push it as shown", "push it like that"}, rest):
		return workflow.DisclosureShown
	case withoutWords.MatchString(said):
		return workflow.DisclosureNeutral
	}
	return workflow.DisclosureOpen
}

// byCI matches "prove it by CI", "let CI prove it" and "use CI".
var byCI = regexp.MustCompile(`^(?:(?:yes|ok|okay),? )?(?:` +
	`(?:push it (?:and|to) )?(?:prove|check|test) (?:it|this) (?:by|with|in|on|through|via) (?:the )?ci|` +
	`(?:let|have) (?:the )?ci (?:prove|check|test) (?:it|this)|use (?:the )?ci)$`)

// provesByCI reports whether a message allows a push in order that CI proves the change: "prove it by CI".
// The whole message has to say so.
func provesByCI(said string) bool { return byCI.MatchString(said) }

// rightly matches "push it, 899 is right".
var rightly = regexp.MustCompile(
	`^(?:yes,? )?push it(?:,| -|:|;)? (?:and )?(?:the )?(.{1,80}) (?:is|are) (?:right|correct|fine|ok|` +
		`okay|good|intended|wanted)$`,
)

// namedValue returns what a message that allows a push says to be right: 899 for "push it, 899 is right". It
// returns an empty string if the message names nothing.
func namedValue(said string) string {
	value, _ := pushedValue(said)
	if slices.Contains([]string{
		"it", "that", "this", "all", "both", "everything", "they", "those", "these", "change",
		"new value", "new values", "new one", "test", "tests",
	}, value) {
		return ""
	}
	return value
}

// unsure matches words with which a message says more than that a value is right.
var unsure = regexp.MustCompile(
	`\b(?:not|no|if|when|once|unless|after|only|but|though|except|think|hope|maybe|whether|until|never|` +
		`don't|isn't|nothing|neither|hardly)\b|[?"<>]`,
)

func pushedValue(said string) (value string, ok bool) {
	m := rightly.FindStringSubmatch(said)
	if m == nil || unsure.MatchString(m[1]) {
		return "", false
	}
	return strings.Trim(m[1], "`' "), true
}

// pushesAllTheSame reports whether a message allows a push in spite of an objection: "push all the same". The
// whole message has to say so.
func pushesAllTheSame(said string) bool {
	rest := strings.TrimPrefix(strings.TrimPrefix(said, "yes"), ",")
	return slices.Contains(
		[]string{"push all the same", "push it all the same", "push it anyway", "push anyway"},
		strings.TrimSpace(rest),
	)
}

// pushWords returns the words of a message in small letters, without courtesies, or an empty string if it
// quotes, holds code or mentions somebody.
func pushWords(t words.Text) string {
	if !t.IsBare() {
		return ""
	}
	return strings.ToLower(words.Polite(words.TrimAddress(t.Own)))
}
