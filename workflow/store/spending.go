// What was used, by whom and when: money, tokens, commands, time at work, output and disk. It is in the
// session's row and in one row for each of its days. A recording's parts say what they used (Usage), and its
// UsageTotal adds that up. An Account reads what was used under the limits, and what people allowed beyond
// them (store/consent stores an Extension).

package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A use is what was used over one span, and by whom.
type use struct {
	Span, Subject, Day       string
	LeftOfDay                float64 // seconds
	USD                      float64
	Tokens, Commands, Worked int64 // worked: milliseconds
	Printed, Disk            int64 // bytes
}

// An Account reads what one session has used, and what the
// sessions under the same limits used on the same day.
type Account struct {
	db      *database.DB
	session string
}

// OpenAccount returns the account of that session.
func OpenAccount(db *database.DB, session string) Account { return Account{db, session} }

// Uses returns what was used under each of the limits, as the rows say at this
// moment: in this session, and today in all sessions of all replicas. The disk
// use of a day is what the sessions that were at work on that day use now.
func (a Account) Uses(ctx context.Context, limits workflow.Limits) ([]workflow.LimitUse, error) {
	rows, err := a.db.Pool.Query(ctx,
		`with s as (select *, now() at time zone 'utc' as utc from sessions where id = $1),
			d as (select p.*, x.disk + coalesce((select sum(octet_length(pack)) from workspaces w
				where w.session_id = x.id), 0) as disk
				from s join spending p on p.day = s.utc::date join sessions x on x.id = p.session_id)
		select 'session', s.id, '', 0::float8, spent_usd, tokens, commands, worked_ms, printed,
			(disk + coalesce((select sum(octet_length(pack)) from workspaces w
				where w.session_id = s.id), 0))::bigint from s
		union all
		select span, subject, to_char(s.utc, 'YYYY-MM-DD'), extract(epoch
			from date_trunc('day', s.utc) + interval '1 day' - s.utc)::float8,
			coalesce(sum(d.usd), 0), coalesce(sum(d.tokens), 0)::bigint, coalesce(sum(d.commands), 0)::bigint,
			coalesce(sum(d.worked_ms), 0)::bigint, coalesce(sum(d.printed), 0)::bigint, coalesce(sum(d.disk),
				0)::bigint
			from s cross join lateral (values ('person_day', s.team || ' ' || s.requester), ('channel_day',
				s.team || ' ' || s.channel), ('day', '')) spans(span, subject)
			left join d on span = 'day' or d.team = s.team and (span = 'person_day' and d.person = s.requester
				or span = 'channel_day' and d.channel = s.channel)
			group by span, subject, s.utc`, a.session)
	if err != nil {
		return nil, fmt.Errorf("what %s used: %w", a.session, err)
	}
	used, err := pgx.CollectRows(rows, pgx.RowToStructByPos[use])
	if err != nil {
		return nil, fmt.Errorf("what %s used: %w", a.session, err)
	}
	uses := under(limits, used)
	for i := range uses {
		if err := a.allowed(ctx, &uses[i]); err != nil {
			return nil, fmt.Errorf("what %s may use: %w", a.session, err)
		}
	}
	return uses, nil
}

// under returns one LimitUse for each limit that is set.
func under(limits workflow.Limits, used []use) (uses []workflow.LimitUse) {
	for _, span := range workflow.Spans {
		u := used[slices.IndexFunc(used, func(u use) bool { return u.Span == string(span) })]
		for _, unit := range workflow.Units {
			if step := limits[span][unit]; step > 0 {
				left := time.Duration(u.LeftOfDay * float64(time.Second))
				uses = append(uses, workflow.LimitUse{
					Limit:   workflow.LimitOf(span, unit),
					Used:    u.of(unit),
					Step:    step,
					Subject: u.Subject,
					Day:     u.Day,
					Left:    left,
				})
			}
		}
	}
	return uses
}

// of returns the figure for the unit.
func (u use) of(unit workflow.Unit) float64 {
	return map[workflow.Unit]float64{
		workflow.UnitUSD: u.USD, workflow.UnitTokens: float64(u.Tokens),
		workflow.UnitCommands: float64(u.Commands),
		workflow.UnitMinutes:  float64(u.Worked / time.Minute.Milliseconds()), // whole ones
		workflow.UnitOutput:   megabytes(u.Printed), workflow.UnitDisk: megabytes(u.Disk),
	}[unit]
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// allowed sets what people allowed beyond the limit, and whether they were warned.
func (a Account) allowed(ctx context.Context, u *workflow.LimitUse) error {
	var more float64
	err := a.db.Pool.QueryRow(ctx,
		`select count(*), coalesce(sum(amount), 0) from extensions where name = $1 and subject = $2
			and day = $3`,
		u.Limit, u.Subject, u.Day).Scan(&u.Number, &more)
	if err != nil {
		return err
	}
	u.Allowed = u.Step + more
	return a.db.Pool.QueryRow(ctx,
		`select exists (select 1 from limit_warnings where name = $1 and subject = $2 and day = $3
			and number = $4)`,
		u.Limit, u.Subject, u.Day, u.Number).Scan(&u.Warned)
}

// Limited returns since when the session rests at a limit, or zero if it does not.
func (a Account) Limited(ctx context.Context) (time.Time, error) {
	var at *time.Time
	err := a.db.Pool.QueryRow(ctx, `select limited_at from sessions where id = $1`, a.session).Scan(&at)
	if err != nil || at == nil {
		return time.Time{}, err
	}
	return *at, nil
}

// LimitTS returns the ts of the line that says at which limit the session rests or, if it rests at none,
// of the newest one that says at which limit a question ended. ts is empty before the line is in Slack, or if
// there is none. underWay reports that it is being posted.
func (a Account) LimitTS(ctx context.Context) (ts string, underWay bool, err error) {
	err = a.db.Pool.QueryRow(ctx,
		`select coalesce(max(o.ts), ''), coalesce(bool_or(o.tried_at is not null and o.posted_at is null
		and o.refused is null), false)
		from sessions s join lines l on l.session_id = s.id and (l.at = s.limited_at or s.limited_at is null
			and starts_with(l.text, $2))
		join outbox o on o.line_id = l.id where s.id = $1`, a.session, workflow.NotLookedInto).Scan(&ts,
		&underWay)
	return ts, underWay, err
}

// Worked returns how long the session was at work so far.
func (a Account) Worked(ctx context.Context) (time.Duration, error) {
	var ms int64
	err := a.db.Pool.QueryRow(ctx, `select worked_ms from sessions where id = $1`, a.session).Scan(&ms)
	return time.Duration(ms) * time.Millisecond, err
}
