package gateway

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/bot/event"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/slack-go/slack"
)

// While no link is up, Slack keeps what people write for some minutes and then gives up. So
// when the first link is up again after none was, the start of the program included, what
// stands in Slack since is read: the replies in threads that have a session, and the new
// messages of the channels that the configuration names. Each goes the way of an event, and
// the Inbox drops what it has already. Bounded: a day back, the threads that were busy last,
// a thousand messages of each. Edits, deletions and presses of buttons are not among it.

// A Ledger knows what was heard before.
type Ledger interface {
	// Newest is the ts of the newest message that was kept; empty when there is none.
	Newest(ctx context.Context) (ts string, err error)
	// Threads are those with a session, of which anything was heard since, the last ones
	// first, at most so many.
	Threads(ctx context.Context, since time.Time, most int) ([]workflow.Thread, error)
}

const (
	gapMost     = 24 * time.Hour      // how far back is read
	gapOverlap  = 2 * time.Minute     // before the newest: a link is silent for a while before it is found dead
	gapLook     = 5 * time.Second     // for the Ledger to say what was heard last
	openFor     = 30 * 24 * time.Hour // how long a thread without a word is looked at
	openThreads = 100
	gapPages    = 5
	gapPage     = 200
)

// gaps are the times in which no link was up. A link that is dead counts as up until that
// is noticed, a ping later; so two that end within that time may have ended together, and
// whichever is back first, there may have been none between.
type gaps struct {
	mu     sync.Mutex
	open   bool
	since  time.Time      // the beginning of the one that is open; zero: nothing was heard before it
	ended  time.Time      // when a link ended last
	before time.Time      // what was heard last before that
	filled chan time.Time // beginnings of those that are over
}

// linkEnds notes that one is gone, and whether others are up. A gap begins with what was
// heard last.
func (g *Gateway) linkEnds(ctx context.Context, others bool) {
	if g.Ledger == nil || ctx.Err() != nil { // it is our own end
		return
	}
	now := time.Now()
	heard := g.lastHeard(ctx, now)
	unnoticed := cmp.Or(g.PingInterval, 30*time.Second) * 3 / 2
	x := &g.gaps
	x.mu.Lock()
	defer x.mu.Unlock()
	if now.Sub(x.ended) < unnoticed {
		others, heard = false, x.before
	}
	x.ended, x.before = now, heard
	if !others && !x.open {
		x.open, x.since = true, heard
	}
}

// lastHeard is when the newest message was written; now, where that cannot be read.
func (g *Gateway) lastHeard(ctx context.Context, now time.Time) time.Time {
	ctx, cancel := context.WithTimeout(ctx, gapLook)
	defer cancel()
	newest, err := g.Ledger.Newest(ctx)
	if err != nil {
		g.log().Warn("cannot read what was heard last", "err", err)
		return now
	}
	return event.ParseTS(newest)
}

// linkBegins ends a gap, and has it filled.
func (g *Gateway) linkBegins() {
	x := &g.gaps
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.open {
		return
	}
	x.open = false
	if x.since.IsZero() {
		return
	}
	select {
	case x.filled <- x.since:
	default: // one that began earlier waits to be filled, and holds this one
	}
}

func (g *Gateway) fillGaps(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case since := <-g.gaps.filled:
			g.fillGap(ctx, since)
		}
	}
}

// fillGap reads what was written since, and hands it to the Inbox.
func (g *Gateway) fillGap(ctx context.Context, since time.Time) {
	from := since.Add(-gapOverlap)
	if bound := time.Now().Add(-gapMost); from.Before(bound) {
		g.log().Warn("no link to Slack was up for long; messages are read again from a day ago only", "since", since)
		from = bound
	}
	f := &filling{g: g, reader: event.Reader{Self: g.Slack.Self(), Watch: g.Watch}, oldest: event.FormatTS(from)}
	threads, err := g.Ledger.Threads(ctx, from.Add(-openFor), openThreads)
	if err != nil {
		g.log().Warn("cannot read which threads are open", "err", err)
	}
	for _, channel := range g.Channels {
		threads = append(threads, f.readChannel(ctx, channel)...)
	}
	for _, thread := range threads {
		f.readThread(ctx, thread)
	}
	if ctx.Err() == nil {
		g.log().Info("read again what was written while no link to Slack was up", "since", since, "threads", len(threads), "channels", len(g.Channels), "messages", f.offered)
	}
}

// filling is the work on one gap.
type filling struct {
	g       *Gateway
	reader  event.Reader
	oldest  string
	offered int
}

// readChannel takes the new messages of a channel, and gives those that have replies.
func (f *filling) readChannel(ctx context.Context, id string) (threads []workflow.Thread) {
	params := &slack.GetConversationHistoryParameters{ChannelID: id, Oldest: f.oldest, Limit: gapPage}
	var found []slack.Message
	for range gapPages {
		var page *slack.GetConversationHistoryResponse
		err := f.g.Slack.Call(ctx, func() (err error) {
			page, err = f.g.Slack.API.GetConversationHistoryContext(ctx, params)
			return err
		})
		if err != nil {
			f.logFailure(ctx, "conversations.history", id, err)
			break
		}
		found = append(found, page.Messages...)
		if params.Cursor = page.ResponseMetaData.NextCursor; params.Cursor == "" {
			break
		}
	}
	slices.Reverse(found) // Slack gives the newest first
	for _, m := range found {
		if m.ThreadTimestamp != "" && m.ThreadTimestamp != m.Timestamp {
			continue // a reply that is shown in the channel, too
		}
		f.offerMessage(ctx, id, m)
		if m.ReplyCount > 0 {
			threads = append(threads, workflow.Thread{Team: f.g.Slack.Self().Team, Channel: id, TS: m.Timestamp})
		}
	}
	return threads
}

// readThread takes the new replies of a thread.
func (f *filling) readThread(ctx context.Context, t workflow.Thread) {
	params := &slack.GetConversationRepliesParameters{ChannelID: t.Channel, Timestamp: t.TS, Oldest: f.oldest, Limit: gapPage}
	for range gapPages {
		var page []slack.Message
		err := f.g.Slack.Call(ctx, func() (err error) {
			page, _, params.Cursor, err = f.g.Slack.API.GetConversationRepliesContext(ctx, params)
			return err
		})
		if err != nil {
			f.logFailure(ctx, "conversations.replies", t.Channel, err)
			return
		}
		for _, m := range page {
			if m.Timestamp > f.oldest { // the root comes whatever was asked for
				f.offerMessage(ctx, t.Channel, m)
			}
		}
		if params.Cursor == "" {
			return
		}
	}
	f.g.log().Warn("a thread has more new messages than are read again", "channel", t.Channel, "thread", t.TS)
}

func (f *filling) logFailure(ctx context.Context, method, channel string, err error) {
	if ctx.Err() == nil {
		f.g.log().Warn("cannot read again what was written while no link to Slack was up", "method", method, "channel", channel, "err", err)
	}
}

// offerMessage gives a message to the Inbox as if its event had come.
func (f *filling) offerMessage(ctx context.Context, channel string, m slack.Message) {
	in, ok := f.reader.ReadHistory(channel, m)
	if !ok || ctx.Err() != nil {
		return
	}
	l := &link{Gateway: f.g}
	if err := l.keepIncoming(ctx, in, time.Now().Add(f.g.patience())); err != nil {
		if ctx.Err() == nil { // else it is read again after the next start
			f.g.log().Error("could not keep a message that was read again", "err", err)
		}
		return
	}
	f.offered++
}
