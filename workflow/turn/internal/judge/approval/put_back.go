package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// PutBack judges a press that has the removal with that hash put back. It is judged like an approval.
// While the work goes on, it widens the approval by that removal. After the push it makes and approves a
// new revision that says what is put back.
func (ap *Approvals) PutBack(
	ctx context.Context, m intent.Message, p workflow.Person, hash string,
) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) {
		return ap.Refuse(m, p, workflow.DecidePutBack, reason, said), nil
	}
	all, err := ap.Store.Removals(ctx, ap.Session().ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(r workflow.Removal) bool { return r.Hash == hash })
	if i < 0 {
		return refused("nothing was taken out", "that was not taken out here.")
	}
	r := all[i]
	why, approvers, err := ap.Permissions.RevisionRefusal(ctx, p, r.Revision)
	if err != nil {
		return ap.RefuseUnknown(m, err)
	}
	if why != "" {
		return ap.askToPutBack(ctx, asker{Message: m, Person: p}, approvers, why, r)
	}
	standing, err := ap.StandingApproval(ctx)
	if err != nil {
		return nil, err
	}
	s := ap.Session()
	switch {
	case r.User != "":
		return refused("put back already", "it was put back already, as "+r.UserName+" said.")
	case s.Halted != "":
		return refused("the work is stopped", "the work is stopped. Let it go on first, then press again.")
	case standing != nil && standing.ID == r.Approval:
		e, waits, err := ap.agreePutBack(ctx, m, p, r)
		if err != nil || waits != nil {
			return waits, err
		}
		return append(ap.putBackParts(m, p, r), e.parts...), nil
	}
	gone, err := ap.RevisionPushed(ctx, r.Revision)
	if err != nil {
		return nil, err
	}
	if standing != nil || !gone || s.Phase != workflow.PhaseDone && s.Phase != workflow.PhaseAnswered {
		return refused("something newer is under way", "something newer is under way in this thread. "+
			"Press again when it is done, or ask for it in words.")
	}
	e, waits, err := ap.agreePutBack(ctx, m, p, r)
	if err != nil || waits != nil {
		return waits, err
	}
	return ap.putBackPushed(ctx, m, p, r, e)
}

// agreePutBack counts the word of a person who has a removal put back. waits is not nil if others have to,
// too.
func (ap *Approvals) agreePutBack(
	ctx context.Context, m intent.Message, p workflow.Person, r workflow.Removal,
) (e endorsed, waits []store.Part, err error) {
	return ap.agree(ctx, m, p, question{
		revision: r.Revision, subject: workflow.RemovalSubject(r.Hash), permit: workflow.PermitPutBack,
		decide: workflow.DecidePutBack, what: "To put this back: " + r.Places(), reason: "tree " + r.With,
		button: ledger.PutBackButton(r),
	})
}

// putBackParts widens the approval of the current work by the removal.
func (ap *Approvals) putBackParts(m intent.Message, p workflow.Person, r workflow.Removal) []store.Part {
	f := ap.ForAgents(m, ap.putBackTold(p, r)+"Keep it; the scope takes it in. "+
		"Where nothing else is to be done, a worker calls done, and the orchestrator finish.")
	r.User = p.ID
	r.UserName = p.Name
	r.MessageTS = m.TS
	said := fmt.Sprintf("Put back, as %s asked: %s", p.Name, r.Places())
	return append(f, store.Lines(ap.ProgramLine(said)),
		permission.NewPermission(m.Message, p, workflow.PermitPutBack, ap.Session().Revision),
		consent.Removal(r),
		consent.Decision{
			What:      workflow.DecidePutBack,
			Allowed:   true,
			Reason:    "tree " + r.With,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  r.Revision,
		})
}

// putBackTold returns what agents are told of a removal that is put back.
func (ap *Approvals) putBackTold(p workflow.Person, r workflow.Removal) string {
	return fmt.Sprintf("%s, who may approve, has put back what was taken out. The program lays it into the "+
		"files again:\n%s\n", prompt.PersonName(p.Name), prompt.Fence("removed", r.Diff()))
}

// putBackPushed makes a new revision that puts back what was taken out of pushed work, and nothing else.
// The people who asked for that work count as those who asked for the revision, so the press only approves.
func (ap *Approvals) putBackPushed(
	ctx context.Context, m intent.Message, p workflow.Person, r workflow.Removal, e endorsed,
) ([]store.Part, error) {
	s := ap.Session()
	pushed, err := ap.Store.Report(ctx, s.ID, r.Revision)
	if err != nil {
		return nil, fmt.Errorf("put back: who asked for revision %d: %w", r.Revision, err)
	}
	what := "Put back what was taken out of revision " + fmt.Sprint(r.Revision)
	body, err := json.Marshal(workflow.Request{SurfaceArea: r.Places(), DoneCriteria: []string{what}})
	if err != nil {
		return nil, fmt.Errorf("put back: %w", err)
	}
	report := workflow.Report{
		Session:    s.ID,
		Revision:   s.Revision + 1,
		Kind:       workflow.ReportRequest,
		Body:       body,
		BaseCommit: s.BaseCommit,
		AskedBy:    pushed.AskedBy,
		Credits:    pushed.Credits,
		Text:       fmt.Sprintf("Revision %d, as %s asked. %s:\n%s", s.Revision+1, p.Name, what, r.List()),
	}
	f := ap.ForAgents(m, ap.putBackTold(p, r)+"Nothing else is to be done under this approval: "+
		"call finish. If the proof does not hold, delegate a fix for that.")
	ledger.Change(f,
		func(u *store.Update) { u.Events = []workflow.Event{workflow.EventRequest, workflow.EventResume} })
	f = append(f, consent.Report(report), store.Lines(ap.ProgramLine(report.Text)))
	approved, err := ap.Permissions.ApprovalParts(ctx, permission.Asker{Message: m.Message, Person: p},
		report,
		permission.Terms{What: workflow.PermitPutBack, Needed: e.Needed, By: e.Names()})
	if err != nil {
		return nil, err
	}
	f = append(f, e.parts...)
	for _, x := range e.By[:len(e.By)-1] { // what they had put back is what they approve
		x.Revision = report.Revision
		x.Subject = ""
		f = append(f, consent.Endorsement(x))
	}
	f = append(f, approved...)
	r.User = p.ID
	r.UserName = p.Name
	r.MessageTS = m.TS
	return append(f, consent.Removal(r)), nil
}

// askToPutBack turns a press of a person who may not approve into a request to the people who may. They
// are called once for each removal.
func (ap *Approvals) askToPutBack(
	ctx context.Context, by asker, a workflow.Approvers, why string, r workflow.Removal,
) ([]store.Part, error) {
	m := by.Message
	p := by.Person
	said := ap.Permissions.RefusalText(ctx, p, why, a)
	refused := func(more string) []store.Part {
		return ap.Refuse(m, p, workflow.DecidePutBack, why, said+more)
	}
	if r.User != "" {
		return refused(""), nil
	}
	decisions, err := ap.Store.Decisions(ctx, ap.Session().ID)
	if err != nil {
		return nil, fmt.Errorf("who asked before: %w", err)
	}
	for _, d := range decisions {
		if d.What != workflow.DecideAskPutBack || d.Reason != "tree "+r.With {
			continue
		}
		return refused(ap.askedText(ctx, p, a)), nil
	}
	lines := ap.ProgramLine(fmt.Sprintf("%s asks to put this back: %s", p.Name, r.Places()),
		ledger.PutBackButton(r))
	if lines[0].Mentions, err = ap.peopleToMention(ctx, a, p); err != nil {
		return nil, err
	}
	return append(refused(ap.askedText(ctx, p, a)), store.Replies(lines),
		consent.Decision{
			What:      workflow.DecideAskPutBack,
			Allowed:   true,
			Reason:    "tree " + r.With,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  r.Revision,
		}), nil
}
