package view

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// A Share is what one agent used of a session, in all its conversations together.
type Share struct {
	Who           string
	Models, Tools time.Duration // waiting for models, running tools
	Calls         int           // of models; 0 in a session from before they were counted
	Input, Output int64         // tokens
	USD           float64
}

// Shares returns the share of every agent, the one that took longest first.
func Shares(ctx context.Context, db *database.DB, session string) ([]Share, error) {
	rows, err := db.Pool.Query(ctx, `with steps as (
			select session_id, task_id, `+role+` as role, at - lag(at) over (partition by task_id order by seq) as took from transcript where session_id = $1
		), conversations as (
			select session_id, task_id, sum(took) filter (where role in ('assistant', 'folded')) as models, sum(took) filter (where role = 'tool') as tools from steps group by 1, 2
		)
		select `+agentOf+`, (1e6 * extract(epoch from coalesce(sum(t.models), '0')))::bigint, (1e6 * extract(epoch from coalesce(sum(t.tools), '0')))::bigint,
			coalesce(sum(u.calls), 0), coalesce(sum(u.input), 0)::bigint, coalesce(sum(u.output), 0)::bigint, coalesce(sum(u.usd), 0)
		from conversations t `+agents+` left join agent_usage u on u.session_id = t.session_id and u.task_id = t.task_id
		group by 1 order by coalesce(sum(t.models), '0') + coalesce(sum(t.tools), '0') desc, 1`, session)
	if err != nil {
		return nil, fmt.Errorf("what agents took of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (s Share, err error) {
		var models, tools int64
		err = r.Scan(&s.Who, &models, &tools, &s.Calls, &s.Input, &s.Output, &s.USD)
		s.Models, s.Tools = time.Duration(models)*time.Microsecond, time.Duration(tools)*time.Microsecond
		return s, err
	})
}
