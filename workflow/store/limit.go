package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// used are one session's figures, and those of the day by the database's clock.
type used struct {
	USD                      float64
	Tokens, Commands, Worked int64
	Requester, Channel       string // subjects of a day's limits; a channel with its team
	Day                      string
	Left                     float64 // seconds of the day
	Person, Here, All        float64 // USD of the day
}

// Uses is what was used under each of the limits, as the rows say at this moment: in this
// session, and today in all sessions of all replicas.
func (t *Turn) Uses(ctx context.Context, limits workflow.Limits) ([]workflow.Use, error) {
	rows, err := t.store.Pool.Query(ctx, `with s as (select *, now() at time zone 'utc' as utc from sessions where id = $1),
			d as (select p.* from spending p, s where p.day = s.utc::date)
		select spent_usd, tokens, commands, worked_ms, team || ' ' || requester, team || ' ' || channel, to_char(utc, 'YYYY-MM-DD'),
			extract(epoch from date_trunc('day', utc) + interval '1 day' - utc)::float8,
			coalesce((select sum(usd) from d where d.person = s.requester and d.team = s.team), 0),
			coalesce((select sum(usd) from d where d.channel = s.channel and d.team = s.team), 0),
			coalesce((select sum(usd) from d), 0) from s`, t.id)
	if err != nil {
		return nil, fmt.Errorf("what %s used: %w", t.id, err)
	}
	u, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[used])
	if err != nil {
		return nil, fmt.Errorf("what %s used: %w", t.id, err)
	}
	uses := u.under(t.id, limits)
	for i := range uses {
		if err := t.allowed(ctx, &uses[i]); err != nil {
			return nil, fmt.Errorf("what %s may use: %w", t.id, err)
		}
	}
	return uses, nil
}

// under sorts the figures under their limits.
func (u used) under(session string, limits workflow.Limits) (uses []workflow.Use) {
	for _, x := range []workflow.Use{
		{Limit: workflow.LimitSessionUSD, Used: u.USD, Subject: session},
		{Limit: workflow.LimitSessionTokens, Used: float64(u.Tokens), Subject: session},
		{Limit: workflow.LimitSessionCommands, Used: float64(u.Commands), Subject: session},
		{Limit: workflow.LimitSessionMinutes, Used: float64(u.Worked / time.Minute.Milliseconds()), Subject: session},
		{Limit: workflow.LimitPersonDayUSD, Used: u.Person, Subject: u.Requester, Day: u.Day},
		{Limit: workflow.LimitChannelDayUSD, Used: u.Here, Subject: u.Channel, Day: u.Day},
		{Limit: workflow.LimitDayUSD, Used: u.All, Day: u.Day},
	} {
		if x.Step = limits[x.Limit]; x.Step > 0 {
			if x.Day != "" {
				x.Left = time.Duration(u.Left * float64(time.Second))
			}
			uses = append(uses, x)
		}
	}
	return uses
}

// allowed adds what people allowed beyond the limit.
func (t *Turn) allowed(ctx context.Context, u *workflow.Use) error {
	var more float64
	err := t.store.Pool.QueryRow(ctx, `select count(*), coalesce(sum(amount), 0) from extensions where name = $1 and subject = $2 and day = $3`,
		u.Limit, u.Subject, u.Day).Scan(&u.Number, &more)
	if err != nil {
		return err
	}
	u.Allowed = u.Step + more
	return t.store.Pool.QueryRow(ctx, `select exists (select 1 from limit_warnings where name = $1 and subject = $2 and day = $3 and number = $4)`,
		u.Limit, u.Subject, u.Day, u.Number).Scan(&u.Warned)
}

// Limited is since when the session rests at a limit; zero when it does not.
func (t *Turn) Limited(ctx context.Context) (time.Time, error) {
	var at *time.Time
	err := t.store.Pool.QueryRow(ctx, `select limited_at from sessions where id = $1`, t.id).Scan(&at)
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return *at, nil
}

// Work says that from here on the turn's time is the session's time at work, to be added
// up with each fact.
func (t *Turn) Work() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counted = time.Now()
}

// worked is the time at work since it was last added up.
func (t *Turn) worked(now time.Time) time.Duration {
	if t.counted.IsZero() {
		return 0
	}
	return now.Sub(t.counted)
}

// spending adds up what the fact used, beside the session's money, and keeps the day's.
func (t *Turn) spending(ctx context.Context, tx pgx.Tx, f Fact) error {
	commands := 0
	if f.Command != nil || f.Check != nil {
		commands = 1
	}
	_, err := tx.Exec(ctx, `update sessions set tokens = tokens + $2, commands = commands + $3, worked_ms = worked_ms + $4,
			limited_at = case when $5 then now() when $6 then null else limited_at end where id = $1`,
		t.id, f.Tokens, commands, f.worked.Milliseconds(), f.Limited, f.ClearStop || f.Open != nil && *f.Open)
	if err != nil || f.SpentUSD == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `insert into spending (session_id, day, team, channel, person, usd)
		select id, (now() at time zone 'utc')::date, team, channel, requester, $2 from sessions where id = $1
		on conflict (session_id, day) do update set usd = spending.usd + excluded.usd`, t.id, f.SpentUSD)
	return err
}

// extensions keeps what people allowed: of two at the same moment, one.
func (t *Turn) extensions(ctx context.Context, tx pgx.Tx, f Fact) error {
	for _, a := range f.Extensions {
		_, err := tx.Exec(ctx, `insert into extensions (name, subject, day, number, amount, session_id, user_id, user_name, message_ts)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
			a.Limit, a.Subject, a.Day, a.Number+1, a.Step, t.id, a.User, a.UserName, a.MessageTS)
		if err != nil {
			return err
		}
	}
	return nil
}

// Warn says in the thread that a limit is near, unless that was said already, here or, of
// a day's limit, in another session.
func (t *Turn) Warn(ctx context.Context, u workflow.Use, said []workflow.Line) error {
	err := t.Record(ctx, Fact{Lines: said, warning: &u})
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

func (t *Turn) warning(ctx context.Context, tx pgx.Tx, f Fact) error {
	u := f.warning
	if u == nil {
		return nil
	}
	tag, err := tx.Exec(ctx, `insert into limit_warnings (name, subject, day, number, session_id) values ($1, $2, $3, $4, $5) on conflict do nothing`,
		u.Limit, u.Subject, u.Day, u.Number, t.id)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrStale
	}
	return err
}
