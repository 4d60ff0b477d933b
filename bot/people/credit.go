package people

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// maxCredit is how many characters of a name a commit message shows.
const maxCredit = 80

var emailAddress = lazyregexp.New(`^[^\s<>@,;:"]{1,64}@[^\s<>@,;:"]{1,190}$`)

// credit returns how a commit names a person, with the email address if Slack provides a valid one, or an empty
// string if Slack provides no name.
func credit(u *slack.User) string {
	graphic := func(r rune) bool { return unicode.IsGraphic(r) && !strings.ContainsRune("<>", r) }
	name := mrkdwn.OneLine(strings.Map(func(r rune) rune {
		if !graphic(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, cmp.Or(u.Profile.RealName, u.RealName, u.Profile.DisplayName, u.Name)), maxCredit)
	email := u.Profile.Email
	if name == u.ID {
		return ""
	}
	if name == "" || !emailAddress.MatchString(email) || strings.ContainsFunc(email, func(r rune) bool { return !graphic(r) }) {
		return name
	}
	return name + " <" + email + ">"
}
