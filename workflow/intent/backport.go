package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// maxReleases is the limit of the releases that one message may name.
const maxReleases = 5

// readBackport reads a message that asks to bring the pushed change to other branches, such as "please
// backport this to release/1.3 and 1.4" and "bring it to main". The whole message has to say so, in the form
// that an approval has. readBackport returns the releases as they were named, or none if the message names
// none.
func readBackport(t words.Text) (releases []string, ok bool) {
	if !t.IsBare() || isBareQuestion(t) {
		return nil, false
	}
	m := backporting.FindStringSubmatch(strings.ReplaceAll(words.Polite(words.TrimAddress(t.Own)), "`", ""))
	if m == nil {
		return nil, false
	}
	for _, name := range betweenReleases.Split(m[1]+m[2], -1) {
		name = strings.Trim(name, ". ")
		if name != "" && !slices.Contains(releases, name) && !slices.Contains(noNames, name) {
			releases = append(releases, name)
		}
	}
	return releases, len(releases) <= maxReleases
}

const (
	releaseName  = `[\w][\w./+-]*`
	releaseNames = releaseName + `(?:(?:,? and |, ?|,? & )` + releaseName + `)*`
	thePushed    = `(?:it|this|that|the (?:fix|change))`

	mainOrRelease = `main|master|trunk|develop|[\w.-]+/[\w./-]+|v?\d+(?:\.\d+)+`
)

// noNames are words that may follow the last name after a comma.
var noNames = []string{"too", "please", "now"}

var (
	backporting = lazyregexp.New(
		`(?i)^(?:(?:ok|okay|yes|and|also|now),? )*(?:(?:can|could|would|will) you (?:please |also )?|let's ` +
			`|also )?` +
			`(?:(?:back|forward)-?port(?: ` + thePushed + `)?(?: (?:in)?to (` + releaseNames + `))?|` +
			`bring ` + thePushed + ` to (` + mainOrRelease + `))` +
			`(?:,? (?:too|as well|please|now))*[.!?]?$`)
	betweenReleases = lazyregexp.New(`(?i),? and |, ?|,? & `)
)
