package intent

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/answer"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/command"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Reading is all that the words of one message say. It is made once for each message, by [Lexicon.Read];
// those who judge the message get the reading, and do not look at the words again. A reading permits nothing:
// it does not know who wrote the message, or what the session waits for.
type Reading struct {
	Request

	// What permits something, if its writer may. Each is read strictly.
	Consent Consent // an approval of what waits, with its scope, or what sounds like one
	Push    Push    // allows a push
	// says how a push from a private thread is worded: "push it so"
	Discloses     workflow.DisclosureChoice
	Backport      bool     // asks to bring the pushed change to releases
	Releases      []string // the releases that it names
	Lands         bool     // asks to push the pushed change to somebody else's branch, too
	LandsOn       string   // the branch that it names; empty: none
	PostsReview   bool     // asks to post a review on its pull request
	PostsOn       string   // the pull request that it names: shop#77; empty: none
	Files         bool     // asks to file an issue of what the thread is about
	MergesBase    bool     // asks to merge the base branch into the pushed one
	BaseToMerge   string   // the branch that it names then; empty: it names none
	MovesTo       string   // says to go on in that channel, by id or #name; empty: it does not
	GoesOn        bool     // says that stopped work goes on, perhaps beside other sentences
	SaysGoOn      bool     // says that, and nothing else
	AdoptsToBuild bool     // says to build it, too

	// What refuses something. Each is read liberally.
	Refusal            Refusal // stops approved work, or objects to it
	OnlyStops          bool    // says to stop or to wait, and nothing else
	RefusalToColleague Refusal // what it has against the work, said to another person
	// refuses nothing, but makes approved work wait for a person, an event or a time
	WaitsFor       bool
	TakesBack      bool // takes back an objection of its writer
	NamesObjection bool // says that it takes something back, and does not only agree

	// What limits approved work.
	Limit              string // what may change, or has to stay; empty: it limits nothing
	ObjectsBesideLimit bool   // a message with a limit objects, too

	// What it asks, and what it answers.
	AsksAboutDiff   bool // asks about the change
	ShowsDiff       bool // asks to see the change, and nothing else
	AsksForReview   bool // asks to have the change reviewed
	AsksWhoKnows    bool // asks who knows the code
	AsksForHelp     bool // is empty, or only asks what the bot can do
	OnlyGreets      bool // is a greeting, and says nothing else
	AsksForStatus   bool // only asks what the bot is doing
	MentionsGoingOn bool // mentions going on, which may mean stopped work
	TakesThese      bool // takes the answers that were just shown
	WantsMore       bool // continues an interview past its limit
	WrapsUp         bool // ends an interview
	Move            Move // goes back to an earlier question of an interview, or skips one
	MoveTo          int  // the number of the question that it goes back to; 0: the one before
	Earlier         Earlier

	Observed bool // says that its writer saw the problem or the result themselves

	// What it tells the program or the agents to do.
	// lists, adds, corrects or forgets lessons of the repository; nil: none of these
	Lesson *LessonRequest
	// says with which command the repository is tested, and nothing else; nil: it does not
	TestCommand *TestCommand
	Branch      string // names the branch or tag that the work starts from, and says nothing else
	Repository  string // names the repository that the session is about, and says nothing else
	Redirects   bool   // makes the step of an agent pointless
	Task        int    // number of the task that it is for; 0: none
	TaskText    string // what it says to that task, or the whole text

	// Whom and what it names.
	ToColleague bool // begins with the mention of another person
	NamesFile   bool // names a file or a path

	text    string
	lexicon Lexicon // by which it was read
}

// A Request is what the words of a message say as a part of a request. It is read anew of the messages of a
// session when somebody has to know who asked for what.
type Request struct {
	Adopts       bool             // makes another person's request its writer's own
	Forwards     bool             // forwards another person's message, and does not adopt it
	PassesOn     bool             // gives held messages to the agents
	Confirms     bool             // confirms that an understanding is right
	OnlyAsks     bool             // asks for information, and nothing else
	Acknowledges bool             // only thanks, or says that it was read
	Command      workflow.Command // starts a workflow, or asks the consultant
	CommandText  string           // what follows the command

	wants, several bool // has a word of asking; has several words
}

// A LessonRequest asks to remember, correct, forget or list lessons of the repository.
type LessonRequest = command.Lesson

// A TestCommand says with which command the repository is tested.
type TestCommand = command.TestCommand

// ReadRequest reads a message as a part of a request, as [Lexicon.Read] does.
func ReadRequest(text string, consultant ...string) Request {
	return readRequest(words.Prepare(text), consultant)
}

func readRequest(t words.Text, consultant []string) Request {
	whole := strings.Join(t.Sentences, " ")
	r := Request{
		Adopts:       adopts(t),
		Forwards:     forwards(t.Raw),
		PassesOn:     passesOn(t),
		Confirms:     confirms(t),
		OnlyAsks:     onlyAsks(t),
		Acknowledges: acknowledges(t.Raw),
		wants:        wanting.MatchString(whole),
		several:      len(strings.Fields(whole)) > 1,
	}
	r.Command, r.CommandText = command.Read(t.Raw, consultant...)
	return r
}

// AsksForWork reports whether the message may ask for something to be built. A message that is addressed to
// the bot may, unless it is only a question, thanks or a yes; any other one needs a word of asking ("add",
// "please", "we need").
func (r Request) AsksForWork(addressed bool) bool {
	return !r.OnlyAsks && !r.Acknowledges && !r.Confirms && (r.wants || addressed && r.several)
}

// A Message is a message of a thread with what its words say.
type Message struct {
	workflow.Message
	Says Reading
}

// A Push is what a message says of a push.
type Push struct {
	Allows     bool   // "push it", in one of its forms
	Unproven   bool   // also if nothing could be proven
	AllTheSame bool   // also if somebody objects
	ByCI       bool   // in order that the checks of CI prove it: "prove it by CI"
	Value      string // what it says to be right: 899 for "push it, 899 is right"
}

// Read reads a message. consultant are the names by which people may call the consultant besides "consultant"
// and "oracle".
func (l Lexicon) Read(text string, consultant ...string) Reading {
	t := words.Prepare(text)
	spoken := spokenSentences(text)
	refused, ends := l.readRefusal(text, spoken)
	refusal := refusalNow(t, refused)
	consent := l.readConsent(t, refused, ends)
	pushing := pushWords(t)
	r := Reading{
		text:               text,
		lexicon:            l,
		Request:            readRequest(t, consultant),
		Consent:            consent,
		GoesOn:             l.goesOn(t),
		SaysGoOn:           l.saysGoOn(t),
		AdoptsToBuild:      adoptsToBuild(t),
		Refusal:            refusal,
		OnlyStops:          l.onlyRefuses(spoken, refusal),
		RefusalToColleague: l.refusalToColleague(t),
		WaitsFor:           refusal == RefusalNone && l.saysCondition(t, spoken, consent),
		TakesBack:          takesBack(t),
		NamesObjection:     saysItTakesBack(t),
		AsksAboutDiff:      asksAboutDiff(t),
		ShowsDiff:          showsDiff(t),
		AsksForReview:      asksToReview(t),
		AsksWhoKnows:       asksWhoKnows(t),
		AsksForHelp:        asksForHelp(text),
		OnlyGreets:         onlyGreets(text),
		AsksForStatus:      asksForStatus(text),
		MentionsGoingOn:    mentionsGoingOn(t),
		TakesThese:         answer.TakesThese(t),
		Observed:           observed(t),
		WantsMore:          answer.WantsMore(t),
		WrapsUp:            answer.WrapsUp(t),
		Earlier:            answer.EarlierIn(text),
		Redirects:          redirects(t),
		ToColleague:        opensWithPerson.MatchString(text),
		NamesFile:          mentionsFile.MatchString(text),
	}
	r.Move, r.MoveTo = answer.MoveOf(t)
	r.Push.Allows, r.Push.Unproven = readPush(pushing)
	r.Push.AllTheSame = pushesAllTheSame(pushing)
	r.Push.ByCI = provesByCI(pushing)
	r.Push.Value = namedValue(pushing)
	r.Discloses = readDisclosure(pushing)
	r.Releases, r.Backport = readBackport(t)
	r.LandsOn, r.Lands = readLanding(t)
	r.Files = filesIssue(t)
	r.PostsOn, r.PostsReview = postsReview(t)
	r.BaseToMerge, r.MergesBase = readMergeBase(t)
	r.MovesTo, _ = readMove(t)
	if limit, limits := l.limitOf(t, consent); limits {
		r.Limit = limit
		r.ObjectsBesideLimit = l.objectsBesideLimit(t)
	}
	r.Branch = readBranch(t)
	r.Repository = readRepository(t)
	if lesson, ok := command.ReadLesson(text); ok {
		r.Lesson = &lesson
	}
	if tests, ok := command.ReadTestCommand(text); ok {
		r.TestCommand = &tests
	}
	r.Task, r.TaskText = taskNamed(t)
	return r
}

// ReadMessage reads a message of a thread, as Read does.
func (l Lexicon) ReadMessage(m workflow.Message, consultant ...string) Message {
	return Message{Message: m, Says: l.Read(m.Text, consultant...)}
}

// Permits reports whether the message permits something, provided that its writer may: an approval with a
// scope or without, a push, a backport, a push to somebody else's branch, an issue, a review at the host, a
// merge of the base, or a move to another channel.
func (r Reading) Permits() bool {
	return r.Push.Allows || r.Discloses != workflow.DisclosureOpen || r.Backport || r.Lands || r.Files ||
		r.PostsReview || r.MergesBase || r.MovesTo != "" || r.Consent.Consents()
}

// Decides reports whether the message may permit something, let work go on, or make other people's messages
// count.
func (r Reading) Decides() bool {
	return r.Permits() || r.Consent.Kind != ConsentNone || r.Adopts || r.Confirms || r.PassesOn ||
		r.SaysGoOn || r.GoesOn
}

// fewWords is how many words an objection has at most that says nothing else: "that's not it". A plain
// refusal or stop may have more of them: "no wait, please stop this".
const (
	fewWords     = 3
	wordsOfAStop = 6
)

// OnlyRefuses reports whether a message that refuses says nothing for the agents. "It is wrong elsewhere,
// too" says something, and so does "stop, the path with the slash has to stay out of the list".
func (r Reading) OnlyRefuses() bool {
	most := fewWords
	if kind := r.Consent.Kind; kind == ConsentRefuse || kind == ConsentStop {
		most = wordsOfAStop
	}
	return len(strings.Fields(r.text)) <= most
}

// WithdrawsObjection reports whether the message says that the work may go on after all.
func (r Reading) WithdrawsObjection() bool {
	goesOn := r.Consent.Kind == ConsentApprove || r.GoesOn
	return r.TakesBack || goesOn && r.Refusal == RefusalNone
}

// Option returns the index of the option that the message names, or -1 if it takes the recommended one. ok is
// false if it names none.
func (r Reading) Option(options []string) (index int, ok bool) {
	return answer.OptionNamed(r.text, options)
}

// OptionIn is Option for a part of the message.
func (r Reading) OptionIn(part string, options []string) (index int, ok bool) {
	return answer.OptionNamed(part, options)
}

// OutOfRange returns the number with which the message names an option that the question does not have.
func (r Reading) OutOfRange(options []string) (number int, ok bool) {
	return answer.OutOfRange(r.text, options)
}

// A Move is what a message asks of the questions of an interview, in place of an answer.
type Move = answer.Move

// The moves. The zero value is none.
const (
	MoveBack = answer.MoveBack // to an earlier question
	MoveSkip = answer.MoveSkip // what is recommended is taken
	MoveOpen = answer.MoveOpen // the question stays undecided
)

// An Earlier is an answer that names the question that it is for by its number.
type Earlier = answer.Earlier

// PermitsSame reports whether two messages permit the same.
func (r Reading) PermitsSame(other Reading) bool {
	if plaintext.OneLine(r.text) == plaintext.OneLine(other.text) {
		return true
	}
	if r.Discloses != other.Discloses {
		return false
	}
	if r.Push.Allows || other.Push.Allows {
		return r.Push.Allows && other.Push.Allows && r.Push.Unproven == other.Push.Unproven &&
			r.Push.AllTheSame == other.Push.AllTheSame && r.Push.ByCI == other.Push.ByCI
	}
	return other.Consent.Consents() && r.Consent.Kind == other.Consent.Kind &&
		r.Consent.Scope == other.Consent.Scope
}

// RefusalTo returns what a message that is said to another person has against the work that was approved by
// the person with that id and name. To the person who approved it, a single "stop" or "no" refuses; people
// answer each other with that, too.
func (r Reading) RefusalTo(user, name string) Refusal {
	if rest, toApprover := saidTo(r.text, user, name); toApprover {
		return r.lexicon.refusal(rest)
	}
	return r.RefusalToColleague
}

// saidTo reports whether a text mentions a person, or begins or ends with the person's name, and returns the
// text without that.
func saidTo(text, user, name string) (rest string, ok bool) {
	names := `<@` + regexp.QuoteMeta(user) + `(?:\|[^>]*)?>[,:]?`
	if name = strings.TrimSpace(name); name != "" {
		quoted := regexp.QuoteMeta(name)
		names += `|^\s*(?:(?i:hey|hi|sorry|no|ok|please)[, ]+)?(?i:@?` + quoted + `)[,:]?(?:\s|$)|` +
			`,\s*(?i:@?` + quoted + `)[.!]*\s*$`
	}
	at := regexp.MustCompile(names)
	if !at.MatchString(text) {
		return text, false
	}
	return strings.TrimSpace(at.ReplaceAllString(text, " ")), true
}

// MentionsPerson reports whether a message mentions a person. The gateway removes the mention of the bot
// itself.
func MentionsPerson(text string) bool { return mentionsPerson.MatchString(text) }

var (
	mentionsPerson  = lazyregexp.New(`<@[UW][A-Z0-9]+(?:\|[^>]*)?>`)
	opensWithPerson = lazyregexp.New(`^\s*<@[UW][A-Z0-9]+(\|[^>]*)?>`)
	mentionsFile    = lazyregexp.New(
		`(?:^|[^\w./-])(?:[\w.-]+/[\w./-]*|[\w-]+\.[a-z][a-z0-9]{0,5})(?::\d+)?(?:[^\w/-]|$)`,
	)
)
