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

// A limitAnswer is what "go on" says about the limits of a session.
type limitAnswer struct {
	meant  bool                // the message is about a limit
	over   []workflow.LimitUse // the limits that are reached
	rested bool                // the session rests at one
}

// limitMeant returns the limits that a message is about, which says "go on".
func (j *Judge) limitMeant(ctx context.Context, c *Case) (a limitAnswer, err error) {
	since := get(c, &c.limited)
	if len(j.Budget.Limits) == 0 || c.err != nil || since.IsZero() && c.awaitsConsent() {
		// it is about the report
		return a, c.err
	}
	if below, err := j.belowLimit(ctx, c.Message, since.IsZero()); err != nil || !below {
		return a, err // it is about something else
	}
	uses, err := j.Uses(ctx, j.Budget.Limits)
	if err != nil {
		return a, err
	}
	a.over = budget.ReachedLimits(uses)
	a.rested = !since.IsZero()
	a.meant = len(a.over) > 0 || a.rested
	return a, nil
}

// judgeGoOn judges "go on" in a session that reached a limit. If a person who may approve says it, as much
// again is allowed. If the limit is not reached any more, because the day is over or more was allowed
// elsewhere, the session goes on.
func (j *Judge) judgeGoOn(ctx context.Context, c *Case) []store.Part {
	p := c.person()
	a := get(c, &c.limit)
	if len(a.over) > 0 {
		may := get(c, &c.mayApprove)
		reason := may.why
		if may.err != nil {
			j.Log.Warn("no more is allowed: cannot read who may", "user", p.ID, "err", may.err)
			reason = "Slack does not tell who may approve at this moment"
		}
		if reason != "" {
			return j.Refuse(c.Message, p, workflow.DecideAllow, reason,
				j.Permissions.RefusalText(ctx, p, reason, may.approvers))
		}
	}
	return j.extensionParts(c.Message, p, a)
}

// belowLimit reports whether m was written below the line that says at which limit the session rests or, if
// it rests at none, right below one that says at which limit a question ended. If there is no such line,
// nobody can mean a limit: the message goes to the work, and a limit that is reached then pauses the session
// and asks.
func (j *Judge) belowLimit(ctx context.Context, m intent.Message, directly bool) (bool, error) {
	line := ""
	early, err := j.Approvals.WrittenBeforeShown(ctx, m, func() (ts string, underWay bool, err error) {
		line, underWay, err = j.LimitTS(ctx)
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
func (j *Judge) extensionParts(m intent.Message, p workflow.Person, a limitAnswer) []store.Part {
	f := j.Ignore(m)
	var more []string
	for _, u := range a.over {
		f = append(f, consent.Extension{LimitUse: u, User: p.ID, UserName: p.Name, MessageTS: m.TS})
		more = append(more, fmt.Sprintf("%s more (%s)", u.More(), u.Limit))
	}
	said := "The limit is not reached any more; going on."
	if len(a.over) > 0 {
		all := strings.Join(more, ", ")
		said = fmt.Sprintf("%s allows %s.", p.Name, all)
		f = append(f, permission.NewPermission(m.Message, p, workflow.PermitLimit, j.Session().Revision))
		f = append(f,
			consent.Decision{
				What:      workflow.DecideAllow,
				Allowed:   true,
				Reason:    all,
				User:      p.ID,
				MessageTS: m.TS,
			})
	}
	f = append(f, store.Lines(j.ProgramLine(said)))
	if a.rested {
		update := store.Update{Open: ledger.Wake}
		if j.Session().Phase == workflow.PhasePaused {
			update.Events = []workflow.Event{workflow.EventResume}
		}
		f = append(f, update)
	}
	return f
}
