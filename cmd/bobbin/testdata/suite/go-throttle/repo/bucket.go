// Package throttle limits how often each client may do something.
package throttle

import (
	"errors"
	"time"
)

// A Rate is so many tokens a second, and so many at once.
type Rate struct {
	PerSecond int
	Burst     int
}

func (r Rate) check() error {
	if r.PerSecond <= 0 || r.Burst <= 0 {
		return errors.New("throttle: a rate and a burst have to be above zero")
	}
	return nil
}

// A bucket holds the tokens of one client.
type bucket struct {
	rate     Rate
	tokens   int
	refilled time.Time
}

func newBucket(r Rate, now time.Time) *bucket {
	return &bucket{rate: r, tokens: r.Burst, refilled: now}
}

// refill puts in what came together since the last time.
func (b *bucket) refill(now time.Time) {
	passed := now.Sub(b.refilled)
	if passed <= 0 {
		return
	}
	b.tokens += int(passed * time.Duration(b.rate.PerSecond) / time.Second)
	b.refilled = now
	if b.tokens > b.rate.Burst {
		b.tokens = b.rate.Burst
	}
}

// take takes n tokens, or none where there are fewer.
func (b *bucket) take(n int, now time.Time) bool {
	b.refill(now)
	if b.tokens < n {
		return false
	}
	b.tokens -= n
	return true
}

// wait is how long it takes until there are n tokens.
func (b *bucket) wait(n int, now time.Time) time.Duration {
	b.refill(now)
	if b.tokens >= n {
		return 0
	}
	interval := time.Second / time.Duration(b.rate.PerSecond)
	return time.Duration(n-b.tokens)*interval - now.Sub(b.refilled)
}

// full reports whether nothing was taken that has not come back.
func (b *bucket) full(now time.Time) bool {
	b.refill(now)
	return b.tokens == b.rate.Burst
}
