package stage

import (
	"context"
	"time"
)

// look is how often a stage is asked whether something came about.
const look = 20 * time.Millisecond

// Poll asks until it is so, or until ctx ends. A model's script that was not followed ends it.
func (st *Stage) Poll(ctx context.Context, ready func() (bool, error)) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		ok, err := ready()
		if err == nil && !ok && st.Model != nil {
			err = st.Model.Err()
		}
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// WaitSettled returns when every message was judged, every turn is over and everything said was
// posted: nothing happens before somebody writes.
func (st *Stage) WaitSettled(ctx context.Context) error {
	if err := st.Slack.WaitSettled(ctx); err != nil {
		return err
	}
	return st.Poll(ctx, func() (bool, error) {
		var open int
		err := st.Store.Pool.QueryRow(ctx, `select (select count(*) from inbox where handled_at is null)
			+ (select count(*) from outbox where posted_at is null and refused is null)
			+ (select count(*) from cards where leased_until is not null or due_at < now() + interval '3 seconds')
			+ (select count(*) from pull_requests where state = 'intended')
			+ (select count(*) from river_job where kind not in ('due', 'pull_request') and state not in ('completed', 'discarded', 'cancelled'))`).Scan(&open)
		return open == 0, err
	})
}
