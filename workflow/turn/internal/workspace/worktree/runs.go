package worktree

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/build"
)

// noteRuns returns a function that stores how far the runs of builds and tests are, for the card and for the
// watchdog. If a row cannot be written, only these lack the run.
func (t *Trees) noteRuns(ctx context.Context) build.Watch {
	return func(p build.Progress) (more func(build.Progress), end func()) {
		row, err := t.NoteRunning(ctx, t.SecretFinder().Mask(p.String()), p.Ran)
		if err != nil {
			t.Log.Warn("what runs is not kept", "err", err)
			return func(build.Progress) {}, func() {}
		}
		more = func(p build.Progress) {
			if err := row.Update(ctx, t.SecretFinder().Mask(p.String())); err != nil && ctx.Err() == nil {
				t.Log.Warn("how far a run is, is not kept", "err", err)
			}
		}
		return more, func() {
			if err := row.End(context.WithoutCancel(ctx)); err != nil {
				t.Log.Warn("what ran is not taken away", "err", err)
			}
		}
	}
}
