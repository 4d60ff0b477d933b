package consent

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// ErrPushAhead means that another repository of the thread is being pushed, or that its push was refused and
// the thread was not told yet. The intent is to be recorded again after that.
var ErrPushAhead = errors.New("another repository of the thread is being pushed")

// pushAhead selects whether a push of another repository of the thread comes before one of the session $1: it
// is under way, or it was refused, and what the thread is told of that was not posted. What the operator has
// paused may stay so for days, and keeps nothing back.
const pushAhead = `select exists (select 1 from sessions o join pushes p on p.session_id = o.id
	where o.id in (` + record.OthersInThread + `) and (p.state = 'intended' and o.open and o.halted = ''
			and not exists (select 1 from pauses x where x.scope = 'repository' and x.name = o.repository)
		or p.state = 'refused' and exists (select 1 from outbox x where x.session_id = o.id
			and x.line_id is not null and x.posted_at is null and x.refused is null)))`

// PushAhead reports whether the session has to wait with its push. The pushes of one thread go out one after
// another, so that people can stop the next one when they read that one was refused.
func (g Register) PushAhead(ctx context.Context, session string) (ahead bool, err error) {
	if err = g.DB.Pool.QueryRow(ctx, pushAhead, session).Scan(&ahead); err != nil {
		return false, fmt.Errorf("pushes beside that of %s: %w", session, err)
	}
	return ahead, nil
}

// refuseAhead fails with ErrPushAhead if the session has to wait. Until tx ends, no other session of the
// thread gets past it.
func refuseAhead(ctx context.Context, tx pgx.Tx, session string) error {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('pushes of ' ||
		coalesce(part_of, id), 0)) from sessions where id = $1`, session); err != nil {
		return err
	}
	var ahead bool
	if err := tx.QueryRow(ctx, pushAhead, session).Scan(&ahead); err != nil {
		return err
	}
	if ahead {
		return ErrPushAhead
	}
	return nil
}
