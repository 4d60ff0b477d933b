package stage

import (
	"context"
	"time"
)

// look is the interval at which Poll checks its condition.
const look = 20 * time.Millisecond

// Poll calls ready until it returns true or an error, or ctx ends. It also fails if the scripted model
// reports that its script was not followed.
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

// WaitSettled returns when every message is handled, every turn is over and every reply is posted, so that
// nothing more happens until a person writes.
func (st *Stage) WaitSettled(ctx context.Context) error {
	if err := st.Slack.WaitSettled(ctx); err != nil {
		return err
	}
	return st.Poll(ctx, func() (bool, error) {
		var open int
		err := st.Store.Pool.QueryRow(ctx, `select (select count(*) from inbox where handled_at is null)
			+ (select count(*) from outbox where posted_at is null and refused is null)
			+ (select count(*) from cards where leased_until is not null
				or due_at < now() + interval '3 seconds')
			+ (select count(*) from pull_requests where state = 'intended')
			+ (select count(*) from river_job where kind not in ('due', 'pull_request')
				and state not in ('completed', 'discarded', 'cancelled'))`).
			Scan(&open)
		return open == 0, err
	})
}
