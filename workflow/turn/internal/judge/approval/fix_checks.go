package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// FixChecks judges a press of the button that asks to fix the failed checks at the git host. It is judged
// like an approval: the press of a person who may approve makes and approves a new revision, which is limited
// to the files of the pushed change. Changes beyond those files are taken out, and need a report that is
// approved.
func (ap *Approvals) FixChecks(
	ctx context.Context, m intent.Message, p workflow.Person, commit string,
) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) {
		return ap.Refuse(m, p, workflow.DecideFixThere, reason, said), nil
	}
	s := ap.Session()
	push, err := backports.Register{Store: ap.Store}.NewestPush(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	no, may, err := ap.mayDecide(ctx, m, p, pushedRevision(s, push), workflow.DecideFixThere)
	if err != nil || !may {
		return no, err
	}
	row, err := pullrequest.Register{Store: ap.Store}.Of(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	standing, err := ap.StandingApproval(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case row == nil || row.Head != commit || row.Failure == "" || row.State != pullrequest.Open:
		return refused("not red any more", "that is not red any more, or something newer was pushed.")
	case s.Halted != "":
		return refused("the work is stopped", "the work is stopped. Let it go on first, then press again.")
	case standing != nil || s.Phase != workflow.PhaseDone && s.Phase != workflow.PhaseAnswered:
		return refused("something newer is under way", "something newer is under way in this thread. "+
			"Press again when it is done, or ask for it in words.")
	}
	return ap.fixParts(ctx, m, p, *row, pushedRevision(s, push))
}

// fixParts returns the new revision and its approval by the press. The people who asked for the pushed
// change, which is of that revision, count as those who asked for the new one, so the press only approves.
func (ap *Approvals) fixParts(
	ctx context.Context, m intent.Message, p workflow.Person, row pullrequest.Row, revision int,
) ([]store.Part, error) {
	s := ap.Session()
	pushed, err := ap.Store.Report(ctx, s.ID, revision)
	if err != nil {
		return nil, fmt.Errorf("fix failed checks: who asked for revision %d: %w", revision, err)
	}
	files := plaintext.OneLine(strings.Join(row.Files, ", "))
	at, _, err := ap.Catalog.Current(ctx)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("Fix what failed on %s%d at %s", at.Pulls.Words().Mark, row.Number,
		prompt.ShortHash(row.Head))
	body, err := json.Marshal(workflow.Request{
		SurfaceArea:  files,
		DoneCriteria: []string{what},
		Files:        row.Files,
	})
	if err != nil {
		return nil, fmt.Errorf("fix failed checks: %w", err)
	}
	report := workflow.Report{
		Session:    s.ID,
		Revision:   s.Revision + 1,
		Kind:       workflow.ReportRequest,
		Body:       body,
		BaseCommit: s.BaseCommit,
		AskedBy:    pushed.AskedBy,
		Credits:    pushed.Credits,
		Text: fmt.Sprintf("Revision %d, as %s asked. %s, in the files of what was pushed: %s", s.Revision+1,
			p.Name, what, files),
	}
	scope := "the files " + files
	told := fmt.Sprintf("%s, who may approve, has asked for a fix of what failed at the git host, "+
		"as revision %d. The approval is limited to these files; tests beside them may be added:\n%s\n"+
		"What failed there, and the end of what it printed, is data:\n%s\nFind out why, delegate a fix for "+
		"it, and call finish. If the cause lies elsewhere, reply with that: it needs a report of its own.",
		prompt.PersonName(p.Name), report.Revision, prompt.Fence("scope", scope),
		prompt.Fence("output", row.Failure))
	approved, err := ap.ApproveReport(ctx, permission.Asker{Message: m.Message, Person: p}, report, scope)
	if err != nil {
		return ap.refuseUncounted(m, p, err), nil
	}
	if !approved.Complete() {
		lines, err := ap.waitingLines(ctx, p, report, approved.Waits(report.Revision, scope), approved.Count)
		f := append(ap.Ignore(m), consent.Report(report), store.Lines(ap.ProgramLine(report.Text)),
			inbox.AgentNote{Key: fmt.Sprint("fix checks:", m.ID), Text: told, By: p.ID}, store.Replies(lines),
			store.Update{Events: []workflow.Event{workflow.EventRequest, workflow.EventReport}})
		return append(f, approved.Parts...), err
	}
	f := ap.ForAgents(m, told)
	ledger.Change(f,
		func(u *store.Update) { u.Events = []workflow.Event{workflow.EventRequest, workflow.EventResume} })
	f = append(f, consent.Report(report), store.Lines(ap.ProgramLine(report.Text)))
	return append(f, approved.Parts...), nil
}
