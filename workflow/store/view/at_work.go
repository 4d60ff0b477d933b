package view

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A SessionFilter says which sessions AtWork looks at: those of the channel, those that the person asked for,
// and the one with that id. An empty field names none.
type SessionFilter struct {
	Channel, Requester, Session string
	Except                      string // id of a session that is left out
}

// AtWork returns the sessions that pass the filter in which something is under way, the newest first: the
// orchestrator has something to do, an agent that only reads was asked, or a backport is being made.
func AtWork(ctx context.Context, db *database.DB, of SessionFilter) ([]workflow.Session, error) {
	rows, err := db.Pool.Query(ctx,
		`select `+store.SessionColumns+` from sessions where cleared_at is null and id <> $4
			and (channel = $1 and $1 <> '' or requester = $2 and $2 <> '' or id = $3)
			and (open and phase <> 'stopped' or exists (select 1 from inquiries q
				where q.session_id = sessions.id and q.answer is null and not q.stopped)
				or exists (select 1 from backports b where b.session_id = sessions.id
					and b.state in ('asked', 'intended')))
		order by updated_at desc, id`, of.Channel, of.Requester, of.Session, of.Except)
	if err != nil {
		return nil, fmt.Errorf("sessions at work: %w", err)
	}
	list, err := pgx.CollectRows(
		rows, func(r pgx.CollectableRow) (workflow.Session, error) { return store.ScanSession(r) },
	)
	if err != nil {
		return nil, fmt.Errorf("sessions at work: %w", err)
	}
	return list, nil
}
