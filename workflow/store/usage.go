package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// Usage is a Part: what something used of models, commands and the disk.
type Usage struct {
	USD      float64
	Tokens   int    // read and written by models
	Unpriced int    // of Tokens: of models whose price is not known
	Printed  int64  // bytes printed by commands
	Disk     *int64 // bytes that the session's folder takes now; nil: not measured
}

// Add adds the use of another part.
func (u *Usage) Add(o Usage) {
	u.USD = u.USD + o.USD
	u.Tokens = u.Tokens + o.Tokens
	u.Unpriced = u.Unpriced + o.Unpriced
	u.Printed = u.Printed + o.Printed
	if o.Disk != nil {
		u.Disk = o.Disk
	}
}

func (Usage) Stage() record.Stage { return record.Session }

// Mask returns u, which has no text.
func (u Usage) Mask(func(string) string) record.Part { return u }

// Write does nothing: a UsageTotal writes what all parts used.
func (Usage) Write(context.Context, pgx.Tx, *record.Recording) error { return nil }

// A UsageTotal is a Part: what all parts of a recording used, and how long the
// session was at work. It is added to the session's row and to that of the day.
type UsageTotal struct {
	Usage
	Worked  time.Duration
	Limited bool // the session rests at a limit from here on
	Freed   bool // it does not rest at a limit any more
}

func (UsageTotal) Stage() record.Stage { return record.Session }

// Mask returns t, which has no text.
func (t UsageTotal) Mask(func(string) string) record.Part { return t }

func (t UsageTotal) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	commands := 0
	worked := t.Worked.Milliseconds()
	if record.Has[progress.Command](r) || record.Has[progress.Check](r) {
		commands = 1
	}
	nothing := t.USD == 0 && t.Tokens == 0 && worked == 0 && commands == 0 && t.Printed == 0 && t.Disk == nil
	if nothing && !t.Limited && !t.Freed {
		return nil
	}
	_, err := tx.Exec(ctx, `with today as (
			insert into spending (session_id, day, team, channel, person, usd, tokens, worked_ms, commands,
				printed, unpriced)
			select id, (now() at time zone 'utc')::date, team, channel, requester, $9, $2, $4, $3, $7, $11
				from sessions where id = $1 and not $10
			on conflict (session_id, day) do update set
				usd = spending.usd + excluded.usd, tokens = spending.tokens + excluded.tokens,
				worked_ms = spending.worked_ms + excluded.worked_ms,
				commands = spending.commands + excluded.commands,
				printed = spending.printed + excluded.printed,
				unpriced = spending.unpriced + excluded.unpriced)
		update sessions set tokens = tokens + $2, commands = commands + $3, worked_ms = worked_ms + $4,
			limited_at = case when $5 then now() when $6 then null else limited_at end,
			printed = printed + $7, disk = coalesce($8, disk), unpriced = unpriced + $11
		where id = $1`,
		r.Session, t.Tokens, commands, worked, t.Limited, t.Freed, t.Printed, t.Disk, t.USD, nothing,
		t.Unpriced)
	return err
}

// A LimitWarning is a Part: people were told of a limit. Writing it
// fails with record.ErrStale if they were told before.
type LimitWarning workflow.LimitUse

func (LimitWarning) Stage() record.Stage { return record.Session }

// Mask returns w: it has the name of a limit and of what it limits, and no text.
func (w LimitWarning) Mask(func(string) string) record.Part { return w }

func (w LimitWarning) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	inserted, err := database.InsertOnce(ctx, tx, "limit_warnings", database.Row{
		"name": w.Limit, "subject": w.Subject, "day": w.Day, "number": w.Number, "session_id": r.Session,
	})
	if err == nil && !inserted {
		err = record.ErrStale
	}
	return err
}
