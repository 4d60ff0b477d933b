package doctor

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/tracker"
)

// examineTracker asks a tracker for each of its projects. No issue is read.
func (d *Doctor) examineTracker(ctx context.Context, t *tracker.Tracker, f *List) {
	began := time.Now()
	var read []string
	for _, p := range t.Projects {
		err := t.Check(ctx, p)
		var wrong *tracker.Error
		switch {
		case errors.As(err, &wrong):
			f.problem("issues of "+p+" cannot be read: "+wrong.Reason, wrong.Cure)
		case err != nil:
			f.failed("issues of "+p+" cannot be read", err)
		default:
			read = append(read, p)
		}
	}
	if len(read) > 0 {
		f.ok("issues of %s can be read where a message names one (%s)", strings.Join(read, ", "),
			time.Since(began).Round(time.Millisecond))
	}
}
