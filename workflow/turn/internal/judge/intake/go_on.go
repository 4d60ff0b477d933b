package intake

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// judgeGoOn judges "go on" in a session that reached a limit. ok reports whether the message was about
// that. If a person who may approve says it, as much again is allowed. If the limit is not reached any
// more, because the day is over or more was allowed elsewhere, any person whose messages are not held
// back lets the session go on.
func (in *Intake) judgeGoOn(ctx context.Context, m workflow.Message, p workflow.Person) (f []store.Part, ok bool, err error) {
	if len(in.Budget.Limits) == 0 || !in.Words.SaysGoOn(m.Text) {
		return f, false, nil
	}
	since, err := in.Limited(ctx)
	if err != nil {
		return f, false, err
	}
	if since.IsZero() && in.AwaitsConsent() {
		return f, false, nil // it is about the report
	}
	if below, err := in.belowLimit(ctx, m, since.IsZero()); err != nil || !below {
		return f, false, err // it is about something else
	}
	uses, err := in.Uses(ctx, in.Budget.Limits)
	if err != nil {
		return f, false, err
	}
	over := budget.ReachedLimits(uses)
	if len(over) == 0 && since.IsZero() {
		return f, false, nil
	}
	if len(over) == 0 { // approved work goes on only if a person who may approve says so
		if why, err := in.Permissions.HoldReason(ctx, p); why != "" || err != nil {
			return f, false, err
		}
	}
	if len(over) > 0 {
		reason, approvers, err := in.Permissions.ApprovalRefusal(ctx, p)
		if err != nil {
			in.Log.Warn("no more is allowed: cannot read who may", "user", p.ID, "err", err)
			reason = "Slack does not tell who may approve at this moment"
		}
		if reason != "" {
			return in.Refuse(m, p, "allow", reason, fmt.Sprintf("%s, I cannot take this as allowing more: %s. %s", p.Name, reason, approvers.Who())), true, nil
		}
	}
	return in.extensionParts(m, p, over, !since.IsZero()), true, nil
}

// belowLimit reports whether m was written below the line that says at which limit the session rests or, if it
// rests at none, right below one that says at which limit a question ended. If there is no such line, nobody can
// mean a limit: the message goes to the work, and a limit that is reached then pauses the session and asks.
func (in *Intake) belowLimit(ctx context.Context, m workflow.Message, directly bool) (bool, error) {
	line := ""
	early, err := in.Approvals.WrittenBeforeShown(ctx, m, func() (ts string, underWay bool, err error) {
		line, underWay, err = in.LimitShown(ctx)
		return line, underWay, err
	})
	if early || err != nil || !directly {
		return !early, err
	}
	talk, err := in.Inbox().OthersWrote(ctx, "", line, m.TS)
	return !talk, err
}

// extensionParts returns the parts that record what was allowed, and that let the session go on if it
// rested.
func (in *Intake) extensionParts(m workflow.Message, p workflow.Person, over []workflow.LimitUse, rested bool) []store.Part {
	f := in.Ignore(m)
	var more []string
	for _, u := range over {
		f = append(f, consent.Extension{LimitUse: u, User: p.ID, UserName: p.Name, MessageTS: m.TS})
		more = append(more, fmt.Sprintf("%s more (%s)", u.More(), u.Limit))
	}
	said := "The limit is not reached any more; going on."
	if len(over) > 0 {
		all := strings.Join(more, ", ")
		said = fmt.Sprintf("%s allows %s.", p.Name, all)
		f = append(f, permission.NewPermission(m, p, workflow.PermitLimit, in.Session().Revision))
		f = append(f, consent.Decision{What: "allow", Allowed: true, Reason: all, User: p.ID, MessageTS: m.TS})
	}
	f = append(f, store.Lines(in.ProgramLine(said)))
	if rested {
		update := store.Update{Open: ledger.Wake}
		if in.Session().Phase == workflow.PhasePaused {
			update.Events = []workflow.Event{workflow.EventResume}
		}
		f = append(f, update)
	}
	return f
}
