package throttle

import (
	"fmt"
	"sync"
	"time"
)

// A Limiter has a bucket for each client. It is safe for concurrent use.
type Limiter struct {
	mu      sync.Mutex
	rate    Rate
	special map[string]Rate
	buckets map[string]*bucket
	now     func() time.Time
}

// New is a limiter that gives each client the rate. now is the clock; nil is the machine's.
func New(r Rate, now func() time.Time) (*Limiter, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if now == nil {
		now = time.Now
	}
	return &Limiter{rate: r, special: map[string]Rate{}, buckets: map[string]*bucket{}, now: now}, nil
}

// SetRate gives one client a rate of its own. Its bucket begins anew.
func (l *Limiter) SetRate(client string, r Rate) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("%s: %w", client, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.special[client] = r
	delete(l.buckets, client)
	return nil
}

// Allow reports whether the client may do it once, now.
func (l *Limiter) Allow(client string) bool { return l.AllowN(client, 1) }

// AllowN reports whether the client may do it n times, now. It is all or nothing.
func (l *Limiter) AllowN(client string, n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bucketOf(client).take(n, l.now())
}

// Wait is how long the client has to wait until it may do it n times; an error where that is
// more than its burst.
func (l *Limiter) Wait(client string, n int) (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucketOf(client)
	if n > b.rate.Burst {
		return 0, fmt.Errorf("throttle: %d at once is more than the burst of %d", n, b.rate.Burst)
	}
	return b.wait(n, l.now()), nil
}

// Forget drops the buckets of clients that stayed away until theirs were full, and says how
// many are left.
func (l *Limiter) Forget() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for client, b := range l.buckets {
		if b.full(l.now()) {
			delete(l.buckets, client)
		}
	}
	return len(l.buckets)
}

func (l *Limiter) bucketOf(client string) *bucket {
	b := l.buckets[client]
	if b == nil {
		rate, ok := l.special[client]
		if !ok {
			rate = l.rate
		}
		b = newBucket(rate, l.now())
		l.buckets[client] = b
	}
	return b
}
