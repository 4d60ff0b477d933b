package bot

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/workflow"
)

// office is a workspace that speaks Slack's protocols, with people in #bugs, and the bot.
type office struct {
	*slacktest.Server
	t    *testing.T
	bot  *Slack
	ada  slacktest.User
	ben  slacktest.User
	bugs slacktest.Channel
}

func openOffice(t *testing.T, cfg slacktest.Config) *office {
	t.Helper()
	if cfg.Scopes == nil {
		cfg.Scopes = deploy.Names(deploy.Scopes()) // what the manifest asks for has to be enough
	}
	s := slacktest.New(cfg)
	t.Cleanup(s.Close)
	o := &office{Server: s, t: t}
	o.ada = s.AddUser(slacktest.User{Name: "ada", RealName: "Ada Lovelace"})
	o.ben = s.AddUser(slacktest.User{Name: "ben", RealName: "Ben Bitdiddle"})
	o.bugs = s.AddChannel(slacktest.Channel{Name: "bugs", Members: []string{o.ada.ID, o.ben.ID, s.App().BotUser}})
	var err error
	o.bot, err = Open(t.Context(), o.config())
	require.NoError(t, err)
	return o
}

func (o *office) config() Config {
	return Config{BotToken: o.App().BotToken, AppToken: o.App().AppToken, APIURL: o.URL()}
}

func (o *office) say(text, thread string) string {
	o.t.Helper()
	ts, err := o.Say("bugs", o.ada.ID, text, thread)
	require.NoError(o.t, err)
	return ts
}

func (o *office) thread(ts string) workflow.Thread {
	return workflow.Thread{Team: o.App().TeamID, Channel: o.bugs.ID, TS: ts}
}

// run starts a gateway and waits for its connections; it ends with the test.
func (o *office) run(g *Gateway) *Gateway {
	o.t.Helper()
	g.Slack = o.bot
	g.Apart, g.Patience = cmp.Or(g.Apart, time.Millisecond), cmp.Or(g.Patience, time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	o.t.Cleanup(func() {
		cancel()
		require.NoError(o.t, <-ended)
	})
	require.NoError(o.t, o.WaitConnected(soon(o.t), max(g.Connections, 1)))
	return g
}

func (o *office) settled() {
	o.t.Helper()
	require.NoError(o.t, o.WaitSettled(soon(o.t)))
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// inbox is an Inbox that keeps what it gets, once by event and once by message, as the
// contract says.
type inbox struct {
	before func(workflow.Incoming) error // called first; an error is a commit that failed

	mu    sync.Mutex
	calls []workflow.Incoming // every call
	kept  []workflow.Incoming // every effect
}

func (b *inbox) Receive(_ context.Context, in workflow.Incoming) error {
	b.mu.Lock()
	b.calls = append(b.calls, in)
	b.mu.Unlock()
	if b.before != nil {
		if err := b.before(in); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.ContainsFunc(b.kept, func(k workflow.Incoming) bool { return same(k, in) }) {
		b.kept = append(b.kept, in)
	}
	return nil
}

func same(a, b workflow.Incoming) bool {
	written := func(in workflow.Incoming) bool {
		return in.Kind == workflow.IncomingMention || in.Kind == workflow.IncomingReply
	}
	return a.EventID == b.EventID || written(a) && written(b) && a.Thread.Channel == b.Thread.Channel && a.TS == b.TS
}

func (b *inbox) seen() (calls, kept []workflow.Incoming) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.calls), slices.Clone(b.kept)
}

func (b *inbox) texts() (all []string) {
	_, kept := b.seen()
	for _, in := range kept {
		all = append(all, in.Text)
	}
	return all
}

// outbox is an Outbox that keeps the contract: what Next gave out before is tried.
type outbox struct {
	mu      sync.Mutex
	waiting []*workflow.Posting
	posted  map[string]string
	refused map[string]string
	lost    error // what Mine says

	elsewhere string // where somebody else's reply stands
}

func (b *outbox) Mine(context.Context, string) error { return b.lost }

func (b *outbox) put(postings ...workflow.Posting) *outbox {
	for _, p := range postings {
		b.waiting = append(b.waiting, &p)
	}
	return b
}

func (b *outbox) Next(context.Context, string) (*workflow.Posting, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		return nil, nil
	}
	p := *b.waiting[0]
	b.waiting[0].Tried = true
	return &p, nil
}

func (b *outbox) Posted(_ context.Context, key, ts string) (string, error) {
	return cmp.Or(b.elsewhere, ts), b.settle(&b.posted, key, ts)
}

func (b *outbox) Refused(_ context.Context, key, why string) error {
	return b.settle(&b.refused, key, why)
}

func (b *outbox) settle(into *map[string]string, key, value string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 || b.waiting[0].Key != key {
		return errors.New("settled out of order: " + key)
	}
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[key] = value
	b.waiting = b.waiting[1:]
	return nil
}

func cancellable(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// posting is one line in the thread of root.
func (o *office) posting(key, root, text string) workflow.Posting {
	return workflow.Posting{Key: key, Session: "s", Thread: o.thread(root), Lines: []workflow.Line{{Agent: "deep", Text: text}}}
}
