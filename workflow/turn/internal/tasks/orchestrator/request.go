package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// offerText returns a suggestion of another workflow for a request that is large or short, or an empty
// string.
func (o *Orchestrator) offerText(r workflow.Request) string {
	switch {
	case o.Session().Workflow != workflow.CommandNone:
		return ""
	case r.Large():
		return "\nThis looks like much at once. Say `/start-work` and I write a plan for you to review first."
	case intent.Vague(o.Session().Title):
		return "\nThat was short. Say `/grill-me` and I ask you what I would otherwise decide myself."
	}
	return ""
}

// NewReport returns the next revision. The caller sets its text.
func (o *Orchestrator) NewReport(ctx context.Context, kind string, body any) (*workflow.Report, error) {
	s := o.Session()
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	askers, err := o.Permissions.RequestAuthors(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return &workflow.Report{
		Session:    s.ID,
		Revision:   s.Revision + 1,
		Kind:       kind,
		Body:       b,
		BaseCommit: s.BaseCommit,
		AskedBy:    askers,
		Credits:    o.credits(ctx, askers),
	}, nil
}

// changedText returns the line that says what changed since the previous revision, or an empty string.
func (o *Orchestrator) changedText(ctx context.Context, r *workflow.Report, changed string) (string, error) {
	changed, err := o.whatChanged(ctx, r, changed)
	if err != nil || changed == "" {
		return "", err
	}
	return fmt.Sprintf("**Changed since revision %d:** %s\n", o.Session().Revision, changed), nil
}

// whatChanged returns what a revision changes in the previous one, which it replaces: in the model's
// words or, if the model does not say, the names of the parts that differ. It returns an empty string if
// the model does not say and the previous revision is of another kind. It also does so if no revision is
// replaced: before the first, after a push, and for the plan of a request.
func (o *Orchestrator) whatChanged(ctx context.Context, r *workflow.Report, changed string) (string, error) {
	n := o.Session().Revision
	if n == 0 || r.Kind == workflow.ReportPlan && o.Session().ReportKind == workflow.ReportRequest {
		return "", nil
	}
	if pushed, err := o.RevisionPushed(ctx, n); pushed || err != nil {
		return "", err
	}
	if changed = plaintext.OneLine(changed); changed == "" {
		before, err := o.Store.Report(ctx, r.Session, n)
		if err != nil {
			return "", fmt.Errorf("read revision %d: %w", n, err)
		}
		if before.Kind != r.Kind {
			return "", nil
		}
		changed = differingParts(before.Body, r.Body)
	}
	return changed, nil
}

// differingParts returns the names of the parts of a report's body that differ from the previous one.
func differingParts(before, after []byte) string {
	var was, is map[string]any
	_ = json.Unmarshal(before, &was) // a body that is no JSON object has no parts
	_ = json.Unmarshal(after, &is)
	var parts []string
	for part := range maps.Keys(is) {
		if part != "changed" && !reflect.DeepEqual(was[part], is[part]) {
			parts = append(parts, partName(part))
		}
	}
	for part := range was {
		if _, still := is[part]; !still && part != "changed" {
			parts = append(parts, partName(part))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// partName returns what people call a part of a report.
func partName(part string) string {
	if part == "siblings" {
		return "the same elsewhere"
	}
	return strings.ReplaceAll(part, "_", " ")
}

// credits returns how a commit names those people. People who cannot be looked up in Slack are left out.
func (o *Orchestrator) credits(ctx context.Context, ids []string) (names []string) {
	for _, id := range ids {
		if id == "" {
			continue // an app asked
		}
		p, err := o.Slack.Person(ctx, o.Session().Thread, id)
		if err != nil {
			o.Log.Warn("a commit will not name somebody who asked", "user", id, "err", err)
		}
		if name := p.Credit; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Restate shows a feature request in the bot's own words. If all authors of the request may approve, the
// request itself permits the work on a branch.
func (l *Tools) Restate(ctx context.Context, r workflow.Request) (model.Result, error) {
	return l.afterNotice(ctx, func() (model.Result, error) { return l.restate(ctx, r) })
}

func (l *Tools) restate(ctx context.Context, r workflow.Request) (model.Result, error) {
	s := l.Session()
	if missing := r.Missing(); missing != "" {
		return prompt.Wrong("restate_request: %s.", missing), nil
	}
	if _, err := s.Phase.Next(workflow.EventPlan); err != nil && s.Phase != workflow.PhaseAligning &&
		s.Phase != workflow.PhasePlanning {
		return prompt.Wrong("A request cannot be restated while the session is %s.", s.Phase), nil
	}
	if err := l.Runtime.Hear(ctx); err != nil {
		return model.Result{}, err
	}
	if err := l.refuseUnread(ctx); err != nil {
		return prompt.Refused(err)
	}
	report, err := l.NewReport(ctx, workflow.ReportRequest, r)
	if err != nil {
		return model.Result{}, err
	}
	if s.Phase == workflow.PhaseAligning {
		changed, err := l.whatChanged(ctx, report, r.Changed)
		if err != nil {
			return model.Result{}, err
		}
		return l.showUnderstanding(ctx, report, r, changed)
	}
	changed, err := l.changedText(ctx, report, r.Changed)
	if err != nil {
		return model.Result{}, err
	}
	report.Text = l.MaskShown(changed + r.Text() + l.offerText(r))
	known, err := l.checkAsserted(ctx, r.Asserted())
	if err != nil {
		return prompt.Refused(err)
	}
	shown := ledger.VouchBelow(l.AgentLine(report.Text), known)
	report.Text = shown[0].Text
	update := store.Update{Change: func(s *workflow.Session) { s.Kind = workflow.KindFeature }}
	if s.Phase != workflow.PhasePlanning {
		update.Events = []workflow.Event{workflow.EventPlan}
	}
	if s.Workflow == workflow.CommandStartWork {
		return ledger.WithParts(model.Result{Text: "Shown. Now write the plan: propose_plan."}, update,
			consent.Report(*report),
			store.Lines(shown), store.Lines(l.ProgressLine("Planning the implementation"))), nil
	}
	return l.beginWork(ctx, report, update, shown)
}

// checkAsserted checks what the orchestrator says of how things are, as by [ledger.Ledger.CheckWords].
func (l *Tools) checkAsserted(ctx context.Context, text string) (known string, err error) {
	return l.CheckWords(ctx, l.Agents[agent.Orchestrator].Signature(), text)
}

// beginWork lets the work start if the request itself is the permission. Otherwise it shows the request
// with buttons and waits for an approval. update is what the request itself changes in the session, and shown
// the line that shows it.
func (l *Tools) beginWork(
	ctx context.Context, report *workflow.Report, update store.Update, shown []workflow.Line,
) (model.Result, error) {
	rule := l.Permissions.Rule
	if rule == nil {
		rule = (*permission.Permissions).AskedBy
	}
	by, why, err := rule(l.Permissions, ctx)
	if err != nil {
		return model.Result{}, err
	}
	if by == nil {
		who, err := l.Permissions.WhoAllows(ctx)
		if err != nil {
			return model.Result{}, err
		}
		waits := l.MaskShown(
			fmt.Sprintf("Revision %d. I need an approval before I build this (%s). %s: "+
				"reply \"go ahead\".",
				report.Revision, why, strings.TrimSuffix(who, ".")),
		)
		return l.showRequest(ctx, report, shown, waits, []store.Part{update})
	}
	approved, err := l.Approvals.ApproveReport(ctx, *by, *report, "")
	var unnamed *catalog.NameError
	if errors.As(err, &unnamed) { // then nobody permits it yet
		waits := l.MaskShown(fmt.Sprintf("Revision %d. %s", report.Revision, unnamed.Said))
		return l.showRequest(ctx, report, shown, waits, []store.Part{update})
	}
	if err != nil {
		return model.Result{}, err
	}
	if !approved.Complete() { // asking is one approval of several
		waits := l.MaskShown(fmt.Sprintf("Revision %d. %s asked for it, which counts as one approval "+
			"(1 of %d). %s Reply \"go ahead\".", report.Revision, plaintext.OneLine(by.Person.Name),
			approved.Needed, approved.Still()))
		f := append([]store.Part{update}, approved.Parts...)
		return l.showRequest(ctx, report, shown, waits, f)
	}
	written := []store.Part{
		update, consent.Report(*report), store.Lines(shown),
		store.Lines(l.ProgressLine("Planning the implementation")),
	}
	written = append(written, approved.Parts...)
	return ledger.WithParts(model.Result{Text: fmt.Sprintf("Shown. %s asked for it and may approve, "+
		"so the work on a branch is allowed: delegate.", plaintext.OneLine(by.Person.Name))}, written...), nil
}

// showRequest shows a request that waits for an approval. waits says for whose.
func (l *Tools) showRequest(
	ctx context.Context, report *workflow.Report, shown []workflow.Line, waits string, f []store.Part,
) (model.Result, error) {
	shown = ledger.VouchBelow(shown, waits)
	report.Text = shown[0].Text
	shown[0].Buttons = l.Approvals.ReportButtons("Go ahead")
	if err := l.Approvals.MentionApprovers(ctx, &shown[0], report.AskedBy...); err != nil {
		return model.Result{}, err
	}
	f = append(f, consent.Report(*report), store.Replies(shown),
		store.Update{Events: []workflow.Event{workflow.EventReport}, Open: ledger.Rest})
	return ledger.WithParts(model.Result{
		Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", report.Revision),
		Ends: true,
	}, f...), nil
}

// showUnderstanding shows the result of an interview, which waits until a person confirms it.
func (l *Tools) showUnderstanding(
	ctx context.Context, report *workflow.Report, r workflow.Request, changed string,
) (model.Result, error) {
	known, err := l.checkAsserted(ctx, r.Asserted()+"\n"+changed)
	if err != nil {
		return prompt.Refused(err)
	}
	if changed != "" {
		changed = "; changed: " + plaintext.QuoteLine(changed)
	}
	report.Text = l.MaskShown(fmt.Sprintf("Shared understanding (revision %d%s):\n%s\n"+
		"Reply \"yes\" to start, or say what is wrong.", report.Revision, changed, r.Text()))
	shown := l.ProgramLine(report.Text, l.Approvals.ConfirmButtons()...)
	shown = ledger.VouchBelow(shown, known)
	report.Text = shown[0].Text
	if err := l.Approvals.MentionApprovers(ctx, &shown[0], report.AskedBy...); err != nil {
		return model.Result{}, err
	}
	return ledger.WithParts(model.Result{Text: "Shown. Wait until somebody confirms it.", Ends: true},
		store.Replies(shown), consent.Report(*report), store.Update{Open: ledger.Rest}), nil
}

// ProposePlan shows a written plan and ends the turn to wait for the thread's approval.
func (l *Tools) ProposePlan(ctx context.Context, p workflow.Plan) (model.Result, error) {
	return l.afterNotice(ctx, func() (model.Result, error) { return l.proposePlan(ctx, p) })
}

func (l *Tools) proposePlan(ctx context.Context, p workflow.Plan) (model.Result, error) {
	s := l.Session()
	if missing := p.Missing(); missing != "" {
		return prompt.Wrong("propose_plan: %s.", missing), nil
	}
	var events []workflow.Event
	switch {
	case s.Phase == workflow.PhaseExploring:
		events = append(events, workflow.EventPlan)
	case s.Phase == workflow.PhaseWorking && s.ReportKind == workflow.ReportPlan:
		// the approved plan cannot be done as it is
	case s.Phase != workflow.PhasePlanning:
		return prompt.Wrong("A plan cannot be shown while the session is %s.", s.Phase), nil
	}
	if err := l.refuseUnread(ctx); err != nil {
		return prompt.Refused(err)
	}
	report, err := l.NewReport(ctx, workflow.ReportPlan, p)
	if err != nil {
		return model.Result{}, err
	}
	changed, err := l.changedText(ctx, report, p.Changed)
	if err != nil {
		return model.Result{}, err
	}
	begun, err := l.Store.Undelivered(ctx, s.ID)
	if err != nil {
		return model.Result{}, err
	}
	words := l.MaskShown(changed + p.Text())
	known, err := l.checkAsserted(ctx, p.Asserted())
	if err != nil {
		return prompt.Refused(err)
	}
	finding, err := l.findingOf(report.Body)
	if err != nil {
		return model.Result{}, err
	}
	shown := ledger.VouchBelow(l.AgentLine(words, l.Approvals.ReportButtons("Go ahead")...), known)
	expected, err := l.estimateLine(ctx, workflow.KindFeature, "features")
	if err != nil {
		return model.Result{}, err
	}
	footer := l.MaskShown(l.edition(report, "").PlanFooter(begun))
	shown = ledger.VouchBelow(ledger.VouchBelow(shown, expected), footer)
	report.Text = shown[0].Text
	if err := l.Approvals.MentionApprovers(ctx, &shown[0], report.AskedBy...); err != nil {
		return model.Result{}, err
	}
	shown[0].Files = []workflow.File{{
		Name: "plan.md", Text: workflow.Unmark(p.Markdown()),
		Title: fmt.Sprintf("%s (revision %d)", workflow.Unmark(plaintext.OneLine(p.Title)), report.Revision),
	}}
	return ledger.WithParts(model.Result{
		Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", report.Revision),
		Ends: true,
	},
		consent.Report(*report), store.Replies(shown), store.Update{
			Events: append(events, workflow.EventShowPlan), Open: ledger.Rest,
			Change: func(s *workflow.Session) {
				s.Kind = workflow.KindFeature
				s.Finding = finding
			},
		}), nil
}
