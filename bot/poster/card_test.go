package poster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// board is a fake Cards that records what the painter reports for each card.
type board struct {
	mu    sync.Mutex
	due   []*workflow.Card
	drawn map[string]int // number of drawings, by key
	later map[string]time.Duration
	gone  map[string]string
}

func (b *board) put(cards ...*workflow.Card) *board {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.due = append(b.due, cards...)
	return b
}

func (b *board) NextCard(context.Context) (*workflow.Card, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.due) == 0 {
		return nil, nil
	}
	c := b.due[0]
	b.due = b.due[1:]
	return c, nil
}

func (b *board) Drawn(_ context.Context, c *workflow.Card) error {
	c.DrawnMark = c.Mark()
	return note(b, &b.drawn, c.Key, b.drawn[c.Key]+1)
}

func (b *board) CardLater(_ context.Context, c *workflow.Card, wait time.Duration) error {
	return note(b, &b.later, c.Key, wait)
}

func (b *board) CardGone(_ context.Context, c *workflow.Card, why string) error {
	return note(b, &b.gone, c.Key, why)
}

func note[T any](b *board, into *map[string]T, key string, value T) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if *into == nil {
		*into = map[string]T{}
	}
	(*into)[key] = value
	return nil
}

// paint runs a painter until done returns true.
func (po *posterOffice) paint(b *board, done func() bool) {
	po.T.Helper()
	ctx, cancel := context.WithCancel(po.T.Context())
	var ended sync.WaitGroup
	p := &Painter{Poster: &Poster{Slack: po.Bot}, Cards: b, Pace: time.Millisecond, Look: time.Millisecond}
	ended.Go(func() { p.Run(ctx) })
	require.Eventually(po.T, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return done()
	}, time.Minute, time.Millisecond)
	cancel()
	ended.Wait()
}

// atWork returns a card of a run in the thread.
func (po *posterOffice) atWork(key, root string) *workflow.Card {
	return &workflow.Card{
		Key:    key,
		Thread: po.ThreadOf(root),
		Run:    1,
		Phase:  workflow.PhaseWorking,
		Worked: 75 * time.Second,
		Cost:   workflow.Cost{USD: 0.12},
		Stop:   "opaque",
		Tasks: []workflow.CardTask{
			{
				Number: 1,
				Label:  "[deep + tdd skill]",
				Title:  "Fix the <!channel> & www.example.com total",
				State:  workflow.TaskDone,
			},
			{
				Number:   2,
				Label:    "[quick]",
				Title:    "Change the label",
				State:    workflow.TaskWorking,
				Failures: 1,
			},
			{Number: 3, Label: "[quick]", Title: "Tell of it", State: workflow.TaskOpen},
		},
	}
}

// begin posts the card through an outbox.
func (po *posterOffice) begin(c *workflow.Card) {
	po.T.Helper()
	out := (&bottest.Outbox{}).Put(workflow.Posting{Key: c.Key, Session: "s", Thread: c.Thread, Card: c})
	require.NoError(po.T, po.poster(out).Drain(po.T.Context(), "s"))
	require.Empty(po.T, out.RefusedByKey)
	c.TS = out.ByKey[c.Key]
	c.DrawnMark = c.Mark()
}

func (po *posterOffice) newest(root string) slacktest.Message {
	po.T.Helper()
	all := po.Thread("bugs", root)
	return all[len(all)-1]
}

func kinds(t *testing.T, m slacktest.Message) (kinds []string) {
	t.Helper()
	var blocks []struct{ Type string }
	require.NoError(t, json.Unmarshal(m.Blocks, &blocks))
	for _, b := range blocks {
		kinds = append(kinds, b.Type)
	}
	return kinds
}

func TestACardIsWrittenAgainAsItsRunGoesOn(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	c := o.atWork("card", root)
	o.begin(c)
	first := o.newest(root)
	require.Equal(t, []string{"plan", "actions"}, kinds(t, first))
	require.Equal(t, "opaque", first.Controls()[0].Value)
	require.Equal(t, "[orchestrator] ◆ At work · 1 of 3 tasks done · 1 min · $0.12 in this run\n"+
		"1. [deep + tdd skill] Fix the ‹!channel› ＆ www\u200b.example.com total (done)\n"+
		"2. [quick] Change the label (at work, attempt 2)\n3. [quick] Tell of it (waits)", first.Text)

	b := &board{}
	o.paint(b.put(c), func() bool { return b.drawn["card"] == 1 })
	require.Empty(t, o.Requests("chat.update"), "nothing changed")
	c.Tasks[1].State = workflow.TaskDone
	c.Tasks[2].State = workflow.TaskDone
	c.Worked = 3 * time.Minute
	c.Phase = workflow.PhaseDone
	c.Ended = true
	c.Stop = ""
	o.Order(slacktest.Fault{Method: "chat.update", Nth: 1, Status: 503})
	o.paint(b.put(c), func() bool { return b.later["card"] > 0 })
	o.paint(b.put(c), func() bool { return b.drawn["card"] == 2 })

	last := o.newest(root)
	require.Equal(t, first.TS, last.TS, "no message more")
	require.Equal(t, []string{"plan"}, kinds(t, last))
	require.Empty(t, last.Controls())
	done := "[orchestrator] ◆ Done · 3 of 3 tasks done · 3 min · $0.12 in this run\n"
	require.True(t, strings.HasPrefix(last.Text, done), last.Text)
	require.JSONEq(t, string(first.Metadata.EventPayload), string(last.Metadata.EventPayload))
	require.Empty(t, o.Requests("chat.startStream"), "Slack ends streams after five minutes")
}

// TestWherePlansAreRefusedCardsArePlain checks that cards use plain blocks after Slack refused the newer
// ones, until the program restarts.
func TestWherePlansAreRefusedCardsArePlain(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	o.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 1, Error: "invalid_blocks"})
	root := o.AdaSays("it fails", "")
	c := o.atWork("card", root)
	o.begin(c)
	require.Equal(t, []string{"section", "context", "actions"}, kinds(t, o.newest(root)))
	b := &board{}
	c.Cost.USD = 0.2
	o.paint(b.put(c), func() bool { return b.drawn["card"] == 1 })
	require.Equal(t, []string{"section", "context", "actions"}, kinds(t, o.newest(root)))
	require.Len(t, o.Requests("chat.update"), 1)

	var err error
	o.Bot, err = bot.Open(t.Context(), o.AppConfig())
	require.NoError(t, err)
	c.Cost.USD = 0.3
	o.Order(slacktest.Fault{Method: "chat.update", Nth: 1, Error: "invalid_blocks"})
	o.paint(b.put(c), func() bool { return b.drawn["card"] == 2 })
	require.Len(t, o.Requests("chat.update"), 2+1, "refused, and plain")
	require.Equal(t, []string{"section", "context", "actions"}, kinds(t, o.newest(root)))
}

// TestCardsHoldNothingUp checks that lines are posted while Slack accepts no updates, and that a card whose
// update hangs does not block other cards.
func TestCardsHoldNothingUp(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	b := &board{}
	var cards []*workflow.Card
	for i := range 3 {
		c := o.atWork(fmt.Sprintf("card-%d", i), root)
		o.begin(c)
		c.Cost.USD = 7
		cards = append(cards, c)
	}
	o.Order(slacktest.Fault{Method: "chat.update", Nth: 1, Latency: 10 * time.Minute})
	o.Order(slacktest.Fault{Method: "chat.update", Nth: 2, Status: 429, RetryAfter: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	p := &Painter{
		Poster: &Poster{Slack: o.Bot},
		Cards:  b.put(cards[0]),
		Pace:   time.Millisecond,
		Look:   time.Millisecond,
	}
	go p.Run(ctx)
	require.Eventually(t, func() bool { return len(o.Requests("chat.update")) == 1 }, time.Minute,
		time.Millisecond)
	b.put(cards[1])
	is := func(done func() bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return done()
		}, time.Minute, time.Millisecond)
	}
	is(func() bool { return b.drawn["card-1"] == 1 })
	b.put(cards[2])
	is(func() bool { return b.later["card-2"] == time.Hour })
	cards[1].Cost.USD = 8
	b.put(cards[1])
	out := (&bottest.Outbox{}).Put(o.Posting("line", root, "still at it"))
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Contains(t, out.ByKey, "line")
	require.Len(t, o.Requests("chat.update"), 3, "no card is tried while Slack wants none")
}

// TestACardIsPostedOnce checks that a card whose response was lost is found by its key. The control does not
// look it up and posts it twice.
func TestACardIsPostedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		blind bool
		stand int
	}{"looked up": {false, 1}, "control": {true, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openPosterOffice(t, slacktest.Config{})
			root := o.AdaSays("it fails", "")
			card := o.atWork("card", root)
			out := (&bottest.Outbox{}).Put(workflow.Posting{
				Key:     "card",
				Session: "s",
				Thread:  card.Thread,
				Card:    card,
			})
			p := o.poster(out)
			p.skipLookup = c.blind
			o.Order(slacktest.Fault{Method: "chat.postMessage", LoseAnswer: true})
			require.Error(t, p.Drain(t.Context(), "s"))
			card.Cost.USD = 7 // the card has changed since the first try
			require.NoError(t, p.Drain(t.Context(), "s"))
			require.Len(t, o.Thread("bugs", root), 1+c.stand)
		})
	}
}

// TestCardsGiveWayToAnsweredMessages checks that cards wait while Slack limits chat.update, which answered
// messages need too.
func TestCardsGiveWayToAnsweredMessages(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	c := o.atWork("card", root)
	o.begin(c)
	c.Cost.USD = 7
	again := o.asked(root, "shall I?")
	o.Order(slacktest.Fault{Method: "chat.update", Nth: 1, Status: 429, RetryAfter: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.ErrorIs(t, o.poster((&bottest.Outbox{}).Put(again)).Drain(ctx, "s"), context.DeadlineExceeded)
	require.False(t, o.Bot.MayUpdate())
	o.Bot.NoteUpdate(&slack.RateLimitedError{}) // ends the wait
	b := &board{}
	o.paint(b.put(c), func() bool { return b.drawn["card"] == 1 })
}

func TestACardThatIsGoneStaysGone(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	c := o.atWork("card", root)
	o.begin(c)
	require.NoError(t, o.Delete("bugs", c.TS))
	c.Cost.USD = 7
	b := &board{}
	o.paint(b.put(c), func() bool { return b.gone["card"] == "message_not_found" })
	require.Len(t, o.Thread("bugs", root), 1)
}

func TestACardInAnArchivedChannelIsRefused(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	c := o.atWork("card", o.AdaSays("it fails", ""))
	o.begin(c)
	require.NoError(t, o.ChangeChannel("bugs", func(ch *slacktest.Channel) { ch.Archived = true }))
	c.Cost.USD = 7
	b := &board{}
	o.paint(b.put(c), func() bool { return b.gone["card"] == "is_inactive" })
}

// TestALargeCardIsTaken checks that Slack accepts a card with very many tasks, whose text counts
// the tasks that it leaves out.
func TestALargeCardIsTaken(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	c := o.atWork("card", root)
	c.Tasks = nil
	for i := range 300 {
		c.Tasks = append(c.Tasks, workflow.CardTask{
			Number: i + 1,
			Label:  "[" + strings.Repeat("skill ", 30) + "]",
			Title:  strings.Repeat("<&> http://a ", 300),
			State:  workflow.TaskClashes,
		})
	}
	for _, plain := range []bool{false, true} {
		o.Bot.PlainCards.Store(plain)
		c.Key = fmt.Sprintf("card-%v", plain)
		c.Cost.USD = 0.1
		o.begin(c)
		c.Cost.USD = 0.2
		b := &board{}
		o.paint(b.put(c), func() bool { return b.drawn[c.Key] == 1 })
		require.Contains(t, o.newest(root).Text, "… and 280 more")
		require.Empty(t, b.gone)
	}
}
