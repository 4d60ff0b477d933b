package turn

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

const (
	toldFirst  = "The total of my cart is one cent too high when I pay with a voucher"
	toldSecond = "cart total is one cent too high with a voucher"
)

// everybody allows every person to read every thread: the control without the access rules.
type everybody struct{ *home.Homes }

func (everybody) ReadableFrom(context.Context, workflow.Thread, string) (bool, error) {
	return true, nil
}

// duplicatesOffice returns an office in which, at first, no guest is in #bugs, with its fake Slack,
// which the tests change.
func duplicatesOffice(t *testing.T) (o *office, slack *slacktest.Server, homes *home.Homes) {
	o = openOffice(t)
	slack = o.slack
	for _, name := range []string{"gus", "eve"} {
		require.NoError(t, slack.Leave(o.channel, o.people[name]))
	}
	for _, a := range o.actors {
		if a.kind == "guest of one channel" {
			require.NoError(t, slack.Leave(o.channel, a.user))
		}
	}
	homes = &home.Homes{
		Store:        o.Store,
		Log:          o.Log,
		Directory:    o.Slack.(asKept).Slack.(*people.Directory),
		WorkspaceURL: "https://acme.slack.com/",
	}
	o.Readers = homes
	return o, slack, homes
}

// reported begins a session about text in that channel, with a report.
func (o *office) reported(t *testing.T, channel, ts, text string) *thread {
	t.Helper()
	th, err := o.begin(t.Context(), workflow.Thread{Team: "T1", Channel: channel, TS: ts}, o.asker,
		"anybody", text)
	require.NoError(t, err)
	require.NoError(t, th.Record(t.Context(), store.ReportText{Repository: "anybody", Text: text},
		store.Update{Events: []workflow.Event{workflow.EventReport}, Open: ledger.Rest},
		consent.Report(workflow.Report{
			Session:    th.Session().ID,
			Revision:   1,
			Kind:       workflow.ReportRootCause,
			Body:       []byte(`{}`),
			Text:       "the secret cause",
			BaseCommit: "base",
		})))
	return th
}

// announced begins a session in #bugs and returns what its thread and its agents are told of similar
// sessions.
func (o *office) announced(t *testing.T, ts string) (th *thread, said, facts string) {
	t.Helper()
	th, err := o.begin(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: ts}, o.asker,
		"anybody", toldSecond)
	require.NoError(t, err)
	d := th.Orchestrator.Duplicates
	said, buttons, parts := d.Announce(t.Context(), "anybody")
	require.Equal(t, said != "", len(buttons) > 0)
	require.NoError(t,
		th.Record(t.Context(), append(parts, store.Lines(th.ProgramLine("Looking.", buttons...)))...))
	facts, err = d.Facts(t.Context())
	require.NoError(t, err)
	return th, said, facts
}

// A similar session in another channel is named only if every person who reads the thread may see it:
// not if a member is missing in that channel, not if a guest or a person from another workspace is in
// the channel, not in a shared channel, and not while Slack does not tell. Agents are told of no others,
// either.
func TestTwinsAreNamedToWhoMayReadThem(t *testing.T) {
	t.Parallel()
	o, slack, homes := duplicatesOffice(t)
	all := []string{slack.App().BotUser, o.asker, o.people["bea"], o.people["cem"]}
	for _, a := range o.actors {
		if a.kind == "deactivated" {
			all = append(all, a.user)
		}
	}
	secret := slack.AddChannel(slacktest.Channel{Name: "secret", Kind: slacktest.Private, Members: all}).ID
	o.reported(t, secret, "10.1", toldFirst)
	named := func(why string, want bool) {
		t.Helper()
		_, said, facts := o.announced(t, why)
		require.Equal(t, want, said != "", why)
		require.Equal(t, want, facts != "", why)
		if want {
			require.Contains(t, said, "(https://acme.slack.com/archives/"+secret+"/p101)")
			require.Contains(t, facts, "the secret cause")
		}
		_, err := o.Store.Pool.Exec(t.Context(),
			`delete from report_words where session_id in (select id from sessions where channel = $1)`,
			o.channel)
		require.NoError(t, err)
	}
	named("all are in both", true)
	require.NoError(t, slack.Leave(secret, o.people["cem"]))
	named("one is not in the other", false)
	o.Readers = everybody{homes}
	named("the control: without the rule it is named", true)
	o.Readers = homes
	require.NoError(t, slack.Join(secret, o.people["cem"]))
	for _, who := range []string{"gus", "eve"} {
		require.NoError(t, slack.Join(secret, o.people[who]))
		require.NoError(t, slack.Join(o.channel, o.people[who]))
		named(who+" is in both", false)
		require.NoError(t, slack.Leave(o.channel, o.people[who]))
	}
	require.NoError(t, slack.ChangeChannel(o.channel, func(ch *slacktest.Channel) { ch.Shared = true }))
	named("a shared channel", false)
	require.NoError(t, slack.ChangeChannel(o.channel, func(ch *slacktest.Channel) { ch.Shared = false }))
	slack.Order(slacktest.Fault{Method: "conversations.members", Error: "internal_error"})
	named("Slack does not tell", false)
	named("Slack tells again", true)
	o.Readers = nil
	named("nobody can tell", false)
}

// A person who joins a session to another gets no say in the other thread. That thread is told of the
// join, with a link only if its people may follow it.
func TestAJoinTellsTheOtherThread(t *testing.T) {
	t.Parallel()
	o, slack, _ := duplicatesOffice(t)
	wide := slack.AddChannel(slacktest.Channel{
		Name:    "wide",
		Members: append([]string{o.people["gus"]}, membersOf(t, o)...),
	}).ID
	first := o.reported(t, wide, "10.1", toldFirst)
	th, said, _ := o.announced(t, "11.1")
	require.NotEmpty(t, said)
	var press string
	require.NoError(t, o.Store.Pool.QueryRow(t.Context(),
		`select id from buttons where session_id = $1 and action_id = 'join'`, th.Session().ID).Scan(&press))
	require.NoError(t, th.receive(t.Context(), workflow.IncomingEvent{
		Kind:     workflow.MessageAction,
		TS:       "11.2",
		User:     o.people["bea"],
		ActionID: workflow.ButtonJoin,
		Value:    press,
	}))
	require.NoError(t, th.Judge.JudgeAll(t.Context()))
	require.Equal(t, workflow.PhaseStopped, th.Session().Phase)
	lines, err := o.Store.Lines(t.Context(), first.Session().ID)
	require.NoError(t, err)
	require.Equal(t, "The same was reported in another channel, and that thread was joined to this one.",
		lines[len(lines)-1].Text, "a guest reads that, who is not in #bugs")
	require.Zero(t,
		storetest.CountRows(t, o.Store, `select count(*) from inbox where session_id = $1 and user_id = $2`,
			first.Session().ID, o.people["bea"]))
	require.Zero(t, storetest.CountRows(t, o.Store, `select count(*) from approvals`))
	require.Zero(t, storetest.CountRows(t, o.Store, `select count(*) from permissions`))

	// If the parts are recorded again, as after an interrupted commit, the other thread still has one
	// line.
	require.NoError(t, th.Record(t.Context(), store.JoinedDuplicate{
		Other: first.Session().ID,
		By:    "U1",
		Line:  workflow.Line{Agent: "a", Text: "again"},
	}))
	again, err := o.Store.Lines(t.Context(), first.Session().ID)
	require.NoError(t, err)
	require.Len(t, again, len(lines))
	require.Error(t, first.Record(t.Context(), store.JoinedDuplicate{Other: th.Session().ID}),
		"it was never named there")

	// A message in the joined thread lets the work go on there.
	require.NoError(t, slack.Join(o.channel, o.people["gus"]))
	require.NoError(t, th.receive(t.Context(), workflow.IncomingEvent{
		Kind: workflow.MessageReply,
		TS:   "11.3",
		User: o.people["gus"],
		Text: "mine is another one",
	}))
	require.NoError(t, th.Judge.JudgeAll(t.Context()))
	require.Equal(t, workflow.PhaseExploring, th.Session().Phase,
		"also a guest: nothing was approved or stopped")
	require.Zero(t, storetest.CountRows(t, o.Store, `select count(*) from permissions`))
	require.Empty(t, th.Session().Halted)
	require.Zero(t, storetest.CountRows(t, o.Store, `select count(*) from twins where joined_at is not null`))
}

// A stop also holds if the session was joined before it: a guest then cannot let anything go on. Once
// work was approved, a session cannot be joined.
func TestAJoinIsNoWayAroundAStop(t *testing.T) {
	t.Parallel()
	o, slack, _ := duplicatesOffice(t)
	require.NoError(t, slack.Join(o.channel, o.people["gus"]))
	o.reported(t, o.channel, "10.1", toldFirst)
	press := func(th *thread, who string) {
		t.Helper()
		var button string
		require.NoError(t, o.Store.Pool.QueryRow(t.Context(),
			`select id from buttons where session_id = $1 and action_id = 'join'`,
			th.Session().ID).Scan(&button))
		require.NoError(t, th.receive(t.Context(), workflow.IncomingEvent{
			Kind:     workflow.MessageAction,
			TS:       th.tick(),
			User:     o.people[who],
			ActionID: workflow.ButtonJoin,
			Value:    button,
		}))
		require.NoError(t, th.Judge.JudgeAll(t.Context()))
	}
	says := func(th *thread, who, words string) {
		t.Helper()
		require.NoError(t, th.receive(t.Context(), workflow.IncomingEvent{
			Kind: workflow.MessageReply,
			TS:   th.tick(),
			User: o.people[who],
			Text: words,
		}))
		require.NoError(t, th.Judge.JudgeAll(t.Context()))
	}
	th, _, _ := o.announced(t, "11.1")
	press(th, "gus")
	require.True(t, th.Session().Joined())
	says(th, "bea", "stop")
	require.False(t, th.Session().Joined())
	says(th, "gus", "mine is another one")
	require.Equal(t, workflow.PhaseStopped, th.Session().Phase)
	press(th, "gus")
	require.False(t, th.Session().Joined(), "nor by joining once more")

	stopped, _, _ := o.announced(t, "13.1")
	says(stopped, "ann", "stop")
	press(stopped, "bea")
	require.False(t, stopped.Session().Joined())
	says(stopped, "gus", "mine is another one")
	require.Equal(t, workflow.PhaseStopped, stopped.Session().Phase)

	other, _, _ := o.announced(t, "12.1")
	_, err := reportWaits(t.Context(), other)
	require.NoError(t, err)
	require.NoError(t, other.approveAsBea(t.Context(), workflow.EventApprove))
	press(other, "bea")
	require.Equal(t, workflow.PhaseWorking, other.Session().Phase)
}

// Joining ends what is under way like a stop: a question to the thread, and what people asked agents that
// only read. Those are asked again when a person goes on here.
func TestAJoinEndsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	o, _, _ := duplicatesOffice(t)
	o.reported(t, o.channel, "10.1", toldFirst)
	th, _, _ := o.announced(t, "11.1")
	th.people = o.people
	waits := th.asks(t)
	require.NoError(t, th.says(t.Context(), "bea", "ask the consultant: is it the proxy?"))
	inquiries := func(stopped bool) {
		t.Helper()
		all, err := o.Store.Inquiries(t.Context(), th.Session().ID)
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, stopped, all[0].Stopped)
	}
	inquiries(false)
	require.NotNil(t, waits())
	require.NoError(t, th.press(t.Context(), o.people["bea"], workflow.ButtonJoin))
	require.True(t, th.Session().Joined())
	inquiries(true)
	require.Nil(t, waits())
	require.NoError(t, th.says(t.Context(), "ann", "go on"))
	inquiries(false)
	require.Equal(t, workflow.PhaseExploring, th.Session().Phase)
	require.Zero(t, storetest.CountRows(t, o.Store, `select count(*) from inbox where answers`))
	require.Zero(t, storetest.CountRows(t, o.Store, `select count(*) from twins where joined_at is not null`))
}

func membersOf(t *testing.T, o *office) []string {
	t.Helper()
	users, err := o.Slack.(asKept).Slack.(*people.Directory).Members(t.Context(), o.channel)
	require.NoError(t, err)
	return users
}
