package server

import (
	"context"
	"time"
)

// guidesEvery is the wait between two looks for guides that were asked for and are not in Slack yet.
const guidesEvery = time.Minute

// postGuides posts and pins the guides that somebody asked for.
func (b *Server) postGuides(ctx context.Context) error { return b.guides.Drain(ctx, "") }

// finishGuides posts and pins, until ctx ends, the guides that a press could not: Slack did not answer, or
// the program ended meanwhile.
func (b *Server) finishGuides(ctx context.Context) {
	tick := time.NewTicker(guidesEvery)
	defer tick.Stop()
	for {
		if err := b.postGuides(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn("a guide for a channel is not in Slack yet; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
