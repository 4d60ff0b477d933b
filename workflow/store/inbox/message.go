package inbox

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// Handled is a Part: a message that the program has judged. Agents see it if ForAgents is set. It ends what
// the receipt of a message asked for in case that it was a stop: once no message is left to judge, none can
// be one, and what would go on to stand would interrupt every run that follows.
type Handled struct {
	ID        int64
	ForAgents bool
	AgentText string // what agents are shown instead of the message's text
	Held      bool   // it waits until a person who may approve passes it on
	Answers   bool   // it answers a question of the bot
	// task of the worker that it is for, beside the orchestrator; 0: all workers; OrchestratorAlone: none
	Task int64
}

// OrchestratorAlone is the Task of a message that no worker is shown.
const OrchestratorAlone = -1

func (Handled) Stage() record.Stage { return record.Inbox }

// Mask masks what agents are shown in place of the message.
func (h Handled) Mask(mask func(string) string) record.Part {
	h.AgentText = mask(h.AgentText)
	return h
}

func (h Handled) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if _, err := tx.Exec(ctx,
		`update inbox set handled_at = now(), for_agents = $2, shown = $3, held = $4, answers = $5,
			for_task = $6
		where id = $1`,
		h.ID, h.ForAgents, database.CleanText(h.AgentText), h.Held, h.Answers, h.Task); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `update sessions set stop_asked = false where id = $1 and stop_asked
		and not exists (select 1 from inbox where session_id = $1 and handled_at is null)`, r.Session)
	return err
}

// CompletedText is a Part: it replaces a message's text by the one that was read from
// the thread, because the event lacked what was shared with the message.
type CompletedText struct {
	ID   int64
	Text string
}

func (CompletedText) Stage() record.Stage { return record.Inbox }

// Mask returns c. The inbox has messages word for word, since they are judged, and compared with their
// later edits. What agents and people are shown of them is masked where it is shown.
func (c CompletedText) Mask(func(string) string) record.Part { return c }

func (c CompletedText) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	_, err := tx.Exec(ctx, `update inbox set text = $2 where id = $1`, c.ID, database.CleanText(c.Text))
	return err
}

// Passed is a Part: the ids of held messages that do not wait any more.
type Passed []int64

func (Passed) Stage() record.Stage { return record.Inbox }

// Mask returns p, which are no text.
func (p Passed) Mask(func(string) string) record.Part { return p }

func (p Passed) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if len(p) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `update inbox set held = false where session_id = $1 and id = any($2)`,
		r.Session, []int64(p))
	return err
}

// Earlier is a Part: messages that were in the thread before the session. They are stored
// once agents are shown them, so that it is known whose words a request is made of.
type Earlier []workflow.ThreadMessage

func (Earlier) Stage() record.Stage { return record.Inbox }

// Mask returns e. The inbox has messages word for word: see CompletedText.
func (e Earlier) Mask(func(string) string) record.Part { return e }

func (e Earlier) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	for _, m := range e {
		_, err := database.InsertOnce(ctx, tx, "inbox", database.Row{
			"session_id": r.Session,
			"event_id":   r.Session + ":earlier:" + m.TS,
			"kind":       workflow.MessageEarlier,
			"message_ts": m.TS,
			"user_id":    m.User,
			"text":       m.Text,
			"handled_at": database.Expr("now()"),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// AgentNote is a Part: what the program tells the agents by itself. It is stored as a
// message that is judged already, so every agent reads it in order. It is stored
// once for each Key. By is the person who asked for it, empty if no person did.
type AgentNote struct {
	Key, Text, By string
	Task          int64 // as in Handled
}

func (AgentNote) Stage() record.Stage { return record.Work }

// Mask masks what the agents are told.
func (a AgentNote) Mask(mask func(string) string) record.Part {
	a.Text = mask(a.Text)
	return a
}

func (a AgentNote) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := database.InsertOnce(ctx, tx, "inbox", database.Row{
		"session_id": r.Session,
		"event_id":   r.Session + ":" + a.Key,
		"kind":       workflow.MessageTold,
		"message_ts": "",
		"user_id":    a.By,
		"handled_at": database.Expr("now()"),
		"for_agents": true,
		"shown":      a.Text,
		"for_task":   a.Task,
	})
	return err
}
