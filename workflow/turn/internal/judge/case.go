package judge

import (
	"context"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
)

// A Case is a message that is judged: what it says, who wrote it, and what the rules ask of the session.
type Case struct {
	Message intent.Message
	Session workflow.Session
	to      addressee // whom it is for, among the sessions of the thread

	writer   fact[writer]        // who wrote it, read in Slack after it came
	button   fact[pressedButton] // the button that was pressed
	runEnded fact[bool]          // the run that the Stop button is of is over

	nothingRan fact[bool]               // no agent was given anything here, and nothing was shown
	held       fact[string]             // why the writer's words are held back; empty: they are not
	approved   fact[*workflow.Approval] // the standing approval; nil: there is none
	stops      fact[bool]               // what the message refuses stops the session
	objections fact[[]int64]            // the writer's own objections to the approved work
	// others talk to each other between the newest line and the message
	talkBelow fact[bool]
	pushed    fact[string]             // what was pushed last, told to the writer; empty: nothing was
	limited   fact[time.Time]          // since when the session rests at a limit
	question  fact[*workflow.Question] // the question that waits for its answer; nil: there is none
	// the questions to agents that only read, if a stop ended nothing else
	stoppedAsks fact[[]workflow.Inquiry]
	// the message names an option of the numbered question that it is about
	namesEarlierOption fact[bool]
	takesOffer         fact[bool]                   // the message takes the answers that were offered
	discloses          fact[bool]                   // the thread was asked how the push is worded
	asksForPush        fact[bool]                   // words for a push are to be judged
	limit              fact[limitAnswer]            // the limit that "go on" is about
	narrows            fact[*approval.Narrowing]    // the approval that the message narrows, or nil
	consent            fact[consentHere]            // the consent, in its context
	mayApprove         fact[approverCheck]          // whether the writer may approve
	requestAbove       fact[approval.RequestsAbove] // what others wrote above the message
	testCommand        fact[string]                 // the command that tests the repository, as it says
	mergesBase         fact[bool]                   // something was pushed, and the message may mean its base
	hasFiles           fact[bool]                   // files were shared with the message

	err error // the first fact that could not be read
}

// A fact is something that rules ask of the session. It is read when the first rule asks for it, and stays
// the same while the message is judged.
type fact[T any] struct {
	read  func() (T, error) // nil: it was read
	value T
}

// get returns a fact. If it cannot be read, the case keeps the error, and nothing follows from the message.
func get[T any](c *Case, f *fact[T]) T {
	if f.read != nil && c.err == nil {
		value, err := f.read()
		f.value = value
		f.read = nil
		if c.err == nil { // reading one fact may read another
			c.err = err
		}
	}
	return f.value
}

// newCase returns the case of a message.
func (j *Judge) newCase(ctx context.Context, m intent.Message) *Case {
	c := &Case{Message: m, Session: j.Session()}
	c.writer.read = func() (writer, error) {
		p, err := j.writer(ctx, m)
		c.Session = j.Session() // tools may have recorded while Slack was asked
		return writer{p, err}, nil
	}
	c.nothingRan.read = func() (bool, error) { return otherThreads{j}.isFresh(ctx) }
	c.held.read = func() (string, error) { return j.Permissions.HoldReason(ctx, c.person()) }
	c.approved.read = func() (*workflow.Approval, error) { return j.StandingApproval(ctx) }
	c.stops.read = func() (bool, error) { return j.Objections.Stops(ctx, m.Says) }
	c.objections.read = func() ([]int64, error) { return j.Objections.Own(ctx, c.person().ID) }
	c.talkBelow.read = func() (bool, error) { return j.TalkBelow(ctx, m) }
	c.pushed.read = func() (string, error) { return j.Objections.PushedLine(ctx, c.person()) }
	c.limited.read = func() (time.Time, error) { return j.Limited(ctx) }
	c.question.read = func() (*workflow.Question, error) { return j.Store.Waiting(ctx, c.Session.ID) }
	c.stoppedAsks.read = func() ([]workflow.Inquiry, error) { return inquiries{j.Judgements}.onlyThese(ctx) }
	c.namesEarlierOption.read = func() (bool, error) { return j.Interview.namesEarlierOption(ctx, m) }
	c.takesOffer.read = func() (bool, error) { return j.Interview.takesOffer(ctx, m, c.waiting()) }
	c.discloses.read = func() (bool, error) {
		asked, err := j.Approvals.PendingDisclosure(ctx)
		return asked != nil, err
	}
	c.asksForPush.read = func() (bool, error) { return j.asksForPush(ctx, c) }
	c.limit.read = func() (limitAnswer, error) { return j.limitMeant(ctx, c) }
	c.narrows.read = func() (*approval.Narrowing, error) { return j.narrows(ctx, c) }
	c.consent.read = func() (consentHere, error) { return j.consentInContext(ctx, c) }
	c.mayApprove.read = func() (approverCheck, error) {
		why, approvers, err := j.Permissions.ApprovalRefusal(ctx, c.person())
		return approverCheck{why, approvers, err}, nil
	}
	c.requestAbove.read = func() (approval.RequestsAbove, error) { return j.Held.RequestsAbove(ctx, m), nil }
	c.testCommand.read = func() (string, error) { return j.testCommandMeant(ctx, c) }
	c.mergesBase.read = func() (bool, error) {
		return c.Session.Head != "" && j.Approvals.MeansBase(ctx, m.Says.BaseToMerge), nil
	}
	c.hasFiles.read = func() (bool, error) { return j.hasFiles(ctx, m) }
	c.button.read = func() (pressedButton, error) { return j.readButton(ctx, m) }
	c.runEnded.read = func() (bool, error) { return j.RunEnded(ctx, m.Value) }
	return c
}

// A writer is who wrote a message. A case goes on if Slack does not tell, and refuses what permits something.
type writer struct {
	workflow.Person
	err error
}

// person returns who wrote the message.
func (c *Case) person() workflow.Person { return get(c, &c.writer).Person }

// isOfApp reports whether the message was posted by an app for itself, and not for a person.
func (c *Case) isOfApp() bool {
	return c.Message.User == "" || get(c, &c.writer).err == nil && c.person().Bot
}

// An approverCheck says whether the writer may approve. A case goes on if that cannot be read.
type approverCheck struct {
	why       string // why not; empty: the writer may
	approvers workflow.Approvers
	err       error
}

// says returns what the words of the message say.
func (c *Case) says() intent.Reading { return c.Message.Says }

// begins reports whether the message is the first one of its thread.
func (c *Case) begins() bool { return c.Session.IsRoot(c.Message.TS) }

// maySpeak reports whether the writer's words are not held back.
func (c *Case) maySpeak() bool { return get(c, &c.held) == "" }

// waiting returns the question that waits for its answer, or nil.
func (c *Case) waiting() *workflow.Question { return get(c, &c.question) }

// awaitsConsent reports whether a report, a request or a plan waits for its approval.
func (c *Case) awaitsConsent() bool {
	return c.Session.Phase.AwaitsConsent()
}

// saysStop reports whether the message stops the session.
func (c *Case) saysStop() bool {
	return c.says().Consent.Kind == intent.ConsentStop || c.putsOff() || get(c, &c.stops)
}

// putsOff reports whether the message puts approved work off and asks for an issue in its place: "not this
// week, make an issue of it".
func (c *Case) putsOff() bool {
	return c.says().Files && c.says().Refusal != intent.RefusalNone && get(c, &c.approved) != nil
}

// withdraws reports whether the message takes back objections of its writer.
func (c *Case) withdraws() bool {
	return c.Session.Halted == "" && c.says().WithdrawsObjection() && len(get(c, &c.objections)) > 0
}

// refusesPushed reports whether the message refuses something after the push, when nothing runs.
func (c *Case) refusesPushed() bool {
	rests := c.Session.Phase == workflow.PhaseDone && !c.Session.Open
	refuses := c.says().Refusal != intent.RefusalNone && !c.says().Files
	return rests && refuses && get(c, &c.pushed) != ""
}

// afterStop reports whether the message was written while approved work is stopped, and is about that: no
// limit was reached and no question waits.
func (c *Case) afterStop() bool {
	if c.Session.Halted == "" || get(c, &c.approved) == nil {
		return false
	}
	if permission.IsMessage(c.Message.Kind) && approval.WrittenBefore(c.Message.Message, c.Session.Halted) {
		return false
	}
	return get(c, &c.limited).IsZero() && c.waiting() == nil
}

// aligning reports whether an interview is under way.
func (c *Case) aligning() bool { return c.Session.Phase == workflow.PhaseAligning }

// questionWaits reports whether a question waits for its answer, and no report for its approval.
func (c *Case) questionWaits() bool { return c.waiting() != nil && !c.awaitsConsent() }

// namesOption reports whether the message names an option of the question that waits.
func (c *Case) namesOption() bool {
	_, named := c.says().Option(c.waiting().Options)
	return named
}

// answersNumbered reports whether the message is an answer that names its question by the number, and not an
// option of the question that waits.
func (c *Case) answersNumbered() bool {
	e := c.says().Earlier
	if !c.aligning() || e.Number == 0 {
		return false
	}
	q := c.waiting()
	if q == nil {
		return !e.OnlyOption
	}
	if c.namesOption() {
		return false
	}
	// "2: keep it" may be the second option
	if !e.Place && e.Number <= len(q.Options) && e.Number != q.Number {
		n, named := c.says().OptionIn(e.Text, q.Options)
		if named && n == e.Number-1 {
			return false
		}
	}
	return !e.OnlyOption || get(c, &c.namesEarlierOption)
}

// answers reports whether the message is an answer to the question that waits: it is no command, and not
// about what the session paused for after the question, unless it names an option.
func (c *Case) answers() bool {
	if !c.questionWaits() {
		return false
	}
	aboutPause := c.Session.Phase == workflow.PhasePaused && (c.says().Push.Allows || c.says().SaysGoOn ||
		c.says().Discloses != workflow.DisclosureOpen)
	return c.namesOption() || c.says().Command == workflow.CommandNone && !aboutPause
}

// confirms reports whether the message confirms the shared understanding of an interview.
func (c *Case) confirms() bool {
	restated := c.aligning() && c.Session.ReportKind == workflow.ReportRequest
	return restated && c.says().Confirms && c.waiting() == nil
}

// asksConsent reports whether the message may have been meant as an approval, and its writer is asked. From a
// person who may not approve, such a message is one like any other.
func (c *Case) asksConsent() bool {
	if !get(c, &c.consent).unclear {
		return false
	}
	may := get(c, &c.mayApprove)
	return may.why == "" || may.err != nil
}

// adopts reports whether the message makes requests of others above it its writer's own.
func (c *Case) adopts() bool {
	if !c.says().Adopts {
		return false
	}
	above := get(c, &c.requestAbove)
	return above.Err != nil || above.Any()
}

// asksOwners reports whether the message asks who knows the code, and it is known which code.
func (c *Case) asksOwners() bool {
	known := c.Session.Revision > 0 || c.Session.Branch != "" || c.says().NamesFile
	return c.says().AsksWhoKnows && known
}
