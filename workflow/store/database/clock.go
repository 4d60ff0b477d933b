package database

import (
	"context"
	"sync"
	"time"
)

// A Clock is the database's, as this process follows it. What the queue keeps as a time
// (when a job is tried again, when a question is due) is looked at by other replicas, too:
// by this machine's own clock an hour ahead, they would all wait an hour for it. Between
// two looks it counts by the monotonic clock, so that it does not jump when this machine's
// clock is set. It is never ahead of the database's by more than they drift apart between
// two heartbeats.
type Clock struct {
	mu     sync.Mutex
	then   time.Time // the database's
	looked time.Time // this machine's, when then was learnt
}

// Now is the database's time; this machine's, before the first look.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looked.IsZero() {
		return time.Now()
	}
	return c.then.Add(time.Since(c.looked))
}

// NowOrNil leaves it to the database where the queue can: the queue asks whether somebody
// has made a time up.
func (*Clock) NowOrNil() *time.Time { return nil }

// An InsertClock gives new jobs their time, since the library's driver would put this
// machine's there.
type InsertClock struct{ *Clock }

// NowOrNil is the time.
func (i InsertClock) NowOrNil() *time.Time {
	now := i.Now()
	return &now
}

// Set takes over what the database said is the time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.then, c.looked = now, time.Now()
}

// Clock is the database's clock.
func (d *DB) Clock() *Clock { return &d.clock }

// readClock asks the database for the time.
func (d *DB) readClock(ctx context.Context) error {
	var now time.Time
	if err := d.Pool.QueryRow(ctx, `select clock_timestamp()`).Scan(&now); err != nil {
		return err
	}
	d.clock.Set(now)
	return nil
}
