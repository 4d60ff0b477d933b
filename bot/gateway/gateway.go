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

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// An Inbox stores the events that the gateway receives.
type Inbox interface {
	// Receive commits the events of one thread in their order, with everything that follows from them, before
	// it returns. A duplicate changes nothing and is not an error.
	Receive(ctx context.Context, came ...workflow.IncomingEvent) error
}

// A Gateway receives what people do in Slack over Socket Mode. Its fields must not
// change after Run was called.
type Gateway struct {
	Slack *bot.Slack
	Inbox Inbox
	// default: no log
	Log *slog.Logger
	// Homes makes the App Homes of people. Default: nil, there are no App Homes.
	Homes Homes
	// Commands answers /bobbin. Default: nil, that command is not known.
	Commands Commands

	// StoreTimeout is how long the gateway retries to store an event before it leaves the event to a
	// redelivery by Slack; default 2 s, since Slack waits 3 s for the acknowledgement.
	StoreTimeout time.Duration
	// AckTimeout is how long Slack waits for the acknowledgement of a press, a form or a command,
	// each of which it sends once. Slack's limit, and the default, is 3 s; what the answer needs
	// is bounded by a part of it.
	AckTimeout time.Duration

	Listening
	Modals
	Backfill
	Connecting

	// tests only: do not look up a command's message, give each form a new id
	skipLookup bool
	// tests only: let Slack renew all connections at the same time
	together bool
	// tests only: called with each client before it connects
	opened func(*socketmode.Client)

	homes homePublishing
	links atomic.Int32
	gaps  gaps
}

// Listening configures which events are received beside mentions and direct
// messages. The zero value adds none.
type Listening struct {
	Watch []string // ids of channels in which a message needs no mention
	// Reactions holds the emoji names (such as bug) that send a message to the bot, by channel id.
	Reactions map[string][]string
	Feeds     []workflow.Feed // channels in which messages of apps are read as reports
	Words     intent.Lexicon  // words that stop work; the zero value has the built-in ones
}

// Modals configures the modals that buttons open. The zero value opens none.
type Modals struct {
	Forms Forms
	// HidesCode returns why a modal in that channel must not show code of one of those repositories, in
	// words; empty: it may. Default: it always may.
	HidesCode func(ctx context.Context, repositories []string, channel string) (why string)
	// MayOpen reports whether the form may be opened for that user; nil: it may for everybody.
	MayOpen func(ctx context.Context, user string, form workflow.Form) (bool, error)
	// PageOf returns the address of a session's web page for one person; nil: there are no pages.
	PageOf func(user, session string) string
}

// Backfill configures where messages are read that were written while no connection was up (backfill.go). The
// zero value reads none.
type Backfill struct {
	History  History  // names the threads to read
	Channels []string // ids of the channels to read
}

// Connecting configures the number of connections and the waits between new links.
type Connecting struct {
	// Connections is the number of connections that are kept open; default 1. Slack sends an event to one of
	// them, so with two, no event is missed while one is renewed.
	Connections int
	// New links are at least Apart from each other (default 1 s). The wait doubles after each link that lived
	// less than Steady (default 30 s), up to MostApart (default 1 min).
	Apart, Steady, MostApart time.Duration
	// PingInterval is how long a link may go without a ping from Slack; default 30 s.
	PingInterval time.Duration
}

// Links returns how many connections are up, for a health check.
func (g *Gateway) Links() int { return int(g.links.Load()) }

// Run receives events until ctx ends, which is not an error. It returns an *AuthError when Slack refuses the
// app permanently; it retries after every other failure.
func (g *Gateway) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	if g.History != nil {
		g.gaps.filled = make(chan time.Time, 1)
		g.gaps.open = true // the time before the start is a gap
		g.gaps.since = g.newestBefore(ctx)
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

// link is one connection: a slack-go client, and the goroutine that handles its events.
type link struct {
	*Gateway
	number int
	reader event.Reader
	log    *slog.Logger
	client *socketmode.Client
	up     bool

	due     <-chan time.Time // fires when the link is to be renewed ahead of Slack; nil: never
	renewed bool             // the link was already renewed ahead of Slack
}

// errRenew is the cause that ends a link which is to be renewed.
var errRenew = errors.New("renew the link")

// keepConnection keeps one connection up until ctx ends or Slack refuses the app.
func (g *Gateway) keepConnection(parent context.Context, number int) error {
	log := g.log().With("connection", number)
	limiter := &reconnectLimiter{
		next:   g.Slack.HTTP(),
		log:    log,
		apart:  cmp.Or(g.Apart, time.Second),
		steady: cmp.Or(g.Steady, 30*time.Second),
		most:   cmp.Or(g.MostApart, time.Minute),
	}
	var options []socketmode.Option
	if g.PingInterval > 0 {
		options = append(options, socketmode.OptionPingInterval(g.PingInterval))
	}
	l := &link{
		Gateway: g,
		number:  number,
		log:     log,
		reader: event.Reader{
			Self:      g.Slack.Self(),
			Watch:     g.Watch,
			Reactions: g.Reactions,
			Feeds:     g.Feeds,
			Words:     g.Words,
		},
	}
	for {
		l.client = socketmode.New(g.Slack.NewClient(limiter), options...)
		l.due = nil
		if g.opened != nil {
			g.opened(l.client)
		}
		if err := l.runClient(parent); !errors.Is(err, errRenew) {
			return err
		}
		l.renewed = true
	}
}

// runClient runs one client until it ends. The client itself may reconnect any number of times.
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

// takeEvents handles the events of the link, those of each thread in order.
func (l *link) takeEvents(ctx context.Context, end context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-l.client.Events:
			if err := l.handleWaiting(ctx, e); err != nil {
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

// planRenewal schedules the link's one renewal ahead of Slack. Slack renews each link some hours after it was
// opened, so links that were opened together would be renewed together. Every link but the first is therefore
// renewed once before that, while the others are up; afterwards their renewals are spread out.
func (l *link) planRenewal(life time.Duration) {
	if l.number > 1 && !l.renewed && !l.together && l.due == nil && life > 0 {
		l.due = time.After(life * time.Duration(l.number-1) / time.Duration(l.Connections))
	}
}

// mayRenew reports whether all links are up and no event waits to be handled.
func (l *link) mayRenew() bool {
	return l.Links() >= l.Connections && len(l.client.Events) == 0
}

// handleEvent handles one event; an error ends the connection permanently.
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
			l.takeEnvelope(ctx, e.Request.EnvelopeID, e.Request.Type, e.Request.Payload,
				e.Request.RetryAttempt)
		}
	}
	return nil
}

// handleFailure returns an error if a retry cannot help. slack-go knows only a few such codes and would retry
// the others forever.
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

// takeUndecoded handles a frame that slack-go could not decode: an unknown kind of event, or a message with
// one unexpected field. A person's message in it is still received, and the frame is always acknowledged, or
// Slack would deliver it again.
func (l *link) takeUndecoded(ctx context.Context, bad *socketmode.ErrorBadMessage) {
	f, ok := event.ReadFrame(bad.Message)
	if !ok {
		l.log.Warn("a frame from Slack that cannot be read", "cause", bad.Cause, "bytes", len(bad.Message))
		return
	}
	// This log line is the only trace of an unknown kind; it holds no text of a person.
	l.log.Warn("an event that the client library cannot decode", "type", f.Type, "of", f.Event,
		"event", f.EventID, "bytes", len(bad.Message), "cause", bad.Cause)
	l.takeEnvelope(ctx, f.EnvelopeID, f.Type, f.Payload, f.Attempt)
}

// takeEnvelope stores one event and only then acknowledges it.
func (l *link) takeEnvelope(ctx context.Context, envelopeID, kind string, payload []byte, attempt int) {
	if kind == "slash_commands" {
		// A command is acknowledged even if it failed, since the acknowledgement carries the answer. Only a
		// command that was interrupted by our own stop is left for redelivery.
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
	if user, action, value, ok := event.HomePress(kind, payload); ok {
		l.pressHome(ctx, user, action, value, payload)
		l.acknowledge(ctx, envelopeID, nil, l.log)
		return
	}
	if user := event.HomeOpenedBy(kind, payload); user != "" {
		l.acknowledge(ctx, envelopeID, nil, l.log)
		l.openHome(ctx, user)
		return
	}
	until := time.Now().Add(l.storeTimeout())
	in, ok, reason := l.reader.Normalise(kind, payload)
	log := l.log.With("event", in.EventID, "attempt", attempt)
	if !ok {
		log.Debug("not for us", "reason", reason)
		l.acknowledge(ctx, envelopeID, nil, log)
		return
	}
	l.openPressed(ctx, &in, payload)
	message{envelopeID, in, attempt, log}.keep(ctx, l, until)
}

func (l *link) acknowledge(ctx context.Context, envelopeID string, answer any, log *slog.Logger) {
	// AckCtx waits in slack-go for a link that is up. Waiting acknowledgements must not block the event that
	// reports such a link. So after 5 seconds the event is left for redelivery, and the Inbox drops the
	// duplicate.
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := l.client.AckCtx(ctx, envelopeID, answer); err != nil {
		log.Warn("could not acknowledge an event", "err", err)
	}
}

// keepIncoming retries until the Inbox has stored the event or the time is over. Slack never delivers a
// button press again, so a short outage of the database must not lose one.
func (l *link) keepIncoming(ctx context.Context, in workflow.IncomingEvent, until time.Time) error {
	return l.retryUntil(ctx, until, func() error { return l.Inbox.Receive(ctx, in) })
}

// retryUntil calls do at least once, until it succeeds or the time is over.
func (l *link) retryUntil(ctx context.Context, until time.Time, do func() error) error {
	return bot.RetryUntil(ctx, until, 20*time.Millisecond, do)
}

func (g *Gateway) storeTimeout() time.Duration { return cmp.Or(g.StoreTimeout, 2*time.Second) }

func (g *Gateway) ackTimeout() time.Duration { return cmp.Or(g.AckTimeout, 3*time.Second) }

// formTimeout limits how long opening a modal delays the acknowledgement of its press.
func (g *Gateway) formTimeout() time.Duration { return g.ackTimeout() * 2 / 5 }

// commandTimeout limits what a command, a form or a shortcut does, so that time is
// left for its acknowledgement.
func (g *Gateway) commandTimeout() time.Duration { return max(g.ackTimeout()*5/6, g.storeTimeout()) }

// removalTimeout limits how long a command that failed removes its message.
func (g *Gateway) removalTimeout() time.Duration { return g.ackTimeout() / 6 }

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
