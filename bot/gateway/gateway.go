package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/event"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
)

// An Inbox keeps what comes in.
type Inbox interface {
	// Receive keeps in for good, with whatever follows from it, before it returns. What
	// was kept before changes nothing and is no error.
	Receive(ctx context.Context, in workflow.Incoming) error
}

// A Gateway takes in what people do in Slack, over Socket Mode. Its fields are set before
// Run and left alone after.
type Gateway struct {
	Slack *bot.Slack
	Inbox Inbox
	Forms Forms        // default: no button opens a modal
	Log   *slog.Logger // default: silent
	Watch []string     // ids of channels in which a message needs no mention
	// Reactions are names (bug) of those that send a message to the bot, by the channel's id.
	Reactions map[string][]string
	// Homes tells what people see in the App Home. Default: nobody has one.
	Homes Homes

	// Patience is how long an event is offered to a failing Inbox before it is left to
	// Slack to deliver it again; default 2 s, since Slack waits for 3.
	Patience time.Duration

	Backfill
	Connecting

	blind    bool // tests only: post what commands ask for without looking it up, take each form for a new one
	together bool // tests only: let Slack renew all connections at the same time

	homes homePublishing
	links atomic.Int32
	gaps  gaps
}

// Backfill says where messages are read again that were written while no connection was up
// (backfill.go). The zero value reads none.
type Backfill struct {
	Ledger   Ledger   // names the threads that are read again
	Channels []string // ids of the channels that are read again
}

// Connecting says how many connections are kept, and how new ones are spaced out.
type Connecting struct {
	// Connections is how many are kept open; default 1. Slack gives an event to one of
	// them, so with two none is missed while one of them is renewed.
	Connections int
	// New links are at least Apart from each other (default 1 s), twice as long after each
	// one that lived less than Steady (30 s), and MostApart (1 min) at most.
	Apart, Steady, MostApart time.Duration
	// PingInterval is how long a link may be without a ping from Slack; default 30 s.
	PingInterval time.Duration
}

// Links is how many connections are up; for a health check.
func (g *Gateway) Links() int { return int(g.links.Load()) }

// Run takes events in until ctx ends, which is no error. It returns an *AuthError when
// Slack refuses the app for good; everything else is tried again.
func (g *Gateway) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	if g.Ledger != nil {
		g.gaps.filled = make(chan time.Time, 1)
		g.gaps.open, g.gaps.since = true, g.lastHeard(ctx, time.Time{}) // the time before the start is one
		running.Go(func() { g.fillGaps(ctx) })
	}
	for n := range max(g.Connections, 1) {
		running.Go(func() {
			if err := g.keepConnection(ctx, n+1); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	g.homes.running.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("socket mode: %w", err)
	}
	return nil
}

func (g *Gateway) log() *slog.Logger {
	return cmp.Or(g.Log, slog.New(slog.DiscardHandler))
}

// link is one connection: slack-go's client, and the goroutine that takes its events.
type link struct {
	*Gateway
	number int
	reader event.Reader
	log    *slog.Logger
	client *socketmode.Client
	up     bool

	due     <-chan time.Time // when it is to be renewed ahead of Slack
	renewed bool             // it was
}

// errRenew ends a link that is to be opened anew.
var errRenew = errors.New("renew the link")

// keepConnection keeps one connection up until ctx ends or Slack refuses the app.
func (g *Gateway) keepConnection(parent context.Context, number int) error {
	log := g.log().With("connection", number)
	door := &reconnectLimiter{
		next: g.Slack.HTTP(), log: log,
		apart: cmp.Or(g.Apart, time.Second), steady: cmp.Or(g.Steady, 30*time.Second), most: cmp.Or(g.MostApart, time.Minute),
	}
	var options []socketmode.Option
	if g.PingInterval > 0 {
		options = append(options, socketmode.OptionPingInterval(g.PingInterval))
	}
	l := &link{Gateway: g, number: number, log: log, reader: event.Reader{Self: g.Slack.Self(), Watch: g.Watch, Reactions: g.Reactions}}
	for {
		l.client, l.due = socketmode.New(g.Slack.NewClient(door), options...), nil
		if err := l.runClient(parent); !errors.Is(err, errRenew) {
			return err
		}
		l.renewed = true
	}
}

// runClient is the life of one client, however often it connects.
func (l *link) runClient(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	var taking sync.WaitGroup
	taking.Go(func() { l.takeEvents(ctx, cancel) })
	err := l.client.RunContext(ctx)
	cancel(err)
	taking.Wait()
	l.setUp(parent, false)

	var refused *bot.AuthError
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &refused):
		return refused
	case parent.Err() != nil:
		return nil
	case errors.Is(cause, errRenew):
		return errRenew
	}
	return bot.ExplainError(err, bot.AppTokenName)
}

// takeEvents is the one place where events are handled, in their order.
func (l *link) takeEvents(ctx context.Context, end context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-l.client.Events:
			if err := l.handleEvent(ctx, e); err != nil {
				end(err)
				return
			}
		case <-l.due:
			if l.mayRenew() {
				l.log.Info("renewing the link to Slack, so that not all are renewed at once")
				end(errRenew)
				return
			}
			l.due = time.After(time.Second)
		}
	}
}

// Slack renews each link some hours after it was opened, and links that were opened
// together together. So each but the first is renewed once ahead of that, by us, while the
// others are up: from then on their times lie apart.
func (l *link) planRenewal(life time.Duration) {
	if l.number > 1 && !l.renewed && !l.together && l.due == nil && life > 0 {
		l.due = time.After(life * time.Duration(l.number-1) / time.Duration(l.Connections))
	}
}

// mayRenew: only while the others hold, and nothing waits to be taken.
func (l *link) mayRenew() bool {
	return l.Links() >= l.Connections && len(l.client.Events) == 0
}

// handleEvent deals with one event; an error ends the connection for good.
func (l *link) handleEvent(ctx context.Context, e socketmode.Event) error {
	switch e.Type {
	case socketmode.EventTypeConnecting:
		l.setUp(ctx, false)
	case socketmode.EventTypeConnected:
		l.setUp(ctx, true)
		l.log.Info("connected to Slack")
	case socketmode.EventTypeHello:
		l.planRenewal(time.Duration(e.Request.DebugInfo.ApproximateConnectionTime) * time.Second)
	case socketmode.EventTypeConnectionError:
		return l.handleFailure(e)
	case socketmode.EventTypeErrorBadMessage:
		if bad, ok := e.Data.(*socketmode.ErrorBadMessage); ok {
			l.takeUndecoded(ctx, bad)
		}
	case socketmode.EventTypeIncomingError, socketmode.EventTypeErrorWriteFailed:
		l.log.Warn("trouble on the link to Slack", "kind", e.Type, "what", fmt.Sprint(e.Data))
	default:
		if e.Request != nil && e.Request.EnvelopeID != "" {
			l.takeEnvelope(ctx, e.Request.EnvelopeID, e.Request.Type, e.Request.Payload, e.Request.RetryAttempt)
		}
	}
	return nil
}

// handleFailure ends the connection where no retry helps; slack-go itself knows a few such codes
// only, and would try the others for ever.
func (l *link) handleFailure(e socketmode.Event) error {
	c, ok := e.Data.(*slack.ConnectionErrorEvent)
	if !ok {
		return nil
	}
	var refused *bot.AuthError
	if err := bot.ExplainError(c.ErrorObj, bot.AppTokenName); errors.As(err, &refused) {
		return err
	}
	l.log.Warn("cannot connect to Slack", "err", c.ErrorObj, "attempt", c.Attempt, "next", c.Backoff)
	return nil
}

// takeUndecoded is a frame that slack-go could not decode. It may be a kind of event that it
// does not know, or a message with one odd field: what a person wrote is taken in all the
// same, and whatever it is, it is acknowledged, or Slack would deliver it again.
func (l *link) takeUndecoded(ctx context.Context, bad *socketmode.ErrorBadMessage) {
	f, ok := event.ReadFrame(bad.Message)
	if !ok {
		l.log.Warn("a frame from Slack that cannot be read", "cause", bad.Cause, "bytes", len(bad.Message))
		return
	}
	// The line is what is kept of a kind that is new; the words of a person are not in it.
	l.log.Warn("an event that the client library cannot decode", "type", f.Type, "of", f.Event, "event", f.EventID, "bytes", len(bad.Message), "cause", bad.Cause)
	l.takeEnvelope(ctx, f.EnvelopeID, f.Type, f.Payload, 0)
}

// takeEnvelope keeps one event and then, only then, acknowledges it.
func (l *link) takeEnvelope(ctx context.Context, envelopeID, kind string, payload []byte, attempt int) {
	if kind == "slash_commands" {
		// A command is acknowledged whatever became of it: that is where the person is told.
		// Only one that was cut short by our own end is left to come again.
		if answer := l.runCommand(ctx, envelopeID, payload); ctx.Err() == nil {
			l.acknowledge(ctx, envelopeID, answer, l.log)
		}
		return
	}
	if s, ok := l.reader.ReadSubmission(payload); kind == "interactive" && ok {
		if answer := l.keepSubmission(ctx, s); ctx.Err() == nil {
			l.acknowledge(ctx, envelopeID, answer, l.log)
		}
		return
	}
	if s, ok := l.reader.ReadSharedMessage(kind, payload); ok {
		if l.keepShared(ctx, s) {
			l.acknowledge(ctx, envelopeID, nil, l.log)
		}
		return
	}
	if user := event.HomeOpenedBy(kind, payload); user != "" {
		l.acknowledge(ctx, envelopeID, nil, l.log)
		l.openHome(ctx, user)
		return
	}
	until := time.Now().Add(l.patience())
	in, ok, reason := l.reader.Normalise(kind, payload)
	log := l.log.With("event", in.EventID, "attempt", attempt)
	//crash:event_received
	if ok {
		l.openPressed(ctx, &in, payload)
	}
	if !ok {
		log.Debug("not for us", "reason", reason)
	} else if err := l.keepIncoming(ctx, in, until); err != nil {
		log.Error("could not keep an event; Slack will deliver it again", "kind", in.Kind, "err", err)
		return
	}
	//crash:event_kept
	l.acknowledge(ctx, envelopeID, nil, log)
	//crash:event_acknowledged
}

func (l *link) acknowledge(ctx context.Context, envelopeID string, answer any, log *slog.Logger) {
	// The acknowledgement waits in slack-go for a link that is up. A queue of them must not
	// stand in the way of the events that say so: after a while the event is left to be
	// delivered again, and found to be a duplicate.
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := l.client.AckCtx(ctx, envelopeID, answer); err != nil {
		log.Warn("could not acknowledge an event", "err", err)
	}
}

// keepIncoming offers the event until the Inbox took it or patience ends. Slack never delivers a
// press of a button again, so a database that is away for a moment should not lose one.
func (l *link) keepIncoming(ctx context.Context, in workflow.Incoming, until time.Time) error {
	return l.retryUntil(ctx, until, func() error { return l.Inbox.Receive(ctx, in) })
}

// retryUntil does it until it is done or until has come, at least once.
func (l *link) retryUntil(ctx context.Context, until time.Time, do func() error) error {
	return bot.RetryUntil(ctx, until, 20*time.Millisecond, do)
}

func (g *Gateway) patience() time.Duration { return cmp.Or(g.Patience, 2*time.Second) }

func (l *link) setUp(ctx context.Context, up bool) {
	if l.up == up {
		return
	}
	l.up = up
	if up {
		l.links.Add(1)
		l.linkBegins()
		return
	}
	l.linkEnds(ctx, l.links.Add(-1) > 0)
}
