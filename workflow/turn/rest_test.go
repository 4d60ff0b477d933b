package turn

import (
	"cmp"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A question to an agent that only reads leaves the session closed, so nothing but its inquiry
// wakes a turn. A run that ends must therefore neither overlook a question that was judged just
// before, nor judge one after.
func TestAQuestionAtTheEndOfARunIsNotLost(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	begin := func(ts string) *thread {
		th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: ts},
			o.asker, "anybody")
		require.NoError(t, err)
		require.NoError(t, th.reads(t.Context()))
		require.NoError(t, th.Record(t.Context(), store.Update{Open: ledger.Rest}))
		return th
	}
	question := func(th *thread) {
		require.NoError(t, th.receive(t.Context(), workflow.IncomingEvent{
			Kind: workflow.MessageReply,
			TS:   th.tick(),
			User: o.asker,
			Text: "ask the consultant: is it the proxy?",
		}))
	}
	unjudged := func(th *thread) int {
		waiting, err := th.Inbox().Unhandled(t.Context())
		require.NoError(t, err)
		return len(waiting)
	}

	before := begin("1.0")
	question(before)
	require.NoError(t, before.judgeMeanwhile(t.Context()))
	require.Zero(t, unjudged(before))
	require.False(t, before.Session().Open)
	rests, err := before.rest(t.Context())
	require.NoError(t, err)
	require.False(t, rests, "an inquiry that nobody began is there")

	after := begin("2.0")
	rests, err = after.rest(t.Context())
	require.NoError(t, err)
	require.True(t, rests)
	question(after)
	require.NoError(t, after.judgeMeanwhile(t.Context()))
	require.Equal(t, 1, unjudged(after), "the next run judges it")
}

// What a person writes while the orchestrator composes its last call is read before that call ends the turn.
func TestACallThatEndsTheTurnIsRefusedBeforeAllIsRead(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	for name, end := range map[string]func(th *thread) (model.Result, error){
		"reply": func(th *thread) (model.Result, error) {
			return th.lead().Reply(t.Context(), "Yes, it does.")
		},
		"not for me": func(th *thread) (model.Result, error) {
			return th.lead().NotForMe(t.Context(), "they talk to each other")
		},
		"ask": func(th *thread) (model.Result, error) {
			return th.lead().Ask(t.Context(), decision.Question{
				Question:    "Which one?",
				Options:     []string{"this", "that"},
				Recommended: "this",
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			th, err := o.ask(t.Context(), workflow.Thread{
				Team:    "T1",
				Channel: o.channel,
				TS:      strings.ReplaceAll(name, " ", "-"),
			}, o.asker, "anybody")
			require.NoError(t, err)
			require.NoError(t, th.reads(t.Context()))
			require.NoError(t, th.receive(t.Context(), workflow.IncomingEvent{
				Kind: workflow.MessageReply,
				TS:   th.tick(),
				User: o.asker,
				Text: "leave the receipts alone",
			}))
			r, err := end(th)
			require.NoError(t, err)
			require.Equal(t, prompt.Wrong(prompt.UnreadRefusal), r)
			require.NoError(t, th.reads(t.Context()))
			r, err = end(th)
			require.NoError(t, err)
			require.True(t, r.Ends, r.Text)
		})
	}
}

// A message that is judged after the last call looked for messages, and before that call is recorded, is
// closed with the session. The run goes on with it, but not after a stop or a pause, which wait for people.
func TestARunDoesNotRestOverAnUnreadMessage(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	for name, c := range map[string]struct {
		update store.Update
		rests  bool
	}{
		"answered": {store.Update{Events: []workflow.Event{workflow.EventAnswer}, Open: ledger.Rest}, false},
		"failed":   {store.Update{Events: []workflow.Event{workflow.EventGiveUp}, Open: ledger.Rest}, false},
		"paused":   {store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest}, true},
		"stopped":  {store.Update{Events: []workflow.Event{workflow.EventStop}, Open: ledger.Rest}, true},
	} {
		t.Run(name, func(t *testing.T) {
			th, err := o.ask(t.Context(), workflow.Thread{
				Team:    "T1",
				Channel: o.channel,
				TS:      strings.ReplaceAll(name, " ", "-"),
			}, o.asker, "anybody")
			require.NoError(t, err)
			require.NoError(t, th.reads(t.Context()))
			require.NoError(t, th.receive(t.Context(), workflow.IncomingEvent{
				Kind: workflow.MessageReply,
				TS:   th.tick(),
				User: o.asker,
				Text: "leave the receipts alone",
			}))
			require.NoError(t, th.judgeMeanwhile(t.Context()))
			require.NoError(t, th.Record(t.Context(), c.update))
			rests, err := th.rest(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.rests, rests)
			require.Equal(t, !c.rests, th.Session().Open)
			if c.rests {
				return
			}
			require.Equal(t, workflow.PhaseExploring, th.Session().Phase)
			require.NoError(t, th.reads(t.Context()))
			require.NoError(t, th.Record(t.Context(), c.update))
			rests, err = th.rest(t.Context())
			require.NoError(t, err)
			require.True(t, rests, "all is read")
		})
	}
}

// A question is answered by what is written below it in the thread. What was written above it, or before it
// was posted at all, reaches the agents as words.
func TestAnAnswerIsWrittenBelowItsQuestion(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: "1.0"},
		o.asker, "anybody")
	require.NoError(t, err)
	require.NoError(t, th.reads(t.Context()))
	r, err := th.lead().Ask(t.Context(),
		decision.Question{Question: "Which one?", Options: []string{"this", "that"}, Recommended: "this"})
	require.NoError(t, err)
	require.NoError(t, th.Record(t.Context(), partsOf(r)...))
	writes := func(ts, text string) (waits bool) {
		require.NoError(t, th.receive(t.Context(),
			workflow.IncomingEvent{Kind: workflow.MessageReply, TS: ts, User: o.people["bea"], Text: text}))
		require.NoError(t, th.Judge.JudgeAll(t.Context()))
		q, err := th.Store.Waiting(t.Context(), th.Session().ID)
		require.NoError(t, err)
		return q != nil
	}
	early := th.tick()
	late := th.tick()
	require.True(t, writes(early, "2"), "it is not posted")
	shown := th.tick()
	require.NoError(t, th.posted(t.Context(), shown))
	require.True(t, writes(late, "that one, of course"), "it was posted after that")
	unseen, err := th.Inbox().Unseen(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, unseen, 2)
	for _, m := range unseen {
		require.Contains(t, m.AgentText, "so it is no answer to it")
	}
	require.False(t, writes(th.tick(), "2"))
}

// A question waits until something else is decided or shown. From then on neither words nor a press of its
// buttons answer it.
func TestAQuestionEndsWithWhatIsDecidedSince(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	approved := func(ctx context.Context, th *thread) error {
		_, err := reportWaits(ctx, th)
		return cmp.Or(err, th.approveAsBea(ctx, workflow.EventApprove))
	}
	for name, c := range map[string]struct {
		before, ends func(ctx context.Context, th *thread) error
		says         string         // by bea, who may approve
		after        workflow.Phase // then
	}{
		"a report": {nil, func(ctx context.Context, th *thread) error {
			_, err := reportWaits(ctx, th)
			return err
		}, "fix it", workflow.PhaseWorking},
		"understanding": {
			happens(workflow.EventAlign),
			func(ctx context.Context, th *thread) error { return th.restates(ctx) }, "yes",
			workflow.PhaseExploring,
		},
		"a push": {approved, func(ctx context.Context, th *thread) error {
			p, err := th.intend(ctx, "commit", "tree")
			return cmp.Or(err, th.settle(ctx, p))
		}, "and the receipts?", workflow.PhaseExploring},
	} {
		t.Run(name, func(t *testing.T) {
			th, err := o.ask(t.Context(), workflow.Thread{
				Team:    "T1",
				Channel: o.channel,
				TS:      strings.ReplaceAll(name, " ", "-"),
			}, o.asker, "anybody")
			require.NoError(t, err)
			th.people = o.people
			if c.before != nil {
				require.NoError(t, c.before(t.Context(), th))
			}
			waits := th.asks(t)
			require.NoError(t, th.says(t.Context(), "bea", "why do you ask?"))
			require.NotNil(t, waits(), "it was asked back")
			option, err := th.newest(t.Context(), workflow.ButtonOption)
			require.NoError(t, err)
			require.NoError(t, c.ends(t.Context(), th))
			require.Nil(t, waits())
			require.Zero(t, storetest.CountRows(t, o.Store,
				`select count(*) from outbox where session_id = $1 and settled is null
					and buttons::jsonb @> '[{"ActionID": "option"}]'`,
				th.Session().ID), "its buttons are removed")
			require.NoError(t, th.pressOf(t.Context(), o.people["bea"], workflow.ButtonOption, option))
			require.NoError(t, th.says(t.Context(), "bea", c.says))
			require.Zero(t, storetest.CountRows(t, o.Store,
				`select count(*) from inbox where session_id = $1 and answers`, th.Session().ID))
			require.Equal(t, c.after, th.Session().Phase)
		})
	}
}

// Two questions may have the same options. A press answers the question below which it was made, and not
// another one that was asked meanwhile.
func TestAPressAnswersItsOwnQuestion(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: "1.0"},
		o.asker, "anybody")
	require.NoError(t, err)
	th.people = o.people
	th.asks(t)
	first, err := th.newest(t.Context(), workflow.ButtonOption)
	require.NoError(t, err)
	require.NoError(t, th.says(t.Context(), "bea", "1"))
	waits := th.asks(t)
	require.NoError(t, th.pressOf(t.Context(), o.people["ann"], workflow.ButtonOption, first))
	require.NotNil(t, waits())
	require.NoError(t, th.press(t.Context(), o.people["ann"], workflow.ButtonOption))
	require.Nil(t, waits())
}

// asks has the orchestrator ask a question, and returns a function that returns it while it waits.
func (th *thread) asks(t *testing.T) (waits func() *workflow.Question) {
	t.Helper()
	require.NoError(t, th.reads(t.Context()))
	r, err := th.lead().Ask(t.Context(),
		decision.Question{Question: "Which one?", Options: []string{"this", "that"}, Recommended: "this"})
	require.NoError(t, err)
	require.NoError(t, th.Record(t.Context(), partsOf(r)...))
	require.NoError(t, th.posted(t.Context(), th.tick()))
	return func() *workflow.Question {
		q, err := th.Store.Waiting(t.Context(), th.Session().ID)
		require.NoError(t, err)
		return q
	}
}

// "go on" and "push it" are about what a session paused for since it asked, and no answer to its question.
func TestWordsToAPausedSessionAreNoAnswer(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	for _, words := range []string{"go on", "push it"} {
		th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: words},
			o.asker, "anybody")
		require.NoError(t, err)
		th.people = o.people
		waits := th.asks(t)
		require.NoError(t, happens(workflow.EventPause)(t.Context(), th))
		require.NoError(t, th.says(t.Context(), "bea", words))
		require.NotNil(t, waits(), words)
		require.Equal(t, workflow.PhaseExploring, th.Session().Phase, "the agents read it")
		require.NoError(t, th.says(t.Context(), "bea", "2"))
		require.Nil(t, waits())
	}
}

// A push that waits for a word still does when a question about it was answered.
func TestAPushStillWaitsAfterAQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		enter   func(context.Context, *thread) error
		allowed func(context.Context, *thread) error
		want    string
	}{
		"a press": {
			pushWaits(""),
			func(ctx context.Context, th *thread) error { return th.press(ctx, "bea", workflow.ButtonPush) },
			"report=U1,push=bea approvals:1=U1",
		},
		"words": {
			pushWaits(""),
			func(ctx context.Context, th *thread) error { return th.says(ctx, "bea", "push it") },
			"report=U1,push=bea approvals:1=U1",
		},
		"after a stop": {
			func(ctx context.Context, th *thread) error {
				return cmp.Or(stoppedAtWork(ctx, th), th.says(ctx, "bea", "go on"), th.asksToPush(ctx, ""))
			}, func(ctx context.Context, th *thread) error {
				return th.press(ctx, "bea", workflow.ButtonPush)
			},
			"report=U1,resume=bea,push=bea approvals:1=U1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			th, permitted := afterAnn(t, c.enter)
			before := permitted()
			require.NoError(t, th.says(t.Context(), "cem", "why does this touch go.sum?"))
			require.NoError(t, th.press(t.Context(), "bea", workflow.ButtonPush))
			require.Equal(t, before, permitted(), "what was written below it is being read")
			said, err := th.said(t.Context())
			require.NoError(t, err)
			require.Contains(t, said[len(said)-1], "press once more when I have answered")
			require.NoError(t, th.answers(t.Context()))
			require.NoError(t, th.posted(t.Context(), th.tick()))
			require.NoError(t, c.allowed(t.Context(), th))
			require.Equal(t, c.want, permitted())
			require.True(t, th.Session().Open)
		})
	}
}

// A question below a stop wakes the session, which rests as answered then. The push
// still waits for "go on" first.
func TestNoPushIsAllowedWhileTheWorkIsStopped(t *testing.T) {
	t.Parallel()
	th, permitted := afterAnn(t, pushWaits(""))
	button, err := th.newest(t.Context(), workflow.ButtonPush)
	require.NoError(t, err)
	require.NoError(t, th.says(t.Context(), "cem", "stop"))
	before := permitted()
	require.NoError(t, th.says(t.Context(), "bea", "why does this touch go.sum?"))
	require.NoError(t, th.answers(t.Context()))
	require.NoError(t, th.says(t.Context(), "bea", "push it"))
	require.NoError(t, th.pressOf(t.Context(), "bea", workflow.ButtonPush, button))
	require.Equal(t, before, permitted())
}

// What is passed on answers a question if it was written below that question in the thread.
func TestWhatIsPassedOnAnswersWhatStandsAboveIt(t *testing.T) {
	t.Parallel()
	th, _ := afterAnn(t, heldAtWork)
	waits := th.asks(t)
	require.NoError(t, th.press(t.Context(), "bea", workflow.ButtonPassOn))
	require.NotNil(t, waits(), "it is older than the question")
	require.NoError(t, th.Record(t.Context(), pullrequest.Remark{ID: "1:1", Login: "mallory", Text: "that"}))
	require.NoError(t, th.Judge.JudgeAll(t.Context()))
	require.NoError(t, th.press(t.Context(), "bea", workflow.ButtonPassOn))
	require.NotNil(t, waits(), "it is not in the thread")
	read, err := th.Inbox().Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, read[len(read)-1].AgentText, "mallory wrote")
	require.NoError(t, th.says(t.Context(), "gus", "that"))
	require.NoError(t, th.press(t.Context(), "bea", workflow.ButtonPassOn))
	require.Nil(t, waits())
}

// A report that waits still does when a remark below it was answered and the consultant was asked meanwhile,
// in whatever order they came.
func TestAReportStillWaitsAfterAConsultation(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	const remark, consult = "does it happen for coupons, too?", "ask the consultant: is it the proxy?"
	for name, says := range map[string][]string{
		"a remark first":         {remark, consult},
		"a consultation first":   {consult, remark},
		"a consultation between": {remark, consult, remark},
	} {
		t.Run(name, func(t *testing.T) {
			th, err := o.ask(t.Context(), workflow.Thread{
				Team:    "T1",
				Channel: o.channel,
				TS:      strings.ReplaceAll(name, " ", "-"),
			}, o.asker, "anybody")
			require.NoError(t, err)
			th.people = o.people
			_, err = reportWaits(t.Context(), th)
			require.NoError(t, err)
			for _, text := range says {
				require.NoError(t, th.says(t.Context(), "bea", text))
			}
			require.Equal(t, workflow.PhaseExploring, th.Session().Phase, "the agents read the remark")
			require.NoError(t, th.answers(t.Context()))
			require.True(t, th.AwaitsConsent())
			require.NoError(t, th.says(t.Context(), "bea", "fix it"))
			require.Equal(t, workflow.PhaseWorking, th.Session().Phase)
		})
	}
}
