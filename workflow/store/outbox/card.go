package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// cardLease is how long a drawing may take before it counts as lost.
const cardLease = 30 * time.Second

// drawFirst returns the card for its first posting. It stores what the message will show before
// the card is posted the first time. If that posting was cut off, the message is looked up and
// nobody knows what it shows; then nothing is stored as shown, so the card is drawn again.
func drawFirst(ctx context.Context, tx pgx.Tx, session string, run int, tried bool) (*workflow.Card, error) {
	c, err := readCard(ctx, tx, session, run)
	if err != nil {
		return nil, err
	}
	mark := ""
	if !tried {
		mark = c.Mark()
	}
	_, err = tx.Exec(ctx, `update cards set shown = $3, drawn_at = now() where session_id = $1 and run = $2`,
		session, run, mark)
	return c, err
}

// NextCard leases the card that has waited longest to be drawn, or returns
// nil if there is none. A card whose drawer was lost is leased again.
func (o *Outbox) NextCard(ctx context.Context) (c *workflow.Card, err error) {
	err = pgx.BeginFunc(ctx, o.db.Pool, func(tx pgx.Tx) error {
		var session string
		var run, claim int
		err := tx.QueryRow(ctx,
			`update cards set due_at = null, leased_until = now() + $1::interval, claims = claims + 1
			where (session_id, run) = (select c.session_id, c.run from cards c join outbox o on o.key = c.key
				and o.posted_at is not null and c.gone is null
				where least(c.due_at, c.leased_until) <= now() and (c.leased_until is null
					or c.leased_until <= now())
				order by least(c.due_at, c.leased_until) limit 1 for update of c skip locked)
			returning session_id, run, claims`, cardLease).Scan(&session, &run, &claim)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if c, err = readCard(ctx, tx, session, run); err == nil {
			c.Claim = claim
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("a card to draw: %w", err)
	}
	return c, nil
}

// readCard builds the card from its rows. A session that has nothing to do is shown as waiting
// for people. While a turn runs, the time since its last recording counts as time at work.
func readCard(ctx context.Context, tx pgx.Tx, session string, run int) (*workflow.Card, error) {
	c := &workflow.Card{Session: session, Run: run}
	var from, to int
	var worked int64
	err := tx.QueryRow(ctx,
		`select s.team, coalesce(o.channel, s.channel),
			coalesce(o.thread_ts, split_part(s.thread_ts, ' ', 1)), s.repositories_before || s.repository,
			case when s.part_of is null then '' else s.repository end,
			c.key, coalesce(o.ts, ''), coalesce(c.ended, case when s.open then s.phase
			else 'paused' end), c.ended is not null,
			c.stop, c.shown, c.began_task, coalesce(c.ended_task, 2147483647), coalesce(c.ended_usd,
				s.spent_usd) - c.began_usd,
			coalesce(coalesce(c.ended_tokens, s.tokens) - c.began_tokens, 0),
			coalesce(coalesce(c.ended_unpriced, s.unpriced) - c.began_unpriced, 0),
			coalesce(c.ended_ms, s.worked_ms + case when s.open and exists (select 1 from river_job j
				where j.kind = 'turn' and j.args @> jsonb_build_object('session', s.id)
					and j.state = 'running')
				then (extract(epoch from now() - s.updated_at) * 1000)::bigint else 0 end) - c.began_ms,
			exists (select 1 from ci_proofs p where p.session_id = s.id and p.state = 'waiting')
				and not exists (select 1 from cards l where l.session_id = s.id and l.run > c.run),
			coalesce((select array_agg(e.user_name order by e.at, e.permission_id) from endorsements e
				join approvals a on a.session_id = e.session_id and a.revision = e.revision
				where e.session_id = s.id and e.revision = s.revision and e.subject = '' and e.ended = ''
					and a.needed > 1 and c.ended is null), '{}'),
			coalesce((select w.missing from allowances w join approvals a on a.id = w.approval_id
				where a.session_id = s.id and a.revision = s.revision and w.user_id = '' and c.ended is null
				order by w.asked_at desc limit 1), '')
		from cards c join sessions s on s.id = c.session_id left join outbox o on o.key = c.key
			where c.session_id = $1 and c.run = $2`,
		session, run).
		Scan(&c.Thread.Team, &c.Thread.Channel, &c.Thread.TS, &c.Repositories, &c.Part, &c.Key, &c.TS,
			&c.Phase, &c.Ended, &c.Stop, &c.DrawnMark, &from, &to, &c.Cost.USD, &c.Cost.Tokens,
			&c.Cost.Unpriced, &worked, &c.AwaitsCI, &c.ApprovedBy, &c.Missing)
	if err != nil {
		return nil, fmt.Errorf("card %d of %s: %w", run, session, err)
	}
	c.Worked = time.Duration(worked) * time.Millisecond
	if !c.Ended {
		c.Worked = c.Worked.Truncate(workflow.CardTick)
	} else {
		c.Stop = ""
	}
	if !c.Ended {
		if err := readRunning(ctx, tx, c); err != nil {
			return nil, err
		}
	}
	rows, err := tx.Query(ctx,
		`select number, case when skill = '' then '[' || category || ']'
		else '[' || category || ' + ' || skill || ' skill]' end as label,
		shown as title, state, failures,
			coalesce((select case when k.state = 'working' then now() else max(at) end - min(at)
				from transcript where session_id = $1 and task_id = k.id), interval '0') as took
		from tasks k where session_id = $1 and number > $2 and number <= $3 order by number`, session, from,
		to)
	if err != nil {
		return nil, err
	}
	c.Tasks, err = pgx.CollectRows(rows, pgx.RowToStructByName[workflow.CardTask])
	for i := range c.Tasks {
		c.Tasks[i].Took = shownTime(c.Tasks[i])
	}
	return c, err
}

// shownTime returns a task's time as the card shows it: in whole steps of
// workflow.CardTick while it goes on, and after its end only if it took a minute or more.
func shownTime(t workflow.CardTask) time.Duration {
	switch {
	case t.State == workflow.TaskWorking:
		return t.Took.Truncate(workflow.CardTick)
	case t.State == workflow.TaskOpen || t.Took < time.Minute:
		return 0
	}
	return t.Took.Round(time.Second)
}

// readRunning reads the command of the current turn that has
// run longest, if it has run for workflow.CardTick or more.
func readRunning(ctx context.Context, tx pgx.Tx, c *workflow.Card) error {
	var ran time.Duration
	err := tx.QueryRow(ctx, `select u.what, now() - u.since from under_way u
		join sessions s on s.id = u.session_id and s.epoch = u.epoch where s.id = $1 and s.open
			and now() - u.since >= $2::interval order by u.since limit 1`,
		c.Session, workflow.CardTick).Scan(&c.Running, &ran)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("what runs in %s: %w", c.Session, err)
	}
	c.Ran = ran.Truncate(workflow.CardTick)
	return nil
}

// Drawn stores that the card's message shows what the card says. If the card was leased
// again meanwhile, nobody knows which drawing came last, and the card is drawn once more.
func (o *Outbox) Drawn(ctx context.Context, c *workflow.Card) error {
	next := &[]time.Duration{workflow.CardTick}[0]
	if c.Resting() {
		next = nil
	}
	return o.endDrawing(ctx, c,
		`shown = $4, drawn_at = now(), due_at = least(due_at, now() + $5::interval)`, c.Mark(), next)
}

// CardLater schedules the card to be drawn again after wait, since Slack did not take it now.
func (o *Outbox) CardLater(ctx context.Context, c *workflow.Card, wait time.Duration) error {
	return o.endDrawing(ctx, c, `shown = $4, due_at = now() + $5::interval`, "", &wait)
}

// CardGone stores that the card's message cannot be written any more, and why.
func (o *Outbox) CardGone(ctx context.Context, c *workflow.Card, why string) error {
	return o.endDrawing(ctx, c, `gone = $4, due_at = $5::timestamptz`, why, nil)
}

func (o *Outbox) endDrawing(ctx context.Context, c *workflow.Card, set string, args ...any) error {
	tag, err := o.db.Pool.Exec(ctx,
		`update cards set leased_until = null, `+set+` where session_id = $1 and run = $2 and claims = $3`,
		append([]any{c.Session, c.Run, c.Claim}, args...)...)
	if err == nil && tag.RowsAffected() == 0 {
		_, err = o.db.Pool.Exec(ctx,
			`update cards set shown = '', due_at = now() where session_id = $1 and run = $2`,
			c.Session, c.Run)
	}
	if err != nil {
		return fmt.Errorf("card %d of %s: %w", c.Run, c.Session, err)
	}
	return nil
}
