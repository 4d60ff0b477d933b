package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
)

// Redrawing begins a run's card, has it drawn anew where the recording changes what it shows,
// and ends it with the run. Recordings that come quickly one after the other are drawn once:
// a card is written every two seconds at most.
type redrawing struct{}

func (redrawing) stage() stage { return stageThread }

func (redrawing) write(ctx context.Context, tx pgx.Tx, r *recording) error {
	moved := len(r.update.Events) > 0 || len(r.update.Maybe) > 0
	if !moved && !has[Task](r) && !has[Attempt](r) && r.used.USD == 0 && r.update.Open == nil {
		return nil
	}
	t := r.Turn
	var phase workflow.Phase
	var open bool
	err := tx.QueryRow(ctx, `select phase, exists (select 1 from cards where session_id = $1 and ended is null) from sessions where id = $1`, t.id).Scan(&phase, &open)
	switch {
	case err != nil:
		return err
	case !open && (phase == workflow.PhaseWorking || phase == workflow.PhaseVerifying):
		if !t.store.Cards {
			return nil
		}
		return t.beginCard(ctx, tx)
	case !open:
		return nil
	case slices.Contains(atWorkOrBlocked, phase):
		_, err = tx.Exec(ctx, `update cards set due_at = least(due_at, greatest(now(), drawn_at + $2::interval)) where session_id = $1 and ended is null`, t.id, cardPace)
		return err
	}
	_, err = tx.Exec(ctx, `update cards c set ended = s.phase, ended_ms = s.worked_ms, ended_usd = s.spent_usd,
			ended_task = (select coalesce(max(number), 0) from tasks where session_id = $1), due_at = greatest(now(), drawn_at + $2::interval)
		from sessions s where c.session_id = $1 and s.id = $1 and c.ended is null`, t.id, cardPace)
	return err
}

// atWorkOrBlocked are the phases of a run that goes on, or will when somebody answers.
var atWorkOrBlocked = []workflow.Phase{workflow.PhaseWorking, workflow.PhaseVerifying, workflow.PhaseConsulting, workflow.PhasePaused}

const (
	cardPace  = 2 * time.Second  // between two drawings of a card
	cardLease = 30 * time.Second // how long a drawing may take before it counts as lost
)

// beginCard keeps the card of a run that begins, and that it has to be posted. Tasks
// that nobody began are its own, where no earlier run had them.
func (t *Turn) beginCard(ctx context.Context, tx pgx.Tx) error {
	var run int
	var key string
	stop := NewToken()
	err := tx.QueryRow(ctx, `insert into cards (session_id, run, key, stop, began_ms, began_usd, began_task, due_at)
		select s.id, n.run, s.id || ':card:' || n.run, $2, s.worked_ms, s.spent_usd, 
			greatest((select coalesce(max(number), 0) from tasks where session_id = $1 and state <> 'open'), n.ended_task), now() + $3::interval
		from sessions s, (select coalesce(max(run), 0) + 1 as run, max(ended_task) as ended_task from cards where session_id = $1) n where s.id = $1 returning run, key`,
		t.id, stop, cardPace).Scan(&run, &key)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `insert into buttons (id, session_id, action_id, revision) select $1, id, 'stop', revision from sessions where id = $2`, stop, t.id)
	if err != nil {
		return err
	}
	if err := t.store.Queue.InsertPost(ctx, tx, t.id); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `insert into outbox (key, session_id, alone, card) values ($1, $2, true, $3)`, key, t.id, run)
	return err
}

// RunEnded reports whether a stop button is of a run that has ended.
func (t *Turn) RunEnded(ctx context.Context, stop string) (ended bool, err error) {
	err = t.store.Pool.QueryRow(ctx, `select exists (select 1 from cards where session_id = $1 and stop = $2 and ended is not null)`, t.id, stop).Scan(&ended)
	return ended, err
}

// cardOf is what a card's first posting shows. What is known to be shown is kept
// before it is posted the first time: should that be cut off, it is looked up, and nobody
// knows which words it has; it is drawn again.
func (s *Store) cardOf(ctx context.Context, tx pgx.Tx, session string, run int, tried bool) (*workflow.Card, error) {
	c, err := readCard(ctx, tx, session, run)
	if err != nil {
		return nil, err
	}
	mark := ""
	if !tried {
		mark = c.Mark()
	}
	_, err = tx.Exec(ctx, `update cards set shown = $3, drawn_at = now() where session_id = $1 and run = $2`, session, run, mark)
	return c, err
}

// NextCard gives out the card that has waited longest to be drawn; nil when there is none.
// One whose drawer was lost is given out again.
func (s *Store) NextCard(ctx context.Context) (c *workflow.Card, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var session string
		var run, claim int
		err := tx.QueryRow(ctx, `update cards set due_at = null, leased_until = now() + $1::interval, claims = claims + 1
			where (session_id, run) = (select c.session_id, c.run from cards c join outbox o on o.key = c.key and o.posted_at is not null and c.gone is null
				where least(c.due_at, c.leased_until) <= now() and (c.leased_until is null or c.leased_until <= now())
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

// readCard makes the card from its rows. A session that nothing is to be done in waits for
// people. What the turn was at since its last fact counts as
// time at work, while it is under way.
func readCard(ctx context.Context, tx pgx.Tx, session string, run int) (*workflow.Card, error) {
	c := &workflow.Card{Session: session, Run: run}
	var from, to int
	var worked int64
	err := tx.QueryRow(ctx, `select s.team, s.channel, split_part(s.thread_ts, ' ', 1), s.repository, c.key, coalesce(o.ts, ''), coalesce(c.ended, case when s.open then s.phase else 'paused' end), c.ended is not null,
			c.stop, c.shown, c.began_task, coalesce(c.ended_task, 2147483647), coalesce(c.ended_usd, s.spent_usd) - c.began_usd,
			coalesce(c.ended_ms, s.worked_ms + case when s.open and exists (select 1 from river_job j
				where j.kind = 'turn' and j.args @> jsonb_build_object('session', s.id) and j.state = 'running')
				then (extract(epoch from now() - s.updated_at) * 1000)::bigint else 0 end) - c.began_ms
		from cards c join sessions s on s.id = c.session_id left join outbox o on o.key = c.key where c.session_id = $1 and c.run = $2`, session, run).
		Scan(&c.Thread.Team, &c.Thread.Channel, &c.Thread.TS, &c.Repository, &c.Key, &c.TS, &c.Phase, &c.Ended, &c.Stop, &c.Shown, &from, &to, &c.USD, &worked)
	if err != nil {
		return nil, fmt.Errorf("card %d of %s: %w", run, session, err)
	}
	c.Worked = time.Duration(worked) * time.Millisecond
	if !c.Ended {
		c.Worked = c.Worked.Truncate(workflow.CardTick)
	} else {
		c.Stop = ""
	}
	rows, err := tx.Query(ctx, `select number, case when skill = '' then '[' || category || ']' else '[' || category || ' + ' || skill || ' skill]' end as label,
		shown as title, state, failures from tasks where session_id = $1 and number > $2 and number <= $3 order by number`, session, from, to)
	if err != nil {
		return nil, err
	}
	c.Tasks, err = pgx.CollectRows(rows, pgx.RowToStructByName[workflow.CardTask])
	return c, err
}

// Drawn keeps that the card's message shows what the card says. Where it was given out again
// meanwhile nobody knows which drawing came last, and it is drawn once more.
func (s *Store) Drawn(ctx context.Context, c *workflow.Card) error {
	next := &[]time.Duration{workflow.CardTick}[0]
	if c.Resting() {
		next = nil
	}
	return s.endDrawing(ctx, c, `shown = $4, drawn_at = now(), due_at = least(due_at, now() + $5::interval)`, c.Mark(), next)
}

// CardLater has the card drawn after a while: Slack did not take it now.
func (s *Store) CardLater(ctx context.Context, c *workflow.Card, wait time.Duration) error {
	return s.endDrawing(ctx, c, `shown = $4, due_at = now() + $5::interval`, "", &wait)
}

// CardGone keeps that the card's message cannot be written any more, and why.
func (s *Store) CardGone(ctx context.Context, c *workflow.Card, why string) error {
	return s.endDrawing(ctx, c, `gone = $4, due_at = $5::timestamptz`, why, nil)
}

func (s *Store) endDrawing(ctx context.Context, c *workflow.Card, set string, args ...any) error {
	tag, err := s.Pool.Exec(ctx, `update cards set leased_until = null, `+set+` where session_id = $1 and run = $2 and claims = $3`,
		append([]any{c.Session, c.Run, c.Claim}, args...)...)
	if err == nil && tag.RowsAffected() == 0 {
		_, err = s.Pool.Exec(ctx, `update cards set shown = '', due_at = now() where session_id = $1 and run = $2`, c.Session, c.Run)
	}
	if err != nil {
		return fmt.Errorf("card %d of %s: %w", c.Run, c.Session, err)
	}
	return nil
}
