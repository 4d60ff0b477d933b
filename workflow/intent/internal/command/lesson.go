package command

import (
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// A Lesson is a person's request about the lessons that were learned of the repository.
type Lesson struct {
	Number int    // number of the lesson to forget or replace; 0: none
	Text   string // the lesson to remember, or the replacement of lesson Number; empty: none
	List   bool   // asks for a list of the lessons
}

// ReadLesson reads a message that does nothing but ask to remember something of the repository, to forget or
// correct a lesson, or to list the lessons.
func ReadLesson(text string) (w Lesson, ok bool) {
	own, quoted := words.OwnLines(words.Straighten(text))
	own = strings.TrimSpace(words.TrimAddress(own))
	if quoted || words.AddressesOther(own) {
		return w, false
	}
	if m := remembers.FindStringSubmatch(own); m != nil {
		w.Text = words.Squeeze(m[1])
		return w, w.Text != ""
	}
	if m := corrects.FindStringSubmatch(own); m != nil {
		w.Number, _ = strconv.Atoi(m[1])
		w.Text = words.Squeeze(m[2])
		if w.Number == 0 || w.Text == "" {
			return Lesson{}, false
		}
		return w, true
	}
	if m := forgets.FindStringSubmatch(own); m != nil {
		w.Number, _ = strconv.Atoi(m[1])
		return w, w.Number > 0
	}
	if learned.MatchString(strings.ToLower(words.Polite(own))) {
		return Lesson{List: true}, true
	}
	return w, false
}

var (
	remembers = lazyregexp.New(`(?is)^(?:please )?(?:remember|note|keep in mind) (?:for|of|about) ` +
		`(?:this|the) (?:repository|repo|project)(?::|,| that) ?(\S.*)$`)
	corrects = lazyregexp.New(`(?is)^(?:please )?correct lesson #?(\d{1,9}): ?(\S.*)$`)
	forgets  = lazyregexp.New(
		`(?i)^(?:please )?(?:forget|drop|remove) lesson #?(\d{1,9})(?:,? please)?[.!]?$`)
	learned = lazyregexp.New(`^(?:lessons|list (?:the |your )?lessons|show (?:me |us )?(?:the |your ` +
		`)?lessons|what (?:have|did) you (?:learn|learned|learnt)(?: ` +
		`(?:here|about this (?:repository|repo|project)|of this (?:repository|repo|project)))?)\??$`)
)
