package gateway

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/workflow"
)

// While no link is up, Slack keeps events for some minutes and then drops them. So when the first link is up
// again, also at the start of the program, the gateway reads the messages that were written meanwhile:
// the replies in threads that have a session, the new messages of the configured channels, and the new
// replies in threads there that began up to a day before, since one of them may call the bot for the
// first time. Each is handled like an event, and the Inbox drops duplicates. The same is done when a
// message could not be stored at any of Slack's attempts to deliver it, as while the database is away.
// The gateway reads at most one day back, the 100 most recently active threads, and 1,000 messages of
// each thread or channel. A message that was edited meanwhile counts as an edit. Edits of older messages,
// deletions, reactions and button presses are not recovered here; before a push, package objection reads
// again what permits it, and the reactions that say no.

// A History knows which messages were received before.
type History interface {
	// Newest returns the ts of the newest stored message, or an empty string if there is none.
	Newest(ctx context.Context) (ts string, err error)
	// Threads returns at most that many threads with a session that received anything since that
	// time, the most recent first.
	Threads(ctx context.Context, since time.Time, most int) ([]workflow.Thread, error)
}

const (
	maxGap = 24 * time.Hour // how far back messages are read
	// how far before the newest message reading starts: a dead link is noticed late
	gapOverlap     = 2 * time.Minute
	historyTimeout = 5 * time.Second // limit for a read of the History
	// how long before the gap a thread may have been silent and is still read
	openFor     = 30 * 24 * time.Hour
	rootsBefore = 24 * time.Hour // how long before the gap a thread without a session may have begun
	openThreads = 100
	gapPages    = 5
	gapPage     = 200
)

// gaps tracks the times in which no link was up. A dead link counts as up until a ping is missed. So if two
// links end within that time, they may have been dead together, and this counts as a gap even
// if one of them is up again.
type gaps struct {
	mu     sync.Mutex
	open   bool
	since  time.Time      // beginning of the open gap; zero: no message was received before it
	ended  time.Time      // when a link last ended
	before time.Time      // newest stored message when that link ended
	filled chan time.Time // the beginning of an ended gap that is to be filled
}

// linkEnds records that a link ended; others says whether another link is up. A gap begins
// at the newest stored message.
func (g *Gateway) linkEnds(ctx context.Context, others bool) {
	if g.History == nil || ctx.Err() != nil { // the program is stopping
		return
	}
	now := time.Now()
	newest, err := g.newestMessage(ctx)
	if err != nil {
		newest = now
	}
	unnoticed := cmp.Or(g.PingInterval, 30*time.Second) * 3 / 2
	x := &g.gaps
	x.mu.Lock()
	defer x.mu.Unlock()
	if now.Sub(x.ended) < unnoticed {
		others = false
		newest = x.before
	}
	x.ended = now
	x.before = newest
	if !others && !x.open {
		x.open = true
		x.since = newest
	}
}

// newestBefore returns the time of the newest message that was stored before the start; zero if
// there is none or ctx ends. It waits for the History: a message that is stored meanwhile would
// hide what is missing before it.
func (g *Gateway) newestBefore(ctx context.Context) time.Time {
	for {
		newest, err := g.newestMessage(ctx)
		if err == nil || ctx.Err() != nil {
			return newest
		}
	}
}

// newestMessage returns the time of the newest stored message, zero if there is none.
func (g *Gateway) newestMessage(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, historyTimeout)
	defer cancel()
	var newest string
	err := bot.RetryUntil(ctx, time.Now().Add(historyTimeout), 20*time.Millisecond, func() (err error) {
		newest, err = g.History.Newest(ctx)
		return err
	})
	if err != nil {
		g.log().Warn("cannot read the newest stored message", "err", err)
		return time.Time{}, err
	}
	return event.ParseTS(newest), nil
}

// linkBegins ends the open gap and queues it to be filled.
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
	x.queue(x.since)
}

// missed queues a gap for a message that could not be kept and that Slack does not deliver again.
func (g *Gateway) missed(in workflow.IncomingEvent) {
	if g.History == nil || in.Kind != workflow.MessageMention && in.Kind != workflow.MessageReply {
		return
	}
	g.gaps.mu.Lock()
	defer g.gaps.mu.Unlock()
	g.gaps.queue(event.ParseTS(in.TS))
}

// queue queues a gap that begins at that time. Reading a gap covers each later one, so the queue holds one
// beginning, the earliest. The caller holds mu.
func (g *gaps) queue(since time.Time) {
	select {
	case queued := <-g.filled:
		if queued.Before(since) {
			since = queued
		}
	default:
	}
	g.filled <- since
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

// fillGap reads the messages that were written since that time and hands them to the Inbox. Slack, the
// network or the database may well fail again just after a gap, so what failed is tried again after
// growing waits, for at most a day. If another gap ends meanwhile, everything is read again since the
// beginning of the earlier one.
func (g *Gateway) fillGap(ctx context.Context, since time.Time) {
	f := g.newFilling(since)
	most := cmp.Or(g.MostApart, time.Minute)
	until := time.Now().Add(maxGap)
	for wait := cmp.Or(g.Apart, time.Second); !f.try(ctx); wait = min(2*wait, most) {
		if time.Now().After(until) {
			g.log().Error("not everything could be read that was written while no link to Slack was up",
				"since", since, "threads", f.threads, "channels", f.channels)
			return
		}
		select {
		case <-ctx.Done():
			return
		case again := <-g.gaps.filled:
			if again.Before(since) {
				since = again
			}
			f = g.newFilling(since)
		case <-time.After(wait):
		}
	}
	g.log().Info("read again what was written while no link to Slack was up", "since", since,
		"threads", f.read, "channels", len(g.Channels), "messages", f.offered)
}

// filling is the work on one gap.
type filling struct {
	g        *Gateway
	reader   event.Reader
	from     time.Time
	oldest   string // from, as a ts
	listed   bool   // the History has named its threads
	channels []string
	threads  []workflow.Thread // what is still to be read
	read     int               // number of threads that were read
	offered  int
}

func (g *Gateway) newFilling(since time.Time) *filling {
	from := since.Add(-gapOverlap)
	if bound := time.Now().Add(-maxGap); from.Before(bound) {
		g.log().Warn("no link to Slack was up for long; messages are read again from a day ago only",
			"since", since)
		from = bound
	}
	return &filling{
		g: g, reader: event.Reader{Self: g.Slack.Self(), Watch: g.Watch, Feeds: g.Feeds, Words: g.Words},
		from: from, oldest: event.FormatTS(from), channels: slices.Clone(g.Channels),
	}
}

// try reads what is still to be read. done reports whether nothing of it failed.
func (f *filling) try(ctx context.Context) (done bool) {
	if !f.listed {
		threads, err := f.g.History.Threads(ctx, f.from.Add(-openFor), openThreads)
		if err != nil {
			f.g.log().Warn("cannot read which threads are open", "err", err)
			return false
		}
		f.threads = threads
		f.listed = true
	}
	f.channels = slices.DeleteFunc(f.channels, func(id string) bool { return f.readChannel(ctx, id) })
	f.threads = slices.DeleteFunc(f.threads, func(t workflow.Thread) bool {
		done := f.readThread(ctx, t)
		if done {
			f.read++
		}
		return done
	})
	return len(f.channels)+len(f.threads) == 0
}

// readChannel offers the new messages of a channel to the Inbox, and adds the threads there that have new
// replies to what is to be read. done is false if it has to be tried again.
func (f *filling) readChannel(ctx context.Context, id string) (done bool) {
	params := &slack.GetConversationHistoryParameters{
		ChannelID: id,
		Oldest:    event.FormatTS(f.from.Add(-rootsBefore)),
		Limit:     gapPage,
	}
	var found []bot.Message
	for range gapPages {
		page, err := f.g.Slack.History(ctx, params)
		if err != nil {
			if !f.isRefused(ctx, "conversations.history", id, err) {
				return false
			}
			break
		}
		found = append(found, page...)
		if params.Cursor == "" {
			break
		}
	}
	slices.Reverse(found) // Slack lists the newest first
	var threads []workflow.Thread
	done = true
	for _, m := range found {
		if m.ThreadTimestamp != "" && m.ThreadTimestamp != m.Timestamp {
			continue // a reply that is also shown in the channel
		}
		if m.Timestamp > f.oldest {
			done = f.offerMessage(ctx, id, m) && done
		}
		t := workflow.Thread{Team: f.g.Slack.Self().Team, Channel: id, TS: m.Timestamp}
		if m.ReplyCount > 0 && max(m.Timestamp, m.LatestReply) > f.oldest && !slices.Contains(f.threads, t) {
			threads = append(threads, t)
		}
	}
	if done {
		f.threads = append(f.threads, threads...)
	}
	return done
}

// readThread offers the new replies of a thread to the Inbox. done is false if it has to be tried again.
func (f *filling) readThread(ctx context.Context, t workflow.Thread) (done bool) {
	params := &slack.GetConversationRepliesParameters{
		ChannelID: t.Channel,
		Timestamp: t.TS,
		Oldest:    f.oldest,
		Limit:     gapPage,
	}
	done = true
	for range gapPages {
		page, err := f.g.Slack.Replies(ctx, params)
		if err != nil {
			return f.isRefused(ctx, "conversations.replies", t.Channel, err) && done
		}
		for _, m := range page {
			if m.Timestamp > f.oldest { // the response always holds the root message
				done = f.offerMessage(ctx, t.Channel, m) && done
			}
		}
		if params.Cursor == "" {
			return done
		}
	}
	f.g.log().Warn("a thread has more new messages than are read again", "channel", t.Channel, "thread", t.TS)
	return done
}

// isRefused logs a failure, and reports whether Slack refused the call itself, as for a channel that is gone.
func (f *filling) isRefused(ctx context.Context, method, channel string, err error) bool {
	if ctx.Err() == nil {
		f.g.log().Warn("cannot read again what was written while no link to Slack was up", "method", method,
			"channel", channel, "err", err)
	}
	return bot.IsFinal(err)
}

// offerMessage hands a message to the Inbox as if its event had arrived. kept is false if the Inbox failed.
func (f *filling) offerMessage(ctx context.Context, channel string, m bot.Message) (kept bool) {
	came := f.reader.ReadHistory(channel, m)
	if len(came) == 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	l := &link{Gateway: f.g}
	if err := l.retryUntil(ctx, time.Now().Add(f.g.storeTimeout()),
		func() error { return f.g.Inbox.Receive(ctx, came...) }); err != nil {
		if ctx.Err() == nil {
			f.g.log().Error("could not keep a message that was read again", "err", err)
		}
		return false
	}
	f.offered++
	return true
}
