package bottest

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/workflow"
)

// An Office is a fake Slack workspace with people in #bugs, and the bot connected to it.
type Office struct {
	*slacktest.Server
	T    *testing.T
	Bot  *bot.Slack
	Ada  slacktest.User
	Ben  slacktest.User
	Bugs slacktest.Channel
}

// Open opens an Office that closes at the end of the test.
func Open(t *testing.T, cfg slacktest.Config) *Office {
	t.Helper()
	if cfg.Scopes == nil {
		cfg.Scopes = deploy.Names(deploy.Scopes()) // the manifest's scopes have to be sufficient
	}
	// Slack's limits are 3 s, which a busy machine can exceed.
	cfg.AckTimeout = cmp.Or(cfg.AckTimeout, time.Minute)
	cfg.TriggerLife = cmp.Or(cfg.TriggerLife, time.Minute)
	s := slacktest.New(cfg)
	t.Cleanup(s.Close)
	o := &Office{Server: s, T: t}
	o.Ada = s.AddUser(slacktest.User{Name: "ada", RealName: "Ada Lovelace"})
	o.Ben = s.AddUser(slacktest.User{Name: "ben", RealName: "Ben Bitdiddle"})
	o.Bugs = s.AddChannel(slacktest.Channel{
		Name:    "bugs",
		Members: []string{o.Ada.ID, o.Ben.ID, s.App().BotUser},
	})
	var err error
	o.Bot, err = bot.Open(t.Context(), o.AppConfig())
	require.NoError(t, err)
	return o
}

// AppConfig returns the configuration that Open opens the bot with.
func (o *Office) AppConfig() bot.Config {
	return bot.Config{BotToken: o.App().BotToken, AppToken: o.App().AppToken, APIURL: o.URL()}
}

// AdaSays writes a message by Ada in #bugs, as a reply unless thread is empty, and returns its ts.
func (o *Office) AdaSays(text, thread string) string {
	o.T.Helper()
	ts, err := o.Say("bugs", o.Ada.ID, text, thread)
	require.NoError(o.T, err)
	return ts
}

// ThreadOf returns the thread in #bugs whose root has the given ts.
func (o *Office) ThreadOf(ts string) workflow.Thread {
	return workflow.Thread{Team: o.App().TeamID, Channel: o.Bugs.ID, TS: ts}
}

// RunGateway runs a gateway until the test ends, and returns when it has the given number of connections.
func (o *Office) RunGateway(run func(context.Context) error, connections int) {
	o.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	o.T.Cleanup(func() {
		cancel()
		require.NoError(o.T, <-ended)
	})
	require.NoError(o.T, o.WaitConnected(Soon(o.T), connections))
}

// Settle waits until every event is acknowledged or given up.
func (o *Office) Settle() {
	o.T.Helper()
	require.NoError(o.T, o.WaitSettled(Soon(o.T)))
}

// Soon returns a context that ends after a minute.
func Soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// An Inbox stores events in memory, each event once and each message once, as the contract of gateway.Inbox
// requires.
type Inbox struct {
	Before func(workflow.IncomingEvent) error // called first for each event; an error acts as a failed commit

	mu       sync.Mutex
	Calls    []workflow.IncomingEvent // every event of every call
	Together []int                    // number of events per call
	Kept     []workflow.IncomingEvent // every stored event, without duplicates
}

// Receive stores all events or none.
func (i *Inbox) Receive(_ context.Context, came ...workflow.IncomingEvent) error {
	i.mu.Lock()
	i.Together = append(i.Together, len(came))
	i.mu.Unlock()
	for _, in := range came {
		i.mu.Lock()
		i.Calls = append(i.Calls, in)
		i.mu.Unlock()
		if i.Before != nil {
			if err := i.Before(in); err != nil {
				return err
			}
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, in := range came {
		if !slices.ContainsFunc(i.Kept, func(k workflow.IncomingEvent) bool { return same(k, in) }) {
			i.Kept = append(i.Kept, in)
		}
	}
	return nil
}

func same(a, b workflow.IncomingEvent) bool {
	written := func(in workflow.IncomingEvent) bool {
		return in.Kind == workflow.MessageMention || in.Kind == workflow.MessageReply
	}
	return a.EventID == b.EventID ||
		written(a) && written(b) && a.Thread.Channel == b.Thread.Channel && a.TS == b.TS
}

func (i *Inbox) Seen() (calls, kept []workflow.IncomingEvent) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.Calls), slices.Clone(i.Kept)
}

func (i *Inbox) Texts() (all []string) {
	_, kept := i.Seen()
	for _, in := range kept {
		all = append(all, in.Text)
	}
	return all
}

// An Outbox holds postings in memory. A posting is marked as tried when Next has returned it.
type Outbox struct {
	mu           sync.Mutex
	Waiting      []*workflow.Posting
	ByKey        map[string]string
	RefusedByKey map[string]string
	// error that CheckOwner returns
	Lost error

	// ts that Posted returns instead: another poster's reply
	Elsewhere string

	// results of successive calls of EditedSince: the reply as another poster extended it
	GrownTo []*workflow.Posting
}

func (o *Outbox) CheckOwner(context.Context, string) error { return o.Lost }

func (o *Outbox) EditedSince(context.Context, *workflow.Posting) (*workflow.Posting, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.GrownTo) == 0 {
		return nil, nil
	}
	newest := o.GrownTo[0]
	o.GrownTo = o.GrownTo[1:]
	return newest, nil
}

func (o *Outbox) Put(postings ...workflow.Posting) *Outbox {
	for _, p := range postings {
		o.Waiting = append(o.Waiting, &p)
	}
	return o
}

func (o *Outbox) Next(context.Context, string) (*workflow.Posting, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.Waiting) == 0 {
		return nil, nil
	}
	p := *o.Waiting[0]
	o.Waiting[0].Tried = true
	return &p, nil
}

func (o *Outbox) Posted(_ context.Context, key, ts string) (string, error) {
	return cmp.Or(o.Elsewhere, ts), o.settle(&o.ByKey, key, ts)
}

func (o *Outbox) Refused(_ context.Context, key, why string) error {
	return o.settle(&o.RefusedByKey, key, why)
}

func (o *Outbox) Began(ctx context.Context, key, ts string) (string, error) {
	return o.Posted(ctx, key, ts)
}

func (o *Outbox) NotBegun(ctx context.Context, key, why string) error {
	return o.Refused(ctx, key, why)
}

func (o *Outbox) settle(into *map[string]string, key, value string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.Waiting) == 0 || o.Waiting[0].Key != key {
		return errors.New("settled out of order: " + key)
	}
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[key] = value
	o.Waiting = o.Waiting[1:]
	return nil
}

// Posting returns a posting of one line in the thread of root.
func (o *Office) Posting(key, root, text string) workflow.Posting {
	return workflow.Posting{
		Key:     key,
		Session: "s",
		Thread:  o.ThreadOf(root),
		Lines:   []workflow.Line{{Agent: "deep", Text: text}},
	}
}

// Newest and Threads make the Inbox a gateway.History of what it has stored.
func (i *Inbox) Newest(context.Context) (newest string, _ error) {
	_, kept := i.Seen()
	for _, in := range kept {
		newest = max(newest, in.TS)
	}
	return newest, nil
}

func (i *Inbox) Threads(context.Context, time.Time, int) (threads []workflow.Thread, _ error) {
	_, kept := i.Seen()
	for _, in := range kept {
		if !slices.Contains(threads, in.Thread) {
			threads = append(threads, in.Thread)
		}
	}
	return threads, nil
}

// LastCall returns the latest call of a method of the Web API.
func (o *Office) LastCall(method string) slacktest.Request {
	o.T.Helper()
	calls := o.Requests(method)
	require.NotEmpty(o.T, calls)
	return calls[len(calls)-1]
}

// CompareGolden compares the Picture of a call with its golden file in the gallery. With
// UPDATE_GOLDEN=1 it writes the file first.
func CompareGolden(t *testing.T, file string, r slacktest.Request) {
	t.Helper()
	picture, err := slacktest.Picture(r)
	require.NoError(t, err, file)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, picture, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "UPDATE_GOLDEN=1 makes it")
	require.Equal(t, string(want), string(picture), file)
}
