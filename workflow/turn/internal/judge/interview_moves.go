package judge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Within an interview people go back to an earlier question, skip one, or answer one by its number. A
// question to which they go back is put again below, as a question of its own that waits in place of the
// newest one. When it has its answer, the newest one is put again.

// goBack puts an earlier question again: the one with the number that the message names, or the one before
// the question that waits.
func (i *Interview) goBack(
	ctx context.Context, m intent.Message, p workflow.Person, waiting *workflow.Question,
) ([]store.Part, error) {
	all, err := i.Store.Questions(ctx, i.Session().ID)
	if err != nil {
		return nil, err
	}
	newest := i.Session().QuestionsAsked
	number := m.Says.MoveTo
	switch {
	case number > 0:
	case waiting == nil: // agents think about the newest answer
		number = newest
	default:
		number = waiting.Number - 1
	}
	former := answered(all, number)
	if former == nil {
		said := fmt.Sprintf("There is no answered question %d. The newest question is number %d.",
			number, newest)
		if number < 1 {
			said = "This is the first question, so there is none before it."
		}
		return append(i.Ignore(m), i.Tell(m, p, said)), nil
	}
	f := i.Ignore(m)
	again := *former
	again.AgainOf = former.ID
	again.Former = former.Answer
	again.Answer = ""
	again.Open = nil
	again.Due = time.Time{}
	if waiting != nil {
		f = append(f, progress.Answer{
			Question: waiting.ID, Text: workflow.PutAgain,
			Note: fmt.Sprintf("Back to question %d below, as %s asked.", number, plaintext.OneLine(p.Name)),
		})
		again.Open = append([]workflow.OpenDecision{{
			Question: waiting.Text, Recommended: waiting.Recommended,
		}}, waiting.Open...)
	}
	text := fmt.Sprintf("Back to question %d: %s\nThe answer was %s. Press or write another one, or "+
		"say \"next\" to keep it.", number, again.Text+ledger.OptionsText(again), quotedShort(again.Former))
	return append(f, progress.Question(again),
		store.Lines(i.AgentLine(text, ledger.QuestionButtons(again, true)...))), nil
}

// answered returns the newest question with that number that a person, or the program for one, has answered.
func answered(all []workflow.Question, number int) *workflow.Question {
	for _, q := range slices.Backward(all) {
		if q.Number == number && q.AgainOf == 0 && q.Answer != "" && q.Answer != workflow.PutAgain {
			return &q
		}
	}
	return nil
}

// skip takes the recommended answer of the question that waits, leaves it open, or keeps the answer of one to
// which somebody went back; the thread is told which.
func (i *Interview) skip(
	ctx context.Context, m intent.Message, p workflow.Person, q *workflow.Question,
) ([]store.Part, error) {
	name := plaintext.OneLine(p.Name)
	switch {
	case q.AgainOf != 0 && m.Says.Move == intent.MoveSkip:
		return i.answerAgain(ctx, m, p, q, q.Former, false)
	case m.Says.Move == intent.MoveOpen && q.AgainOf != 0:
		return i.answerAgain(ctx, m, p, q, leftOpen, false)
	case m.Says.Move == intent.MoveOpen:
		f := i.ForAgents(m, fmt.Sprintf("%s leaves your question open (%s). Do not decide it: say that it "+
			"is open among the decisions.", prompt.PersonName(p.Name), plaintext.OneLine(q.Text)))
		ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
		return append(f,
			progress.Answer{Question: q.ID, Text: leftOpen, User: p.ID, Note: "Left open by " + name + "."},
			store.Lines(i.ProgramLine("Left open: "+plaintext.QuoteLine(plaintext.OneLine(q.Text))+
				". "+i.howToReturn()))), nil
	}
	f := i.ForAgents(m, fmt.Sprintf("%s skips your question, so the recommended option was taken, and the "+
		"thread was told: %q. Note it as an assumption.", prompt.PersonName(p.Name), q.Recommended))
	ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
	return append(f,
		progress.Answer{
			Question: q.ID, Text: q.Recommended, User: p.ID, Chosen: true,
			Note: "Skipped by " + name + ": " + quotedShort(q.Recommended),
		},
		store.Lines(i.ProgramLine(fmt.Sprintf("Skipped, so I take what I recommended: %s → %s. %s",
			plaintext.QuoteLine(plaintext.OneLine(q.Text)), plaintext.QuoteLine(q.Recommended),
			i.howToReturn())))), nil
}

// leftOpen is the answer of a question that a person leaves open.
const leftOpen = "left open"

// howToReturn says how people return to a question.
func (i *Interview) howToReturn() string {
	if i.Session().Phase == workflow.PhaseAligning {
		return `Say "back" to change that.`
	}
	return "Reply to change that."
}

// answerAgain takes the answer to a question to which somebody went back. The question that waited before is
// put again below.
func (i *Interview) answerAgain(
	ctx context.Context, m intent.Message, p workflow.Person, q *workflow.Question, text string, chosen bool,
) ([]store.Part, error) {
	all, err := i.Store.Questions(ctx, i.Session().ID)
	if err != nil {
		return nil, err
	}
	answer := progress.Answer{
		Question: q.ID, Text: text, User: p.ID, Chosen: chosen,
		Note: fmt.Sprintf("%s: %s", plaintext.OneLine(p.Name), quotedShort(text)),
	}
	if text == q.Former {
		f := append(i.Ignore(m), answer, store.Lines(i.ProgramLine(fmt.Sprintf(
			"Question %d keeps its answer: %s.", q.Number, quotedShort(text)))))
		return append(f, i.putAgain(all)...), nil
	}
	f := append(i.changed(m, p, *q, text), answer)
	return append(f, i.putAgain(all)...), nil
}

// changed returns the parts that change the answer of an earlier question, and tell the thread and the
// agents.
func (i *Interview) changed(
	m intent.Message, p workflow.Person, q workflow.Question, text string,
) []store.Part {
	f := i.ForAgents(m, fmt.Sprintf("%s changed the answer to your question %d (%s). "+
		"Before: %s\nNow:\n%s\nPut only those questions again that this changes. "+
		"A question that waits goes on waiting with its buttons.",
		prompt.PersonName(p.Name), q.Number, plaintext.OneLine(q.Text), quotedShort(q.Former),
		prompt.Fence("message", text)))
	ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
	id := q.ID
	if q.AgainOf != 0 {
		id = q.AgainOf
	}
	return append(f, progress.ChangedAnswer{Question: id, Text: text, User: p.ID},
		store.Lines(i.ProgramLine(fmt.Sprintf("Question %d: %s changes the answer from %s to %s.", q.Number,
			plaintext.OneLine(p.Name), quotedShort(q.Former), quotedShort(text)))))
}

// putAgain returns the parts that put the newest question of the interview again if it waited when somebody
// went back.
func (i *Interview) putAgain(all []workflow.Question) []store.Part {
	for _, q := range slices.Backward(all) {
		if q.AgainOf != 0 {
			continue
		}
		if q.Answer != workflow.PutAgain {
			return nil
		}
		text := fmt.Sprintf("Question %d: %s", q.Number, q.Text+ledger.OptionsText(q))
		q.Answer = ""
		q.Due = time.Time{}
		if i.AnswerTimeout > 0 {
			q.Due = i.Store.Clock().Now().Add(i.AnswerTimeout)
		}
		return []store.Part{
			progress.Question(q), store.Lines(i.AgentLine(text, ledger.QuestionButtons(q, true)...)),
		}
	}
	return nil
}

// answerEarlier takes an answer that names its question by the number.
func (i *Interview) answerEarlier(
	ctx context.Context, m intent.Message, p workflow.Person, waiting *workflow.Question,
) ([]store.Part, error) {
	e := m.Says.Earlier
	if waiting != nil && waiting.Number == e.Number {
		return i.takeWords(ctx, m, p, waiting, e.Text)
	}
	all, err := i.Store.Questions(ctx, i.Session().ID)
	if err != nil {
		return nil, err
	}
	q := answered(all, e.Number)
	if q == nil {
		said := fmt.Sprintf("There is no answered question %d: the newest question is number %d. "+
			"Which one do you mean?", e.Number, i.Session().QuestionsAsked)
		return append(i.Ignore(m), i.Tell(m, p, said)), nil
	}
	q.Former = q.Answer
	text := e.Text
	if n, named := m.Says.OptionIn(e.Text, q.Options); named {
		text = optionOr(q, n)
	}
	if text == q.Former {
		return append(i.Ignore(m), i.Tell(m, p, fmt.Sprintf(
			"Question %d has that answer already: %s.", q.Number, quotedShort(text)))), nil
	}
	return i.changed(m, p, *q, text), nil
}

// namesEarlierOption reports whether an answer that names its question by the number names one of its
// options.
func (i *Interview) namesEarlierOption(ctx context.Context, m intent.Message) (bool, error) {
	all, err := i.Store.Questions(ctx, i.Session().ID)
	q := answered(all, m.Says.Earlier.Number)
	if err != nil || q == nil {
		return false, err
	}
	_, named := m.Says.OptionIn(m.Says.Earlier.Text, q.Options)
	return named, nil
}

// takeWords takes words as the answer to the question that waits.
func (i *Interview) takeWords(
	ctx context.Context, m intent.Message, p workflow.Person, q *workflow.Question, words string,
) ([]store.Part, error) {
	if n, named := m.Says.OptionIn(words, q.Options); named {
		return i.takeOption(ctx, m, p, q, optionOr(q, n))
	}
	if q.AgainOf != 0 {
		return i.answerAgain(ctx, m, p, q, words, false)
	}
	f := i.ForAgents(m, fmt.Sprintf(
		"%s answered your question (%s) in their own words:\n%s",
		prompt.PersonName(p.Name), plaintext.OneLine(q.Text), prompt.Fence("message", words),
	))
	ledger.Change(f, func(h *inbox.Handled) { h.Answers = true })
	return append(f,
		progress.Answer{Question: q.ID, Text: words, User: p.ID, Note: answeredBy(p, words)}), nil
}

// askWhichOption asks a person who names an option by a number that the question does not have.
func (i *Interview) askWhichOption(m intent.Message, p workflow.Person, q *workflow.Question) []store.Part {
	n, _ := m.Says.OutOfRange(q.Options)
	return append(i.Ignore(m), i.Tell(m, p, fmt.Sprintf(
		"There is no option %d: this question has the options 1 to %d. Which one do you mean? "+
			"If %d itself is the answer, write it in a sentence.", n, len(q.Options), n)))
}
