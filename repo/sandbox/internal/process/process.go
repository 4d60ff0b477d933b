package process

import (
	"context"
	"os"
	"time"
)

// Interval is how often the use of a running command is measured. The measurements may take a fifth of a
// processor. They are needed because RLIMIT_AS breaks Go and Node, RLIMIT_DATA breaks the race detector, and
// control groups cannot always be created.
const Interval = 50 * time.Millisecond

// A Usage is the measured use of a running command. What the kernel limits by itself is not included.
type Usage struct {
	Memory    int64 // bytes
	Processes int
	// Tasks is the number of processes and threads. No limit is held by it.
	Tasks int
}

// Watch measures until ctx ends or overuse returns the name of a limit, and then calls stop with that name.
func Watch(ctx context.Context, measure func() Usage, overuse func(Usage) string, stop func(reason string)) {
	Repeat(ctx, Interval, func() bool {
		reason := overuse(measure())
		if reason != "" {
			stop(reason)
		}
		return reason == ""
	})
}

// Repeat calls look at each interval until look returns false or ctx ends. If look takes long, it is called
// less often, so that all calls together take at most a fifth of a processor.
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

// CloseAll closes all files that are not nil.
func CloseAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
