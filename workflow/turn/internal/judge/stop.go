package judge

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// stopSession stops everything that is under way. Anybody who may take part can ask for it. Approved
// work then goes on only if a person who may approve says so.
func (j *Judge) stopSession(ctx context.Context, m intent.Message, p workflow.Person) ([]store.Part, error) {
	return j.stopParts(ctx, m, p, "Stopped, as "+p.Name+" asked.")
}

func (j *Judge) stopParts(
	ctx context.Context, m intent.Message, p workflow.Person, said string,
) ([]store.Part, error) {
	if f, ok, err := j.leaveDecision(ctx, m, p); ok || err != nil {
		return f, err
	}
	mark := m.TS
	if !permission.IsMessage(m.Kind) {
		mark = approval.PressedStop(m.Message)
	}
	update := store.Update{
		ClearStop: true,
		Open:      ledger.Rest,
		Change:    func(s *workflow.Session) { s.Halted = mark },
	}
	f := append(j.Ignore(m),
		consent.Decision{What: workflow.DecideStop, Allowed: true, User: p.ID, MessageTS: m.TS},
		progress.StoppedInquiries{Alone: !j.Session().Open}, progress.StoppedLookbacks{},
		store.PicturesStopped{},
		backports.Stop{}, ciproof.Stop{}, ticket.Stop{})
	kept := "The work so far is kept; "
	if phase := j.Session().Phase; !j.Session().Open &&
		(phase == workflow.PhaseDone || phase == workflow.PhaseAnswered) {
		// nothing ran but what runs beside the turns
		kept = "Nothing else runs now; "
		pushed, err := j.Objections.PushedLine(ctx, p)
		if err != nil {
			return nil, err
		}
		if pushed != "" {
			said = pushed
		}
	}
	awaited, err := ciproof.Register{Store: j.Store}.Awaited(ctx, j.Session().ID)
	if err != nil {
		return nil, err
	}
	if awaited != "" {
		said += fmt.Sprintf(" I no longer wait for the checks of %s: it stays unproven.",
			prompt.ShortHash(awaited))
	}
	how, buttons, err := j.howToGoOn(ctx, p, mark)
	if err != nil {
		return nil, err
	}
	if f, err = j.keepReason(ctx, m, p, f); err != nil {
		return nil, err
	}
	ends, _, err := j.Objections.TakeBack(ctx, p)
	if err != nil {
		return nil, err
	}
	f = append(f, ends...)
	if j.Session().Phase == workflow.PhaseStopped {
		if m.Kind == workflow.MessageMention || buttons != nil {
			f = append(f, store.Lines(j.ProgramLine("It is stopped already. The work so far is kept; "+how,
				buttons...)))
		}
		return append(f, update), nil
	}
	if late, err := j.pushBegun(ctx); err != nil {
		return nil, err
	} else if late != "" {
		said = p.Name + ", " + late
		kept = "Nothing else runs now; "
	}
	if q, err := j.Store.Waiting(ctx, j.Session().ID); err != nil {
		return nil, err
	} else if q != nil { // what is written next does not answer the question
		f = append(f, progress.Answer{Question: q.ID, Text: "stopped", User: p.ID})
	}
	update.Events = []workflow.Event{workflow.EventStop}
	kept += how
	if j.AwaitsConsent() && m.Kind != workflow.MessageDelete && buttons == nil {
		kept = fmt.Sprintf(
			"Revision %d was not begun; write \"fix it\" to take it up again, or what has to change.",
			j.Session().Revision,
		)
		buttons = j.Approvals.FileButton(ctx)
	}
	if m.Says.Files {
		kept += " To make an issue of it, reply \"file it\"."
	}
	return append(f, update, store.Lines(j.ProgramLine(said+" "+kept, buttons...))), nil
}

// pushBegun says that a push of the approved work has begun, or nothing if none has.
func (j *Judge) pushBegun(ctx context.Context) (string, error) {
	a, err := j.StandingApproval(ctx)
	if err != nil || a == nil {
		return "", err
	}
	return j.Objections.TooLate(ctx, a.ID)
}

// keepReason gives the words of a stop to the agents, who read them when the work goes on, if they say more
// than stop. If their writer's messages are held back, people who may approve can pass these on, too.
func (j *Judge) keepReason(
	ctx context.Context, m intent.Message, p workflow.Person, f []store.Part,
) ([]store.Part, error) {
	if !permission.IsMessage(m.Kind) || m.Says.OnlyRefuses() {
		return f, nil
	}
	held, err := j.Permissions.HoldReason(ctx, p)
	if err != nil {
		return f, err
	}
	if held != "" {
		return j.Held.AlsoHold(ctx, f, m, p, held)
	}
	ledger.Change(f, func(h *inbox.Handled) { h.ForAgents = true })
	return f, nil
}

// leaveDecision returns the parts of a stop by a person who may not approve, while a report, a plan or an
// understanding waits for somebody who may: what is under way ends, and the decision stays open. ok is false
// for any other stop. Whoever began the session may take it back.
func (j *Judge) leaveDecision(
	ctx context.Context, m intent.Message, p workflow.Person,
) (f []store.Part, ok bool, err error) {
	s := j.Session()
	reading, err := j.Approvals.ReadsRemarks(ctx)
	if err != nil {
		return nil, false, err
	}
	asking := s.Phase == workflow.PhaseConsulting && !s.Open && s.PreviousPhase.AwaitsConsent()
	waits := j.AwaitsConsent() || s.Phase == workflow.PhaseAligning && s.ReportKind == workflow.ReportRequest
	if !reading && !asking && !waits || m.Kind == workflow.MessageDelete || p.ID == s.Requester && !p.Guest {
		return nil, false, nil
	}
	if why, _, err := j.Permissions.ApprovalRefusal(ctx, p); err != nil || why == "" {
		return nil, false, err
	}
	update := store.Update{ClearStop: true, Open: ledger.Rest}
	said := fmt.Sprintf(
		"%s, nothing is under way here that I could stop. Revision %d stays open for an approver.",
		p.Name, s.Revision,
	)
	switch {
	case reading && s.Phase == workflow.PhasePlanning:
		update.Events = []workflow.Event{workflow.EventShowPlan}
	case reading, asking:
		update.Events = []workflow.Event{workflow.EventReturn}
	}
	if reading {
		said = fmt.Sprintf("Stopped reading what was written below revision %d, as %s asked. "+
			"The revision stays open for an approver.", s.Revision, p.Name)
	} else if asking || s.Open {
		said = fmt.Sprintf(
			"Stopped what was under way, as %s asked. Revision %d stays open for an approver.",
			p.Name, s.Revision,
		)
	}
	f = append(
		j.Answer(m, said), update,
		consent.Decision{
			What:      workflow.DecideStop,
			Allowed:   true,
			Reason:    "the decision stays open",
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  s.Revision,
		},
	)
	return append(
		f, progress.StoppedInquiries{Alone: !s.Open}, progress.StoppedLookbacks{}, store.PicturesStopped{},
	), true, nil
}

// howToGoOn says what lets stopped work go on, and returns the button for it if an approval stands.
func (j *Judge) howToGoOn(
	ctx context.Context, p workflow.Person, mark string,
) (string, []workflow.Button, error) {
	standing, err := j.StandingApproval(ctx)
	if err != nil {
		return "", nil, err
	}
	if standing != nil {
		return "write \"go on\" here to go on.", approval.GoOnButton(mark), nil
	}
	why, _, err := j.Permissions.ApprovalRefusal(ctx, p)
	if err != nil {
		j.Log.Warn("cannot tell whether a person may approve", "user", p.ID, "err", err)
	}
	if err != nil || why != "" {
		return "it goes on when an approver writes here.", nil, nil
	}
	return "write here to go on.", nil, nil
}
