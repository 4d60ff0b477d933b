package intent

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// postsReview reports whether a message asks to post a review on its pull request: "post it", "please post
// the review to #77". The whole message has to say so, in the form that an approval has. on is what it names,
// such as shop#77; empty: nothing.
func postsReview(t words.Text) (on string, ok bool) {
	if !t.IsBare() || isBareQuestion(t) {
		return "", false
	}
	m := posting.FindStringSubmatch(strings.ReplaceAll(words.Polite(words.TrimAddress(t.Own)), "`", ""))
	if m == nil {
		return "", false
	}
	return m[1] + m[2], true
}

const postedOn = `(?: (?:to|on|onto|in|at|below) (?:the (?:pull request|merge request|pr|mr)|` +
	`github|gitlab|gitea|` +
	`(?:(?:pull request|merge request|pr|mr) )?([\w.-]*[#!]\d+)))`

var posting = lazyregexp.New(
	`(?i)^(?:(?:ok|okay|yes|and|also|now),? )*(?:(?:can|could|would|will) you (?:please |also )?|also )?` +
		`(?:(?:post|put|write|submit) (?:the|your) (?:review|findings)` + postedOn + `?|` +
		`post (?:it|this|that)` + postedOn + `?)(?:,? (?:too|please|now))*[.!?]?$`)
