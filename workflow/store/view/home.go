package view

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// taken is the condition on sessions s that somebody works or worked on. It leaves out threads in which
// everything so far was refused, such as a guest's mention, or was for another person.
const taken = `(s.open or s.phase <> 'exploring'
	or exists (select 1 from inbox i where i.session_id = s.id and (i.for_agents or i.handled_at is null))
	or exists (select 1 from inquiries q where q.session_id = s.id))`

// newestOf selects the newest sessions of the person and of each channel separately, so that
// older ones are not read, however many there are. It takes the same arguments as waitingOf.
const newestOf = `id in (
	(select s.id from sessions s
		where s.cleared_at is null and s.requester = $1 and ` + taken + `
		order by s.updated_at desc, s.id limit $3)
	union (select x.id from unnest($2::text[]) c cross join lateral (
		select s.id from sessions s
			where s.cleared_at is null and s.channel = c and ` + taken + `
			order by s.updated_at desc, s.id limit $3) x))`

// waitingOf selects the sessions that wait for people. They are few, and have an index of their own.
const waitingOf = `cleared_at is null and not open and phase not in ('answered', 'done', 'stopped', 'failed')
	and (requester = $1 or channel = any($2))
	and (phase in ('reported', 'plan_shown', 'paused') or exists (select 1 from questions q
		where q.session_id = sessions.id and q.answer = ''))`

// SessionsOf returns sessions that the person asked for or that are in one of the channels, newest
// first, at most most of them. If waiting is set, it returns only those that wait for people.
func SessionsOf(
	ctx context.Context, db *database.DB, person string, channels []string, waiting bool, most int,
) ([]workflow.Session, error) {
	which := newestOf
	if waiting {
		which = waitingOf
	}
	list, err := store.CollectSessions(db.Pool.Query(ctx,
		`select `+store.SessionColumns+` from sessions where `+which+` order by updated_at desc, id limit $3`,
		person, append([]string{}, channels...), most))
	if err != nil {
		return nil, fmt.Errorf("sessions of %s: %w", person, err)
	}
	return list, nil
}

// SpentToday returns what the person's sessions used today, a day of the database's clock in UTC.
func SpentToday(ctx context.Context, db *database.DB, person string) (c workflow.Cost, err error) {
	err = db.Pool.QueryRow(ctx,
		`select coalesce(sum(usd), 0), coalesce(sum(tokens), 0)::bigint, coalesce(sum(unpriced), 0)::bigint
		from spending where person = $1
			and day = (now() at time zone 'utc')::date`,
		person).Scan(&c.USD, &c.Tokens, &c.Unpriced)
	return c, err
}

// IsFirst reports whether no other session began in the session's channel before it.
func IsFirst(ctx context.Context, db *database.DB, s workflow.Session) (first bool, err error) {
	err = db.Pool.QueryRow(ctx, `select not exists (select 1 from sessions
		where team = $1 and channel = $2 and id <> $3 and created_at <= $4)`,
		s.Thread.Team, s.Thread.Channel, s.ID, s.Created).Scan(&first)
	return first, err
}

// SessionsIn returns the sessions in a channel that somebody works or worked on, newest first: those of the
// person, or of everybody if it is empty.
func SessionsIn(
	ctx context.Context, db *database.DB, channel, person string, most int,
) ([]workflow.Session, error) {
	list, err := store.CollectSessions(db.Pool.Query(ctx,
		`select `+store.SessionColumns+` from sessions where id in (select s.id from sessions s
			where s.cleared_at is null and s.channel = $1 and ($3 = '' or s.requester = $3) and `+taken+`
			order by s.updated_at desc, s.id limit $2)
		order by updated_at desc, id`, channel, most, person))
	if err != nil {
		return nil, fmt.Errorf("sessions in %s: %w", channel, err)
	}
	return list, nil
}
