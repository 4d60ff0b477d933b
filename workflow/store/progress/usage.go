package progress

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// AgentUsage is a Part: what a model's answer used in one agent's conversation.
type AgentUsage struct {
	Task                  int64 // as in Transcript
	Input, Cached, Output int   // tokens; Cached is a part of Input
	USD                   float64
}

func (AgentUsage) Stage() record.Stage { return record.Work }

// Mask returns a, which has no text.
func (a AgentUsage) Mask(func(string) string) record.Part { return a }

// Write adds the usage to that of the conversation.
func (a AgentUsage) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`insert into agent_usage (session_id, task_id, calls, input, cached, output, usd)
		values ($1, $2, 1, $3, $4, $5, $6)
		on conflict (session_id, task_id) do update set calls = agent_usage.calls + 1, input =
			agent_usage.input + excluded.input,
			cached = agent_usage.cached + excluded.cached, output = agent_usage.output + excluded.output, usd
				= agent_usage.usd + excluded.usd`,
		r.Session, a.Task, a.Input, a.Cached, a.Output, a.USD)
	return err
}
