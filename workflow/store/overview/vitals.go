// Package overview reads across all sessions: how the work goes, and what a person has to do
// with. It writes nothing.
package overview

import (
	"context"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// Vitals are how the work goes, at one look.
type Vitals struct {
	Beats    bool          // the replica has a heartbeat
	Beat     time.Duration // how old it is, by the database's clock
	Working  int           // sessions at work, at all replicas
	Waiting  int           // sessions whose turn waits for a place, or for its time
	Unposted int           // what has still to happen in Slack
}

// ReadVitals takes them for a replica. ctx bounds it: a database that is away does not answer.
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
