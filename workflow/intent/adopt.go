package intent

import (
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// adopts reports whether a whole message makes another person's request the writer's own: "yes please do
// this", "+1, please build it", "please do what Gus asked for". It may be the permission to build that
// request, so it is read as strictly as an approval: no quote, no code, no mention of another person, and no
// character that only looks like ASCII.
func adopts(t words.Text) bool { return readAdopting(t, adopting) }

// adoptsToBuild reports the same of a message that says to build what is adopted: "please do this", and not
// "please look into that".
func adoptsToBuild(t words.Text) bool { return readAdopting(t, adoptingToBuild) }

// forwards reports whether a message forwards another person's message without adopting it.
func forwards(text string) bool {
	at := notOwn.FindStringIndex("\n" + text)
	return at != nil && !adopts(words.Prepare(("\n" + text)[:at[0]]))
}

// notOwn matches the beginning of what others wrote and is shown with a message: messages that were
// forwarded, previews, emails, what files say, and what apps attach (see package event).
var notOwn = lazyregexp.New(`\n> (?:forwarded|preview|attached|email in|said in|description of|shown with ` +
	`it)\b`)

func readAdopting(t words.Text, form *lazyregexp.Regexp) bool {
	if t.Quoted || utf8.RuneCountInString(t.Raw) > words.MaxLength || !words.IsPlainASCII(t.Plain) ||
		strings.ContainsAny(t.Own, "\"`<>") {
		return false
	}
	s := strings.ToLower(strings.Join(strings.Fields(words.TrimAddress(t.Own)), " "))
	if strings.Contains(s, "?") && !politeQuestion.MatchString(s) {
		return false
	}
	return form.MatchString(strings.TrimRight(s, " .!?"))
}

// politeQuestion matches a request in the form of a question.
var politeQuestion = lazyregexp.New(`\b(?:can|could|would|will) you\b`)

var (
	adoptingToBuild = adoptingBy(`do|build|add|implement|make|fix|mend`)
	adopting        = adoptingBy(
		`do|build|add|implement|make|fix|mend|handle|take|take on|pick up|look after|look into|work on`)
)

// adoptingBy returns the expression for messages that adopt a request with one of the verbs.
func adoptingBy(verbs string) *lazyregexp.Regexp {
	return lazyregexp.New(`^(?:(?:yes|yep|yeah|yup|ok|okay|sure|right|agreed|i agree|good idea|great idea|` +
		`good point|makes sense|\+1|:\+1:|thanks|thank you|bobbin|hi|hey|hello)[,.!: -]+)*` +
		`(?:(?:please|pls|let's|can you|could you|would you|will you|i want you to|i'd like you to)[, ]+)*` +
		`(?:(?:` + verbs + `) ` + adopted +
		`(?: up| on)?|go ahead with ` + adopted + `|i adopt ` + adopted + `)` +
		`(?:,? (?:please|then|now|for (?:us|him|her|them|me)|thanks|thank you|as (?:asked|described|` +
		`written|he says|she says|they say)))*$`)
}

const adopted = `(?:this|that|it|the above|(?:this|that|the) ` +
	`(?:one|request|idea|change|feature|bug|suggestion)|what (?:\w+ ){0,2}(?:asks?|asked|wants?|wanted|` +
	`writes?|wrote|says?|said|suggests?|suggested|describes?|described|needs?)(?: for)?(?: ` +
	`here| above)?|(?:his|her|their|\w+'s) (?:request|idea|change|feature|suggestion))`
