package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// requestApproval refuses an approval by a person who may not approve, and turns the first one of a revision
// into a request: a line that says who asks, mentions the approvers that the configuration names, and has the
// report's buttons again. A press or message of an approver is then judged by Approve and approves that
// revision. The person is told alone.
//
// Approvers are asked once for each revision, however many people ask and however often, so that nobody can
// call them again and again. Only a limit is shown each time it is a new one, without a mention. No request
// is made if the revision does not wait for an approval.
func (ap *Approvals) requestApproval(
	ctx context.Context, by asker, what workflow.DecisionKind, a workflow.Approvers, reason string,
	revision int, scope string,
) ([]store.Part, error) {
	s := ap.Session()
	m := by.Message
	p := by.Person
	said := ap.Permissions.RefusalText(ctx, p, reason, a)
	alone := m
	alone.Text = "" // where words would be lost, they are in what is said
	refused := func(more string) []store.Part {
		f := ap.Refuse(alone, p, what, reason, said+more)
		ledger.Change(f, func(d *consent.Decision) { d.Revision = revision })
		return f
	}
	standing, err := ap.Store.Approval(ctx, s.ID, s.Revision)
	if err != nil {
		return nil, err
	}
	if standing != nil || revision != s.Revision || s.Revision == 0 || !ap.awaitsApproval() {
		alone = m
		return refused(prompt.EnteredText(m.Message)), nil
	}
	shown := func() (string, bool, error) { return ap.Store.ReportTS(ctx, s.ID, revision) }
	if unread, err := ap.WrittenBeforeShown(ctx, m, shown); err != nil || unread {
		return refused(""), err
	}
	before, called, err := ap.askedBefore(ctx, revision)
	if err != nil {
		return nil, err
	}
	lines := ap.requestLines(p, revision, scope)
	if known, err := ap.isInThread(ctx, lines[0].Text); err != nil {
		return nil, err
	} else if known || len(before) > 0 && scope == "" {
		return refused(ap.askedText(ctx, p, a)), nil
	}
	if !called {
		if lines[0].Mentions, err = ap.peopleToMention(ctx, a, p); err != nil {
			return nil, err
		}
	}
	f := refused(ap.askedText(ctx, p, a))
	return append(f, store.Replies(lines), consent.Decision{
		What:      workflow.DecideRequest,
		Allowed:   true,
		Reason:    strings.Join(lines[0].Mentions, " "),
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  revision,
	}), nil
}

// requestLines returns the line that asks for the approval of a revision in the name of a person, with the
// buttons of its report.
func (ap *Approvals) requestLines(p workflow.Person, revision int, scope string) []workflow.Line {
	request := fmt.Sprintf("%s asks for approval of revision %d", p.Name, revision)
	s := ap.Session()
	label := "Fix it"
	if s.ReportKind == workflow.ReportRequest || s.ReportKind == workflow.ReportPlan {
		label = "Go ahead"
	}
	buttons := ap.ReportButtons(label)
	switch {
	case s.Phase == workflow.PhaseAligning:
		buttons = ap.ConfirmButtons()
		request += "."
	case scope == "":
		request += "."
	default:
		request += ", limited to: " + scope
		buttons[0].Label = label + ", so limited"
		buttons[0].Means = scope
	}
	return ap.ProgramLine(request, buttons...)
}

// awaitsApproval reports whether the newest revision waits for an approval, or for a confirmation.
func (ap *Approvals) awaitsApproval() bool {
	s := ap.Session()
	return ap.AwaitsConsent() ||
		s.Phase == workflow.PhaseAligning && s.ReportKind == workflow.ReportRequest && s.Revision > s.Voided
}

// isInThread reports whether the thread has a line with that text.
func (ap *Approvals) isInThread(ctx context.Context, text string) (bool, error) {
	lines, err := ap.Store.Lines(ctx, ap.Session().ID)
	return slices.ContainsFunc(lines, func(l store.PostedLine) bool { return l.Text == text }), err
}

// askedText says who was asked, as the end of what a person is told who may not decide.
func (ap *Approvals) askedText(ctx context.Context, p workflow.Person, a workflow.Approvers) string {
	ids, err := ap.peopleToMention(ctx, a, p)
	switch names := ap.Permissions.ApproverNames(ctx, p); {
	case err != nil || a.Missing != "":
		return ""
	case len(ids) == 0 || names == "":
		return " I asked in the thread."
	case len(ids) == 1:
		return " I asked " + names + "."
	}
	return " I asked them."
}

// askedBefore returns the people who asked for approval of that revision before. called reports whether
// an approver was called for it.
func (ap *Approvals) askedBefore(ctx context.Context, revision int) (users []string, called bool, err error) {
	decisions, err := ap.Store.Decisions(ctx, ap.Session().ID)
	if err != nil {
		return nil, false, fmt.Errorf("who asked before: %w", err)
	}
	for _, d := range decisions {
		if d.What == workflow.DecideRequest && d.Revision == revision {
			users = append(users, d.User)
			called = called || d.Reason != ""
		}
	}
	return users, called, nil
}

// peopleToMention returns the ids of the approvers that the configuration names for the repository, at most
// catalog.MaxMentions. A group is called by its own id, not by those of its members. The person who asks is
// left out, and so is the requester if another person has to approve.
func (ap *Approvals) peopleToMention(
	ctx context.Context, a workflow.Approvers, asks workflow.Person,
) (ids []string, err error) {
	named, err := ap.Catalog.NamedApprovers(ctx)
	return slices.DeleteFunc(named, func(id string) bool {
		return id == asks.ID || a.OtherThanRequester && id == ap.Session().Requester
	}), err
}

// MentionApprovers lets a line that awaits an approval of what these people asked for mention the approvers
// whom the configuration names, besides those whom it mentions already.
func (ap *Approvals) MentionApprovers(ctx context.Context, line *workflow.Line, asked ...string) error {
	ids, err := ap.Permissions.ToMention(ctx, asked...)
	for _, id := range ids {
		if !slices.Contains(line.Mentions, id) {
			line.Mentions = append(line.Mentions, id)
		}
	}
	return err
}

func (ap *Approvals) ReportButtons(allow string, more ...workflow.Button) []workflow.Button {
	buttons := []workflow.Button{
		{ActionID: workflow.ButtonFix, Label: allow, Style: "primary", Value: store.NewToken()},
		{ActionID: workflow.ButtonCorrect, Label: "Correct…", Value: store.NewToken()},
		menuButton(workflow.ButtonFixLimited, allow+", with limits…"),
		menuButton(workflow.ButtonConsult, "Second opinion"),
	}
	for _, b := range ap.Catalog.ChangeButton("Change repository…") {
		b.Menu = true
		buttons = append(buttons, b)
	}
	buttons = append(buttons, more...)
	return append(buttons, menuButton(workflow.ButtonAskStop, "Stop…"))
}

// DiagnoseButton returns the menu's button that asks for a Diagnosis Report.
func DiagnoseButton() workflow.Button {
	return menuButton(workflow.ButtonDiagnose, "Diagnosis Report")
}

func menuButton(action workflow.ActionID, label string) workflow.Button {
	return workflow.Button{ActionID: action, Label: label, Value: store.NewToken(), Menu: true}
}

// ConfirmButtons returns the buttons of the shared understanding of an interview.
func (ap *Approvals) ConfirmButtons() []workflow.Button {
	return []workflow.Button{
		{
			ActionID: workflow.ButtonConfirm,
			Label:    "Yes, that is it",
			Style:    "primary",
			Value:    store.NewToken(),
		},
		{ActionID: workflow.ButtonCorrect, Label: "Correct…", Value: store.NewToken()},
		{ActionID: workflow.ButtonAskStop, Label: "Stop…", Value: store.NewToken()},
	}
}
