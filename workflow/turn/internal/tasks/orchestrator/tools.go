package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// Tools implements the orchestrator's tools. What a tool writes is in its result, and is recorded with
// it.
type Tools struct {
	*Orchestrator

	reminded bool // this run was told that a push is allowed, and waits for finish
}

// Say posts a line in the thread.
func (l *Tools) Say(ctx context.Context, message string) (model.Result, error) {
	return l.Runtime.SayLine(ctx, l.Agents[agent.Orchestrator], message)
}

// Finish proves, commits and pushes the work.
func (l *Tools) Finish(ctx context.Context, f decision.Finish) (model.Result, error) {
	return l.Delivery.Finish(ctx, f)
}

// Reply answers in the thread and ends the turn. A report that waits for approval still waits. Like every
// call that ends the turn, it is refused while somebody wrote what the orchestrator has not read.
func (l *Tools) Reply(ctx context.Context, text string) (model.Result, error) {
	if strings.TrimSpace(text) == "" {
		return prompt.Wrong("reply needs a text."), nil
	}
	words, err := l.OwnWords(ctx, l.Agents[agent.Orchestrator].Signature(), strings.TrimSpace(text))
	if err != nil {
		return prompt.Refused(err)
	}
	return l.restTurn(ctx, store.Lines(l.ProgramText(words)))
}

// askedOfPush returns what the thread was asked about a push of the approved work, or nil: asked last, and
// allowed if it has a User.
func (l *Tools) askedOfPush(ctx context.Context, a *workflow.Approval) (*workflow.Allowance, error) {
	if a == nil || l.Session().Phase != workflow.PhaseWorking {
		return nil, nil
	}
	return l.Store.Allowance(ctx, a.ID)
}

// waitsForFinish reports whether a push was allowed of exactly what is in the workspace, and nobody objects
// or has written or pressed anything since: that may correct it.
func (l *Tools) waitsForFinish(ctx context.Context, w *workflow.Allowance) (bool, error) {
	at := l.Trees.Current()
	if w == nil || w.User == "" || at == nil || at.Work == nil {
		return false, nil
	}
	tree, err := at.Work.Tree(ctx)
	if err != nil || tree != w.Tree {
		return false, err
	}
	if objections, err := l.Store.Objections(ctx, w.Approval, tree); err != nil || len(objections) > 0 {
		return false, err
	}
	return l.Inbox().IsNewest(ctx, w.User, w.MessageTS)
}

// NotForMe ends the turn without an answer.
func (l *Tools) NotForMe(ctx context.Context, reason string) (model.Result, error) {
	l.Log.Debug("not for the bot", "reason", reason)
	return l.restTurn(ctx, consent.Decision{What: workflow.DecideNotForMe, Reason: reason})
}

// Blocked pauses the session until people have done what only they can do.
func (l *Tools) Blocked(ctx context.Context, reason string) (model.Result, error) {
	if plaintext.OneLine(reason) == "" {
		return prompt.Wrong("blocked needs a reason: what is missing, and who could give it."), nil
	}
	if err := l.Runtime.RefuseUnread(ctx); err != nil {
		return prompt.Refused(err)
	}
	line, err := l.blockedLine(ctx, reason)
	if err != nil {
		return model.Result{}, err
	}
	return ledger.WithParts(model.Result{Text: "The thread was told. Wait for it.", Ends: true},
		store.Replies(line), store.Update{
			Events: []workflow.Event{workflow.EventPause},
			Open:   ledger.Rest,
		}), nil
}

// blockedLine returns the line that says what is missing, lists the changed files so far, and says how
// to go on.
func (l *Tools) blockedLine(ctx context.Context, reason string) (lines []workflow.Line, err error) {
	var buttons []workflow.Button
	var text workflow.Text
	text.Add(workflow.Unmark("Blocked: " + plaintext.OneLine(reason)))
	known, err := l.Contradict(ctx, l.Agents[agent.Orchestrator].Signature(), reason)
	if err != nil {
		return nil, err
	}
	text.Vouch(known)
	kept, err := l.keptText(ctx)
	if err != nil {
		return nil, err
	}
	if kept != "" {
		text.Vouch(kept)
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonShowDiff,
			Label:    "Show the diff",
			Value:    store.NewToken(),
		})
	}
	text.Add("Reply \"go on\" when it is there, or say what to do instead.")
	return l.ProgramText(text, buttons...), nil
}

// keptText says what was changed and is not pushed, or nothing if there is none.
func (l *Tools) keptText(ctx context.Context) (string, error) {
	work := l.Trees.Current().Work
	if work == nil {
		return "", nil
	}
	if head := l.Session().Head; head != "" {
		return l.keptSince(ctx, work, head)
	}
	changes, err := work.Changes(ctx)
	if err != nil || len(changes) == 0 {
		return "", err
	}
	return fmt.Sprintf("The work so far is kept, and nothing was pushed: %s.",
		proposal.FilesText(changes)), nil
}

// keptSince says the same of what was changed since the pushed commit.
func (l *Tools) keptSince(ctx context.Context, work *git.Workspace, pushed string) (string, error) {
	tree, err := work.Tree(ctx)
	if err != nil {
		return "", err
	}
	before, err := work.TreeOf(pushed)
	if err != nil {
		return "", err
	}
	deltas, err := work.Compare(ctx, before, tree)
	if err != nil || len(deltas) == 0 {
		return "", err
	}
	var paths []string
	for _, d := range deltas {
		paths = append(paths, d.Path)
	}
	return fmt.Sprintf("What was changed since the push of %s is kept, and not pushed: %s.",
		prompt.ShortHash(pushed), plaintext.Files(paths)), nil
}

// restTurn ends the turn when there is nothing to do until a person writes.
func (l *Tools) restTurn(ctx context.Context, written ...store.Part) (model.Result, error) {
	if err := l.Runtime.RefuseUnread(ctx); err != nil {
		return prompt.Refused(err)
	}
	s := l.Session()
	approval, err := l.StandingApproval(ctx)
	if err != nil {
		return model.Result{}, err
	}
	push, err := l.askedOfPush(ctx, approval)
	if err != nil {
		return model.Result{}, err
	}
	waits, err := l.waitsForFinish(ctx, push)
	switch {
	case err != nil:
		return model.Result{}, err
	case waits && !l.reminded:
		l.reminded = true
		return prompt.Wrong("Not carried out: %s allowed the push of exactly these files, and they are not "+
			"pushed. Call finish now. If it is refused, reply with the reason.",
			prompt.PersonName(push.UserName)), nil
	case waits:
		written = append(written, store.Lines(l.ProgramLine(fmt.Sprintf("Nothing is pushed yet, though %s "+
			"allowed it. Reply \"go on\", and I try it again.", push.UserName))))
	}
	awaits, err := l.reportAwaitsWord(ctx, approval)
	if err != nil {
		return model.Result{}, err
	}
	event := workflow.EventAnswer
	switch {
	case push != nil && push.User == "": // the thread's word on the push still decides how it goes on
		event = workflow.EventPause
	case awaits:
		event = workflow.EventReturn
	case s.Phase == workflow.PhasePlanning && s.ReportKind == workflow.ReportPlan && approval == nil:
		event = workflow.EventShowPlan
	}
	rest := store.Update{Open: ledger.Rest, ThreadSettled: true}
	if _, err := s.Phase.Next(event); err == nil {
		rest.Events = []workflow.Event{event}
	}
	return ledger.WithParts(model.Result{Text: "It goes to the thread. The turn ends here.", Ends: true},
		append(written, rest)...), nil
}

// reportAwaitsWord reports whether the session explores below a report that was shown, that nobody approved
// and from which nothing was built.
func (o *Orchestrator) reportAwaitsWord(ctx context.Context, approval *workflow.Approval) (bool, error) {
	s := o.Session()
	explores := s.Phase == workflow.PhaseExploring || s.Phase == workflow.PhaseDiagnosing
	if !explores || s.Revision == 0 || approval != nil || s.ReportKind == workflow.ReportPlan {
		return false, nil
	}
	spent, err := o.Store.Approval(ctx, s.ID, s.Revision)
	return spent == nil, err
}

// Consult asks the consultant during the orchestrator's work, and waits for its answer.
func (l *Tools) Consult(ctx context.Context, question string) (model.Result, error) {
	if strings.TrimSpace(question) == "" {
		return prompt.Wrong("consult needs a question."), nil
	}
	name := l.Agents[agent.Consultant].Signature()
	if n, err := l.Inquiries.CountConsultations(ctx); err != nil || n >= maxConsultations {
		return prompt.Wrong("The %s was asked %d times in this thread already. Decide by yourself, "+
			"or ask the thread.", name, n), err
	}
	q := workflow.Inquiry{Kind: workflow.InquiryConsult, Key: "call:" + agent.CallID(ctx), Question: question}
	asking := fmt.Sprintf("Asking the %s: %s", name, plaintext.QuoteLine(l.Headline(question)))
	said := []store.Part{store.Lines(l.ProgramLine(asking))}
	if !l.Session().Phase.MayWrite() {
		said = append(said, store.Update{OptionalEvents: []workflow.Event{workflow.EventConsult}})
	}
	if _, err := l.Inquiries.EnsureInquiry(ctx, q, said...); err != nil {
		return model.Result{}, err
	}
	fenced := prompt.ProgramMark + "The orchestrator asks:\n" + prompt.Fence("message", question)
	shown, err := l.Inquiries.ConsultText(ctx, fenced)
	if err != nil {
		return model.Result{}, err
	}
	q, err = l.Inquiries.Ask(ctx, q, shown, nil)
	if err != nil {
		return model.Result{}, err
	}
	told := "The " + name + " gave no answer. Go on without it."
	var advice workflow.Advice
	if json.Unmarshal(q.Answer, &advice) == nil && advice.BottomLine != "" {
		told = "The " + name + " recommends, and the thread has read it:\n" +
			prompt.Fence("advice", advice.Text())
	}
	return ledger.WithParts(model.Result{Text: told}, store.Update{
		OptionalEvents: []workflow.Event{workflow.EventReturn},
	}), nil
}

// maxConsultations is how often the orchestrator may ask the consultant in one thread. Requests of
// people are not limited.
const maxConsultations = 5
