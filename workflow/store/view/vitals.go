package view

import (
	"context"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// Vitals is the state of the work at one moment.
type Vitals struct {
	Beats    bool          // the replica has a heartbeat
	Beat     time.Duration // age of the heartbeat, by the database's clock
	Working  int           // sessions at work, on all replicas
	Waiting  int           // sessions whose turn waits for a slot, or for its scheduled time
	Unposted int           // outbox rows that are not in Slack yet
}

// ReadVitals reads the vitals of a replica. The caller limits
// it by ctx, since an unavailable database does not answer.
func ReadVitals(ctx context.Context, db *database.DB, replica string) (Vitals, error) {
	var p Vitals
	var age float64
	err := db.Pool.QueryRow(ctx, `select r.id is not null, coalesce(extract(epoch from now() - r.seen_at), 0)::float8,
			(select count(*) from river_job where kind = $2 and state = 'running'),
			(select count(*) from river_job where kind = $2 and state in ('available', 'pending', 'retryable', 'scheduled')),
			(`+countUnposted+`)
		from (select 1) x left join replicas r on r.id = $1`, replica, queue.TurnJob{}.Kind()).
		Scan(&p.Beats, &age, &p.Working, &p.Waiting, &p.Unposted)
	if err != nil {
		return Vitals{}, fmt.Errorf("vitals: %w", err)
	}
	p.Beat = time.Duration(age * float64(time.Second))
	return p, nil
}
