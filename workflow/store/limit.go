package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/quota"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/store/record"
)

// A use is what was used over one span, and whose it is.
type use struct {
	Span, Subject, Day       string
	LeftOfDay                float64 // seconds
	USD                      float64
	Tokens, Commands, Worked int64 // worked: milliseconds
	Printed, Disk            int64 // bytes
}

// Uses is what was used under each of the limits, as the rows say at this moment: in this
// session, and today in all sessions of all replicas. What a day's sessions take of the disk
// is what those take now that were at work on that day.
func (t *Turn) Uses(ctx context.Context, limits quota.Limits) ([]quota.Use, error) {
	rows, err := t.store.Pool.Query(ctx, `with s as (select *, now() at time zone 'utc' as utc from sessions where id = $1),
			d as (select p.*, x.disk + coalesce((select sum(octet_length(pack)) from workspaces w where w.session_id = x.id), 0) as disk
				from s join spending p on p.day = s.utc::date join sessions x on x.id = p.session_id)
		select 'session', s.id, '', 0::float8, spent_usd, tokens, commands, worked_ms, printed,
			(disk + coalesce((select sum(octet_length(pack)) from workspaces w where w.session_id = s.id), 0))::bigint from s
		union all
		select span, subject, to_char(s.utc, 'YYYY-MM-DD'), extract(epoch from date_trunc('day', s.utc) + interval '1 day' - s.utc)::float8,
			coalesce(sum(d.usd), 0), coalesce(sum(d.tokens), 0)::bigint, coalesce(sum(d.commands), 0)::bigint,
			coalesce(sum(d.worked_ms), 0)::bigint, coalesce(sum(d.printed), 0)::bigint, coalesce(sum(d.disk), 0)::bigint
			from s cross join lateral (values ('person_day', s.team || ' ' || s.requester), ('channel_day', s.team || ' ' || s.channel), ('day', '')) spans(span, subject)
			left join d on span = 'day' or d.team = s.team and (span = 'person_day' and d.person = s.requester or span = 'channel_day' and d.channel = s.channel)
			group by span, subject, s.utc`, t.id)
	if err != nil {
		return nil, fmt.Errorf("what %s used: %w", t.id, err)
	}
	used, err := pgx.CollectRows(rows, pgx.RowToStructByPos[use])
	if err != nil {
		return nil, fmt.Errorf("what %s used: %w", t.id, err)
	}
	uses := under(limits, used)
	for i := range uses {
		if err := t.allowed(ctx, &uses[i]); err != nil {
			return nil, fmt.Errorf("what %s may use: %w", t.id, err)
		}
	}
	return uses, nil
}

// under sorts the figures under the limits that there are.
func under(limits quota.Limits, used []use) (uses []quota.Use) {
	for _, span := range quota.Spans {
		u := used[slices.IndexFunc(used, func(u use) bool { return u.Span == string(span) })]
		for _, unit := range quota.Units {
			if step := limits[span][unit]; step > 0 {
				left := time.Duration(u.LeftOfDay * float64(time.Second))
				uses = append(uses, quota.Use{Limit: quota.LimitOf(span, unit), Used: u.of(unit), Step: step, Subject: u.Subject, Day: u.Day, Left: left})
			}
		}
	}
	return uses
}

// of is the figure as the unit counts it.
func (u use) of(unit quota.Unit) float64 {
	return map[quota.Unit]float64{
		quota.USD: u.USD, quota.Tokens: float64(u.Tokens), quota.Commands: float64(u.Commands),
		quota.Minutes: float64(u.Worked / time.Minute.Milliseconds()), // whole ones
		quota.Output:  megabytes(u.Printed), quota.Disk: megabytes(u.Disk),
	}[unit]
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// allowed adds what people allowed beyond the limit.
func (t *Turn) allowed(ctx context.Context, u *quota.Use) error {
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

// Usage is what something used: of models, of commands, of the disk.
type Usage struct {
	USD     float64
	Tokens  int    // read and written by models
	Printed int64  // bytes, by commands
	Disk    *int64 // bytes that the session's folder takes now; nil: nobody looked
}

func (u *Usage) add(o Usage) {
	u.USD, u.Tokens, u.Printed = u.USD+o.USD, u.Tokens+o.Tokens, u.Printed+o.Printed
	if o.Disk != nil {
		u.Disk = o.Disk
	}
}

func (Usage) Stage() record.Stage { return record.Session }

// Write does nothing: spending writes what all parts used.
func (Usage) Write(context.Context, pgx.Tx, *record.Recording) error { return nil }

// spending adds up what the recording used, beside the session's money, and keeps the day's.
type spending struct{ *transaction }

func (spending) Stage() record.Stage { return record.Session }

func (s spending) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	commands, used, worked := 0, s.used, s.worked.Milliseconds()
	if record.Has[progress.Command](r) || record.Has[progress.Check](r) {
		commands = 1
	}
	_, err := tx.Exec(ctx, `update sessions set tokens = tokens + $2, commands = commands + $3, worked_ms = worked_ms + $4,
			limited_at = case when $5 then now() when $6 then null else limited_at end, printed = printed + $7, disk = coalesce($8, disk) where id = $1`,
		r.Session, used.Tokens, commands, worked, s.update.Limited, s.update.ClearStop || s.update.opens(), used.Printed, used.Disk)
	nothing := used.USD == 0 && used.Tokens == 0 && worked == 0 && commands == 0 && used.Printed == 0 && used.Disk == nil
	if err != nil || nothing {
		return err
	}
	_, err = tx.Exec(ctx, `insert into spending (session_id, day, team, channel, person, usd, tokens, worked_ms, commands, printed)
		select id, (now() at time zone 'utc')::date, team, channel, requester, $2, $3, $4, $5, $6 from sessions where id = $1
		on conflict (session_id, day) do update set usd = spending.usd + excluded.usd, tokens = spending.tokens + excluded.tokens,
			worked_ms = spending.worked_ms + excluded.worked_ms, commands = spending.commands + excluded.commands, printed = spending.printed + excluded.printed`,
		r.Session, used.USD, used.Tokens, worked, commands, used.Printed)
	return err
}

// Warn says in the thread that a limit is near, unless that was said already, here or, of
// a day's limit, in another session.
func (t *Turn) Warn(ctx context.Context, u quota.Use, said []outgoing.Line) error {
	err := t.Record(ctx, warning(u), Lines(said))
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}

// A warning is that people were told of a limit; ErrStale where they were told before.
type warning quota.Use

func (warning) Stage() record.Stage { return record.Session }

func (u warning) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	tag, err := tx.Exec(ctx, `insert into limit_warnings (name, subject, day, number, session_id) values ($1, $2, $3, $4, $5) on conflict do nothing`,
		u.Limit, u.Subject, u.Day, u.Number, r.Session)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrStale
	}
	return err
}

// Worked is how long the session was at work so far.
func (t *Turn) Worked(ctx context.Context) (time.Duration, error) {
	var ms int64
	err := t.store.Pool.QueryRow(ctx, `select worked_ms from sessions where id = $1`, t.id).Scan(&ms)
	return time.Duration(ms) * time.Millisecond, err
}
