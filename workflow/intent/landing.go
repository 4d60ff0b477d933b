package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// readLanding reads a message that asks to push the pushed change to somebody else's branch, too, such as
// "push it to cleo/split". The whole message has to say so, in the form that an approval has. branch is empty
// if the message does not name it: "push it to her branch".
func readLanding(t words.Text) (branch string, ok bool) {
	if !t.IsBare() || isBareQuestion(t) {
		return "", false
	}
	m := landing.FindStringSubmatch(strings.ReplaceAll(words.Polite(words.TrimAddress(t.Own)), "`", ""))
	if m == nil {
		return "", false
	}
	return strings.TrimRight(m[1], "."), true
}

// LandsOnBranch reports whether what a message names to push to is a branch by its form.
func (r Reading) LandsOnBranch() bool { return strings.Contains(r.LandsOn, "/") }

// pushedTo is the name of somebody's branch, which git lets have more characters than a release has.
const pushedTo = `\w[\w./+#@%=-]*`

var landing = lazyregexp.New(
	`(?i)^(?:(?:ok|okay|yes|and|also|now),? )*(?:(?:can|could|would|will) you (?:please |also )?|also )?` +
		`push ` + thePushed + `(?: (?:directly|straight))? (?:on)?to (?:(?:the|her|his|their) ` +
		`(?:branch|pull request|merge request|pr|mr)|(?:(?:the|her|his|their) )?(?:branch )?` +
		`([#!]?` + pushedTo + `)(?: branch)?)(?:,? (?:too|as well|please|now))*[.!?]?$`)
