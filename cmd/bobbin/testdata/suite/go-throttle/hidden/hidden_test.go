package throttle

import (
	"testing"
	"time"
)

func TestHiddenPollingEarnsTokens(t *testing.T) {
	for _, every := range []time.Duration{time.Millisecond, 100 * time.Millisecond, 333 * time.Millisecond, 700 * time.Millisecond} {
		c := started()
		l := limiter(t, Rate{2, 4}, c)
		allowed := 0
		for began := c.Time; c.Sub(began) <= 60*time.Second; c.pass(every) {
			if l.Allow("a") {
				allowed++
			}
		}
		want := 4 + 120
		if every > 500*time.Millisecond {
			want = int(60*time.Second/every) + 1
		}
		if allowed < want-1 || allowed > want+1 {
			t.Errorf("asked every %v: %d were allowed in a minute, want about %d", every, allowed, want)
		}
	}
}

func TestHiddenAwkwardRate(t *testing.T) {
	c := started()
	l := limiter(t, Rate{3, 3}, c)
	l.AllowN("a", 3)
	c.pass(333 * time.Millisecond)
	if l.Allow("a") {
		t.Error("a third of a second is not over")
	}
	c.pass(time.Millisecond)
	if !l.Allow("a") {
		t.Error("a third of a second is over")
	}
	for range 3000 {
		c.pass(time.Millisecond)
		l.AllowN("a", 99) // asks, and takes nothing
	}
	if !l.AllowN("a", 3) || l.Allow("a") {
		t.Error("a full bucket has three tokens")
	}
}

func TestHiddenWaitKeepsWhatCameTogether(t *testing.T) {
	c := started()
	l := limiter(t, Rate{2, 4}, c)
	l.AllowN("a", 4)
	c.pass(300 * time.Millisecond)
	for range 3 {
		if d, err := l.Wait("a", 1); err != nil || d != 200*time.Millisecond {
			t.Errorf("got %v, %v, want 200ms", d, err)
		}
	}
}

func TestHiddenAFullBucketSavesNothing(t *testing.T) {
	c := started()
	l := limiter(t, Rate{1, 2}, c)
	l.Allow("b")
	c.pass(10*time.Second + 900*time.Millisecond)
	if !l.AllowN("b", 2) {
		t.Fatal("the bucket is full")
	}
	c.pass(100 * time.Millisecond)
	if l.Allow("b") {
		t.Error("what came while the bucket was full is lost, also its fractions")
	}
}
