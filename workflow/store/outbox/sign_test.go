package outbox_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// shows records a sign.
func (pl *progressLab) shows(of string) {
	pl.Helper()
	require.NoError(pl, pl.turn.Record(pl.ctx,
		store.Sign{Of: of, Line: workflow.Line{Agent: "orchestrator", Text: "Looking into " + of}}))
}

// drain takes everything that waits, and returns what it is.
func (pl *progressLab) drain() (posted []string) {
	pl.Helper()
	for n := '1'; ; n++ {
		p, err := pl.out.Next(pl.ctx, pl.id)
		require.NoError(pl, err)
		switch {
		case p == nil:
			return posted
		case p.EndsSign:
			posted = append(posted, "without "+p.OnTS)
			pl.posted(p, "")
		default:
			ts := "9." + string(n)
			posted = append(posted, ts+" "+p.Text())
			pl.posted(p, ts)
		}
	}
}

// A sign is taken away once the session says something or rests, that of an inquiry once it is answered, and
// one that is over before it was posted never is.
func TestASignStandsUntilTheAnswer(t *testing.T) {
	t.Parallel()
	pl := openProgress(t)
	pl.s.Signs = true
	open, rest := true, false
	require.NoError(t, pl.turn.Record(pl.ctx, store.Update{Open: &open}))

	pl.shows("words:1")
	pl.shows("words:2") // one is enough
	require.Equal(t, []string{"9.1 [orchestrator] Looking into words:1"}, pl.drain())
	pl.says("read it")
	require.Equal(t, []string{"9.1 [deep] read it", "without 9.1"}, pl.drain())
	pl.says("and more")
	require.Equal(t, []string{"9.1 [deep] read it\n[deep] and more"}, pl.drain(),
		"progress joins as without signs")

	asked := progress.Inquiry{Kind: workflow.InquiryExplain, Key: "message:3", Question: "why?", By: "U1"}
	require.NoError(t, pl.turn.Record(pl.ctx, asked,
		store.Sign{Of: asked.Key, Line: workflow.Line{Agent: "orchestrator", Text: "Reading"}}))
	pl.shows("words:4")
	require.Equal(t, []string{"9.1 [orchestrator] Reading", "9.2 [orchestrator] Looking into words:4"},
		pl.drain())
	require.NoError(t, pl.turn.Record(pl.ctx, store.Update{Open: &rest}))
	require.Equal(t, []string{"without 9.2"}, pl.drain(), "the inquiry is not answered yet")
	all, err := pl.s.Inquiries(pl.ctx, pl.id)
	require.NoError(t, err)
	asked = progress.Inquiry(all[0])
	asked.Answer = json.RawMessage(`{}`)
	require.NoError(t, pl.turn.Record(pl.ctx, asked))
	require.Equal(t, []string{"without 9.1"}, pl.drain())

	require.NoError(t, pl.turn.Record(pl.ctx, store.Update{Open: &open}))
	pl.shows("words:5")
	require.NoError(t, pl.turn.Record(pl.ctx, store.Update{Open: &rest}))
	require.Empty(t, pl.drain(), "over before it was posted")
}
