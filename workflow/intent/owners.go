package intent

import (
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// asksWhoKnows reports whether a message does nothing but ask who knows the code that the thread
// is about, or a file that it names, or who should look at it. A message that says more is left to
// the agents.
func asksWhoKnows(t words.Text) bool {
	asked := false
	if utf8.RuneCountInString(t.Raw) > words.MaxLength {
		return false
	}
	for _, s := range t.Sentences {
		s = politeAsking.ReplaceAllString(words.Openers.ReplaceAllString(strings.TrimRight(s, " ?!."), ""),
			"")
		switch {
		case whoKnows.MatchString(s):
			asked = true
		case s != "" && !acknowledges(s): // only thanks leave s empty
			return false
		}
	}
	return asked
}

const (
	aFile = `(?:[\w.-]+/[\w./-]*(?::\d+)?|[\w-]+\.[a-z][a-z0-9]{0,5}(?::\d+)?)`
	thing = `(?:` + aFile + `|(?:this|that|it|these|those|the)(?: (?:part of (?:this|the) ` +
		`)?(?:code|files?|lines?|folder|module|package|change|fix|diff|patch|branch|function|area))?)`
	codeThing = `(?:about )?` + thing + `(?:(?:,| and| or) ` + thing +
		`)*(?: (?:best|well|most|here|better))?`
)

var (
	politeAsking = lazyregexp.New(`^(?:(?:do you (?:happen to )?know|(?:can|could) ` +
		`you (?:please )?(?:say|tell(?: me| us)?)|tell (?:me|us)|any idea|i wonder|any(?:one|body) know),? )`)
	whoKnows = lazyregexp.New(`^who(?:` + strings.Join([]string{
		` (?:else |here |on the team |in the team )*(?:might |may |would |could )?(?:knows?|understands?|` +
			`owns?|maintains?|wrote|looks after|last (?:changed|touched|edited)|has (?:written|worked on)|` +
			`works on|worked on|is responsible for|is in charge of) ` + codeThing,
		`(?:'s| is| are) the (?:code ?)?(?:owners?|experts?|maintainers?|authors?|reviewers?)(?: ` +
			`(?:of|for|on) ` + codeThing + `)?`,
		` (?:else )?(?:should|could|can|would|might|has to|ought to|must) (?:(?:i|we|you) ` +
			`)?(?:ask|review|look|have a look|take a look|be asked|see)(?: at)?(?: ` + codeThing + `)?`,
	}, "|") + `)(?: please)?$`)
)
