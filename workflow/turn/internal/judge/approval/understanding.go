package approval

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// ConfirmUnderstanding judges a message or press that confirms the shared understanding of an interview. It
// is also the permission to work on a branch, so only a person who may approve can confirm. A bare "yes"
// below other people's words, or below an answer to a question, may be meant for these: then the person is
// asked.
func (ap *Approvals) ConfirmUnderstanding(
	ctx context.Context, m intent.Message, p workflow.Person, revision int,
) ([]store.Part, error) {
	s := ap.Session()
	refused := func(reason, said string) ([]store.Part, error) {
		f := ap.Refuse(m, p, workflow.DecideConfirm, reason, said)
		ledger.Change(f, func(d *consent.Decision) { d.Revision = revision })
		return f, nil
	}
	why, approvers, err := ap.Permissions.ApprovalRefusal(ctx, p)
	switch {
	case err != nil:
		ap.Log.Warn("a confirmation is refused: cannot read who may give it", "user", m.User, "err", err)
		return refused("who may approve could not be looked up",
			"Slack does not tell me who may approve at this moment, so I take no approval. Please try again.")
	case s.Phase != workflow.PhaseAligning || revision != s.Revision ||
		s.ReportKind != workflow.ReportRequest:
		return refused("not the newest understanding",
			"There is a newer word on this. Please answer that one.")
	case why != "":
		return ap.requestApproval(ctx, asker{Message: m, Person: p}, workflow.DecideConfirm, approvers, why,
			revision, "")
	}
	shown := func() (string, bool, error) { return ap.Store.ReportTS(ctx, s.ID, revision) }
	if unread, err := ap.WrittenBeforeShown(ctx, m, shown); err != nil {
		return nil, err
	} else if unread {
		return refused("written before the understanding was shown", fmt.Sprintf(
			"That was written before revision %d was shown. Please read it, and answer again.", revision,
		))
	}
	// While the session is open, agents read what was written below the understanding, and may restate it.
	if unseen, err := ap.Inbox().Unseen(ctx, 0); err != nil {
		return nil, err
	} else if s.Open ||
		slices.ContainsFunc(unseen, func(u workflow.Message) bool { return u.Kind != workflow.MessageTold }) {
		f, err := refused("somebody wrote meanwhile",
			"Somebody wrote meanwhile, and I look at that first. I ask again then.")
		return append(f, store.Update{Open: ledger.Wake}), err
	}
	if talk, err := ap.TalkAbove(ctx, m); err != nil {
		return nil, err
	} else if talk {
		return askConfirmation(ctx, ap, m, p), nil
	}
	if permission.IsMessage(m.Kind) && m.Says.Consent.Kind != intent.ConsentApprove {
		shownAt, _, err := shown()
		if err != nil {
			return nil, err
		}
		if talk, err := ap.Inbox().OthersWrote(ctx, "", shownAt, m.TS); err != nil {
			return nil, err
		} else if talk {
			return askConfirmation(ctx, ap, m, p), nil
		}
	}
	if f, err := ap.refuseEdited(ctx, m, p, workflow.DecideConfirm); f != nil || err != nil {
		return f, err
	}
	report, err := ap.Store.Report(ctx, s.ID, revision)
	if err != nil {
		return nil, err
	}
	approved, err := ap.ApproveReport(ctx, permission.Asker{Message: m.Message, Person: p}, report, "")
	if err != nil {
		return ap.refuseUncounted(m, p, err), nil
	}
	if !approved.Complete() {
		return ap.awaitOthers(ctx, m, p, report, "", approved)
	}
	next := "delegate from it"
	if s.Workflow == workflow.CommandStartWork { // somebody asked for a plan within the interview
		next = "show the plan with propose_plan; nothing can be delegated before somebody approves it"
	}
	f := ap.ForAgents(m, fmt.Sprintf("%s confirmed the shared understanding (revision %d). "+
		"Explore what you still have to know, then %s.", prompt.PersonName(plaintext.And(approved.Names())),
		revision, next))
	ledger.Change(f, func(u *store.Update) {
		u.Events = []workflow.Event{workflow.EventResume}
		u.Change = func(s *workflow.Session) {
			if s.Workflow != workflow.CommandStartWork {
				s.Workflow = workflow.CommandNone
			}
		}
	})
	f = append(f, store.Lines(ap.ProgressLine("Understood, starting.")))
	f = append(f,
		consent.Decision{
			What:      workflow.DecideConfirm,
			Allowed:   true,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  revision,
		})
	return append(f, approved.Parts...), nil
}

// askConfirmation asks the person whether m confirms the newest understanding. While such a question waits,
// the next one replaces its words; a person who would not see it there is told alone.
func askConfirmation(ctx context.Context, ap *Approvals, m intent.Message, p workflow.Person) []store.Part {
	revision := ap.Session().Revision
	question := fmt.Sprintf("shall I read %s as your word to start from the shared understanding as it "+
		"stands (revision %d)? Press a button, or reply \"go ahead\". "+
		"If something has to change first, say what.",
		ap.QuoteWords(ctx, m), revision)
	line := ap.ProgramLine(p.Name+", "+question,
		workflow.Button{
			ActionID: workflow.ButtonConfirm,
			Label:    startLabel,
			Value:    store.NewToken(),
			Style:    "primary",
		},
		workflow.Button{ActionID: workflow.ButtonCorrect, Label: "No", Value: store.NewToken(), Means: "no"})
	return append(ap.Ignore(m),
		store.Reworded{
			ActionID: workflow.ButtonConfirm, Label: startLabel, Line: line[0],
			BelowTalk: ap.tellBelowTalk(m, p, question),
		},
		consent.Decision{
			What:      workflow.DecideConfirm,
			Reason:    "unclear, asked",
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  revision,
		})
}

// startLabel distinguishes the button of a question about an understanding from the button of the
// understanding.
const startLabel = "Yes, start"
