package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Target is a message to which reactions mean something.
type Target string

// The targets of reactions. Lines that were said with an approval or a question are recorded in its
// transaction, and so have its time.
const (
	NoTarget       Target = ""
	ReportTarget   Target = "report"   // a report, a plan or a request as it was restated
	CardTarget     Target = "card"     // the progress of a run
	ApprovalTarget Target = "approval" // a person's message that approved, or the line that said so
	PushTarget     Target = "push"     // the question before a push
)

// inChannel is the condition that a session s is or was in a thread of the channel $2 of the team $3.
const inChannel = `s.team = $3 and (s.channel = $2
	or exists (select 1 from moves v where v.session_id = s.id and v.channel = $2 and v.state = 'moved'))`

// targets selects the sessions and kinds of the targets with a ts, $1, in the channel $2 of the team $3.
const targets = `select o.session_id, case when o.card is not null then 'card'
			when o.move is not null then 'report' -- it has the report, and its buttons
			when exists (select 1 from reports r where r.session_id = o.session_id
				and r.text = l.text) then 'report'
			when exists (select 1 from endorsements e where e.session_id = o.session_id
				and e.subject = '' and e.at = l.at) then 'approval'
			when exists (select 1 from approvals a where a.session_id = o.session_id
				and a.at = l.at) then 'approval'
			when exists (select 1 from allowances w where w.session_id = o.session_id
				and w.names = l.text) then 'push' else '' end as target
		from outbox o join sessions s on s.id = o.session_id left join lines l on l.id = o.line_id
		where o.ts = $1 and ` + inChannel + `
	union all
		select a.session_id, 'approval' from approvals a join sessions s on s.id = a.session_id
		where a.message_ts = $1 and ` + inChannel + `
	union all
		select e.session_id, 'approval' from endorsements e join sessions s on s.id = e.session_id
		where e.message_ts = $1 and e.subject = '' and ` + inChannel

// findTarget returns the session with a message to which reactions mean something, or an empty string.
func findTarget(ctx context.Context, tx pgx.Tx, thread workflow.Thread, ts string) (id string, err error) {
	err = tx.QueryRow(ctx, `select s.id from (`+targets+
		`) t join sessions s on s.id = t.session_id where t.target <> '' limit 1 for update of s`,
		ts, thread.Channel, thread.Team).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// Target returns what the message is to which somebody reacted.
func (r Reader) Target(
	ctx context.Context, m workflow.Message, thread workflow.Thread,
) (t Target, err error) {
	err = r.db.Pool.QueryRow(ctx, `select coalesce((select target from (`+targets+
		`) t where session_id = $4 and target <> '' limit 1), '')`,
		m.TS, thread.Channel, thread.Team, r.session).Scan(&t)
	if err != nil {
		return t, fmt.Errorf("what %s is: %w", m.TS, err)
	}
	return t, nil
}

// RemovedSince reports whether the same person removed that reaction after it was added: events may come in
// any order.
func (r Reader) RemovedSince(ctx context.Context, m workflow.Message) (removed bool, err error) {
	err = r.db.Pool.QueryRow(ctx,
		`select exists (select 1 from inbox where session_id = $1 and kind = 'reacted' and action_id = $2
		and message_ts = $3 and user_id = $4 and value = $5 and at >= $6)`, r.session,
		workflow.ReactionRemoved, m.TS, m.User, m.Value, m.At).Scan(&removed)
	return removed, err
}

// Reacted reports whether that reaction was received before, judged or not.
func (r Reader) Reacted(ctx context.Context, in workflow.IncomingEvent) (received bool, err error) {
	err = r.db.Pool.QueryRow(ctx,
		`select exists (select 1 from inbox where session_id = $1 and kind = 'reacted'
		and action_id = $2 and message_ts = $3 and user_id = $4 and value = $5)`,
		r.session, workflow.ReactionAdded, in.TS, in.User, in.Value).Scan(&received)
	return received, err
}

// Targets returns the ts of the messages at which a reaction objects to the work of an approval: its report,
// the newest card, the message and the line that approved, and the questions before a push.
func (r Reader) Targets(ctx context.Context, approval string) (ts []string, err error) {
	rows, err := r.db.Pool.Query(ctx, `select distinct o.ts
		from approvals a join outbox o on o.session_id = a.session_id left join lines l on l.id = o.line_id
		where a.id = $2 and a.session_id = $1 and o.ts is not null and (a.at = l.at
			or o.card = (select max(card) from outbox where session_id = $1)
			or o.move = (select max(number) from moves where session_id = $1 and revision = a.revision)
			or exists (select 1 from reports r where r.session_id = $1 and r.revision = a.revision
				and r.text = l.text)
			or exists (select 1 from allowances w where w.approval_id = a.id and w.names = l.text))
		union select o.ts from approvals a join endorsements e on e.session_id = a.session_id
				and e.revision = a.revision and e.subject = ''
			join lines l on l.session_id = a.session_id and l.at = e.at
			join outbox o on o.line_id = l.id and o.ts is not null
			where a.id = $2 and a.session_id = $1
		union select e.message_ts from approvals a join endorsements e on e.session_id = a.session_id
			and e.revision = a.revision and e.subject = '' where a.id = $2 and a.session_id = $1
		union select message_ts from approvals where id = $2 and session_id = $1
			and message_ts <> ''`, r.session, approval)
	if err != nil {
		return nil, fmt.Errorf("where reactions to %s are read: %w", approval, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
