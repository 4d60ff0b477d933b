package answer

import (
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// WrapsUp reports whether a message ends an interview and takes the recommended answers.
// The whole message has to say so; "that's enough for one order" is an answer.
func WrapsUp(t words.Text) bool {
	s, ok := request(joined(t))
	return ok && wrapUp.MatchString(s)
}

// WantsMore reports whether a message asks to continue an interview past its limit.
func WantsMore(t words.Text) bool {
	s, ok := request(joined(t))
	return ok && moreWanted.MatchString(s)
}

// TakesThese reports whether a whole message takes the answers that were just shown: "take these", "yes, take
// them".
func TakesThese(t words.Text) bool {
	s, ok := request(joined(t))
	return ok && takesThese.MatchString(s)
}

var takesThese = lazyregexp.New(
	`^(?:(?:yes|yep|yeah|ok|okay|sure|fine|good|great|perfect)[,.! ]+)*(?:please |just |let's |i |i'd |` +
		`we |we'd )*(?:take|use|accept|keep|go with|go for|i'm fine with) (?:all (?:of )?)?(?:these|` +
		`those|them|the (?:answers|ones) above|these (?:answers|ones)|those (?:answers|ones))(?: then|` +
		` please| as they are)?[.! ]*$`,
)

// The words of an interview. Each has to be the whole message.
var (
	wrapUp = lazyregexp.New(`^(?:(?:(?:i|we) (?:have|need|got) to (?:go|run|leave)|gotta (?:go|run)|no ` +
		`(?:more )?time|out of time|that will do)[,.! -]+(?:so )?)?` + wrapPhrase +
		`(?:[,.! -]+(?:and |so |then |just |please )*` +
		wrapPhrase + `)*(?:[,.! -]+(?:and |then |so )?(?:just )?(?:start|build it|go ahead|go))?[.! ]*$`)
	moreWanted = lazyregexp.New(
		`^(?:(?:yes|yeah|yep|sure|let's|let us|just|please|i want|i'd like|give me|i have (?:more )?time)[,` +
			`.! -]+)*(?:(?:some |a few |a couple (?:of )?|many |lots of )?more questions|keep (?:going|` +
			`asking)(?: (?:me )?(?:more )?questions)?|keep (?:the questions|them) coming|(?:go|carry) on ` +
			`(?:asking|with the (?:questions|interview))(?: me)?|ask (?:me )?(?:some |a few |a couple |a ` +
			`couple of |all the )?more(?: questions)?|ask (?:away|on|me anything else)|continue (?:asking|` +
			`the interview|with the (?:questions|interview))|(?:don't|do not) (?:stop asking|wrap up|stop ` +
			`yet)(?: yet| now)?|next question|as many as you (?:like|need|want))(?:[,.! -]+(?:then|i have ` +
			`(?:more )?time|this is (?:good|useful|helpful)|if you (?:like|want|need|must)))?[.! ]*$`)
)

const wrapPhrase = `(?:let's |let us |just |now |then )*(?:wrap (?:it |this |things |that )?up(?: ` +
	`(?:the|this) (?:interview|questions))?|(?:that's|that is|thats) enough(?: (?:questions|of that|of ` +
	`this|for now|now))?|enough(?: (?:questions|of that|of this|of the questions))?(?: ` +
	`(?:already|for now|now))?|(?:take|use|go with|pick|accept|apply) (?:all )?(?:of )?(?:the |your ` +
	`)?(?:defaults|recommendations|recommended (?:answers|ones|options)|suggestions)|(?:the |your ` +
	`)?defaults for the rest|skip (?:all )?(?:the |of the )*(?:rest|others|(?:(?:other|remaining) ` +
	`|rest of the )?questions|remaining(?: ones)?)(?: of the questions| of it)?|no more questions|stop ` +
	`(?:asking|the (?:questions|interview))(?: me| questions)*|(?:end|finish) ` +
	`the interview|(?:you )?decide the rest(?: yourself)?|what(?:ever)? you recommend for the rest)(?: ` +
	`for (?:the rest|everything(?: else)?|all(?: of them)?|the others))?(?: now| then)?`

// joined returns a short message in one line and without courtesy, or "" if the message is too long.
func joined(t words.Text) string {
	if utf8.RuneCountInString(t.Raw) > words.MaxLength {
		return ""
	}
	return words.Openers.ReplaceAllString(words.Courteous(strings.Join(t.Sentences, " ")), "")
}

// request drops the form of a question from a request ("can we wrap up?"). It returns false for any other
// question.
func request(s string) (string, bool) {
	bare := words.RequestForm.ReplaceAllString(s, "")
	if bare != s {
		s = strings.TrimRight(bare, " ?")
	}
	return s, s != "" && !strings.Contains(s, "?")
}
