package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// Delegate gives tasks to workers: only under an approval of the newest report.
func (l *Tools) Delegate(ctx context.Context, list []agent.Assignment) (model.Result, error) {
	approval, err := l.StandingApproval(ctx)
	if err != nil {
		return model.Result{}, err
	}
	if approval == nil {
		return prompt.Wrong("Refused: nobody has approved the newest report. For a bug use report_root_cause and wait for the thread's word; for a feature restate_request comes first."), nil
	}
	if refused := l.delegationRefusal(); refused != "" {
		return prompt.Wrong("%s", refused), nil
	}
	if err := l.Trees.OpenWork(ctx); err != nil {
		return model.Result{}, err
	}
	plan, err := l.ApprovedPlan(ctx, approval)
	if err != nil {
		return model.Result{}, err
	}
	if refused := badAssignments(list, plan); refused != "" {
		return prompt.Wrong("%s", refused), nil
	}
	tasks, err := l.ensureTasks(ctx, list)
	if err != nil {
		return model.Result{}, err
	}
	if err := l.enterWorking(ctx); err != nil {
		return model.Result{}, err
	}
	//crash:tasks_recorded
	done, err := l.Workers.RunTasks(ctx, tasks, approval)
	if err != nil {
		return model.Result{}, err
	}
	//crash:tasks_worked
	return l.delegationResult(ctx, done)
}

// ensureTasks are the rows of this call: found when the call is made again after a crash, made
// and listed in the thread the first time.
func (l *Tools) ensureTasks(ctx context.Context, list []agent.Assignment) ([]workflow.Task, error) {
	call := agent.CallID(ctx)
	s := l.Session()
	found, err := l.Store.Tasks(ctx, s.ID, call)
	if err != nil || len(found) > 0 {
		return found, err
	}
	all, err := l.Store.Tasks(ctx, s.ID, "")
	if err != nil {
		return nil, err
	}
	fact, failures := takeUp(all)
	said := "Tasks:"
	if len(list) == 1 {
		said = "Task:"
	}
	for i, a := range list {
		k := workflow.Task{
			Number: len(all) + i + 1, Description: a.Description, Category: workflow.Category(a.Category), Skill: a.Skill,
			Plan: a.Plan, Failures: failures, Apart: apart(list, i),
		}
		for _, n := range a.After {
			k.After = append(k.After, len(all)+n)
		}
		fact = append(fact, store.Task{Task: k, Call: call})
		said += fmt.Sprintf("\n  %d. %s %s", k.Number, k.Label(), prompt.FirstLine(a.Description))
	}
	applies, err := l.applyAdvice(ctx)
	if err != nil {
		return nil, err
	}
	fact = append(append(fact, applies...), store.Lines(l.ProgramLine(said)))
	if err := l.Record(ctx, fact...); err != nil {
		return nil, err
	}
	return l.Store.Tasks(ctx, s.ID, call)
}

// delegationResult is what the orchestrator is told of the tasks' outcome. After the failure that
// follows a consultation, people are asked instead.
func (l *Tools) delegationResult(ctx context.Context, done []workflow.Task) (model.Result, error) {
	if slices.ContainsFunc(done, func(k workflow.Task) bool {
		return k.State == workflow.TaskFailed && k.Failures > l.Workers.MaxAttempts()
	}) {
		return l.askWhatNow(ctx)
	}
	if nowhere, err := l.allGotNowhere(ctx); nowhere || err != nil {
		return l.giveUpTasks(), err
	}
	if err := l.Trees.RefreshCopy(ctx, l.Trees.Current()); err != nil {
		return model.Result{}, err
	}
	var results []string
	for _, k := range done {
		state, summary := string(k.State), k.Summary
		switch k.State {
		case workflow.TaskClashes:
			state = "verified, but not merged"
		case workflow.TaskDone, workflow.TaskBlocked: // the worker's own words
			summary = prompt.Indent(summary)
		}
		results = append(results, fmt.Sprintf("Task %d is %s: %s", k.Number, state, summary))
		if attempts, err := l.Store.Attempts(ctx, k.ID); err == nil && len(attempts) > 0 && k.State == workflow.TaskDone {
			results = append(results, attempts[len(attempts)-1].Summary)
		}
	}
	if changes, err := l.Trees.Current().Work.Changes(ctx); err == nil {
		for _, c := range changes {
			results = append(results, c.String())
		}
	}
	return model.Result{Text: strings.Join(results, "\n") + "\nYour tools see the files as they are now, with this work in them. If all is done, call finish. If not, delegate what is missing with what you learned, or ask."}, nil
}

// askWhatNow puts the question to the thread, with what was tried.
func (l *Tools) askWhatNow(ctx context.Context) (model.Result, error) {
	all, err := l.Store.Tasks(ctx, l.Session().ID, "")
	if err != nil {
		return model.Result{}, err
	}
	var tried []string
	var written []store.Part
	for _, k := range all {
		attempts, err := l.Store.Attempts(ctx, k.ID)
		if err != nil {
			return model.Result{}, err
		}
		for _, a := range attempts {
			if !a.Held && (k.State == workflow.TaskFailed || k.State == workflow.TaskDropped) {
				tried = append(tried, fmt.Sprintf("  %d. task %d: %s", len(tried)+1, k.Number, prompt.FirstLine(a.Summary)))
			}
		}
		if k.State == workflow.TaskFailed {
			k.State = workflow.TaskDropped // what comes next starts afresh
			written = append(written, store.Task{Task: k})
		}
	}
	restored, err := l.restoreFiles(ctx, all)
	if err != nil {
		return model.Result{}, err
	}
	written = append(append(written, restored...), store.Lines(l.ProgramLine(fmt.Sprintf("%s failed, the last one with the %s's recommendation. The files are as they were before. What was tried:\n%s\nHow shall I go on? Say what I got wrong, what to try, or ask somebody who knows this code.",
		prompt.Count(len(tried), "attempt"), l.Agents[agent.Consultant].Signature(), strings.Join(tried, "\n")))),
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest})
	return ledger.WithParts(model.Result{Text: "The attempts failed, the files were put back, and the thread was asked. Wait for what people say.", Ends: true}, written...), nil
}

// restoreFiles makes the session's files what they were before the tasks that failed one after
// the other. What was verified meanwhile stays.
func (l *Tools) restoreFiles(ctx context.Context, all []workflow.Task) ([]store.Part, error) {
	start := startOfFailure(all)
	if start == "" {
		return nil, nil
	}
	work := l.Trees.Current().Work
	if err := work.Restore(ctx, start); err != nil {
		return nil, fmt.Errorf("put the files back: %w", err)
	}
	if err := l.Trees.Own(work); err != nil {
		return nil, err
	}
	s, err := l.Trees.Snapshot(ctx, work, 0)
	return worktree.Some(s), err
}

// Tools are the orchestrator's. What they write stands in their results.
type Tools struct {
	*Orchestrator
}

// Say puts a line in the thread.
func (l *Tools) Say(_ context.Context, message string) (model.Result, error) {
	return runtime.SayLine(l.Agents[agent.Orchestrator], message), nil
}

// Finish brings the work to its branch.
func (l *Tools) Finish(ctx context.Context, f agent.Finish) (model.Result, error) {
	return l.Delivery.Finish(ctx, f)
}

// Reply answers and rests. A report that waits for its word goes on waiting.
func (l *Tools) Reply(ctx context.Context, text string) (model.Result, error) {
	if strings.TrimSpace(text) == "" {
		return prompt.Wrong("reply needs a text."), nil
	}
	return l.restTurn(ctx, store.Lines(l.ProgramLine(strings.TrimSpace(text))))
}

// NotForMe rests without a word.
func (l *Tools) NotForMe(ctx context.Context, reason string) (model.Result, error) {
	l.Log.Info("not for the bot", "reason", reason)
	return l.restTurn(ctx, store.Decision{What: "not_for_me", Reason: reason})
}

// restTurn ends the turn where nothing more is to do until somebody writes.
func (l *Tools) restTurn(ctx context.Context, written ...store.Part) (model.Result, error) {
	s := l.Session()
	event := workflow.EventAnswer
	if approval, err := l.StandingApproval(ctx); err != nil {
		return model.Result{}, err
	} else if asking := s.Phase == workflow.PhaseExploring || s.Phase == workflow.PhaseDiagnosing; asking && l.reportAwaitsWord(approval) {
		event = workflow.EventReturn
	} else if s.Phase == workflow.PhasePlanning && l.NewestReportKind() == workflow.ReportPlan && approval == nil {
		event = workflow.EventShowPlan
	}
	rest := store.Update{Open: ledger.Rest, Rested: true}
	if _, err := s.Phase.Next(event); err == nil {
		rest.Events = []workflow.Event{event}
	}
	return ledger.WithParts(model.Result{Text: "Posted. The turn ends here.", Ends: true}, append(written, rest)...), nil
}

// reportAwaitsWord: a report was shown, nobody approved it, and nothing was built from it.
func (o *Orchestrator) reportAwaitsWord(approval *workflow.Approval) bool {
	s := o.Session()
	if s.Revision == 0 || approval != nil || o.NewestReportKind() == workflow.ReportPlan {
		return false
	}
	spent, err := o.Store.Approval(context.Background(), s.ID, s.Revision)
	return err == nil && spent == nil
}

// Consult asks the consultant in the middle of the orchestrator's work.
func (l *Tools) Consult(ctx context.Context, question string) (model.Result, error) {
	if strings.TrimSpace(question) == "" {
		return prompt.Wrong("consult needs a question."), nil
	}
	name := l.Agents[agent.Consultant].Signature()
	if n, err := l.Inquiries.CountConsultations(ctx); err != nil || n >= mostConsultations {
		return prompt.Wrong("The %s was asked %d times in this thread already. Decide by yourself, or ask the thread.", name, n), err
	}
	q := workflow.Inquiry{Kind: workflow.InquiryConsult, Key: "call:" + agent.CallID(ctx), Question: question}
	said := []store.Part{store.Lines(l.ProgramLine(fmt.Sprintf("Asking the %s: %s", name, plaintext.OneLine(question))))}
	if !l.Session().Phase.MayWrite() {
		said = append(said, store.Update{Maybe: []workflow.Event{workflow.EventConsult}})
	}
	if _, err := l.Inquiries.EnsureInquiry(ctx, q, said...); err != nil {
		return model.Result{}, err
	}
	q, err := l.Inquiries.Ask(ctx, q, l.Inquiries.ConsultText(ctx, prompt.ProgramMark+"The orchestrator asks:\n"+prompt.Fence("message", question)), nil)
	if err != nil {
		return model.Result{}, err
	}
	told := "The " + name + " gave no answer. Go on without it."
	var advice workflow.Advice
	if json.Unmarshal(q.Answer, &advice) == nil && advice.BottomLine != "" {
		told = "The " + name + " recommends, and the thread has read it:\n" + prompt.Fence("advice", advice.Text())
	}
	return ledger.WithParts(model.Result{Text: told}, store.Update{Maybe: []workflow.Event{workflow.EventReturn}}), nil
}

// mostConsultations is how often the orchestrator may ask in one thread; people may always.
const mostConsultations = 5

// RootCause shows a new revision of the report and waits for the thread's word. Nothing
// has been changed by then.
func (l *Tools) RootCause(ctx context.Context, c agent.RootCause) (model.Result, error) {
	s := l.Session()
	switch _, err := s.Phase.Next(workflow.EventReport); {
	case err != nil:
		return prompt.Wrong("A report cannot be given now: the session is %s. Use reply to answer, or finish the approved work.", s.Phase), nil
	case s.Phase == workflow.PhaseDiagnosing:
		return prompt.Wrong("A Diagnosis Report is asked for here: load_skill diagnose, follow it, and call report_diagnosis."), nil
	case len(c.Evidence) == 0:
		return prompt.Wrong("A report needs at least one piece of evidence: {claim, grade: observed|inferred, source: file:line or command}."), nil
	}
	if refused, err := l.checkClaims(ctx, c.Reproduction, c.Evidence, c.Summary, c.Cause); refused != nil || err != nil {
		return prompt.DerefResult(refused), err
	}
	shown, err := l.reproductionText(ctx, c.Reproduction)
	if err != nil {
		return model.Result{}, err
	}
	r, err := l.NewReport(ctx, workflow.ReportRootCause, c)
	if err != nil {
		return model.Result{}, err
	}
	if r.Text, err = l.Attachments.NameRefs(ctx, ReportText(c, r.Revision, prompt.ShortHash(s.BaseCommit), shown)); err != nil {
		return model.Result{}, err
	}
	//crash:report_made
	return l.showReport(r), nil
}

// Diagnosis shows a Diagnosis Report and waits for the thread's word.
func (l *Tools) Diagnosis(ctx context.Context, d workflow.Diagnosis) (model.Result, error) {
	s := l.Session()
	var begun []store.Part
	if s.Phase != workflow.PhaseDiagnosing {
		if _, err := s.Phase.Next(workflow.EventDiagnose); err != nil {
			return prompt.Wrong("A diagnosis cannot be reported now: the session is %s.", s.Phase), nil
		}
		begun = append(begun, store.Update{Maybe: []workflow.Event{workflow.EventDiagnose}})
	}
	if missing := d.Missing(); missing != "" {
		return ledger.WithParts(prompt.Wrong("report_diagnosis: %s.", missing), begun...), nil
	}
	if refused, err := l.checkClaims(ctx, d.Reproduction, d.Evidence, d.Bug, d.RootCause, strings.Join(d.ProposedFix, "\n"), everyWord(d)); refused != nil || err != nil {
		return ledger.WithParts(prompt.DerefResult(refused), begun...), err
	}
	shown, err := l.reproductionText(ctx, d.Reproduction)
	if err != nil {
		return model.Result{}, err
	}
	r, err := l.NewReport(ctx, workflow.ReportDiagnosis, d)
	if err != nil {
		return model.Result{}, err
	}
	if r.Text, err = l.Attachments.NameRefs(ctx, DiagnosisText(d, r.Revision, prompt.ShortHash(s.BaseCommit), shown)); err != nil {
		return model.Result{}, err
	}
	return l.showReport(r, begun...), nil
}

// checkClaims looks at what a report claims before people see it: the places exist, the
// command was run, and nobody wrote meanwhile.
func (l *Tools) checkClaims(ctx context.Context, reproduction string, evidence []workflow.Evidence, words ...string) (*model.Result, error) {
	for _, e := range evidence {
		words = append(words, e.Source)
	}
	refused := func(format string, args ...any) (*model.Result, error) {
		r := prompt.Wrong(format, args...)
		return &r, nil
	}
	missing := l.missingPlaces(strings.Join(words, "\n"))
	for _, e := range evidence {
		if path, line := worktree.PlaceOf(e.Source); path != "" && !slices.Contains(missing, path+":"+line) && !l.hasLine(path, line) {
			missing = append(missing, plaintext.OneLine(e.Source))
		}
	}
	if missing, err := l.notPrinted(ctx, missing); err != nil {
		return nil, err
	} else if len(missing) > 0 {
		return refused("These lines are not in the tree at %s: %s (no such file, or the file is shorter). Look them up with read_file and report again.", prompt.ShortHash(l.Session().BaseCommit), strings.Join(missing, ", "))
	}
	if reproduction != "" {
		c, err := l.newestRun(ctx, reproduction)
		if err != nil {
			return nil, err
		}
		if c == nil {
			return refused("The reproduction was not run here: give the command to run first, word for word, or leave reproduction out; the report is then marked unproven.")
		}
	}
	return l.refuseUnread(ctx)
}

// showReport shows the report with its buttons, behind what was written before; the turn rests.
func (l *Tools) showReport(r *workflow.Report, written ...store.Part) model.Result {
	written = append(written, store.Replies(l.ProgramLine(r.Text, l.Approvals.ReportButtons("Fix it")...)), store.Report(*r), store.Update{
		Maybe:  []workflow.Event{workflow.EventReport}, // dropped where the phase does not allow it; the report itself always is an event
		Change: func(s *workflow.Session) { s.Kind, s.Workflow = workflow.KindBug, workflow.CommandNone },
		Open:   ledger.Rest,
	})
	return ledger.WithParts(model.Result{Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", r.Revision), Ends: true}, written...)
}

// Restate shows a feature request back. Where everybody whose words it is made of may
// approve, asking for it was the permission to work on a branch.
func (l *Tools) Restate(ctx context.Context, r workflow.Request) (model.Result, error) {
	s := l.Session()
	if missing := r.Missing(); missing != "" {
		return prompt.Wrong("restate_request: %s.", missing), nil
	}
	if _, err := s.Phase.Next(workflow.EventPlan); err != nil && s.Phase != workflow.PhaseAligning && s.Phase != workflow.PhasePlanning {
		return prompt.Wrong("A request cannot be restated while the session is %s.", s.Phase), nil
	}
	if err := l.Runtime.Hear(ctx); err != nil {
		return model.Result{}, err
	}
	if unread, err := l.refuseUnread(ctx); unread != nil || err != nil {
		return prompt.DerefResult(unread), err
	}
	report, err := l.NewReport(ctx, workflow.ReportRequest, r)
	if err != nil {
		return model.Result{}, err
	}
	if s.Phase == workflow.PhaseAligning {
		return l.showUnderstanding(report, r), nil
	}
	report.Text = r.Text() + l.offerText(r)
	update := store.Update{Change: func(s *workflow.Session) { s.Kind = workflow.KindFeature }}
	if s.Phase != workflow.PhasePlanning {
		update.Events = []workflow.Event{workflow.EventPlan}
	}
	if s.Workflow == workflow.CommandStartWork {
		return ledger.WithParts(model.Result{Text: "Shown. Now write the plan: propose_plan."}, update, store.Report(*report),
			store.Lines(l.ProgramLine(report.Text)), store.Lines(l.ProgramLine("Planning the implementation"))), nil
	}
	return l.beginWork(ctx, report, update)
}

// beginWork lets the work start where the request itself is the permission, and waits for it
// otherwise. update is what the request itself changes in the session.
func (l *Tools) beginWork(ctx context.Context, report *workflow.Report, update store.Update) (model.Result, error) {
	rule := l.Permissions.Rule
	if rule == nil {
		rule = (*permission.Permissions).AskedBy
	}
	by, why, err := rule(l.Permissions, ctx)
	if err != nil {
		return model.Result{}, err
	}
	if by == nil {
		report.Text += fmt.Sprintf("\nRevision %d. I need a word of approval before I build this (%s). %s: reply \"go ahead\".", report.Revision, why, strings.TrimSuffix(l.Permissions.WhoAllows(ctx), "."))
		return ledger.WithParts(model.Result{Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", report.Revision), Ends: true},
			update, store.Report(*report), store.Replies(l.ProgramLine(report.Text, l.Approvals.ReportButtons("Go ahead")...)),
			store.Update{Events: []workflow.Event{workflow.EventReport}, Open: ledger.Rest}), nil
	}
	written := []store.Part{update, store.Report(*report), store.Lines(l.ProgramLine(report.Text)), store.Lines(l.ProgramLine("Planning the implementation"))}
	l.Permissions.AddApproval(&written, *by, *report, "")
	return ledger.WithParts(model.Result{Text: fmt.Sprintf("Shown. %s asked for it and may approve, so the work on a branch is allowed: delegate.", plaintext.OneLine(by.Person.Name))}, written...), nil
}

// showUnderstanding is what an interview came to; it waits until a person confirms it.
func (l *Tools) showUnderstanding(report *workflow.Report, r workflow.Request) model.Result {
	report.Text = fmt.Sprintf("Shared understanding (revision %d):\n%s\nIs this right? Say \"yes\" and the work starts from it, or what is wrong.", report.Revision, r.Text())
	return ledger.WithParts(model.Result{Text: "Shown. Wait until somebody confirms it.", Ends: true},
		store.Replies(l.ProgramLine(report.Text,
			workflow.Button{ActionID: "confirm", Label: "Yes, that is it", Style: "primary", Value: store.NewToken()},
			workflow.Button{ActionID: "correct", Label: "Correct…", Value: store.NewToken()},
			workflow.Button{ActionID: "stop", Label: "Stop", Style: "danger", Value: store.NewToken()})),
		store.Report(*report), store.Update{Open: ledger.Rest})
}

// ProposePlan shows a written plan and waits for the thread's word on it.
func (l *Tools) ProposePlan(ctx context.Context, p workflow.Plan) (model.Result, error) {
	s := l.Session()
	if missing := p.Missing(); missing != "" {
		return prompt.Wrong("propose_plan: %s.", missing), nil
	}
	var events []workflow.Event
	if s.Phase == workflow.PhaseExploring {
		events = append(events, workflow.EventPlan)
	} else if s.Phase != workflow.PhasePlanning {
		return prompt.Wrong("A plan cannot be shown while the session is %s.", s.Phase), nil
	}
	if unread, err := l.refuseUnread(ctx); unread != nil || err != nil {
		return prompt.DerefResult(unread), err
	}
	report, err := l.NewReport(ctx, workflow.ReportPlan, p)
	if err != nil {
		return model.Result{}, err
	}
	report.Text = fmt.Sprintf("%s\nRevision %d. Nothing is written yet. Say \"go ahead\", or what has to change.", p.Text(), report.Revision)
	shown := l.ProgramLine(report.Text, l.Approvals.ReportButtons("Go ahead")...)
	shown[0].Files = []workflow.File{{Name: "plan.md", Title: fmt.Sprintf("%s (revision %d)", p.Title, report.Revision), Text: p.Markdown()}}
	return ledger.WithParts(model.Result{Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", report.Revision), Ends: true},
		store.Report(*report), store.Replies(shown), store.Update{
			Events: append(events, workflow.EventShowPlan), Open: ledger.Rest,
			Change: func(s *workflow.Session) { s.Kind = workflow.KindFeature },
		}), nil
}

// refuseUnread refuses to show something while words wait that it does not know of.
func (l *Tools) refuseUnread(ctx context.Context) (*model.Result, error) {
	unread, err := l.Inbox().Unseen(ctx, 0)
	if err != nil || len(unread) == 0 {
		return nil, err
	}
	r := prompt.Wrong("Somebody wrote in the thread meanwhile; you are shown it now. Take it into account and call this again.")
	return &r, nil
}
