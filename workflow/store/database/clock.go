package database

import (
	"context"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// A Clock follows the database's clock in this process. The times that the queue stores (when a
// job is retried, when a question is due) are read by other replicas, too: with this machine's
// clock an hour ahead, they would all wait an hour too long. Between two readings the Clock
// counts by the monotonic clock, so it does not jump when this machine's clock is set. It is
// never ahead of the database's clock by more than the two drift apart between two heartbeats.
type Clock struct {
	mu     sync.Mutex
	then   time.Time // the database's time at the last reading
	looked time.Time // this machine's time at the last reading
}

// Now returns the database's time, or this machine's time before the first reading.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looked.IsZero() {
		return time.Now()
	}
	return c.then.Add(time.Since(c.looked))
}

// NowOrNil returns nil, which tells River that the time is not
// made up: it then lets the database set the time where it can.
func (*Clock) NowOrNil() *time.Time { return nil }

// An InsertClock gives new jobs the database's time, since River's driver would give them this machine's.
type InsertClock struct{ *Clock }

// NowOrNil returns the database's time.
func (i InsertClock) NowOrNil() *time.Time {
	now := i.Now()
	if failpoint.Disabled(failpoint.InsertClock) {
		now = time.Now()
	}
	return &now
}

// Set sets the clock to the time that the database returned.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.then, c.looked = now, time.Now()
}

// Clock returns the clock of this database.
func (d *DB) Clock() *Clock {
	if failpoint.Disabled(failpoint.QueueClock) {
		return new(Clock) // never read: it shows this machine's time
	}
	return &d.clock
}

// readClock asks the database for the time.
func (d *DB) readClock(ctx context.Context) error {
	var now time.Time
	if err := d.Pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
		return err
	}
	d.clock.Set(now)
	return nil
}
