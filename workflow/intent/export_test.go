package intent

import (
	"github.com/bobbinhq/bobbin/workflow/intent/internal/answer"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

// The readings of which a Reading is made, for tests that read a great many sentences.

// ReadConsent reads what a message consents to, with the built-in words.
func ReadConsent(text string) Consent { return Lexicon{}.ReadConsent(text) }

// ReadConsent reads what a message consents to.
func (l Lexicon) ReadConsent(text string) Consent {
	refusal, ends := l.readRefusal(text, spokenSentences(text))
	return l.readConsent(words.Prepare(text), refusal, ends)
}

// ReadRefusal reads what a message refuses.
func (l Lexicon) ReadRefusal(text string) Refusal { return l.refusal(text) }

// ReadRefusalToColleague reads what a message to another person refuses.
func (l Lexicon) ReadRefusalToColleague(text string) Refusal {
	return l.refusalToColleague(words.Prepare(text))
}

// ReadLimit reads the limit that a message sets.
func (l Lexicon) ReadLimit(text string) (limit string, ok bool) {
	return l.limitOf(words.Prepare(text), l.ReadConsent(text))
}

// ObjectsBesideLimit reads whether a message with a limit objects, too.
func (l Lexicon) ObjectsBesideLimit(text string) bool {
	return l.objectsBesideLimit(words.Prepare(text))
}

// SaysCondition reads whether a message makes work wait.
func (l Lexicon) SaysCondition(text string) bool {
	return l.saysCondition(words.Prepare(text), spokenSentences(text), l.ReadConsent(text))
}

// OnlyRefuses reads whether a message says to stop, and nothing else.
func (l Lexicon) OnlyRefuses(text string) bool {
	return l.onlyRefuses(spokenSentences(text), l.refusal(text))
}

// GoesOn reads whether a message says that work goes on.
func (l Lexicon) GoesOn(text string) bool { return l.goesOn(words.Prepare(text)) }

// SaysGoOn and GoesOn with the built-in words.
func SaysGoOn(text string) bool { return Lexicon{}.SaysGoOn(text) }
func GoesOn(text string) bool   { return Lexicon{}.GoesOn(text) }

// Permits reads whether a message permits something.
func (l Lexicon) Permits(text string) bool { return l.Read(text).Permits() }
func Permits(text string) bool             { return Lexicon{}.Read(text).Permits() }

// Asks reads whether a message may ask for something to be built.
func Asks(text string, addressed bool) bool { return ReadRequest(text).AsksForWork(addressed) }

// of returns a reading of a text in its forms as one of a text.
func of[R any](read func(words.Text) R) func(string) R {
	return func(text string) R { return read(words.Prepare(text)) }
}

var (
	Acknowledges     = acknowledges
	Adopts           = of(adopts)
	AdoptsToBuild    = of(adoptsToBuild)
	AsksAboutDiff    = of(asksAboutDiff)
	AsksForReview    = of(asksToReview)
	AsksWhoKnows     = of(asksWhoKnows)
	Confirms         = of(confirms)
	MentionsGoingOn  = of(mentionsGoingOn)
	NamesObjection   = of(saysItTakesBack)
	OnlyAsks         = of(onlyAsks)
	PassesOn         = of(passesOn)
	PushedValue      = of(func(t words.Text) string { return namedValue(pushWords(t)) })
	PushesAllTheSame = of(func(t words.Text) bool { return pushesAllTheSame(pushWords(t)) })
	Redirects        = of(redirects)
	TakesBack        = of(takesBack)
	WantsMore        = of(answer.WantsMore)
	WrapsUp          = of(answer.WrapsUp)
)

// ReadBackport reads the releases to which a message asks to bring a change.
func ReadBackport(text string) (releases []string, ok bool) { return readBackport(words.Prepare(text)) }

// ProvesByCI reads whether a message has CI prove a change.
func ProvesByCI(text string) bool { return provesByCI(pushWords(words.Prepare(text))) }

// ReadPush reads whether a message allows a push.
func ReadPush(text string) (allows, unproven bool) { return readPush(pushWords(words.Prepare(text))) }

// TaskNamed reads which task a message is for.
func TaskNamed(text string) (number int, rest string) { return taskNamed(words.Prepare(text)) }
