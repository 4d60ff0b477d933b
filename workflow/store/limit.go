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
	Printed, Disk            int64
	Requester, Channel       string // subjects of a day's limits; a channel with its team
	Day                      string
	Left                     float64 // seconds of the day
	Person, Here, All        ofDay
}

// ofDay is what sessions used on one day.
type ofDay struct {
	USD            float64
	Tokens, Worked int64
}

// Uses is what was used under each of the limits, as the rows say at this moment: in this
// session, and today in all sessions of all replicas.
func (t *Turn) Uses(ctx context.Context, limits workflow.Limits) ([]workflow.Use, error) {
	var u used
	err := t.store.Pool.QueryRow(ctx, `with s as (select *, now() at time zone 'utc' as utc from sessions where id = $1),
			d as (select p.usd, p.tokens, p.worked_ms, p.person = s.requester and p.team = s.team as person, p.channel = s.channel and p.team = s.team as here
				from spending p, s where p.day = s.utc::date),
			sums as (select coalesce(sum(usd) filter (where person), 0) as person_usd, coalesce(sum(tokens) filter (where person), 0)::bigint as person_tokens,
				coalesce(sum(worked_ms) filter (where person), 0)::bigint as person_ms, coalesce(sum(usd) filter (where here), 0) as here_usd,
				coalesce(sum(tokens) filter (where here), 0)::bigint as here_tokens, coalesce(sum(worked_ms) filter (where here), 0)::bigint as here_ms,
				coalesce(sum(usd), 0) as usd, coalesce(sum(tokens), 0)::bigint as tokens, coalesce(sum(worked_ms), 0)::bigint as ms from d)
		select s.spent_usd, s.tokens, s.commands, s.worked_ms, s.printed,
			s.disk + coalesce((select sum(octet_length(pack)) from workspaces where session_id = s.id), 0)::bigint,
			s.team || ' ' || s.requester, s.team || ' ' || s.channel, to_char(s.utc, 'YYYY-MM-DD'),
			extract(epoch from date_trunc('day', s.utc) + interval '1 day' - s.utc)::float8,
			person_usd, person_tokens, person_ms, here_usd, here_tokens, here_ms, usd, sums.tokens, ms from s, sums`, t.id).
		Scan(&u.USD, &u.Tokens, &u.Commands, &u.Worked, &u.Printed, &u.Disk, &u.Requester, &u.Channel, &u.Day, &u.Left,
			&u.Person.USD, &u.Person.Tokens, &u.Person.Worked, &u.Here.USD, &u.Here.Tokens, &u.Here.Worked, &u.All.USD, &u.All.Tokens, &u.All.Worked)
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
		{Limit: workflow.LimitSessionMinutes, Used: minutes(u.Worked), Subject: session},
		{Limit: workflow.LimitSessionOutput, Used: megabytes(u.Printed), Subject: session},
		{Limit: workflow.LimitSessionDisk, Used: megabytes(u.Disk), Subject: session},
		{Limit: workflow.LimitPersonDayUSD, Used: u.Person.USD, Subject: u.Requester, Day: u.Day},
		{Limit: workflow.LimitPersonDayTokens, Used: float64(u.Person.Tokens), Subject: u.Requester, Day: u.Day},
		{Limit: workflow.LimitPersonDayMinutes, Used: minutes(u.Person.Worked), Subject: u.Requester, Day: u.Day},
		{Limit: workflow.LimitChannelDayUSD, Used: u.Here.USD, Subject: u.Channel, Day: u.Day},
		{Limit: workflow.LimitChannelDayTokens, Used: float64(u.Here.Tokens), Subject: u.Channel, Day: u.Day},
		{Limit: workflow.LimitChannelDayMinutes, Used: minutes(u.Here.Worked), Subject: u.Channel, Day: u.Day},
		{Limit: workflow.LimitDayUSD, Used: u.All.USD, Day: u.Day},
		{Limit: workflow.LimitDayTokens, Used: float64(u.All.Tokens), Day: u.Day},
		{Limit: workflow.LimitDayMinutes, Used: minutes(u.All.Worked), Day: u.Day},
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

func minutes(ms int64) float64      { return float64(ms / time.Minute.Milliseconds()) }
func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

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
			limited_at = case when $5 then now() when $6 then null else limited_at end, printed = printed + $7, disk = coalesce($8, disk) where id = $1`,
		t.id, f.Tokens, commands, f.worked.Milliseconds(), f.Limited, f.ClearStop || f.Open != nil && *f.Open, f.Printed, f.Disk)
	if err != nil || f.SpentUSD == 0 && f.Tokens == 0 && f.worked.Milliseconds() == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `insert into spending (session_id, day, team, channel, person, usd, tokens, worked_ms)
		select id, (now() at time zone 'utc')::date, team, channel, requester, $2, $3, $4 from sessions where id = $1
		on conflict (session_id, day) do update set usd = spending.usd + excluded.usd, tokens = spending.tokens + excluded.tokens,
			worked_ms = spending.worked_ms + excluded.worked_ms`, t.id, f.SpentUSD, f.Tokens, f.worked.Milliseconds())
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
