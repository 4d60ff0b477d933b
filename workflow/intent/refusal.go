package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// isRefusal reports whether a message of at most eight words negates one of the words of consent.
func isRefusal(bare string) bool {
	return len(strings.Fields(bare)) <= 8 && negation.MatchString(bare) && consentWords.MatchString(bare) &&
		!strings.Contains(bare, "?")
}

var negation = lazyregexp.New(
	`(?i)\b(?:not|no|nope|nah|never|cannot|none|nobody|neither|nor|without|refuse|reject(?:ed)?|` +
		`disapproved?|(?:do|does|did|ca|wo|would|should|could|is|was|have|has|must|need)n'?t|hold (?:on|` +
		`off)|wait|instead of|rather than)\b|:-1:|:(?:no_entry|no_entry_sign|thumbsdown|x|octagonal_sign):`)
