package turn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// mostQuestions is how many an interview may put: five to ten minutes of somebody's time.
// A person may ask for as many again.
const mostQuestions = 12

// unanswered is how long a question waits where the configuration does not say.
const unanswered = 24 * time.Hour

// Ask puts one question with its options, and waits.
func (l *lead) Ask(_ context.Context, q agent.Question) (model.Result, error) {
	s := l.Session()
	aligning := s.Phase == workflow.PhaseAligning
	switch may := max(s.QuestionLimit, mostQuestions); {
	case len(q.Options) < 2 || len(q.Options) > 4:
		return wrong("ask needs two to four options, and one of them as recommended."), nil
	case !slices.Contains(q.Options, q.Recommended):
		return wrong("recommended has to be one of the options, word for word."), nil
	case aligning && s.QuestionsAsked >= may:
		return wrong("%d questions were asked, and nobody asked for more. Take your recommended answers for what is open, and call restate_request.", s.QuestionsAsked), nil
	}
	asked := store.Question{Text: q.Question, Options: q.Options, Recommended: q.Recommended, Open: q.Open}
	if wait := l.patience(); wait > 0 {
		asked.Due = l.Store.Clock().Now().Add(wait)
	}
	l.journal.add(asked)
	l.journal.say(questionText(q, aligning, s.QuestionsAsked+1), questionButtons(q, aligning)...)
	l.journal.add(store.Update{Change: func(s *workflow.Session) { s.QuestionsAsked++ }})
	l.journal.add(store.Update{Open: no})
	return model.Result{Text: "Asked. Wait for the answer.", Ends: true}, nil
}

// patience is how long a question waits for its answer; zero: for ever.
func (o *Orchestrator) patience() time.Duration {
	switch {
	case o.Unanswered < 0:
		return 0
	case o.Unanswered == 0:
		return unanswered
	}
	return o.Unanswered
}

func questionText(q agent.Question, aligning bool, number int) string {
	text := q.Question
	if aligning {
		text = fmt.Sprintf("Question %d (%s after it): %s", number, count(len(q.Open), "open decision"), q.Question)
	}
	for i, o := range q.Options {
		text += fmt.Sprintf("\n%d. %s", i+1, o)
		if o == q.Recommended {
			text += " (recommended)"
		}
	}
	if aligning {
		text += "\nPress one, answer in your own words, or say \"wrap up\" to take what I recommend for the rest."
	}
	return text
}

func questionButtons(q agent.Question, aligning bool) []workflow.Button {
	var buttons []workflow.Button
	for _, o := range q.Options {
		b := workflow.Button{ActionID: "option", Label: o, Value: store.NewToken(), Means: o}
		if o == q.Recommended {
			b.Style = "primary"
		}
		buttons = append(buttons, b)
	}
	if aligning {
		buttons = append(buttons, workflow.Button{ActionID: "wrap_up", Label: "Wrap up", Value: store.NewToken()})
	}
	return buttons
}

// answered takes a message as the answer to the question that waits, or as the word on a
// shared understanding; ok says that it was one.
func (in *Intake) answered(ctx context.Context, m workflow.Message, p workflow.Person) (f []store.Part, ok bool, err error) {
	s := in.Session()
	q, err := in.Store.Waiting(ctx, s.ID)
	if err != nil {
		return f, false, err
	}
	aligning := s.Phase == workflow.PhaseAligning
	switch {
	case aligning && intent.WantsMore(m.Text):
		f = in.Approvals.forAgents(m, "")
		change(f, func(h *store.Handled) { h.Answers = true })
		change(f, func(u *store.Update) {
			u.Change = func(s *workflow.Session) { s.QuestionLimit = s.QuestionsAsked + mostQuestions }
		})
		return f, true, nil
	case aligning && intent.WrapsUp(m.Text):
		return in.wrapUp(m, p, q), true, nil
	case q != nil && !in.waitsForConsent():
		if n, named := intent.OptionNamed(m.Text, q.Options); named {
			return in.take(m, p, q, optionOr(q, n)), true, nil
		}
		if c, _ := intent.ReadCommandFor(m.Text, in.consultantNames()...); c != workflow.CommandNone {
			return f, false, nil
		}
		f = in.Approvals.forAgents(m, fmt.Sprintf("%s answered your question (%s) in their own words:\n%s", called(p.Name), plaintext.OneLine(q.Text), fence("message", m.Text)))
		change(f, func(h *store.Handled) { h.Answers = true })
		f = append(f, store.Answer{Question: q.ID, Text: m.Text, User: p.ID})
		return f, true, nil
	case aligning && in.newestKind() == reportRequest && intent.Confirms(m.Text):
		f, err = in.Approvals.confirmed(ctx, m, p, s.Revision)
		return f, true, err
	}
	return f, false, nil
}

func optionOr(q *workflow.Question, n int) string {
	if n < 0 || n >= len(q.Options) {
		return q.Recommended
	}
	return q.Options[n]
}

// chose judges the press of an option.
func (in *Intake) chose(ctx context.Context, m workflow.Message, p workflow.Person, option string) ([]store.Part, error) {
	q, err := in.Store.Waiting(ctx, in.Session().ID)
	if err != nil {
		return nil, err
	}
	switch {
	case m.ActionID == "wrap_up" && in.Session().Phase == workflow.PhaseAligning:
		return in.wrapUp(m, p, q), nil
	case q == nil || !slices.Contains(q.Options, option):
		return in.Approvals.answer(m, p.Name+": that question was answered already. Write in a reply if the answer has to change."), nil
	}
	return in.take(m, p, q, option), nil
}

func (in *Intake) take(m workflow.Message, p workflow.Person, q *workflow.Question, option string) []store.Part {
	f := in.Approvals.forAgents(m, fmt.Sprintf("%s chose the option %q.", called(p.Name), option))
	change(f, func(h *store.Handled) { h.Answers = true })
	f = append(f, store.Answer{Question: q.ID, Text: option, User: p.ID})
	if m.Kind == workflow.IncomingAction { // a press leaves nothing in the thread that others could read
		f = append(f, store.Lines(in.program(fmt.Sprintf("%s → %s (%s).", plaintext.OneLine(q.Text), option, p.Name))))
	}
	return f
}

// wrapUp ends the interview: what is recommended stands for all that is open.
func (in *Intake) wrapUp(m workflow.Message, p workflow.Person, q *workflow.Question) []store.Part {
	if q == nil {
		f := in.Approvals.forAgents(m, fmt.Sprintf("%s ends the interview. Take your recommended answers for what is open, and call restate_request now.", called(p.Name)))
		change(f, func(h *store.Handled) { h.Answers = true })
		return f
	}
	f := in.Approvals.forAgents(m, fmt.Sprintf("%s ended the interview; these answers were taken, and the thread was told:\n%s\nCall restate_request now, with them among the decisions.", called(p.Name), q.Defaults()))
	change(f, func(h *store.Handled) { h.Answers = true })
	f = append(f, store.Answer{Question: q.ID, Text: q.Recommended, User: p.ID})
	f = append(f, store.Lines(in.program("Wrapped up. I take what I recommended:\n"+q.Defaults())))
	return f
}

// due takes the recommended answer of a question that waited long enough; nobody's silence
// resumes what somebody stopped.
func (in *Intake) due(ctx context.Context, m workflow.Message) ([]store.Part, error) {
	q, err := in.Store.Waiting(ctx, in.Session().ID)
	if err != nil {
		return nil, err
	}
	if q == nil || strconv.FormatInt(q.ID, 10) != m.Value || in.Session().Phase == workflow.PhaseStopped {
		return in.Approvals.ignore(m), nil
	}
	f := in.Approvals.forAgents(m, fmt.Sprintf("Nobody answered in time, so the recommended option was taken, and the thread was told: %q. Note it as an assumption.", q.Recommended))
	f = append(f, store.Answer{Question: q.ID, Text: q.Recommended})
	f = append(f, store.Lines(in.program(fmt.Sprintf("Nobody answered for %s, so I take what I recommended: %s → %s. Reply to change it.", words(in.Orchestrator.patience()), plaintext.OneLine(q.Text), q.Recommended))))
	return f, nil
}

// words is a duration as people say it.
func words(d time.Duration) string {
	switch {
	case d >= 2*time.Hour && d%time.Hour == 0:
		return count(int(d/time.Hour), "hour")
	case d >= time.Minute && d%time.Minute == 0:
		return count(int(d/time.Minute), "minute")
	}
	return d.String()
}
