package outbox_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A progressLab is a session with a turn that says progress lines.
type progressLab struct {
	*testing.T
	ctx  context.Context
	s    *store.Store
	turn *store.Turn
	id   string
	out  *outbox.Outbox
}

func openProgress(t *testing.T) *progressLab {
	ctx := t.Context()
	s := storetest.Open(t)
	require.NoError(t, storetest.Inbox(s).Receive(ctx, workflow.IncomingEvent{
		EventID: "Ev1",
		Kind:    workflow.MessageMention,
		Thread:  storetest.Thread,
		TS:      "1.0",
		User:    "U1",
		Text:    "it fails",
	}))
	list, err := s.Sessions(ctx, 1)
	require.NoError(t, err)
	turn, err := s.Begin(ctx, list[0].ID, store.NoSettling)
	require.NoError(t, err)
	return &progressLab{t, ctx, s, turn, list[0].ID, outbox.New(s.DB)}
}

func (pl *progressLab) says(text string) {
	pl.Helper()
	require.NoError(pl, pl.turn.Record(pl.ctx, store.Lines{{Agent: "deep", Text: text, Progress: true}}))
}

func (pl *progressLab) writes(ts string) {
	pl.Helper()
	require.NoError(pl, storetest.Inbox(pl.s).Receive(pl.ctx, workflow.IncomingEvent{
		EventID: "Ev" + ts,
		Kind:    workflow.MessageReply,
		Thread:  storetest.Thread,
		TS:      ts,
		User:    "U1",
		Text:    "hm",
	}))
}

func (pl *progressLab) next() *workflow.Posting {
	pl.Helper()
	p, err := pl.out.Next(pl.ctx, pl.id)
	require.NoError(pl, err)
	require.NotNil(pl, p)
	return p
}

func (pl *progressLab) posted(p *workflow.Posting, ts string) {
	pl.Helper()
	_, err := pl.out.Posted(pl.ctx, p.Key, ts)
	require.NoError(pl, err)
}

func TestLinesOfProgressJoinTheNewestReply(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 400)
	for name, c := range map[string]struct {
		first, second string
		between       func(*progressLab)
		joins         bool
	}{
		"below":                     {"one", "two", func(*progressLab) {}, true},
		"below an older message":    {"one", "two", func(g *progressLab) { g.writes("1.5") }, true},
		"below somebody's message":  {"one", "two", func(g *progressLab) { g.writes("3.0") }, false},
		"below a line of its own":   {"one", "two", func(g *progressLab) { g.settled("2.5") }, false},
		"of a reply that is full":   {long, "two", func(*progressLab) {}, false},
		"where it is itself a long": {"one", long, func(*progressLab) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := openProgress(t)
			g.says(c.first)
			g.posted(g.next(), "2.0")
			c.between(g)
			g.says(c.second)
			p := g.next()
			if !c.joins {
				require.Empty(t, p.Rewrites)
				require.Len(t, p.Lines, 1)
				return
			}
			require.Equal(t, "[deep] one\n[deep] two", p.Text())
			require.Equal(t, []any{1, "2.0"}, []any{p.Existing, p.OnTS})
		})
	}
}

// settled says and posts a line that is no progress line.
func (pl *progressLab) settled(ts string) {
	require.NoError(pl, pl.turn.Record(pl.ctx, store.Lines{{Agent: "deep", Text: "Done."}}))
	pl.posted(pl.next(), ts)
}

// What one worker began, the next one does in the same way, even if a person wrote meanwhile.
func TestAJoinIsTriedAgainAsItWas(t *testing.T) {
	t.Parallel()
	g := openProgress(t)
	g.says("one")
	g.posted(g.next(), "2.0")
	g.says("two")
	p := g.next()
	g.writes("3.0")
	again := g.next()
	require.True(t, again.Tried)
	require.Equal(t, []any{p.Key, p.Rewrites, p.OnTS, p.Existing, p.Lines},
		[]any{again.Key, again.Rewrites, again.OnTS, again.Existing, again.Lines})
}

// lateEdit returns what a worker finds that wrote two lines after another worker had written three.
func lateEdit(t *testing.T, guarded bool) string {
	g := openProgress(t)
	g.out.GuardEdits(guarded)
	g.says("one")
	g.posted(g.next(), "2.0")
	g.says("two")
	late := g.next()
	newest, err := g.out.EditedSince(g.ctx, late)
	require.NoError(t, err)
	require.Nil(t, newest, "nobody else wrote")

	g.posted(g.next(), "2.0")
	g.says("three")
	g.next() // another worker has it
	newest, err = g.out.EditedSince(g.ctx, late)
	require.NoError(t, err)
	if newest == nil {
		return late.Text()
	}
	same, err := g.out.EditedSince(g.ctx, newest)
	require.NoError(t, err)
	require.Nil(t, same, "what is written again is what is on record")
	return newest.Text()
}

func TestALateEditIsToldOfTheNewest(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[deep] one\n[deep] two\n[deep] three", lateEdit(t, true))
}

// The control: without the guard, the late worker does not find the third line.
func TestALateEditIsFoundOut(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[deep] one\n[deep] two", lateEdit(t, false))
}
