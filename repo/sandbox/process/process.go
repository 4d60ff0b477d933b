package process

import (
	"context"
	"os"
	"time"
)

// Interval is how often what a running command takes is looked at, which may take a fifth of a
// processor. RLIMIT_AS breaks Go and Node, RLIMIT_DATA the race detector, and cgroups are not
// always ours to make.
const Interval = 50 * time.Millisecond

// A Usage is what a command is measured by while it runs. What the kernel limits by itself
// is not in it.
type Usage struct {
	Memory    int64 // bytes
	Processes int
}

// Watch measures until ctx ends or overuse names a limit, with which it calls stop.
func Watch(ctx context.Context, measure func() Usage, overuse func(Usage) string, stop func(reason string)) {
	Repeat(ctx, Interval, func() bool {
		reason := overuse(measure())
		if reason != "" {
			stop(reason)
		}
		return reason == ""
	})
}

// Repeat calls look at each interval until it returns false or ctx ends. A look that
// takes long is repeated less often: they take at most a fifth of a processor.
func Repeat(ctx context.Context, interval time.Duration, look func() bool) {
	wait := interval
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		if !look() {
			return
		}
		wait = max(interval, 4*time.Since(began))
	}
}

// CloseAll closes those files that are there.
func CloseAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
