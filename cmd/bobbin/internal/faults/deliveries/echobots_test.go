package deliveries

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/gateway"
	"github.com/bobbinhq/bobbin/bot/poster"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
)

// echoBots are replicas of the bot in which everything is real (gateway, inbox, queue, outbox, poster,
// Postgres) except the agents: a turn posts one line for each message that it handles, or as many lines as
// the message asks for. So every effect can be counted, in rows and in Slack.
type echoBots struct {
	t     *testing.T
	slack *slacktest.Server
	db    *pgxpool.Pool
	url   string
	list  []*echoBot
}

// An echoOptions configures echoBots: how many there are, and which of their guards are disabled.
type echoOptions struct {
	replicas    int
	connections int           // of each replica
	watch       []string      // IDs of the watched channels
	settle      time.Duration // default 1 ms
	unguard     string        // SQL that disables a guard in the database
	blind       bool          // the poster does not look up whether an earlier try was posted
	posters     int           // default: the queue's default
	behind      bool          // reactions wait for the lines before them
	http        http.RoundTripper
}

type echoBot struct {
	*gateway.Gateway
	store *store.Store
	queue *server.Queue
}

// newEchoBots returns echoBots with a local Slack and an empty database, and no replicas yet.
func newEchoBots(t *testing.T, cfg slacktest.Config) *echoBots {
	t.Helper()
	p := &echoBots{t: t, url: harness.Database(t)}
	var err error
	p.db, err = pgxpool.New(t.Context(), p.url)
	require.NoError(t, err)
	t.Cleanup(p.db.Close)
	cfg.AppName = "bobbin"
	cfg.DisconnectGrace = 20 * time.Millisecond
	p.slack, err = slacktest.Listen(cfg)
	require.NoError(t, err)
	t.Cleanup(p.slack.Close)
	return p
}

// start starts the replicas, which stop when the test ends.
func (e *echoBots) start(f echoOptions) {
	t := e.t
	t.Helper()
	if f.unguard != "" {
		_, err := e.db.Exec(t.Context(), f.unguard)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	group, ctx := errgroup.WithContext(ctx)
	for n := range f.replicas {
		b := e.startReplica(f, n)
		e.list = append(e.list, b)
		group.Go(func() error { return b.queue.Run(ctx) })
		group.Go(func() error { return b.Run(ctx) })
	}
	t.Cleanup(func() { // runs before the stores are closed
		cancel()
		require.NoError(t, group.Wait())
	})
	require.NoError(t, e.slack.WaitConnected(harness.Soon(t), f.replicas*f.connections))
}

func (e *echoBots) startReplica(f echoOptions, n int) *echoBot {
	t := e.t
	silent := slog.New(slog.DiscardHandler)
	st, err := store.Open(t.Context(), e.url, silent)
	require.NoError(t, err)
	t.Cleanup(st.Close)
	app := e.slack.App()
	slack, err := bot.Open(t.Context(), bot.Config{
		BotToken: app.BotToken,
		AppToken: app.AppToken,
		APIURL:   e.slack.URL(),
		HTTP:     &http.Client{Transport: f.http, Timeout: 30 * time.Second},
	})
	require.NoError(t, err)
	posting := outbox.New(st.DB)
	b := &echoBot{store: st, Gateway: &gateway.Gateway{
		Slack: slack, Inbox: inbox.New(st.DB, st.Queue), Listening: gateway.Listening{Watch: f.watch},
		Connecting: gateway.Connecting{
			Connections: f.connections,
			Apart:       time.Millisecond,
			Steady:      time.Millisecond,
			MostApart:   20 * time.Millisecond,
		},
	}}
	posts := &poster.Poster{
		Slack:  slack,
		Outbox: posting,
		Pace:   time.Microsecond,
		Settle: cmp.Or(f.settle, time.Millisecond),
	}
	if f.blind {
		posts.Outbox = blindfold{posting}
	}
	reacting := &poster.Poster{Slack: slack, Outbox: posting.Reactions()}
	if f.behind {
		reacting.Outbox = afterLines{posting.Reactions(), st}
	}
	giveUp := func(_ context.Context, session string, cause error) error {
		t.Errorf("session %s was given up: %v", session, cause)
		return nil
	}
	b.queue, err = server.NewQueue(st, server.Work{
		Turn:    b.turn,
		GiveUp:  giveUp,
		Post:    posts.Drain,
		React:   reacting.Drain,
		Posters: f.posters,
	}, fmt.Sprint("parrot-", n), 8, silent)
	require.NoError(t, err)
	return b
}

// blindfold is an outbox that hides whether a posting was tried before.
type blindfold struct{ *outbox.Outbox }

func (b blindfold) Next(ctx context.Context, session string) (*workflow.Posting, error) {
	p, err := b.Outbox.Next(ctx, session)
	if p != nil {
		p.Tried = false
	}
	return p, err
}

// afterLines is an outbox of reactions that returns an error while the session has unposted lines.
type afterLines struct {
	outbox.Reactions
	store *store.Store
}

func (a afterLines) Next(ctx context.Context, session string) (*workflow.Posting, error) {
	var lines int
	err := a.store.Pool.QueryRow(ctx,
		`select count(*) from outbox where session_id = $1 and reaction = '' and posted_at is null`,
		session).Scan(&lines)
	if err == nil && lines > 0 {
		err = errors.New("lines come first")
	}
	if err != nil {
		return nil, err
	}
	return a.Reactions.Next(ctx, session)
}

// turn answers each unhandled message, and records it as handled together with its lines.
func (e *echoBot) turn(ctx context.Context, session string) error {
	t, err := e.store.Begin(ctx, session, store.NoSettling)
	if err != nil {
		return err
	}
	messages, err := t.Inbox().Unhandled(ctx)
	if err != nil {
		return err
	}
	var said int
	if err := e.store.Pool.QueryRow(ctx, `select count(*) from lines where session_id = $1`,
		session).Scan(&said); err != nil {
		return err
	}
	for _, m := range messages {
		lines, err := answers(ctx, t, m, said)
		if err != nil {
			return err
		}
		said += len(lines)
		update := store.Update{ClearStop: true}
		if strings.Contains(m.Text, "anew") { // buttons that were shown before become stale
			update.Change = func(s *workflow.Session) { s.Revision++ }
		}
		var spoken store.Part = store.Lines(lines)
		if strings.HasSuffix(m.Text, "alone") {
			spoken = store.Replies(lines)
		}
		if err := t.Record(ctx, inbox.Handled{ID: m.ID}, update, spoken); err != nil {
			return err
		}
	}
	return nil
}

var asksFor = regexp.MustCompile(`^say (\d+)`)

// answers returns the lines for a message: numbered lines if the message asks for some, else one line that
// repeats it.
func answers(ctx context.Context, t *store.Turn, m workflow.Message, said int) ([]workflow.Line, error) {
	if strings.Contains(m.Text, "quiet") {
		return nil, nil
	}
	if asked := asksFor.FindStringSubmatch(m.Text); asked != nil {
		many, _ := strconv.Atoi(asked[1])
		lines := make([]workflow.Line, many)
		for i := range lines {
			lines[i] = workflow.Line{Agent: "parrot", Text: fmt.Sprintf("line %04d", said+i)}
		}
		return lines, nil
	}
	line := workflow.Line{Agent: "parrot", Text: "heard " + heard(m.IncomingEvent)}
	if m.Kind == workflow.MessageAction {
		revision, _, _, err := t.Button(ctx, m.ActionID, m.Value)
		if err != nil {
			return nil, err
		}
		if revision < t.Session().Revision {
			line.Text += " (stale)"
		}
	}
	if strings.Contains(m.Text, "buttons") {
		for _, id := range actions {
			line.Buttons = append(line.Buttons,
				workflow.Button{ActionID: workflow.ActionID(id), Label: id, Value: store.NewToken()})
		}
	}
	return []workflow.Line{line}, nil
}

// heard returns an event in one line: its kind, text and action.
func heard(in workflow.IncomingEvent) string {
	return strings.Join(strings.Fields(string(in.Kind)+" "+in.Text+string(in.ActionID)), " ")
}

// trouble sometimes breaks the connections or loses acknowledgements, at random.
func (e *echoBots) trouble(random *rand.Rand) {
	switch random.IntN(40) {
	case 0:
		e.slack.Disconnect([]string{"warning", "refresh_requested", "link_disabled"}[random.IntN(3)])
	case 1:
		e.slack.Cut()
	case 2, 3, 4:
		e.slack.DropAcks(1 + random.IntN(3))
		return
	default:
		return
	}
	require.NoError(e.t, e.slack.WaitConnected(harness.Soon(e.t), 2))
}

// breath gives the replicas up to 50 ms to handle events that are on their way.
func (e *echoBots) breath() {
	ctx, cancel := context.WithTimeout(e.t.Context(), 50*time.Millisecond)
	defer cancel()
	_ = e.slack.WaitSettled(ctx)
}

// settle waits until nothing is on its way in either direction. For events on a broken connection it ends
// Slack's wait for an acknowledgement.
func (e *echoBots) settle() {
	e.t.Helper()
	ctx := harness.Soon(e.t)
	for {
		require.NoError(e.t, e.slack.WaitConnected(ctx, 1))
		settled := e.nudge() // before the query: an event that arrives during it is in no row yet
		var left int
		err := e.db.QueryRow(ctx, `select (select count(*) from inbox where handled_at is null)
			+ (select count(*) from outbox where posted_at is null and refused is null)
			+ (select count(*) from river_job where state in ('available', 'running', 'retryable',
				'scheduled'))`).
			Scan(&left)
		require.NoError(e.t, err)
		if settled && left == 0 {
			return
		}
	}
}

// nudge waits for Slack's deliveries. If none has progressed, since the rest was sent on broken connections,
// it ends Slack's wait for their acknowledgements. It reports whether no delivery is on its way.
func (e *echoBots) nudge() (settled bool) {
	before, _ := e.tally()
	// Long enough for a slow machine: Slack drops an event after four expired acknowledgements.
	ctx, cancel := context.WithTimeout(e.t.Context(), 1500*time.Millisecond)
	defer cancel()
	if e.slack.WaitSettled(ctx) == nil {
		select { // limits how often settle queries the rows
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
		return true
	}
	if now, _ := e.tally(); maps.Equal(now, before) {
		e.slack.ExpireAcks()
	}
	return false
}

// tally counts all deliveries so far by outcome, and the connections that they used.
func (e *echoBots) tally() (outcomes map[slacktest.Outcome]int, links int) {
	outcomes = map[slacktest.Outcome]int{}
	for _, d := range e.slack.Deliveries() {
		outcomes[d.Outcome]++
		links = max(links, d.Link)
	}
	return outcomes, links
}
