package sandbox

import (
	"context"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

// Repeat calls look at each interval until look returns false or ctx ends. If look takes long, it is called
// less often, so that all calls together take at most a fifth of a processor.
func Repeat(ctx context.Context, interval time.Duration, look func() bool) {
	process.Repeat(ctx, interval, look)
}
