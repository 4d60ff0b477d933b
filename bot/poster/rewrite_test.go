package poster

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// asked posts a text with buttons and returns the posting that rewrites it.
func (po *posterOffice) asked(root, text string) (again workflow.Posting) {
	posting := po.Posting("ask", root, text)
	posting.Lines[0].Buttons = []workflow.Button{
		{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "opaque"},
	}
	out := (&bottest.Outbox{}).Put(posting)
	require.NoError(po.T, po.poster(out).Drain(po.T.Context(), "s"))
	again = po.Posting("ask:settled", root, text)
	again.Rewrites = "ask"
	again.Note = "Approved by <ann> & co."
	again.OnTS = out.ByKey["ask"]
	return again
}

func TestAnsweredButtonsVanish(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a paragraph that says a lot about a little\n\n", 150)
	for name, text := range map[string]string{
		"short":            "shall I?",
		"of several parts": long + "shall I?",
		"with code":        "see\n```\na < b\n```",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openPosterOffice(t, slacktest.Config{})
			root := o.AdaSays("it fails", "")
			again := o.asked(root, text)
			before := o.Thread("bugs", root)
			require.Len(t, before[len(before)-1].Controls(), 1)

			out := (&bottest.Outbox{}).Put(again)
			o.Order(slacktest.Fault{Method: "chat.update", Nth: 1, LoseAnswer: true})
			require.Error(t, o.poster(out).Drain(t.Context(), "s"))
			require.NoError(t, o.poster(out).Drain(t.Context(), "s"),
				"what was tried is tried again: it changes nothing")

			after := o.Thread("bugs", root)
			require.Len(t, after, len(before), "no message more")
			last := after[len(after)-1]
			require.Empty(t, last.Controls())
			require.Equal(t,
				before[len(before)-1].Text+"\n&gt; ◆ Approved by &lt;ann&gt; &amp; co.", last.Text)
			require.JSONEq(t, string(before[len(before)-1].Metadata.EventPayload),
				string(last.Metadata.EventPayload), "it is still known by its key")
			for i := range len(after) - 1 {
				require.Equal(t, before[i].Text, after[i].Text)
			}
		})
	}
}

// TestAnsweredButtonsVanishWhenGuestsCameOrWent checks that a text that was posted in several messages loses
// its buttons when it would be one without its code by now, and the other way round.
func TestAnsweredButtonsVanishWhenGuestsCameOrWent(t *testing.T) {
	t.Parallel()
	for name, comes := range map[string]bool{"a guest comes": true, "a guest leaves": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openPosterOffice(t, slacktest.Config{})
			gus := o.AddUser(slacktest.User{Name: "gus", Kind: slacktest.Guest}).ID
			moves := func() error { return o.Join("bugs", gus) }
			if !comes {
				require.NoError(t, moves())
				moves = func() error { return o.Leave("bugs", gus) }
			}
			posting := o.Posting("ask", o.AdaSays("it fails", ""),
				strings.Repeat("a paragraph that says a lot about a little\n\n", 150)+"shall I?")
			posting.Repositories = []string{"shop"}
			posting.Lines[0].Buttons = []workflow.Button{{
				ActionID: workflow.ButtonFix, Label: "Fix it", Value: "opaque",
			}}
			out := (&bottest.Outbox{}).Put(posting)
			drain := func() {
				p := o.poster(out)
				p.GuestFilter = &GuestFilter{
					MembersOnly: closedBut(),
					People:      &people.Directory{Slack: o.Bot},
				}
				require.NoError(t, p.Drain(t.Context(), "s"))
			}
			drain()
			before := o.Thread("bugs", posting.Thread.TS)
			require.Equal(t, comes, len(before) > 2)
			require.Len(t, before[len(before)-1].Controls(), 1)
			require.NoError(t, moves())
			again := posting
			again.Key = "ask:settled"
			again.Rewrites = "ask"
			again.Note = "Approved by ann."
			again.OnTS = out.ByKey["ask"]
			again.Lines = []workflow.Line{{Agent: posting.Lines[0].Agent, Text: posting.Lines[0].Text}}
			out = (&bottest.Outbox{}).Put(again)
			drain()
			after := o.Thread("bugs", posting.Thread.TS)
			require.Len(t, after, len(before))
			last := after[len(after)-1]
			require.Empty(t, last.Controls())
			require.True(t, strings.HasSuffix(last.Text, "\n&gt; ◆ Approved by ann."), last.Text)
			require.JSONEq(t, string(before[len(before)-1].Metadata.EventPayload),
				string(last.Metadata.EventPayload))
		})
	}
}

// TestAnotherPostersMessageIsNotRewritten checks that a poster that froze before it rewrote a message, and
// whose posting is another poster's by now, leaves the message as the other one has written it.
func TestAnotherPostersMessageIsNotRewritten(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	again := o.asked(root, "shall I?")
	before := o.replies(root)
	late := (&bottest.Outbox{Lost: errors.New("another poster has it")}).Put(again)
	require.ErrorIs(t, o.poster(late).Drain(t.Context(), "s"), late.Lost)
	require.Empty(t, o.Requests("chat.update"))
	require.Equal(t, before, o.replies(root))
	require.Empty(t, late.ByKey)
}

func TestAMessageThatIsGoneIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	again := o.asked(root, "shall I?")
	never := again
	never.Key, never.OnTS = "never", ""
	require.NoError(t, o.Delete("bugs", again.OnTS))
	out := (&bottest.Outbox{}).Put(again, never)
	require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
	require.Equal(t, map[string]string{"ask:settled": "message_not_found"}, out.RefusedByKey)
	require.Contains(t, out.ByKey, "never")
}

// joining posts a line of progress and returns the posting that adds a second line to its message.
func (po *posterOffice) joining(root string) (posted *bottest.Outbox, joins workflow.Posting) {
	posted = (&bottest.Outbox{}).Put(po.Posting("k0", root, "one"))
	require.NoError(po.T, po.poster(posted).Drain(po.T.Context(), "s"))
	joins = po.Posting("k1", root, "one")
	joins.Lines = append(joins.Lines, workflow.Line{Agent: "deep", Text: "two"})
	joins.Rewrites = "k0"
	joins.OnTS = posted.ByKey["k0"]
	joins.Existing = 1
	return posted, joins
}

func TestLinesOfProgressJoinTheirReply(t *testing.T) {
	t.Parallel()
	const joined, apart = "[deep] one\n[deep] two", "[deep] two"
	for name, fault := range map[string]struct {
		order slacktest.Fault
		want  []string
	}{
		"taken": {slacktest.Fault{}, []string{joined}},
		"the answer lost": {
			slacktest.Fault{Method: "chat.update", Nth: 1, LoseAnswer: true},
			[]string{joined},
		},
		"refused": {
			slacktest.Fault{Method: "chat.update", Nth: 1, Error: "edit_window_closed"},
			[]string{"[deep] one", apart},
		},
		"not allowed": {
			slacktest.Fault{Method: "chat.update", Nth: 1, Error: "cant_update_message"},
			[]string{"[deep] one", apart},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openPosterOffice(t, slacktest.Config{})
			root := o.AdaSays("it fails", "")
			_, joins := o.joining(root)
			out := (&bottest.Outbox{}).Put(joins)
			if fault.order.Method != "" {
				o.Order(fault.order)
			}
			if err := o.poster(out).Drain(t.Context(), "s"); err != nil {
				require.True(t, fault.order.LoseAnswer, "%v", err)
				require.NoError(t, o.poster(out).Drain(t.Context(), "s"))
			}
			require.Equal(t, fault.want, o.replies(root))
			require.Contains(t, out.ByKey, "k1")
		})
	}
}

func TestWhatJoinsAReplyThatIsGoneIsAReply(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	root := o.AdaSays("it fails", "")
	_, joins := o.joining(root)
	require.NoError(t, o.Delete("bugs", joins.OnTS))
	require.NoError(t, o.poster((&bottest.Outbox{}).Put(joins)).Drain(t.Context(), "s"))
	require.Equal(t, []string{"[deep] two"}, o.replies(root))
}

// TestAnEditThatCameLateIsWrittenAgain checks that a poster that froze after its last check, and overwrote
// three lines with two, writes the three again.
func TestAnEditThatCameLateIsWrittenAgain(t *testing.T) {
	t.Parallel()
	for name, guarded := range map[string]bool{"guarded": true, "control: nothing is looked for": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openPosterOffice(t, slacktest.Config{})
			root := o.AdaSays("it fails", "")
			_, joins := o.joining(root)
			newest := joins
			newest.Lines = append(slices.Clone(joins.Lines), workflow.Line{Agent: "deep", Text: "three"})
			newest.Key = "k2"
			newest.Existing = 2
			require.NoError(t, o.poster((&bottest.Outbox{}).Put(newest)).Drain(t.Context(), "s"),
				"another poster's")

			late := (&bottest.Outbox{}).Put(joins)
			want := "[deep] one\n[deep] two"
			if guarded {
				late.GrownTo = []*workflow.Posting{&newest}
				want = want + "\n[deep] three"
			}
			require.NoError(t, o.poster(late).Drain(t.Context(), "s"))
			require.Equal(t, []string{want}, o.replies(root))
		})
	}
}
