package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// takesBack reports whether the whole message takes an objection of its writer back: "never mind, go ahead".
func takesBack(t words.Text) bool {
	if t.Quoted || !words.IsPlainASCII(t.Plain) || words.Mentions(t.Own) {
		return false
	}
	said := strings.ToLower(words.Polite(words.TrimAddress(t.Own)))
	return slices.Contains(takingBack, takeBackOpeners.ReplaceAllString(said, ""))
}

// saysItTakesBack reports whether a message that takes something back says that it does, and does not only
// agree.
func saysItTakesBack(t words.Text) bool { return namesObjection.MatchString(t.Plain) }

var namesObjection = lazyregexp.New(
	`(?i)\b(?:take (?:it|that|this|my objection) back|taken back|take back my|never ?mind|my (?:mistake|` +
		`objection))\b`,
)

var (
	takeBackOpeners = lazyregexp.New(
		`^(?:(?:ok|okay|yes|no|oh|ah|right|sorry|never ?mind|my mistake|my bad|i (?:was|am) (?:wrong|` +
			`mistaken)|i misread (?:it|that|this)|i stand corrected|wrong (?:thread|button|channel|` +
			`message)|(?:that|it) was (?:a misclick|the wrong (?:thread|button|channel|message))|` +
			`all good|(?:it|that) ?(?:is|'s) (?:fine|ok|okay|right))[,.! ]+)+`,
	)
	takingBack = []string{
		"go on", "go ahead", "carry on", "continue", "keep going", "push it", "fix it", "do it",
		"i take it back", "i take that back", "taken back", "it is fine", "it's fine", "that is fine",
		"that's fine", "it is right", "it's right", "that is right", "that's right", "all good", "my mistake",
	}
)

// takesBackAndGoesOn reports whether a message takes an objection back and says that the work goes on: what
// it takes back ("I was wrong") refuses nothing then.
func takesBackAndGoesOn(t words.Text) bool {
	return takesBack(t) && saysGo.MatchString(t.Raw)
}

var saysGo = lazyregexp.New(
	`(?i)\b(?:go on|go ahead|carry on|continue|keep going|push it|fix it|do it)\W*(?:please\W*)?$`,
)
