package intake

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/pictures"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/approval"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
)

// stopSession stops everything that is under way. Anybody who may take part can ask for it. Approved
// work then goes on only if a person who may approve says so.
func (in *Intake) stopSession(ctx context.Context, m incoming.Message, p workflow.Person) ([]store.Part, error) {
	return in.stopParts(ctx, m, p, "Stopped, as "+p.Name+" asked.")
}

func (in *Intake) stopParts(ctx context.Context, m incoming.Message, p workflow.Person, said string) ([]store.Part, error) {
	mark := m.TS
	if !permission.IsMessage(m.Kind) {
		mark = approval.PressedStop(m)
	}
	update := store.Update{ClearStop: true, Open: ledger.Rest, Change: func(s *workflow.Session) { s.Halted = mark }}
	f := append(in.Ignore(m), consent.Decision{What: "stop", Allowed: true, User: p.ID, MessageTS: m.TS}, progress.StoppedInquiries{Alone: !in.Session().Open}, progress.StoppedLookbacks{}, pictures.Stopped{}, backports.Stop{})
	kept := "The work so far is kept; "
	if in.Session().Phase == workflow.PhaseDone && !in.Session().Open { // nothing ran but what runs beside the turns
		pushed, err := in.Objections.PushedLine(ctx, p)
		if err != nil {
			return nil, err
		}
		if pushed != "" {
			said, kept = pushed, "Nothing else runs now; "
		}
	}
	how, buttons, err := in.howToGoOn(ctx, p, mark)
	if err != nil {
		return nil, err
	}
	if in.Session().Phase == workflow.PhaseStopped {
		if m.Kind == incoming.Mention || buttons != nil {
			f = append(f, store.Lines(in.ProgramLine("It is stopped already. The work so far is kept; "+how, buttons...)))
		}
		return append(f, update), nil
	}
	if q, err := in.Store.Waiting(ctx, in.Session().ID); err != nil {
		return nil, err
	} else if q != nil { // what is written next does not answer the question
		f = append(f, progress.Answer{Question: q.ID, Text: "stopped", User: p.ID})
	}
	update.Events = []workflow.Event{workflow.EventStop}
	return append(f, update, store.Lines(in.ProgramLine(said+" "+kept+how, buttons...))), nil
}

// howToGoOn says what lets stopped work go on, and returns the button for it if an approval stands.
func (in *Intake) howToGoOn(ctx context.Context, p workflow.Person, mark string) (string, []outgoing.Button, error) {
	approval, err := in.StandingApproval(ctx)
	if err != nil {
		return "", nil, err
	}
	if approval != nil {
		return "write \"go on\" here to go on.", in.Held.GoOnButton(mark), nil
	}
	if why, _, err := in.Permissions.ApprovalRefusal(ctx, p); err != nil || why != "" {
		return "it goes on when somebody who may approve writes here.", nil, nil
	}
	return "write here to go on.", nil, nil
}
