package inbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// Form returns the modal that the button opens, or nil if there is no such button or it opens none.
func (i *Inbox) Form(ctx context.Context, action workflow.ActionID, value string) (*workflow.Form, error) {
	if !workflow.OpensForm(action) {
		return nil, nil
	}
	f := workflow.Form{ActionID: action, Value: value}
	var newest int
	var means, approver, branch string
	err := i.db.Pool.QueryRow(ctx,
		`select s.id, s.team, s.channel, split_part(s.thread_ts, ' ', 1), s.repositories_before ||
		s.repository, b.revision, b.means, s.revision, coalesce(a.user_name, ''), s.branch
		from buttons b join sessions s on s.id = b.session_id left join approvals a on a.session_id = s.id
			and a.revision = s.revision
		where b.id = $1 and b.action_id = $2`, value, action).
		Scan(&f.Session, &f.Thread.Team, &f.Thread.Channel, &f.Thread.TS, &f.Repositories, &f.Revision,
			&means, &newest, &approver, &branch)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("form of a button: %w", err)
	case means == "no": // it declines, and opens no modal
		return nil, nil
	case action == workflow.ButtonDetails:
		f.Text = means
	case action == workflow.ButtonRepository || action == workflow.ButtonBase:
		f.Choices = strings.Split(means, "\n")
		if branch != "" {
			f.Late = "The work was approved already. Another repository or branch is for another thread."
		}
	case action == workflow.ButtonAskStop:
	case f.Revision != newest:
		f.Late = fmt.Sprintf("Revision %d was shown meanwhile, and this is about revision %d. Nothing was "+
			"sent; your words stay here to be copied. Please answer the newest one.", newest, f.Revision)
	case action == workflow.ButtonFixLimited && approver != "":
		f.Late = fmt.Sprintf("Revision %d was already approved by %s. Nothing was sent.", newest, approver)
	}
	return &f, nil
}

// Submit stores what was sent in a modal, as Receive does, in the thread of the button
// that opened it. If it does not count any more, nothing is stored, and late says why
// in words for people. What was stored before stays accepted, whatever happened since.
func (i *Inbox) Submit(ctx context.Context, in workflow.IncomingEvent) (late string, err error) {
	var kept bool
	if err := i.db.Pool.QueryRow(ctx, `select exists (select 1 from inbox where event_id = $1)`,
		in.EventID).Scan(&kept); err != nil || kept {
		return "", err
	}
	form, err := i.Form(ctx, in.ActionID, in.Value)
	switch {
	case err != nil:
		return "", err
	case form == nil:
		return "I do not know any more what this was about. Please write it in the thread.", nil
	case form.Late != "":
		return form.Late, nil
	}
	in.Thread = form.Thread
	return "", i.Receive(ctx, in)
}
