package view

import (
	"context"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// pastChanges is how many pushed changes of a repository PastOf looks at: the newest ones.
const pastChanges = 20

// PastOf returns what the newest pushed changes to the repository of that name took: medians, which one long
// session does not move.
func PastOf(ctx context.Context, db *database.DB, repository string) (p workflow.Past, err error) {
	var worked float64
	err = db.Pool.QueryRow(ctx, `select count(*),
			coalesce(percentile_cont(0.5) within group (order by usd), 0),
			coalesce(percentile_disc(0.5) within group (order by tokens), 0),
			coalesce(percentile_cont(0.5) within group (order by worked_ms), 0)
		from (select s.spent_usd as usd, s.tokens, s.worked_ms from sessions s
			where s.repository = $1 and s.phase = 'done'
				and exists (select 1 from pushes p where p.session_id = s.id and p.state = 'pushed')
			order by s.updated_at desc limit $2) x`,
		repository, pastChanges).Scan(&p.Pushed, &p.USD, &p.Tokens, &worked)
	if err != nil {
		return p, fmt.Errorf("what changes to %s took: %w", repository, err)
	}
	p.Worked = time.Duration(worked) * time.Millisecond
	return p, nil
}
