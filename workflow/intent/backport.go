package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// mostReleases is how many one message may name.
const mostReleases = 5

// ReadBackport reads the word by which what was pushed is to be brought to releases, such as
// "please backport this to release/1.3 and 1.4": the whole message or nothing. It gives them as
// they were named, none where the message names none. It is held to the form of ReadConsent.
func ReadBackport(text string) (releases []string, ok bool) {
	plain := words.Straighten(text)
	own, quoted := words.OwnLines(plain)
	if quoted || !words.IsPlainASCII(plain) || strings.Contains(plain, "```") || words.Mentions(plain) {
		return nil, false
	}
	m := backporting.FindStringSubmatch(strings.ReplaceAll(words.Polite(words.TrimAddress(own)), "`", ""))
	if m == nil {
		return nil, false
	}
	for _, name := range betweenReleases.Split(m[1], -1) {
		if name = strings.Trim(name, ". "); name != "" && !slices.Contains(releases, name) {
			releases = append(releases, name)
		}
	}
	return releases, len(releases) <= mostReleases
}

const releaseName = `[\w][\w./+-]*`

var (
	backporting = lazyregexp.New(`(?i)^(?:(?:ok|okay|yes|and|also|now),? )*(?:(?:can|could|would|will) you (?:please |also )?|let's |also )?back-?port(?: (?:it|this|that|the (?:fix|change)))?(?: (?:in)?to (` +
		releaseName + `(?:(?:,? and |, ?|,? & )` + releaseName + `)*))?(?:,? (?:too|as well|please|now))*[.!?]?$`)
	betweenReleases = lazyregexp.New(`(?i),? and |, ?|,? & `)
)
