package throttle

import (
	"testing"
	"time"
)

// A clock is set by hand.
type clock struct{ time.Time }

func (c *clock) now() time.Time       { return c.Time }
func (c *clock) pass(d time.Duration) { c.Time = c.Add(d) }
func started() *clock                 { return &clock{time.Unix(1000, 0)} }
func limiter(t *testing.T, r Rate, c *clock) *Limiter {
	t.Helper()
	l, err := New(r, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestBurstThenRate(t *testing.T) {
	c := started()
	l := limiter(t, Rate{2, 4}, c)
	for i := range 4 {
		if !l.Allow("a") {
			t.Fatalf("request %d of the burst was refused", i+1)
		}
	}
	if l.Allow("a") {
		t.Error("the fifth at once was let through")
	}
	c.pass(time.Second)
	if !l.AllowN("a", 2) || l.Allow("a") {
		t.Error("a second has two tokens")
	}
}

func TestClientsAreApart(t *testing.T) {
	l := limiter(t, Rate{1, 1}, started())
	if !l.Allow("a") || !l.Allow("b") || l.Allow("a") {
		t.Error("clients share a bucket")
	}
}

func TestSpecialRate(t *testing.T) {
	l := limiter(t, Rate{1, 1}, started())
	if err := l.SetRate("a", Rate{5, 5}); err != nil {
		t.Fatal(err)
	}
	if !l.AllowN("a", 5) || l.AllowN("b", 5) {
		t.Error("the special rate is not a's alone")
	}
}

func TestWait(t *testing.T) {
	c := started()
	l := limiter(t, Rate{2, 4}, c)
	l.AllowN("a", 4)
	if d, err := l.Wait("a", 1); err != nil || d != 500*time.Millisecond {
		t.Errorf("got %v, %v", d, err)
	}
	if _, err := l.Wait("a", 5); err == nil {
		t.Error("more than the burst would wait for ever")
	}
}

func TestForget(t *testing.T) {
	c := started()
	l := limiter(t, Rate{1, 2}, c)
	l.Allow("a")
	if n := l.Forget(); n != 1 {
		t.Errorf("%d buckets are left, want 1", n)
	}
	c.pass(time.Second)
	if n := l.Forget(); n != 0 {
		t.Errorf("%d buckets are left, want 0", n)
	}
}
