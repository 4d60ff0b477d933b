package judge

import (
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
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
func (j *Judge) judgeGoOn(ctx context.Context, m intent.Message, p workflow.Person) (f []store.Part, ok bool, err error) {
	if len(j.Budget.Limits) == 0 || !m.Says.SaysGoOn {
		return f, false, nil
	}
	since, err := j.Limited(ctx)
	if err != nil {
		return f, false, err
	}
	if since.IsZero() && j.AwaitsConsent() {
		return f, false, nil // it is about the report
	}
	if below, err := j.belowLimit(ctx, m, since.IsZero()); err != nil || !below {
		return f, false, err // it is about something else
	}
	uses, err := j.Uses(ctx, j.Budget.Limits)
	if err != nil {
		return f, false, err
	}
	over := budget.ReachedLimits(uses)
	if len(over) == 0 && since.IsZero() {
		return f, false, nil
	}
	if len(over) == 0 { // approved work goes on only if a person who may approve says so
		if why, err := j.Permissions.HoldReason(ctx, p); why != "" || err != nil {
			return f, false, err
		}
	}
	if len(over) > 0 {
		reason, approvers, err := j.Permissions.ApprovalRefusal(ctx, p)
		if err != nil {
			j.Log.Warn("no more is allowed: cannot read who may", "user", p.ID, "err", err)
			reason = "Slack does not tell who may approve at this moment"
		}
		if reason != "" {
			return j.Refuse(m, p, "allow", reason, fmt.Sprintf("%s, I cannot take this as allowing more: %s. %s", p.Name, reason, approvers.Who())), true, nil
		}
	}
	return j.extensionParts(m, p, over, !since.IsZero()), true, nil
}

// belowLimit reports whether m was written below the line that says at which limit the session rests or, if it
// rests at none, right below one that says at which limit a question ended. If there is no such line, nobody can
// mean a limit: the message goes to the work, and a limit that is reached then pauses the session and asks.
func (j *Judge) belowLimit(ctx context.Context, m intent.Message, directly bool) (bool, error) {
	line := ""
	early, err := j.Approvals.WrittenBeforeShown(ctx, m, func() (ts string, underWay bool, err error) {
		line, underWay, err = j.LimitShown(ctx)
		return line, underWay, err
	})
	if early || err != nil || !directly {
		return !early, err
	}
	talk, err := j.Inbox().OthersWrote(ctx, "", line, m.TS)
	return !talk, err
}

// extensionParts returns the parts that record what was allowed, and that let the session go on if it
// rested.
func (j *Judge) extensionParts(m intent.Message, p workflow.Person, over []workflow.LimitUse, rested bool) []store.Part {
	f := j.Ignore(m)
	var more []string
	for _, u := range over {
		f = append(f, consent.Extension{LimitUse: u, User: p.ID, UserName: p.Name, MessageTS: m.TS})
		more = append(more, fmt.Sprintf("%s more (%s)", u.More(), u.Limit))
	}
	said := "The limit is not reached any more; going on."
	if len(over) > 0 {
		all := strings.Join(more, ", ")
		said = fmt.Sprintf("%s allows %s.", p.Name, all)
		f = append(f, permission.NewPermission(m.Message, p, workflow.PermitLimit, j.Session().Revision))
		f = append(f, consent.Decision{What: "allow", Allowed: true, Reason: all, User: p.ID, MessageTS: m.TS})
	}
	f = append(f, store.Lines(j.ProgramLine(said)))
	if rested {
		update := store.Update{Open: ledger.Wake}
		if j.Session().Phase == workflow.PhasePaused {
			update.Events = []workflow.Event{workflow.EventResume}
		}
		f = append(f, update)
	}
	return f
}
