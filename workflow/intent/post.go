package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// postsReview reports whether a message asks to post a review on its pull request: "post it", "please post
// the review to #77". The whole message has to say so, in the form that an approval has.
func postsReview(t words.Text) bool {
	if !t.IsBare() {
		return false
	}
	return posting.MatchString(strings.ReplaceAll(words.Polite(words.TrimAddress(t.Own)), "`", ""))
}

var posting = lazyregexp.New(
	`(?i)^(?:(?:ok|okay|yes|and|also|now),? )*(?:(?:can|could|would|will) you (?:please |also )?|also )?` +
		`(?:post|put|write|submit) (?:it|this|that|the (?:review|findings)|your (?:review|findings))` +
		`(?: (?:to|on|onto|in|at|below) (?:the (?:pull request|merge request|pr|mr|host)|` +
		`github|gitlab|gitea|` +
		`(?:(?:pull request|merge request|pr|mr) )?[\w.-]*[#!]\d+))?(?:,? (?:too|please|now))*[.!?]?$`)
