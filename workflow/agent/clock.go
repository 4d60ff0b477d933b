package agent

import (
	"context"
	"errors"
	"time"
)

// A clock ends the context of one Run when the agent has used up its time. It stands still while
// a tool that is Untimed runs.
type clock struct {
	// the cause of that end; every Run has its own, since an agent may work within a call of another one
	timeUp error
	timer  *time.Timer
	left   time.Duration
	// when there was that much left
	since time.Time
}

// startClock returns a clock, the context that it ends, and a func that releases both.
func startClock(ctx context.Context, limit time.Duration) (*clock, context.Context, func()) {
	within, cancel := context.WithCancelCause(ctx)
	c := &clock{timeUp: errors.New("the agent's time is up"), left: limit, since: time.Now()}
	c.timer = time.AfterFunc(limit, func() { cancel(c.timeUp) })
	return c, within, func() {
		c.timer.Stop()
		cancel(nil)
	}
}

// stop stops the clock until the func that it returns is called. A clock that has run out stays so.
func (c *clock) stop() (goOn func()) {
	if c == nil || !c.timer.Stop() {
		return func() {}
	}
	c.left -= time.Since(c.since)
	return func() {
		c.since = time.Now()
		c.timer.Reset(c.left)
	}
}
