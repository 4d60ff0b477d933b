package doctor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/tracker"
)

// examineTracker asks a tracker for each of its projects, and whether it may be written to where the
// configuration has that. No issue is read or written.
func (d *Doctor) examineTracker(ctx context.Context, t *tracker.Tracker, f *List) {
	began := time.Now()
	var read []string
	refused := map[[2]string][]string{} // projects by what is wrong and its cure, which are said once
	for _, p := range t.Projects {
		err := t.Check(ctx, p)
		var wrong *tracker.Error
		switch {
		case errors.As(err, &wrong):
			said := [2]string{wrong.Reason, wrong.Cure}
			refused[said] = append(refused[said], p)
		case err != nil:
			f.failed("issues of "+p+" cannot be read", err)
		default:
			read = append(read, p)
		}
	}
	for _, said := range slices.SortedFunc(maps.Keys(refused), func(a, b [2]string) int {
		return slices.Compare(a[:], b[:])
	}) {
		f.problem("issues of "+strings.Join(refused[said], ", ")+" cannot be read: "+said[0], said[1])
	}
	if len(read) > 0 {
		f.ok("issues of %s can be read where a message names one (%s)", strings.Join(read, ", "),
			time.Since(began).Round(time.Millisecond))
	}
	d.examineWriting(ctx, t, read, f)
}

// examineWriting asks a tracker whether issues can be filed and commented on in its projects.
func (d *Doctor) examineWriting(ctx context.Context, t *tracker.Tracker, projects []string, f *List) {
	if !t.CanFile() && !t.Comments {
		return
	}
	for _, p := range projects {
		if p != t.FileIn && !t.Comments {
			continue
		}
		does := "what was pushed is told on issues of " + p
		if p == t.FileIn {
			does = "issues are filed in " + p
		}
		err := t.CheckWriting(ctx, p)
		var wrong *tracker.Error
		switch {
		case errors.As(err, &wrong):
			f.problem(does+", which is refused: "+wrong.Reason, wrong.Cure)
		case err != nil:
			f.failed(does+", which could not be tried", err)
		case t.Kind == tracker.Linear || t.Kind == tracker.Sentry:
			f.ok("%s; %s does not tell beforehand whether the token may do that", does, t.Kind)
		default:
			f.ok("%s, as the token may", does)
		}
	}
}
