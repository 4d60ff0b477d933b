package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// requestApproval turns an approval by a person who may not approve into a request: a line that says who
// asks, calls the approvers that the configuration names, and has the report's buttons again. A press or
// message of an approver is then judged by Approve and approves that revision.
//
// Approvers are called once for each revision, however many people ask and however often, so that nobody
// can call them again and again. No request is made if the revision does not wait for an approval.
func (ap *Approvals) requestApproval(
	ctx context.Context, by asker, a workflow.Approvers, reason string, revision int, scope string,
) ([]store.Part, error) {
	s := ap.Session()
	m := by.Message
	p := by.Person
	said := fmt.Sprintf("%s, I cannot take your approval: %s. %s", p.Name, reason, a.Who())
	f := ap.refuseRevision(revision, m, p, reason, said)
	standing, err := ap.Store.Approval(ctx, s.ID, s.Revision)
	if err != nil {
		return nil, err
	}
	if standing != nil || revision != s.Revision || s.Revision == 0 || !ap.AwaitsConsent() {
		ledger.Change(f, func(l *store.Lines) { (*l)[0].Text += prompt.EnteredText(m.Message) })
		return f, nil
	}
	shown := func() (string, bool, error) { return ap.Store.ReportTS(ctx, s.ID, revision) }
	if unread, err := ap.WrittenBeforeShown(ctx, m, shown); err != nil || unread {
		return f, err
	}
	before, called, err := ap.askedBefore(ctx, revision)
	if err != nil {
		return nil, err
	}
	if slices.Contains(before, p.ID) && scope == "" {
		f = append(ledger.Without[store.Lines](f), store.Lines(ap.ProgramLine(fmt.Sprintf(
			"%s %s asked for revision %d already; it waits for an approver.", said, p.Name, revision,
		))))
		return f, nil
	}
	request := fmt.Sprintf("%s asks for approval of revision %d", p.Name, revision)
	label := "Fix it"
	if kind := ap.Session().ReportKind; kind == workflow.ReportRequest || kind == workflow.ReportPlan {
		label = "Go ahead"
	}
	buttons := ap.ReportButtons(label)
	if scope == "" {
		request += "."
	} else {
		request += ", limited to: " + scope
		buttons[0].Label = label + ", so limited"
		buttons[0].Means = scope
	}
	lines := ap.ProgramLine(said+" "+request, buttons...)
	if !called {
		if lines[0].Mentions, err = ap.peopleToMention(ctx, a, p); err != nil {
			return nil, err
		}
	}
	return append(ledger.Without[store.Lines](f), store.Replies(lines), consent.Decision{
		What:      workflow.DecideRequest,
		Allowed:   true,
		Reason:    strings.Join(lines[0].Mentions, " "),
		User:      p.ID,
		MessageTS: m.TS,
		Revision:  revision,
	}), nil
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

// maxMentions is how many people one line calls at most.
const maxMentions = 10

// peopleToMention returns the ids of the approvers that the configuration names for the repository, at most
// maxMentions. A group is called by its own id, not by those of its members. The person who asks is left
// out, and so is the requester if another person has to approve.
func (ap *Approvals) peopleToMention(
	ctx context.Context, a workflow.Approvers, asks workflow.Person,
) (ids []string, err error) {
	r, _, err := ap.Catalog.Current(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range r.Approvers.People {
		if id != asks.ID && (!a.OtherThanRequester || id != ap.Session().Requester) &&
			!slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids[:min(len(ids), maxMentions)], nil
}

func (ap *Approvals) ReportButtons(allow string) []workflow.Button {
	return append([]workflow.Button{
		{ActionID: workflow.ButtonFix, Label: allow, Style: "primary", Value: store.NewToken()},
		{ActionID: workflow.ButtonFixLimited, Label: allow + ", with limits…", Value: store.NewToken()},
		{ActionID: workflow.ButtonCorrect, Label: "Correct…", Value: store.NewToken()},
		{
			ActionID: workflow.ButtonConsult,
			Label:    "Ask the " + ap.Agents[agent.Consultant].Signature(),
			Value:    store.NewToken(),
		},
		{ActionID: workflow.ButtonStop, Label: "Stop", Style: "danger", Value: store.NewToken()},
	}, ap.Catalog.ChangeButton("Change repository…")...)
}
