package answer

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// A Move is what a message asks of the questions of an interview, in place of an answer.
type Move string

// The moves. The zero value is none.
const (
	MoveBack Move = "back" // to an earlier question
	MoveSkip Move = "skip" // what is recommended is taken
	MoveOpen Move = "open" // the question stays undecided
)

// MoveOf returns the move that a whole message asks for, and the number of the question that it goes back to;
// 0: the one before.
func MoveOf(t words.Text) (move Move, number int) {
	s, ok := request(joined(t))
	if !ok {
		return "", 0
	}
	s = strings.ToLower(s)
	if m := back.FindStringSubmatch(s); m != nil {
		number, _ = strconv.Atoi(m[1])
		if m[2] != "" {
			number = slices.Index(ordinals, m[2]) + 1
		}
		return MoveBack, number
	}
	switch {
	case leaveOpen.MatchString(s):
		return MoveOpen, 0
	case skip.MatchString(s):
		return MoveSkip, 0
	}
	return "", 0
}

const thisQuestion = `(?: (?:it|this|that|one|this one|that one|(?:the|this|that) question|question))?`

// The words of the moves. Each has to be the whole message.
var (
	hesitating = `(?:(?:no|wait|oops|hm+|oh|sorry|actually|ok|okay|please|well)[,.! -]+)*` +
		`(?:(?:let's|let us|i want to|i'd like to|i would like to|just|please) )*`
	back = lazyregexp.New(`^` + hesitating + `(?:(?:(?:go|step|move|one) )?back(?: (?:one|a question|one ` +
		`question|a step|one step|please))?(?: to (?:the )?(?:previous|last|former) (?:one|question)|` +
		`(?: to)?(?: the)? (?:question |q|no\. ?|#)?#?(\d{1,2})|` +
		` to (?:the )?(` + strings.Join(ordinals, "|") +
		`)(?: one| question))?|(?:the )?(?:previous|former)(?: (?:one|question))?|(?:the )?last question|` +
		`undo(?: (?:it|that|this))?)(?: please| again)?[.! ]*$`)
	skip = lazyregexp.New(`^` + hesitating + `(?:(?:go to the )?next|skip|pass(?: on)?|move on|go to)` +
		thisQuestion + `(?: please| for now)?[.! ]*$`)
	leaveOpen = lazyregexp.New(`^` + hesitating + `(?:(?:(?:skip|next|pass)` + thisQuestion +
		`[,.:; -]+(?:and )?)?(?:leave|keep)` + thisQuestion + ` (?:open|undecided)|undecided|` +
		`(?:we |let's )?decide` + thisQuestion + ` later|no answer)(?: please| for now| yet)?[.! ]*$`)
)

// An Earlier is an answer that names the question that it is for by its number.
type Earlier struct {
	Number int
	Text   string
	Place  bool // Text is the number or the letter of an option
	// the message may also be a statement about the question, so only an option counts
	OnlyOption bool
}

// EarlierIn returns the answer to a numbered question that a message gives: "1: b", "for question 2, yes",
// "change question 1 to b". The number is 0 if it gives none.
func EarlierIn(text string) Earlier {
	own, _ := words.OwnLines(words.Straighten(text))
	own = strings.TrimSpace(own)
	tooLong := utf8.RuneCountInString(text) > words.MaxLength
	if tooLong || words.AddressesOther(own) || strings.Contains(own, "?") {
		return Earlier{}
	}
	for i, form := range earlierForms {
		m := form.FindStringSubmatch(own)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		if m[2] != "" {
			n = slices.Index(ordinals, strings.ToLower(m[2])) + 1
		}
		said := strings.TrimSpace(m[3])
		return Earlier{n, said, place.MatchString(strings.ToLower(said)), i == onlyOption}
	}
	return Earlier{}
}

const (
	hesitatingAny = `(?i)^(?:(?:and|also|no|wait|oops|hm+|oh|sorry|actually|ok|okay|please|well)[,.! -]+)*`
	// a question by its number
	numberedQuestion = `(?:(?:the )?(?:question|q\.?) ?#?(\d{1,2})|the (first|second|third|fourth|fifth|` +
		`sixth|seventh|eighth|ninth|tenth) (?:question|one))`
	onlyOption = 3
)

// earlierForms are the forms of an answer to a numbered question: the number, an ordinal, and the answer.
var earlierForms = []*lazyregexp.Regexp{
	lazyregexp.New(hesitatingAny + numberedQuestion + ` ?(?::|=|→|=>|->|–|—| - ) ?(.+)$`),
	lazyregexp.New(hesitatingAny + `(?:for|on|as for|regarding|re:?|to|at|in) ` + numberedQuestion +
		`(?: ?[:,=→–—-]| i (?:say|take|choose|want)| take| it is| it's)+ ?(.+)$`),
	lazyregexp.New(hesitatingAny + `(?:i )?(?:change|make|set|correct|switch)(?: (?:my|the|our))?` +
		`(?: answers?)?(?: (?:to|of|for|on))? ` + numberedQuestion + ` ?(?:to|into|:|=|→) ?(.+)$`),
	lazyregexp.New(hesitatingAny + `(?:(?:my|the|our) answer (?:to|for|of) |for |on )?` + numberedQuestion +
		` (?:is|should be|shall be|should have been)?:? ?(.+)$`),
	lazyregexp.New(hesitatingAny + `(\d{1,2})()\s?(?::|=|→|=>|->)\s?(.+)$`),
}

// OutOfRange returns the number with which a message names an option that the question does not have. Where
// an option has a number of its own, a bare number may be an answer, and is none that is out of range.
func OutOfRange(text string, options []string) (number int, ok bool) {
	own, _ := words.OwnLines(words.SpellPictures(words.Straighten(text)))
	s := choosing.ReplaceAllString(words.Courteous(strings.ToLower(strings.TrimSpace(own))), "")
	m := place.FindStringSubmatch(s)
	if m == nil || len(options) == 0 || m[5] != "" || m[6] != "" {
		return 0, false
	}
	number, _ = strconv.Atoi(m[2] + m[3])
	if m[4] != "" {
		number = slices.Index(ordinals, m[4]) + 1
	}
	if number >= 1 && number <= len(options) {
		return 0, false
	}
	if m[1] == "" && m[2] != "" && slices.ContainsFunc(options, hasNumber) {
		return 0, false
	}
	return number, true
}

func hasNumber(option string) bool { return strings.ContainsAny(option, "0123456789") }
