package intent

// The readings of which a Reading is made, for tests that read a great many sentences.

// ReadConsent reads what a message consents to, with the built-in words.
func ReadConsent(text string) Consent { return Lexicon{}.ReadConsent(text) }

// ReadConsent reads what a message consents to.
func (l Lexicon) ReadConsent(text string) Consent {
	refusal, ends := l.readRefusal(text)
	return l.readConsent(text, refusal, ends)
}

// ReadRefusal reads what a message refuses.
func (l Lexicon) ReadRefusal(text string) Refusal { return l.refusal(text) }

// ReadRefusalToColleague reads what a message to another person refuses.
func (l Lexicon) ReadRefusalToColleague(text string) Refusal { return l.refusalToColleague(text) }

// ReadLimit reads the limit that a message sets.
func (l Lexicon) ReadLimit(text string) (limit string, ok bool) {
	return l.limitOf(text, l.ReadConsent(text))
}

// ObjectsBesideLimit reads whether a message with a limit objects, too.
func (l Lexicon) ObjectsBesideLimit(text string) bool { return l.objectsBesideLimit(text) }

// SaysCondition reads whether a message makes work wait.
func (l Lexicon) SaysCondition(text string) bool { return l.saysCondition(text, l.ReadConsent(text)) }

// OnlyRefuses reads whether a message says to stop, and nothing else.
func (l Lexicon) OnlyRefuses(text string) bool { return l.onlyRefuses(text, l.refusal(text)) }

// GoesOn reads whether a message says that work goes on.
func (l Lexicon) GoesOn(text string) bool { return l.goesOn(text) }

// SaysGoOn and GoesOn with the built-in words.
func SaysGoOn(text string) bool { return Lexicon{}.SaysGoOn(text) }
func GoesOn(text string) bool   { return Lexicon{}.goesOn(text) }

// Permits reads whether a message permits something.
func (l Lexicon) Permits(text string) bool { return l.Read(text).Permits() }
func Permits(text string) bool             { return Lexicon{}.Read(text).Permits() }

// Asks reads whether a message may ask for something to be built.
func Asks(text string, addressed bool) bool { return ReadRequest(text).AsksForWork(addressed) }

var (
	Acknowledges     = acknowledges
	Adopts           = adopts
	AdoptsToBuild    = adoptsToBuild
	AsksAboutDiff    = asksAboutDiff
	AsksForReview    = asksToReview
	AsksWhoKnows     = asksWhoKnows
	Confirms         = confirms
	MentionsGoingOn  = mentionsGoingOn
	NamesObjection   = saysItTakesBack
	OnlyAsks         = onlyAsks
	PassesOn         = passesOn
	PushedValue      = namedValue
	PushesAllTheSame = pushesAllTheSame
	ReadBackport     = readBackport
	ReadPush         = readPush
	Redirects        = redirects
	TakesBack        = takesBack
	TaskNamed        = taskNamed
)
