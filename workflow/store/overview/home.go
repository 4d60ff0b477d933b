package overview

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// SessionsOf are sessions that the person asked for, or that are in one of the channels,
// the newest first: those that wait for people alone, or all of them.
func SessionsOf(ctx context.Context, db *database.DB, person string, channels []string, waiting bool, most int) ([]workflow.Session, error) {
	rows, err := db.Pool.Query(ctx, `select `+store.SessionColumns+` from sessions
		where cleared_at is null and (requester = $1 or channel = any($2)) and (not $3 or not open and (phase in ('reported', 'plan_shown', 'paused')
			or phase not in ('answered', 'done', 'stopped', 'failed') and exists (select 1 from questions q where q.session_id = sessions.id and q.answer = '')))
		order by updated_at desc, id limit $4`, person, append([]string{}, channels...), waiting, most)
	if err != nil {
		return nil, fmt.Errorf("sessions of %s: %w", person, err)
	}
	list, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (workflow.Session, error) { return store.ScanSession(r) })
	if err != nil {
		return nil, fmt.Errorf("sessions of %s: %w", person, err)
	}
	return list, nil
}

// SpentToday is what the person's sessions spent on this day of the database, in UTC.
func SpentToday(ctx context.Context, db *database.DB, person string) (usd float64, err error) {
	err = db.Pool.QueryRow(ctx, `select coalesce(sum(usd), 0) from spending where person = $1 and day = (now() at time zone 'utc')::date`, person).Scan(&usd)
	return usd, err
}
