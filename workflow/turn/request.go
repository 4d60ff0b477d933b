package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// The kinds of what a person's word may stand on.
const (
	reportRootCause = "root_cause"
	reportDiagnosis = "diagnosis"
	reportRequest   = "request"
	reportPlan      = "plan"
)

// newestKind is the kind of the newest report; empty where there is none.
func (l *Ledger) newestKind() string {
	s := l.Session()
	r, err := l.Store.Report(context.Background(), s.ID, s.Revision)
	if err != nil {
		return ""
	}
	return r.Kind
}

// Restate shows a feature request back. Where everybody whose words it is made of may
// approve, asking for it was the permission to work on a branch.
func (l *lead) Restate(ctx context.Context, r workflow.Request) (model.Result, error) {
	s := l.Session()
	if missing := r.Missing(); missing != "" {
		return wrong("restate_request: %s.", missing), nil
	}
	if _, err := s.Phase.Next(workflow.EventPlan); err != nil && s.Phase != workflow.PhaseAligning && s.Phase != workflow.PhasePlanning {
		return wrong("A request cannot be restated while the session is %s.", s.Phase), nil
	}
	if err := l.Runtime.hear(ctx); err != nil {
		return model.Result{}, err
	}
	if unread, err := l.unread(ctx); unread != nil || err != nil {
		return result(unread), err
	}
	report, err := l.newReport(ctx, reportRequest, r)
	if err != nil {
		return model.Result{}, err
	}
	if s.Phase == workflow.PhaseAligning {
		return l.understanding(report, r), nil
	}
	report.Text = r.Text() + l.offers(r)
	l.journal.add(store.Update{Change: func(s *workflow.Session) { s.Kind = workflow.KindFeature }})
	if s.Phase != workflow.PhasePlanning {
		l.journal.add(store.Update{Events: []workflow.Event{workflow.EventPlan}})
	}
	if s.Workflow == workflow.CommandStartWork {
		l.journal.add(store.Report(*report))
		l.journal.say(report.Text)
		l.journal.say("Planning the implementation")
		return model.Result{Text: "Shown. Now write the plan: propose_plan."}, nil
	}
	return l.begin(ctx, report)
}

// begin lets the work start where the request itself is the permission, and waits for it
// otherwise.
func (l *lead) begin(ctx context.Context, report *workflow.Report) (model.Result, error) {
	rule := l.Permissions.askRule
	if rule == nil {
		rule = (*Permissions).askedBy
	}
	by, why, err := rule(l.Permissions, ctx)
	if err != nil {
		return model.Result{}, err
	}
	if by == nil {
		report.Text += fmt.Sprintf("\nRevision %d. I need a word of approval before I build this (%s). %s: reply \"go ahead\".", report.Revision, why, strings.TrimSuffix(l.Permissions.whoAllows(ctx), "."))
		l.journal.add(store.Report(*report), store.Update{Open: no})
		l.journal.reply(report.Text, l.Approvals.reportButtons("Go ahead")...)
		l.journal.add(store.Update{Events: []workflow.Event{workflow.EventReport}})
		return model.Result{Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", report.Revision), Ends: true}, nil
	}
	l.journal.add(store.Report(*report))
	l.journal.say(report.Text)
	l.journal.say("Planning the implementation")
	l.Permissions.permit(&l.journal.put, by.message, by.person, *report, "", by.restsOn...)
	return model.Result{Text: fmt.Sprintf("Shown. %s asked for it and may approve, so the work on a branch is allowed: delegate.", plaintext.OneLine(by.person.Name))}, nil
}

// offers are what people may choose instead of going on like this.
func (o *Orchestrator) offers(r workflow.Request) string {
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

// understanding is what an interview came to; it waits until a person confirms it.
func (l *lead) understanding(report *workflow.Report, r workflow.Request) model.Result {
	report.Text = fmt.Sprintf("Shared understanding (revision %d):\n%s\nIs this right? Say \"yes\" and the work starts from it, or what is wrong.", report.Revision, r.Text())
	l.journal.reply(report.Text,
		workflow.Button{ActionID: "confirm", Label: "Yes, that is it", Style: "primary", Value: store.NewToken()},
		workflow.Button{ActionID: "correct", Label: "Correct…", Value: store.NewToken()},
		workflow.Button{ActionID: "stop", Label: "Stop", Style: "danger", Value: store.NewToken()})
	l.journal.add(store.Report(*report), store.Update{Open: no})
	return model.Result{Text: "Shown. Wait until somebody confirms it.", Ends: true}
}

// confirmed: a person says that the shared understanding is right. It is the permission to
// work on a branch, too, so it takes somebody who may approve.
func (ap *Approvals) confirmed(ctx context.Context, m workflow.Message, p workflow.Person, revision int) ([]store.Part, error) {
	s := ap.Session()
	refused := func(reason, said string) ([]store.Part, error) {
		f := ap.refuse(m, p, "confirm", reason, said)
		change(f, func(d *store.Decision) { d.Revision = revision })
		return f, nil
	}
	why, approvers, err := ap.Permissions.mayNotApprove(ctx, p)
	switch {
	case err != nil:
		ap.log.Warn("a confirmation is refused: cannot read who may give it", "user", m.User, "err", err)
		return refused("who may approve could not be looked up", "Slack does not tell me who may approve at this moment, so I take no approval. Please try again.")
	case s.Phase != workflow.PhaseAligning || revision != s.Revision || ap.newestKind() != reportRequest:
		return refused("not the newest understanding", p.Name+": there is a newer word on this. Please answer that one.")
	case why != "":
		return refused(why, fmt.Sprintf("%s, I cannot take this as the word to begin: %s. It waits for somebody who may approve. %s", p.Name, why, approvers.Who()))
	}
	shown := func() (string, bool, error) { return ap.Store.ReportShown(ctx, s.ID, revision) }
	if unread, err := ap.unread(ctx, m, shown); err != nil {
		return nil, err
	} else if unread {
		return refused("written before the understanding was shown", fmt.Sprintf("That was written before revision %d was shown. Please read it, and answer again.", revision))
	}
	if unseen, err := ap.Unseen(ctx, 0); err != nil {
		return nil, err
	} else if len(unseen) > 0 {
		return refused("somebody wrote meanwhile", p.Name+": somebody wrote meanwhile, and I look at that first. I ask again then.")
	}
	report, err := ap.Store.Report(ctx, s.ID, revision)
	if err != nil {
		return nil, err
	}
	f := ap.forAgents(m, fmt.Sprintf("%s confirmed the shared understanding (revision %d). Explore what you still have to know, then delegate from it.", called(p.Name), revision))
	change(f, func(u *store.Update) {
		u.Events = []workflow.Event{workflow.EventResume}
		u.Change = func(s *workflow.Session) { s.Workflow = workflow.CommandNone }
	})
	f = append(f, store.Lines(ap.program("Understood. The work starts from this.")))
	f = append(f, store.Decision{What: "confirm", Allowed: true, User: p.ID, MessageTS: m.TS, Revision: revision})
	ap.Permissions.permit(&f, m, p, report, "")
	return f, nil
}

// ProposePlan shows a written plan and waits for the thread's word on it.
func (l *lead) ProposePlan(ctx context.Context, p workflow.Plan) (model.Result, error) {
	s := l.Session()
	if missing := p.Missing(); missing != "" {
		return wrong("propose_plan: %s.", missing), nil
	}
	var events []workflow.Event
	if s.Phase == workflow.PhaseExploring {
		events = append(events, workflow.EventPlan)
	} else if s.Phase != workflow.PhasePlanning {
		return wrong("A plan cannot be shown while the session is %s.", s.Phase), nil
	}
	if unread, err := l.unread(ctx); unread != nil || err != nil {
		return result(unread), err
	}
	report, err := l.newReport(ctx, reportPlan, p)
	if err != nil {
		return model.Result{}, err
	}
	report.Text = fmt.Sprintf("%s\nRevision %d. Nothing is written yet. Say \"go ahead\", or what has to change.", p.Text(), report.Revision)
	shown := workflow.Line{
		Agent: l.journal.agent.Signature(), Text: report.Text, Buttons: l.Approvals.reportButtons("Go ahead"),
		Files: []workflow.File{{Name: "plan.md", Title: fmt.Sprintf("%s (revision %d)", p.Title, report.Revision), Text: p.Markdown()}},
	}
	l.journal.add(store.Report(*report), store.Replies{shown}, store.Update{Events: append(events, workflow.EventShowPlan), Open: no})
	l.journal.add(store.Update{Change: func(s *workflow.Session) { s.Kind = workflow.KindFeature }})
	return model.Result{Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", report.Revision), Ends: true}, nil
}

// newReport is the next revision; its text is set by the caller.
func (o *Orchestrator) newReport(ctx context.Context, kind string, body any) (*workflow.Report, error) {
	s := o.Session()
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	askers, err := o.Permissions.askers(ctx, kind)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return &workflow.Report{Session: s.ID, Revision: s.Revision + 1, Kind: kind, Body: b, BaseCommit: s.BaseCommit, AskedBy: askers}, nil
}

// unread refuses to show something while words wait that it does not know of.
func (l *lead) unread(ctx context.Context) (*model.Result, error) {
	unread, err := l.Unseen(ctx, 0)
	if err != nil || len(unread) == 0 {
		return nil, err
	}
	r := wrong("Somebody wrote in the thread meanwhile; you are shown it now. Take it into account and call this again.")
	return &r, nil
}

func result(r *model.Result) model.Result {
	if r == nil {
		return model.Result{}
	}
	return *r
}
