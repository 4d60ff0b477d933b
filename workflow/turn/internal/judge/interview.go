package judge

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// An Interview judges the answers to the questions of agents, and takes the recommended answers of those
// that nobody answers in time.
type Interview struct {
	approval.Judgements
	Approvals     *approval.Approvals
	AnswerTimeout time.Duration // how long a question waits for its answer; 0: without limit
}

// askMore takes a message that continues an interview past its limit.
func (i *Interview) askMore(m intent.Message) []store.Part {
	f := i.ForAgents(m, "")
	ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
	ledger.Change(f, func(u *store.Update) {
		u.Change = func(s *workflow.Session) { s.QuestionLimit = s.QuestionsAsked + workflow.MostQuestions }
	})
	return f
}

// asksBack gives the agents a question that a person asks before answering theirs.
func (i *Interview) asksBack(m intent.Message, p workflow.Person, q *workflow.Question) []store.Part {
	return i.ForAgents(m, fmt.Sprintf(
		"%s asks back before the answer to your question (%s):\n%s\n"+
			"Answer with reply. Your question goes on "+
			"waiting with its buttons; do not put it again unless its options have to change.",
		prompt.PersonName(p.Name), plaintext.OneLine(q.Text), prompt.Fence("message", m.Text),
	))
}

// takeAnswer takes a message as the answer to the waiting question. It takes none from a message that was
// written before the question was shown: that may answer the question before.
func (i *Interview) takeAnswer(
	ctx context.Context, m intent.Message, p workflow.Person, q *workflow.Question,
) ([]store.Part, error) {
	if early, err := i.isEarly(ctx, m); err != nil {
		return nil, err
	} else if early {
		return i.wroteEarly(m, p, q), nil
	}
	return i.takeWords(ctx, m, p, q, m.Text)
}

// isEarly reports whether a message was written before the newest question was in the thread.
func (i *Interview) isEarly(ctx context.Context, m intent.Message) (bool, error) {
	return i.Approvals.WrittenBeforeShown(ctx, m, func() (string, bool, error) {
		return i.Store.QuestionTS(ctx, i.Session().ID)
	})
}

// wroteEarly gives the agents a message that was written before the newest question was in the thread.
func (i *Interview) wroteEarly(m intent.Message, p workflow.Person, q *workflow.Question) []store.Part {
	return i.ForAgents(m, fmt.Sprintf(
		"%s wrote this before your newest question (%s) was in the thread, so it is no answer to it. "+
			"The question goes on waiting with its buttons; do not put it again unless this "+
			"changes its options.\n%s",
		prompt.PersonName(p.Name), plaintext.OneLine(q.Text), prompt.Fence("message", m.Text),
	))
}

func optionOr(q *workflow.Question, n int) string {
	if n < 0 || n >= len(q.Options) {
		return q.Recommended
	}
	return q.Options[n]
}

// judgeOption judges the press of a button of a question. The options of two questions may be the same words,
// so an option counts only from the buttons of the question that waits.
func (i *Interview) judgeOption(
	ctx context.Context, m intent.Message, p workflow.Person, q *workflow.Question, option string,
) ([]store.Part, error) {
	newest, err := i.Store.IsOfNewestQuestion(ctx, i.Session().ID, m.Value)
	if err != nil {
		return nil, err
	}
	switch {
	case m.ActionID == workflow.ButtonWrapUp && i.Session().Phase == workflow.PhaseAligning:
		return i.offerDefaults(m, p, q), nil
	case m.ActionID == workflow.ButtonTakeDefaults && q != nil && strconv.FormatInt(q.ID, 10) == option:
		return i.takeDefaults(m, p, q), nil
	case q == nil || !newest || !slices.Contains(q.Options, option):
		return i.Answer(m, p.Name+
			": that question does not wait any more. Write in a reply if its answer has to change."), nil
	}
	return i.takeOption(ctx, m, p, q, option)
}

// answeredBy returns the note that is put below a question that p answered in their own words.
func answeredBy(p workflow.Person, text string) string {
	return plaintext.OneLine(p.Name) + ": " + quotedShort(text)
}

// quotedShort quotes the beginning of a text in one line.
func quotedShort(text string) string {
	return plaintext.QuoteLine(plaintext.CutLine(plaintext.OneLine(text), 120))
}

func (i *Interview) takeOption(
	ctx context.Context, m intent.Message, p workflow.Person, q *workflow.Question, option string,
) ([]store.Part, error) {
	if q.AgainOf != 0 {
		return i.answerAgain(ctx, m, p, q, option, true)
	}
	f := i.ForAgents(m, fmt.Sprintf("%s chose the option %q.", prompt.PersonName(p.Name), option))
	ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
	return append(f, progress.Answer{
		Question: q.ID, Text: option, User: p.ID, Chosen: true,
		Note: fmt.Sprintf("%s chose %s", plaintext.OneLine(p.Name), quotedShort(option)),
	}), nil
}

// offerDefaults shows the recommended answers to all open questions, with a button that takes them. If
// no question waits, it has the orchestrator take them.
func (i *Interview) offerDefaults(m intent.Message, p workflow.Person, q *workflow.Question) []store.Part {
	if q == nil {
		f := i.ForAgents(m, fmt.Sprintf("%s ends the interview. Take your recommended answers for what is "+
			"open, and call restate_request now.", prompt.PersonName(p.Name)))
		ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
		return f
	}
	line := i.AgentLine("Wrapping up, I would take:"+q.Defaults(),
		workflow.Button{
			ActionID: workflow.ButtonTakeDefaults,
			Label:    takeLabel,
			Value:    store.NewToken(),
			Style:    "primary",
			Means:    strconv.FormatInt(q.ID, 10),
		})
	return append(i.Ignore(m),
		store.Reworded{ActionID: workflow.ButtonTakeDefaults, Label: takeLabel, Line: line[0]})
}

const takeLabel = "Take these"

// takesOffer reports whether a message takes the answers that offerDefaults showed above it: "take these", or
// a bare "yes" right below the offer.
func (i *Interview) takesOffer(ctx context.Context, m intent.Message, q *workflow.Question) (bool, error) {
	says := m.Says.TakesThese
	if q == nil || !says && !m.Says.Confirms {
		return false, nil
	}
	offer := store.Offer{
		ActionID:    workflow.ButtonTakeDefaults,
		MeansPrefix: strconv.FormatInt(q.ID, 10),
		Before:      m.TS,
		Newest:      !says,
	}
	means, ok, err := i.Store.NewestOffer(ctx, i.Session().ID, offer)
	return ok && means == strconv.FormatInt(q.ID, 10), err
}

// takeDefaults ends the interview with the answers that offerDefaults showed. A guest may answer a question,
// but not end the interview for the others.
func (i *Interview) takeDefaults(m intent.Message, p workflow.Person, q *workflow.Question) []store.Part {
	if p.Guest {
		return i.Refuse(
			m, p, workflow.DecideWrapUp, "guests cannot end an interview",
			"A full member has to take these answers. They stay open, and so does the question.",
		)
	}
	f := i.ForAgents(m,
		fmt.Sprintf("%s ended the interview; these answers were taken, and the thread was told:%s\nCall "+
			"restate_request now, with them among the decisions.", prompt.PersonName(p.Name), q.Defaults()))
	ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
	return append(f, progress.Answer{
		Question: q.ID, Text: q.Default(), User: p.ID, Chosen: true, TakesDefaults: true,
		Note: fmt.Sprintf("Wrapped up by %s.", plaintext.OneLine(p.Name)),
	})
}

// takeDefault takes the recommended answer of a question that waited for AnswerTimeout. It does nothing
// in a stopped session, since a missing answer must not resume stopped work.
func (i *Interview) takeDefault(m intent.Message, q *workflow.Question) []store.Part {
	if q == nil || strconv.FormatInt(q.ID, 10) != m.Value || i.Session().Phase == workflow.PhaseStopped {
		return i.Ignore(m)
	}
	f := i.ForAgents(m, fmt.Sprintf("Nobody answered in time, so the recommended option was taken, "+
		"and the thread was told: %q. Note it as an assumption.", q.Recommended))
	said := fmt.Sprintf(
		"Nobody answered for %s, so I take what I recommended: %s → %s. Reply to change it.",
		plaintext.FormatDuration(i.AnswerTimeout), plaintext.QuoteLine(q.Text),
		plaintext.QuoteLine(q.Recommended),
	)
	answer := progress.Answer{Question: q.ID, Text: q.Recommended}
	return append(f, answer, store.Lines(i.ProgramLine(said)))
}
