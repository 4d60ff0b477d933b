package store

import (
	"context"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
)

// estimateOf is how many finished sessions an estimate looks at: the newest, since models and tests change.
const estimateOf = 20

// Estimate returns what work of a kind will probably take in a repository: the median of the newest finished
// sessions, whose work was pushed. A session counts from its approval on, or as a whole if it has no card of
// its runs.
func (s *Store) Estimate(
	ctx context.Context, repository string, kind workflow.Kind,
) (e workflow.Estimate, err error) {
	var worked float64
	err = s.Pool.QueryRow(ctx, `with finished as (
			select s.id, s.spent_usd, s.tokens, s.worked_ms from sessions s
			where s.repository = $1 and s.kind = $2 and s.phase = 'done'
			order by s.updated_at desc limit $3),
		runs as (
			select f.id, coalesce(sum(c.ended_usd - c.began_usd), max(f.spent_usd)) as usd,
				coalesce(sum(c.ended_tokens - c.began_tokens), max(f.tokens)) as tokens,
				coalesce(sum(c.ended_ms - c.began_ms), max(f.worked_ms)) as ms
			from finished f left join cards c on c.session_id = f.id and c.ended is not null group by f.id)
		select count(*),
			case when count(*) filter (where usd > 0) >= $4 then
				percentile_cont(0.5) within group (order by usd) filter (where usd > 0) else 0 end,
			coalesce(percentile_cont(0.5) within group (order by tokens), 0)::bigint,
			coalesce(percentile_cont(0.5) within group (order by ms), 0)
		from runs`, repository, kind, estimateOf, workflow.MinEstimate).
		Scan(&e.Sessions, &e.Cost.USD, &e.Cost.Tokens, &worked)
	if err != nil {
		return e, fmt.Errorf("what work in %s takes: %w", repository, err)
	}
	e.Worked = time.Duration(worked) * time.Millisecond
	return e, nil
}
