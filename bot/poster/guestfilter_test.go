package poster

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// code posts a line with code in a thread that was about the repositories, and returns the
// message that the channel sees.
func (po *posterOffice) code(p *Poster, key string, repositories ...string) slacktest.Message {
	po.T.Helper()
	posting := po.Posting(key, po.AdaSays("it fails", ""), "See `a/b.go`:\n```\nx := 1\n```")
	posting.Repositories = repositories
	posting.Lines[0].Files = []workflow.File{{Name: "plan.md", Title: "the plan", Text: "x := 1"}}
	posting.Lines[0].Buttons = []workflow.Button{
		{ActionID: workflow.ButtonOption, Label: "keep a/b.go", Value: "opaque"},
	}
	out := (&bottest.Outbox{}).Put(posting)
	p.Outbox = out
	require.NoError(po.T, p.Drain(po.T.Context(), "s"))
	for _, m := range po.Thread("bugs", posting.Thread.TS) {
		if m.TS == out.ByKey[key] {
			return m
		}
	}
	po.T.Fatal("not posted")
	return slacktest.Message{}
}

// closedBut closes all repositories to guests but these.
func closedBut(open ...string) func(string) bool {
	return func(name string) bool { return !slices.Contains(open, name) }
}

func TestGuestsReadNoCode(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	p := o.poster(nil)
	p.GuestFilter = &GuestFilter{MembersOnly: closedBut("blog"), People: &people.Directory{Slack: o.Bot}}
	whole := func(m slacktest.Message) bool { return strings.Contains(m.Text, "x := 1") }
	require.True(t, whole(o.code(p, "1", "shop")), "full members alone")

	gus := o.AddUser(slacktest.User{Name: "gus", Kind: slacktest.Guest})
	eve := o.AddUser(slacktest.User{Name: "eve", Kind: slacktest.External})
	for _, outsider := range []string{gus.ID, eve.ID} {
		require.NoError(t, o.Join("bugs", outsider))
		m := o.code(p, "with "+outsider, "shop")
		require.True(t,
			strings.HasPrefix(m.Text, "[deep] See […]: […]\n(Code and paths are not shown"), m.Text)
		require.NotContains(t, string(m.Blocks), "a/b.go")
		require.True(t, whole(o.code(p, "other "+outsider, "blog")),
			"a repository that says nothing of guests")
		require.False(t, whole(o.code(p, "after "+outsider, "shop", "blog")),
			"a thread that was about a closed one first")
		require.False(t, whole(o.code(p, "gone "+outsider, "store")),
			"a repository of another name until now")
		require.False(t, whole(o.code(p, "none "+outsider, "")), "of which nobody knows yet what it is about")
		require.NoError(t, o.Leave("bugs", outsider))
	}
	require.True(t, whole(o.code(p, "2", "shop")))
	require.NoError(t, o.ChangeChannel("bugs", func(ch *slacktest.Channel) { ch.Shared = true }))
	require.False(t, whole(o.code(p, "3", "shop")), "a shared channel, whoever is in it now")
	require.Len(t, o.Requests("files.completeUploadExternal"), 4)
}

func TestWhereNobodyCanTellCodeIsKeptBack(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"conversations.info", "conversations.members", "users.info"} {
		o := openPosterOffice(t, slacktest.Config{})
		p := o.poster(nil)
		p.GuestFilter = &GuestFilter{MembersOnly: closedBut(), People: &people.Directory{Slack: o.Bot}}
		o.Order(slacktest.Fault{Method: method, Error: "internal_error"})
		kept := o.code(p, "1", "shop").Text
		require.NotContains(t, kept, "x := 1", method)
		require.Contains(t, kept,
			"(Code and paths are not shown: I could not see who is in this channel. ", method)
		require.Contains(t, o.code(p, "2", "shop").Text, "x := 1", method)
	}
}

func TestCardsKeepCodeBack(t *testing.T) {
	t.Parallel()
	c := &workflow.Card{
		Repositories: []string{"shop"},
		CardCommand:  workflow.CardCommand{Running: "cat money/split.go"},
		Tasks:        []workflow.CardTask{{Number: 1, Title: "fix money/split.go for refunds"}},
	}
	blind := &GuestFilter{MembersOnly: closedBut()}
	require.Equal(t, "fix […] for refunds", blind.filterCard(t.Context(), c).Tasks[0].Title)
	require.Equal(t, "fix […] for refunds", blind.filterPosting(t.Context(), &workflow.Posting{
		Repositories: []string{"shop"},
		Card:         c,
	}).Card.Tasks[0].Title)
	require.Equal(t, "fix money/split.go for refunds", c.Tasks[0].Title)
	require.Equal(t, "a command", blind.filterCard(t.Context(), c).Running)
	require.Same(t, c, (*GuestFilter)(nil).filterCard(t.Context(), c))
}

// The control of those above: if no repository is closed, guests see the code.
func TestControlGuestsReadCodeWhereNothingIsClosed(t *testing.T) {
	t.Parallel()
	o := openPosterOffice(t, slacktest.Config{})
	require.NoError(t, o.Join("bugs", o.AddUser(slacktest.User{Name: "gus", Kind: slacktest.Guest}).ID))
	require.Contains(t, o.code(o.poster(nil), "1", "shop").Text, "x := 1")
}
