package inquiry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/review"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// Material is what an agent that only reads is asked about.
type Material struct {
	FirstMessage string      // its first message, below the facts about the repository
	Hunks        []diff.Hunk // the change, if the question is about it
	Asked        review.Asked
}

// Ask asks an agent that only reads, and waits for its answer. A question that was answered before
// under the same key is not asked again. The answer {} means that the agent gave none.
func (i *Inquiries) Ask(
	ctx context.Context, q workflow.Inquiry, shown string, hunks []diff.Hunk,
) (workflow.Inquiry, error) {
	return i.AskAbout(ctx, q, Material{FirstMessage: shown, Hunks: hunks})
}

// AskAbout is Ask with more material.
func (i *Inquiries) AskAbout(
	ctx context.Context, q workflow.Inquiry, about Material,
) (workflow.Inquiry, error) {
	kept, err := i.EnsureInquiry(ctx, q)
	if err != nil || len(kept.Answer) > 0 {
		return kept, err
	}
	row := i.Agents[agentFor[kept.Kind]]
	j, err := i.Runtime.OpenTranscript(ctx, -kept.ID, row)
	if err != nil {
		return kept, err
	}
	d := &reader{Inquiries: i, transcript: j, inquiry: kept, hunks: about.Hunks, asked: about.Asked}
	if len(j.Messages()) == 0 {
		more, pictures, err := i.Attachments.Describe(ctx, "Attached in the thread", nil)
		if err != nil {
			return kept, err
		}
		text := strings.TrimRight(i.Trees.RepositoryFacts(ctx)+"\n\n"+about.FirstMessage+"\n\n"+more, "\n")
		if err := j.Append(ctx, agent.Entry{
			Messages: []model.Message{{Role: model.User, Text: text, Pictures: pictures}},
		}); err != nil {
			return kept, err
		}
	}
	tools, err := d.readerTools(ctx)
	if err != nil {
		return kept, err
	}
	end, err := i.Runtime.NewLoop(ctx, row, j, tools).Run(ctx)
	if err != nil {
		return kept, err
	}
	if end != agent.EndTool {
		i.Log.Warn("no answer to an inquiry", "kind", kept.Kind, "end", end)
		d.inquiry.Answer = json.RawMessage(`{}`)
		return d.inquiry, i.Record(ctx, progress.Inquiry(d.inquiry))
	}
	return d.inquiry, nil
}

// errNoChange means that a question is about a change, and nothing is changed.
var errNoChange = errors.New("nothing is changed yet")

// agentFor holds which agent answers which kind of inquiry.
var agentFor = map[workflow.InquiryKind]string{
	workflow.InquiryConsult: agent.Consultant,
	workflow.InquiryExplain: agent.Explainer,
	workflow.InquiryScope:   agent.Reviewer,
	workflow.InquiryReview:  agent.Critic,
}

// EnsureInquiry returns the inquiry's row. If there is none under its key, it records the row together
// with the parts in with, in one transaction, so both are written once.
func (i *Inquiries) EnsureInquiry(
	ctx context.Context, q workflow.Inquiry, with ...store.Part,
) (workflow.Inquiry, error) {
	for range 2 {
		all, err := i.Store.Inquiries(ctx, i.Session().ID)
		if err != nil {
			return q, err
		}
		for _, known := range all {
			if known.Key == q.Key {
				return known, nil
			}
		}
		if err := i.Record(ctx, append(slices.Clone(with), progress.Inquiry(q))...); err != nil {
			return q, err
		}
	}
	return q, errors.New("an inquiry was kept and is not there")
}

// HasOpen reports whether an inquiry of a person waits for its answer.
func (i *Inquiries) HasOpen(ctx context.Context) (bool, error) {
	open, err := i.openInquiries(ctx)
	return len(open) > 0, err
}

// openInquiries returns the inquiries of people that have no answer and were not stopped.
func (i *Inquiries) openInquiries(ctx context.Context) ([]workflow.Inquiry, error) {
	all, err := i.Store.Inquiries(ctx, i.Session().ID)
	return slices.DeleteFunc(all, func(q workflow.Inquiry) bool {
		return len(q.Answer) > 0 || q.Stopped || !strings.HasPrefix(q.Key, "message:")
	}), err
}

// HasUnfinished reports whether an inquiry of a person is being answered, or was not begun in this run.
func (i *Inquiries) HasUnfinished(ctx context.Context) (bool, error) {
	open, err := i.openInquiries(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(open, func(q workflow.Inquiry) bool {
		done, begun := i.Started[q.ID]
		if !begun {
			return true
		}
		select {
		case <-done:
			return false
		default:
			return true
		}
	}), err
}

// StartOpen starts to answer people's open inquiries, each in a goroutine, in parallel to the work. It
// returns at once, and does nothing while no repository is open.
func (i *Inquiries) StartOpen(ctx context.Context) error {
	if i.Trees.Current() == nil {
		return nil
	}
	open, err := i.openInquiries(ctx)
	if err != nil {
		return err
	}
	for _, q := range open {
		i.mu.Lock()
		done := make(chan struct{})
		_, begun := i.Started[q.ID]
		if !begun {
			i.Started[q.ID] = done
		}
		i.mu.Unlock()
		if !begun {
			go func() {
				defer close(done)
				i.answerOpen(ctx, q)
			}()
		}
	}
	return nil
}

// WaitStarted waits until every inquiry that was started has ended.
func (i *Inquiries) WaitStarted() {
	for waited := 0; ; {
		i.mu.Lock()
		begun := slices.Collect(maps.Values(i.Started))
		i.mu.Unlock()
		if len(begun) == waited {
			return
		}
		for _, done := range begun {
			<-done
		}
		waited = len(begun)
	}
}

// answerOpen answers one inquiry of a person.
func (i *Inquiries) answerOpen(ctx context.Context, q workflow.Inquiry) {
	switch q.Kind {
	case workflow.InquiryOwners:
		i.answerOwners(ctx, q)
		return
	case workflow.InquiryDiff:
		i.answerDiffs(ctx, []workflow.Inquiry{q})
		return
	}
	shown, hunks, err := i.questionText(ctx, q)
	if err == nil {
		q, err = i.Ask(ctx, q, shown, hunks)
	}
	if ctx.Err() != nil {
		return // the inquiry is asked again when the session continues
	}
	if folder.DiskMessage(err) != "" {
		i.Halt(err)
		return
	}
	var limit *budget.LimitError
	if errors.As(err, &limit) && i.Session().Open {
		return // the orchestrator pauses at the same limit, and the inquiry is asked again after that
	}
	if err != nil && !errors.Is(err, errNoChange) {
		i.Log.Error("inquiry", "kind", q.Kind, "err", err)
	}
	if err != nil {
		q.Answer = json.RawMessage(`{}`)
	}
	parts := i.answerParts(q)
	if errors.Is(err, errNoChange) {
		parts = []store.Part{
			progress.Inquiry(q),
			store.Lines(i.ProgramLine("Nothing is changed yet, so there is nothing to look at.")),
		}
	}
	if _, tells := ledger.Find[inbox.AgentNote](parts); tells && i.hideFromOrchestrator(ctx, q.By) {
		parts = ledger.Without[inbox.AgentNote](parts)
		// the thread has read the answer, which must not redirect approved work
		ledger.Change(parts, func(u *store.Update) { u.Open = nil })
	}
	if limit != nil {
		who, err := i.Permissions.WhoAllows(ctx)
		if err != nil {
			i.Log.Error("record an inquiry's answer", "err", err)
			return
		}
		parts = append(ledger.Without[store.Lines](parts),
			store.Lines(i.ProgramLine(limit.NotLookedInto(who, i.AwaitsConsent()))))
	}
	if err := i.Record(ctx, parts...); err != nil && ctx.Err() == nil {
		i.Log.Error("record an inquiry's answer", "err", err)
	}
}

// questionText returns what the agent is shown for a person's question, and the hunks of the change if
// the question is about it.
func (i *Inquiries) questionText(ctx context.Context, q workflow.Inquiry) (string, []diff.Hunk, error) {
	question := prompt.ProgramMark + i.PersonName(ctx, q.By) + " asks in the thread:\n" +
		prompt.Fence("message", i.Slack.Readable(ctx, q.Question))
	if q.Kind == workflow.InquiryConsult {
		text, err := i.ConsultText(ctx, question)
		return text, nil, err
	}
	work := i.Trees.Current().Work
	if work == nil {
		return "", nil, errNoChange
	}
	hunks, err := work.ListHunks(ctx)
	if err != nil {
		return "", nil, err
	}
	if len(hunks) == 0 {
		return "", nil, errNoChange
	}
	parts := []string{question}
	if s := i.Session(); s.Revision > 0 {
		r, err := i.Store.Report(ctx, s.ID, s.Revision)
		if err != nil {
			return "", nil, err
		}
		parts = append(parts, prompt.ProgramMark+"What was asked for and allowed:\n"+
			prompt.Fence("report", findings.ReportForWorkers(r)))
		scope, err := i.scopeText(ctx)
		if err != nil {
			return "", nil, err
		}
		parts = append(parts, scope...)
		if since, err := i.AmendmentText(ctx, r.Revision); err != nil {
			return "", nil, err
		} else if since != "" {
			parts = append(parts, since)
		}
	}
	if q.Kind == workflow.InquiryReview {
		parts[0] = i.Trees.Current().Conventions()
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		diff := prompt.Fence("diff", review.DiffText(hunks))
		shown := prompt.ProgramMark + "The whole change, as it was pushed:\n" + diff
		return strings.Join(append(parts, shown), "\n\n"), hunks, nil
	}
	known, err := i.triedHunks(ctx)
	if err != nil {
		return "", nil, err
	}
	if len(known) > 0 {
		parts = append(parts, prompt.ProgramMark+"The program took each hunk of the fix out, alone, "+
			"and ran the tests:\n"+prompt.Fence("output", known.List()))
	}
	added, removed := 0, 0
	for _, h := range hunks {
		added = added + h.Added
		removed = removed + h.Removed
	}
	parts = append(parts, prompt.ProgramMark+fmt.Sprintf("The change so far, +%d −%d lines. "+
		"Your tools see the files with it.\n", added, removed)+prompt.Fence("diff", prompt.HunkText(hunks)))
	return strings.Join(parts, "\n\n"), hunks, nil
}

// triedHunks returns what is known of each hunk of the fix in its current state, or nil if the hunks
// were not tried.
func (i *Inquiries) triedHunks(ctx context.Context) (workflow.HunkResults, error) {
	work := i.Trees.Current().Work
	tree, err := work.Tree(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := i.Store.TriedHunks(ctx, i.Session().ID)
	for _, r := range rows {
		if r.Base == work.Base() && r.Tree == tree {
			return r.Hunks, err
		}
	}
	return nil, err
}

// ConsultText returns what the consultant is shown: the question, the newest report, the approval's
// scope and the diff.
func (i *Inquiries) ConsultText(ctx context.Context, question string) (string, error) {
	s := i.Session()
	parts := []string{question}
	if s.Revision > 0 {
		r, err := i.Store.Report(ctx, s.ID, s.Revision)
		if err != nil {
			return "", err
		}
		parts = append(parts, prompt.ProgramMark+"The newest report or plan in the thread:\n"+
			prompt.Fence("report", findings.ReportWhole(r)))
		since, err := i.AmendmentText(ctx, r.Revision)
		if err != nil {
			return "", err
		}
		if since != "" {
			parts = append(parts, since)
		}
	} else if s.Title != "" {
		parts = append(parts, prompt.ProgramMark+"The thread is about:\n"+prompt.Fence("message", s.Title))
	}
	scope, err := i.scopeText(ctx)
	if err != nil {
		return "", err
	}
	parts = append(parts, scope...)
	if work := i.Trees.Current().Work; work != nil {
		if diff, err := work.Diff(ctx); err == nil && diff != "" {
			parts = append(parts, prompt.ProgramMark+"What was changed so far:\n"+
				prompt.Fence("diff", prompt.CutDiff(diff, prompt.MaxHunkBytes)))
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

// scopeText returns the scope of the newest report's approval, and what was removed as outside of it,
// or nil if the approval is not limited.
func (i *Inquiries) scopeText(ctx context.Context) (parts []string, err error) {
	s := i.Session()
	a, err := i.Store.Approval(ctx, s.ID, s.Revision)
	if err != nil || a == nil || a.Scope == "" {
		return nil, err
	}
	parts = append(parts, prompt.ProgramMark+
		"The approval is limited to this, and nothing beyond it may change:\n"+prompt.Fence("scope", a.Scope))
	taken, err := i.Store.Removals(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	for _, r := range taken {
		if r.Approval == a.ID {
			parts = append(parts, prompt.TakenOut(r)+"\n"+
				prompt.Fence("diff", prompt.CutBytes(r.Diff(), prompt.MaxHunkBytes/4)))
		}
	}
	return parts, nil
}

// hideFromOrchestrator reports whether the answer to that person must not reach the orchestrator: the
// person's own words would be held back now, and so is the answer to them.
func (i *Inquiries) hideFromOrchestrator(ctx context.Context, user string) bool {
	p, err := i.Slack.Person(ctx, i.Session().Thread, user)
	why := ""
	if err == nil {
		why, err = i.Permissions.HoldReason(ctx, p)
	}
	if err != nil {
		i.Log.Warn("an answer is kept from the orchestrator: who asked is unknown", "user", user, "err", err)
	}
	return why != "" || err != nil // fail closed
}

// answerParts returns the parts to record for an answer: the orchestrator is told of a recommendation,
// and the session returns to its previous phase.
func (i *Inquiries) answerParts(q workflow.Inquiry) []store.Part {
	f := []store.Part{progress.Inquiry(q)}
	if q.Kind != workflow.InquiryConsult {
		if string(q.Answer) == "{}" {
			return append(f, store.Lines(i.ProgramLine("The model gave no explanation of the change. "+
				"\"Show the diff\" shows it; ask again, or ask about one file.")))
		}
		f = append(f, lookedNote(q))
		if s := i.Session(); s.Phase == workflow.PhaseExploring && !s.Open {
			// after a stop, only this question was asked
			f = append(f, store.Update{OptionalEvents: []workflow.Event{workflow.EventAnswer}})
		}
		return f
	}
	s := i.Session()
	var update store.Update
	at := s.Phase
	if at == workflow.PhaseConsulting {
		at = s.PreviousPhase
	}
	nothingElse := s.Revision == 0 && !s.Open &&
		(at == workflow.PhaseExploring || at == workflow.PhaseAnswered)
	if nothingElse {
		update.OptionalEvents = []workflow.Event{workflow.EventAnswer}
	} else if s.Phase == workflow.PhaseConsulting {
		update.OptionalEvents = []workflow.Event{workflow.EventReturn}
	}
	name := i.Agents[agent.Consultant].Signature()
	var advice workflow.Advice
	if json.Unmarshal(q.Answer, &advice) != nil || advice.BottomLine == "" {
		f = append(f, store.Lines(i.ProgramLine(
			fmt.Sprintf("The %s gave no answer. Ask again, or say what I should look at.", name))))
		return append(f, update)
	}
	f = append(f, inbox.AgentNote{Key: fmt.Sprintf("inquiry:%d", q.ID), By: q.By, Text: fmt.Sprintf(
		"The %s was asked from the thread:\n%s\nIts answer stands in the thread already:\n%s\n"+
			"Apply it to what you do, in a report or the work, and say so in a line; "+
			"where nothing is to be done, not_for_me.",
		name, prompt.Fence("message", prompt.CutBytes(q.Question, maxNote)),
		prompt.Fence("advice", advice.Text()))})
	if !nothingElse {
		update.Open = ledger.Wake
		switch at {
		case workflow.PhaseReported, workflow.PhasePlanShown, workflow.PhaseAnswered, workflow.PhaseDone:
			update.OptionalEvents = append(update.OptionalEvents, workflow.EventRequest)
		}
	}
	return append(f, update)
}

// lookedNote returns the message that tells the orchestrator what the explainer or the critic answered. It
// does not wake the orchestrator, and no worker reads it.
func lookedNote(q workflow.Inquiry) inbox.AgentNote {
	said, who := "", "explainer"
	if q.Kind == workflow.InquiryReview {
		var v review.Verdict
		_ = json.Unmarshal(q.Answer, &v) // the answer is a Verdict as JSON
		said = v.ForPerson()
		who = "critic"
	} else {
		var e decision.Explanation
		_ = json.Unmarshal(q.Answer, &e) // the answer is an Explanation as JSON
		said = strings.TrimSpace(e.Summary)
		for _, h := range e.Hunks {
			said += fmt.Sprintf("\nHunk %d: %s", h.Number, plaintext.OneLine(h.Why))
		}
	}
	text := fmt.Sprintf("Somebody asked about the change:\n%s\n"+
		"The thread was answered, by the %s. There is nothing to do for you:\n%s",
		prompt.Fence("message", prompt.CutBytes(q.Question, maxNote)), who,
		prompt.Fence("advice", prompt.CutBytes(said, maxNote)))
	return inbox.AgentNote{
		Key: fmt.Sprintf("inquiry:%d", q.ID), By: q.By, Task: inbox.OrchestratorAlone, Text: text,
	}
}

// maxNote is how many bytes of a question, and of its answer, the orchestrator is told.
const maxNote = 4 << 10
