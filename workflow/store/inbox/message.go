package inbox

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/incoming"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/record"
)

// A Handled message was judged by the program. Agents see those that are for them.
type Handled struct {
	ID        int64
	ForAgents bool
	Shown     string // instead of the message's own text
	Held      bool   // it waits for somebody who may approve to pass it on
	Answers   bool   // it answers a question of the bot's
	Task      int64  // whose worker it is for, beside the orchestrator; 0: all who work; OrchestratorAlone: none
}

// OrchestratorAlone stands for a task where no worker is shown a message.
const OrchestratorAlone = -1

func (Handled) Stage() record.Stage { return record.Inbox }

func (h Handled) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	_, err := tx.Exec(ctx, `update inbox set handled_at = now(), for_agents = $2, shown = $3, held = $4, answers = $5, for_task = $6 where id = $1`,
		h.ID, h.ForAgents, database.CleanText(h.Shown), h.Held, h.Answers, h.Task)
	return err
}

// A Completed message is one as the thread has it: what was shared with it came in no event.
type Completed struct {
	ID   int64
	Text string
}

func (Completed) Stage() record.Stage { return record.Inbox }

func (m Completed) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	_, err := tx.Exec(ctx, `update inbox set text = $2 where id = $1`, m.ID, database.CleanText(m.Text))
	return err
}

// Passed are the ids of held messages that wait no longer.
type Passed []int64

func (Passed) Stage() record.Stage { return record.Inbox }

func (ids Passed) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `update inbox set held = false where session_id = $1 and id = any($2)`, r.Session, []int64(ids))
	return err
}

// Earlier are messages that stood in the thread before the session. They are kept once
// agents are shown them, so that it is known whose words a request is made of.
type Earlier []incoming.ThreadMessage

func (Earlier) Stage() record.Stage { return record.Inbox }

func (list Earlier) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	for _, m := range list {
		_, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, text, handled_at)
			values ($1, $2, $3, $4, $5, $6, now()) on conflict do nothing`,
			r.Session, r.Session+":earlier:"+m.TS, incoming.Earlier, m.TS, m.User, database.CleanText(m.Text))
		if err != nil {
			return err
		}
	}
	return nil
}

// Told is what the program tells the agents by itself: a message that is judged already, so
// that every agent reads it in its order. The key makes it one; By is who asked for it,
// empty where nobody did.
type Told struct {
	Key, Text, By string
	Task          int64 // as of Handled
}

func (Told) Stage() record.Stage { return record.Work }

func (m Told) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx, `insert into inbox (session_id, event_id, kind, message_ts, user_id, handled_at, for_agents, shown, for_task)
		values ($1, $2, $3, '', $5, now(), true, $4, $6) on conflict do nothing`, r.Session, r.Session+":"+m.Key, incoming.Told, database.CleanText(m.Text), m.By, m.Task)
	return err
}
