package poster

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// poster returns a Poster like that of the program, but without waits.
func (po *posterOffice) poster(out *bottest.Outbox) *Poster {
	return &Poster{Slack: po.Bot, Outbox: out, Pace: time.Nanosecond, Settle: time.Nanosecond}
}

// replies returns the texts of a thread below its root.
func (po *posterOffice) replies(root string) (texts []string) {
	for _, m := range po.Thread("bugs", root)[1:] {
		texts = append(texts, m.Text)
	}
	return texts
}

func (po *posterOffice) lines(root string, n int) (postings []workflow.Posting, want []string) {
	for i := range n {
		text := fmt.Sprint("line ", i)
		postings = append(postings, po.Posting(fmt.Sprint("k", i), root, text))
		want = append(want, "[deep] "+text)
	}
	return postings, want
}

func TestAPostingAsItArrives(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	posting := o.Posting("s:1", root, "Read **cart.go**: <!channel> & <@U1>, see https://evil.example/?q=1")
	posting.Lines = append(posting.Lines,
		workflow.Line{Agent: "orchestrator", Text: "Shall I?", Buttons: []workflow.Button{
			{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "id-1", Style: "primary"},
			{ActionID: workflow.ButtonStop, Label: "Stop", Value: "id-2", Style: "danger"},
		}})
	out := (&bottest.Outbox{}).Put(posting)
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))

	m := o.Thread("bugs", root)[1]
	require.Equal(t, map[string]string{"s:1": m.TS}, out.ByKey)
	require.Equal(t, "[deep] Read *cart.go*: &lt;!channel&gt; &amp; &lt;@U1&gt;, "+
		"see `https://evil.example/?q=1`\n[orchestrator] Shall I?", m.Text)
	require.Equal(t, root, m.ThreadTS)
	require.False(t, *m.UnfurlLinks)
	require.False(t, *m.UnfurlMedia)
	require.Equal(t, "bobbin_posting", m.Metadata.EventType)
	require.JSONEq(t, `{"key":"s:1"}`, string(m.Metadata.EventPayload))
	require.Equal(t, "none", o.Requests("chat.postMessage")[0].Args.Get("parse"))

	var blocks []struct {
		Type string
		Text struct {
			Text     string
			Verbatim bool
		}
	}
	require.NoError(t, json.Unmarshal(m.Blocks, &blocks))
	require.Equal(t, "section", blocks[0].Type)
	require.Equal(t, m.Text, blocks[0].Text.Text)
	require.True(t, blocks[0].Text.Verbatim)
	controls := m.Controls()
	require.Len(t, controls, 2)
	require.Equal(t, []string{"fix_it", "Fix it", "id-1", "primary"},
		[]string{controls[0].ActionID, controls[0].Text, controls[0].Value, controls[0].Style})
	require.Equal(t, []string{"stop", "Stop", "id-2", "danger"},
		[]string{controls[1].ActionID, controls[1].Text, controls[1].Value, controls[1].Style})
}

func TestOddButtonsAreStillTaken(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	posting := o.Posting("k", root, "which?")
	for i := range 60 {
		posting.Lines[0].Buttons = append(posting.Lines[0].Buttons, workflow.Button{
			ActionID: workflow.ButtonOption,
			Label:    strings.Repeat("a long\nlabel ", i),
			Value:    fmt.Sprint("id-", i),
			Style:    "loud",
		})
	}
	out := (&bottest.Outbox{}).Put(posting)
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Empty(t, out.RefusedByKey)
	require.Len(t, o.Thread("bugs", root)[1].Controls(), 60)
}

func TestALostAnswerIsLookedUp(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	postings, want := o.lines(root, 3)
	out := (&bottest.Outbox{}).Put(postings...)
	p := o.poster(out)
	o.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 2, LoseAnswer: true})
	require.Error(t, p.Drain(t.Context(), "s"))
	require.Len(t, out.ByKey, 1)
	require.NoError(t, p.Drain(t.Context(), "s"))
	require.Equal(t, want, o.replies(root))
	require.Len(t, o.Requests("chat.postMessage"), 3)
	for i, m := range o.Thread("bugs", root)[1:] {
		require.Equal(t, m.TS, out.ByKey[fmt.Sprint("k", i)])
	}
}

// The control of the test above: without the look-up, the line is posted twice.
func TestControlALostAnswerDoubles(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	postings, _ := o.lines(root, 3)
	p := o.poster((&bottest.Outbox{}).Put(postings...))
	p.skipLookup = true
	o.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 2, LoseAnswer: true})
	require.Error(t, p.Drain(t.Context(), "s"))
	require.NoError(t, p.Drain(t.Context(), "s"))
	require.Equal(t, []string{"[deep] line 0", "[deep] line 1", "[deep] line 1", "[deep] line 2"},
		o.replies(root))
}

func TestWhatWasTriedAndIsNotThereIsPosted(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	for i, f := range []slacktest.Fault{
		{Status: 503},
		{Status: 500},
		{Error: "internal_error"},
		{Error: "fatal_error"},
		{Error: "external_channel_migrating"},
	} {
		f.Method = "chat.postMessage"
		o.Order(f)
		out := (&bottest.Outbox{}).Put(o.Posting(fmt.Sprint("k", i), root, fmt.Sprint("line ", i)))
		require.Error(t, o.poster(out).Drain(t.Context(), "s"))
		require.Empty(t, out.RefusedByKey)
		require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	}
	require.Equal(t,
		[]string{"[deep] line 0", "[deep] line 1", "[deep] line 2", "[deep] line 3", "[deep] line 4"},
		o.replies(root))
}

// TestTheKeyHasToBeOurs checks that metadata of another app does not keep a line from being posted.
func TestTheKeyHasToBeOurs(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	_, err := o.SayAsBot("bugs", o.AddBot(slacktest.User{Name: "robot"}).BotID, "k0", root)
	require.NoError(t, err)
	posting := o.Posting("k0", root, "line")
	posting.Tried = true
	require.NoError(t, o.poster((&bottest.Outbox{}).Put(posting)).Drain(t.Context(), "s"))
	require.Len(t, o.replies(root), 2)
}

func TestALongPostingIsPartsWithKeysOfTheirOwn(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	posting := o.Posting("k", root, strings.Repeat("A paragraph of some words.\n\n", 300))
	posting.Lines[0].Buttons = []workflow.Button{{ActionID: workflow.ButtonStop, Label: "Stop", Value: "id"}}
	out := (&bottest.Outbox{}).Put(posting)
	p := o.poster(out)
	o.Order(slacktest.Fault{Method: "chat.postMessage", Nth: 2, LoseAnswer: true})
	require.Error(t, p.Drain(t.Context(), "s"))
	require.NoError(t, p.Drain(t.Context(), "s"))
	messages := o.Thread("bugs", root)[1:]
	require.Len(t, messages, 3)
	require.Equal(t, messages[0].TS, out.ByKey["k"])
	for i, m := range messages {
		require.LessOrEqual(t, len(m.Text), render.MaxPart)
		require.JSONEq(t, fmt.Sprintf(`{"key":%q}`, []string{"k", "k#2", "k#3"}[i]),
			string(m.Metadata.EventPayload))
		require.Equal(t, i == 2, len(m.Controls()) == 1)
	}
}

func TestALimitIsWaitedOutInOrder(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	postings, want := o.lines(root, 5)
	out := (&bottest.Outbox{}).Put(postings...)
	o.Order(slacktest.Fault{
		Method:     "chat.postMessage",
		Nth:        2,
		Times:      1,
		Status:     429,
		RetryAfter: time.Second,
	})
	began := time.Now()
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.GreaterOrEqual(t, time.Since(began), time.Second)
	require.Equal(t, want, o.replies(root))
	require.Len(t, out.ByKey, 5)
}

func TestRepliesOfAChannelAreSpacedOut(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	postings, want := o.lines(root, 6)
	p := o.poster((&bottest.Outbox{}).Put(postings...))
	p.Pace = 50 * time.Millisecond
	began := time.Now()
	require.NoError(t, p.Drain(t.Context(), "s"))
	require.GreaterOrEqual(t, time.Since(began), 5*p.Pace-time.Millisecond)
	require.Equal(t, want, o.replies(root))
	require.InDelta(t, 1, float64((&Poster{}).channelPace("C1").Limit()), 0.01)
}

func TestRefusalsAreKeptAndPassed(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	out := (&bottest.Outbox{}).Put(
		workflow.Posting{Key: "r", Thread: o.ThreadOf(root), Reaction: "eyes", OnTS: "1.1"},
		workflow.Posting{Key: "empty", Thread: o.ThreadOf(root)},
		workflow.Posting{
			Key:    "elsewhere",
			Thread: workflow.Thread{Channel: "C404", TS: root},
			Lines:  []workflow.Line{{Agent: "a", Text: "b"}},
		},
		o.Posting("k", root, "still here"),
	)
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, map[string]string{
		"r":         "message_not_found",
		"empty":     "no_text",
		"elsewhere": "channel_not_found",
	}, out.RefusedByKey)
	require.Equal(t, []string{"[deep] still here"}, o.replies(root))

	require.NoError(t, o.ChangeChannel("bugs", func(ch *slacktest.Channel) { ch.Archived = true }))
	out = (&bottest.Outbox{}).Put(o.Posting("k2", root, "too late"))
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, map[string]string{"k2": "is_archived"}, out.RefusedByKey)
}

// TestTroubleOfTheAppIsNotTheLinesEnd checks that a revoked token does not refuse a line: it is posted by a
// later drain.
func TestTroubleOfTheAppIsNotTheLinesEnd(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	out := (&bottest.Outbox{}).Put(o.Posting("k", root, "line"))
	o.Order(slacktest.Fault{Method: "chat.postMessage", Error: "token_revoked"})
	var refused *bot.AuthError
	require.ErrorAs(t, o.poster(out).Drain(t.Context(), "s"), &refused)
	require.Empty(t, out.RefusedByKey)
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, []string{"[deep] line"}, o.replies(root))
}

func TestAReactionTwiceIsOne(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	out := &bottest.Outbox{}
	for _, key := range []string{"a", "b"} {
		out.Put(workflow.Posting{Key: key, Thread: o.ThreadOf(root), Reaction: "eyes", OnTS: root})
	}
	o.Order(slacktest.Fault{Method: "reactions.add", LoseAnswer: true})
	require.Error(t, o.poster(out).Drain(t.Context(), "s"))
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, map[string]string{"a": root, "b": root}, out.ByKey)
	require.Len(t, o.Thread("bugs", root)[0].Reactions, 1)
}

// TestAReplyWithoutItsThreadIsTakenBack checks that a reply is deleted if Slack puts it into the channel
// because the root was deleted.
func TestAReplyWithoutItsThreadIsTakenBack(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	require.NoError(t, o.Delete("bugs", root))
	out := (&bottest.Outbox{}).Put(o.Posting("k", root, "line"))
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, map[string]string{"k": "thread_not_found"}, out.RefusedByKey)
	require.Empty(t, o.Channel("bugs"))

	tried := o.Posting("k2", root, "line")
	tried.Tried = true
	out = (&bottest.Outbox{}).Put(tried)
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, map[string]string{"k2": "thread_not_found"}, out.RefusedByKey)
}

// TestLinesSurviveABadDay checks that every line is in the thread once and in order despite many faults.
func TestLinesSurviveABadDay(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	postings, want := o.lines(root, 300)
	out := (&bottest.Outbox{}).Put(postings...)
	p := o.poster(out)
	o.Order(slacktest.Fault{Method: "chat.postMessage", Probability: 0.1, LoseAnswer: true})
	o.Order(slacktest.Fault{Method: "chat.postMessage", Probability: 0.1, Status: 500})
	o.Order(slacktest.Fault{Method: "conversations.replies", Probability: 0.1, Status: 502})
	failed := 0
	for p.Drain(t.Context(), "s") != nil {
		failed++
	}
	require.Equal(t, want, o.replies(root))
	require.Greater(t, failed, 20)
}

// TestAPosterThatLostItsPostingsIsSilent checks that a poster whose postings were taken over posts nothing.
// The other tests here are the control: they own their postings and post them.
func TestAPosterThatLostItsPostingsIsSilent(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	lost := errors.New("somebody else has it")
	posting := o.Posting("s:1", root, "Done.")
	posting.Lines[0].Files = []workflow.File{{Name: "plan.md", Text: "1. Fix it"}}
	out := (&bottest.Outbox{Lost: lost}).Put(posting)
	require.ErrorIs(t, o.poster(out).Drain(t.Context(), "s"), lost)
	require.Empty(t, o.replies(root))
	require.Empty(t, o.Requests("files.getUploadURLExternal"))
}

// TestTheLaterOfTwoRepliesIsTakenAway checks that a poster that froze after its last check and posted a
// second time deletes its own reply.
func TestTheLaterOfTwoRepliesIsTakenAway(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	require.NoError(t,
		o.poster((&bottest.Outbox{}).Put(o.Posting("s:1", root, "Done."))).Drain(t.Context(), "s"))
	first := o.Thread("bugs", root)[1].TS
	require.NoError(t, o.poster((&bottest.Outbox{
		Elsewhere: first,
	}).Put(o.Posting("s:1", root, "Done."))).Drain(t.Context(), "s"))
	require.Equal(t, []string{"[deep] Done."}, o.replies(root))
}
