package store

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// redrawing is the part of every recording that keeps the card of a run up to date. It begins the
// card, schedules a redraw when the recording changes what the card shows, and ends the card with the
// run. Recordings in quick succession share a redraw: a card is written every two seconds at most.
type redrawing struct{ *transaction }

func (redrawing) Stage() record.Stage { return record.Thread }

// Mask returns d, which has no text.
func (d redrawing) Mask(func(string) string) record.Part { return d }

func (d redrawing) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	moved := len(d.update.Events) > 0 || len(d.update.OptionalEvents) > 0
	if !moved && !record.Has[progress.Task](r) && !record.Has[progress.Attempt](r) && d.used.USD == 0 &&
		d.used.Unpriced == 0 && d.update.Open == nil {
		return nil
	}
	t := d.turn
	var phase workflow.Phase
	var open bool
	err := tx.QueryRow(ctx,
		`select phase, exists (select 1 from cards where session_id = $1 and ended is null) from sessions
			where id = $1`,
		t.id).Scan(&phase, &open)
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
		_, err = tx.Exec(ctx,
			`update cards set due_at = least(due_at, greatest(now(), drawn_at + $2::interval))
				where session_id = $1 and ended is null`,
			t.id, cardPace)
		return err
	}
	_, err = tx.Exec(ctx,
		`update cards c set ended = s.phase, ended_ms = s.worked_ms, ended_usd = s.spent_usd,
			ended_tokens = s.tokens, ended_unpriced = s.unpriced,
			ended_task = (select coalesce(max(number), 0) from tasks
				where session_id = $1), due_at = greatest(now(), drawn_at + $2::interval)
		from sessions s where c.session_id = $1 and s.id = $1 and c.ended is null`, t.id, cardPace)
	return err
}

// atWorkOrBlocked holds the phases of a run that goes on, or that will go on after an answer.
var atWorkOrBlocked = []workflow.Phase{
	workflow.PhaseWorking, workflow.PhaseVerifying, workflow.PhaseConsulting, workflow.PhasePaused,
}

const (
	cardPace = 2 * time.Second // minimum time between two drawings of a card

)

// beginCard inserts the card of a run that begins, its stop button, and the outbox row and job that
// post it. Tasks that no worker has begun belong to the card, unless an earlier run's card had them.
func (t *Turn) beginCard(ctx context.Context, tx pgx.Tx) error {
	var run int
	var key string
	stop := NewToken()
	err := tx.QueryRow(ctx,
		`insert into cards (session_id, run, key, stop, began_ms, began_usd, began_tokens, began_unpriced,
			began_task, due_at)
		select s.id, n.run, s.id || ':card:' || n.run, $2, s.worked_ms, s.spent_usd, s.tokens, s.unpriced,
			greatest((select coalesce(max(number), 0) from tasks where session_id = $1
				and state <> 'open'), n.ended_task), now() + $3::interval
		from sessions s, (select coalesce(max(run), 0) + 1 as run, max(ended_task) as ended_task from cards
			where session_id = $1) n where s.id = $1 returning run, key`,
		t.id, stop, cardPace).Scan(&run, &key)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx,
		`insert into buttons (id, session_id, action_id, revision) select $1, id, $3, revision
			from sessions where id = $2`,
		stop, t.id, workflow.ButtonStop)
	if err != nil {
		return err
	}
	if err := t.store.Queue.InsertPost(ctx, tx, t.id); err != nil {
		return err
	}
	return database.Insert(ctx, tx, "outbox", database.Row{
		"key": key, "session_id": t.id, "alone": true, "card": run,
	})
}

// RunEnded reports whether the run of a stop button has ended.
func (t *Turn) RunEnded(ctx context.Context, stop string) (ended bool, err error) {
	err = t.store.Pool.QueryRow(ctx,
		`select exists (select 1 from cards where session_id = $1 and stop = $2 and ended is not null)`, t.id,
		stop).Scan(&ended)
	return ended, err
}
