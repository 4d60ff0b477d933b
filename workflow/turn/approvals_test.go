package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// A standing is a state that a session may be in when a person says yes.
type standing struct {
	name  string
	open  bool   // a yes counts in this state, from people who may give it
	words string // the ts of the message that says yes; what is shown has the ts 1005.0
	// enter brings a new session into this state, and returns the button that is pressed.
	enter func(ctx context.Context, th *thread) (button string, err error)
}

var standings = []standing{
	{
		name:  "nothing shown yet",
		enter: func(context.Context, *thread) (string, error) { return "forged", nil },
	},
	{name: "a report waits", open: true, enter: reportWaits},
	{name: "a plan waits", open: true, enter: func(ctx context.Context, th *thread) (string, error) {
		return th.show(ctx, workflow.ReportPlan, workflow.EventPlan, workflow.EventShowPlan)
	}},
	{
		name:  "an older revision",
		words: "1003.0",
		enter: func(ctx context.Context, th *thread) (string, error) {
			old, err := reportWaits(ctx, th)
			if err == nil {
				_, err = reportWaits(ctx, th)
			}
			return old, err
		},
	},
	{
		name: "approved already",
		enter: after(reportWaits,
			func(ctx context.Context, th *thread) error { return th.approveAsBea(ctx) }),
	},
	{
		name: "at work",
		enter: after(reportWaits, func(ctx context.Context, th *thread) error {
			return th.approveAsBea(ctx, workflow.EventApprove)
		}),
	},
	{name: "pushed", enter: after(reportWaits, func(ctx context.Context, th *thread) error {
		if err := th.approveAsBea(ctx, workflow.EventApprove); err != nil {
			return err
		}
		p, err := th.intend(ctx, "commit", "tree")
		if err != nil {
			return err
		}
		return th.settle(ctx, p)
	})},
	{name: "stopped", enter: after(reportWaits, happens(workflow.EventStop))},
	{name: "paused", enter: after(reportWaits, happens(workflow.EventPause))},
	{name: "an interview", enter: func(ctx context.Context, th *thread) (string, error) {
		if err := happens(workflow.EventAlign)(ctx, th); err != nil {
			return "", err
		}
		return th.show(ctx, workflow.ReportRequest)
	}},
}

func reportWaits(ctx context.Context, th *thread) (string, error) {
	return th.show(ctx, workflow.ReportRootCause, workflow.EventReport)
}

func after(
	first func(context.Context, *thread) (string, error), then func(context.Context, *thread) error,
) func(context.Context, *thread) (string, error) {
	return func(ctx context.Context, th *thread) (string, error) {
		button, err := first(ctx, th)
		if err == nil {
			err = then(ctx, th)
		}
		return button, err
	}
}

func happens(events ...workflow.Event) func(context.Context, *thread) error {
	return func(ctx context.Context, th *thread) error { return th.Record(ctx, store.Update{Events: events}) }
}

// A standingCase is a person who says yes in a standing.
type standingCase struct {
	actor
	standing
	way string
}

// cases returns each of the standings with a message and with a press. Where a yes counts, every actor says
// it, each in one of the two ways; a sample of them says it where it does not count. With BOBBIN_EVERY every
// actor says it everywhere, in both ways.
func (o *office) cases(standings []standing) (cases []standingCase) {
	for i, s := range standings {
		for j, way := range []string{"words", "click"} {
			who := o.actors
			if !s.open {
				who = o.sample(2*i+j, func(a actor) bool { return a.may })
			}
			for n, a := range who {
				if !s.open || every || (n+i+j)%2 == 0 {
					cases = append(cases, standingCase{a, s, way})
				}
			}
		}
	}
	return cases
}

// matrix plays the cases. It returns a line for each case in which the rows are not what they should be.
func (o *office) matrix(ctx context.Context, cases []standingCase) []string {
	return playAll(o, cases, func(where workflow.Thread, c standingCase) (name, fault string, err error) {
		fault, err = o.play(ctx, where, c)
		return fmt.Sprintf("%s, %s, by %s", c.kind, c.name, c.way), fault, err
	})
}

// playAll plays each case in a thread of its own, six at a time. It returns a line for each that is at fault.
func playAll[C any](
	o *office, cases []C, play func(workflow.Thread, C) (name, fault string, err error),
) (faults []string) {
	var all errgroup.Group
	all.SetLimit(6)
	var mu sync.Mutex
	for n, c := range cases {
		where := workflow.Thread{Team: "T1", Channel: o.channel, TS: fmt.Sprintf("%d.0", n+1)}
		all.Go(func() error {
			name, fault, err := play(where, c)
			if err != nil {
				fault = err.Error()
			}
			if fault != "" {
				mu.Lock()
				defer mu.Unlock()
				faults = append(faults, name+": "+fault)
			}
			return nil
		})
	}
	_ = all.Wait()
	return faults
}

// play plays one case.
func (o *office) play(ctx context.Context, where workflow.Thread, c standingCase) (fault string, err error) {
	th, err := o.ask(ctx, where, o.asker, c.rules)
	if err != nil {
		return "", err
	}
	button, err := c.enter(ctx, th)
	if err != nil {
		return "", err
	}
	if err := th.posted(ctx, "1005.0"); err != nil {
		return "", err
	}
	before, err := th.consentRows(ctx)
	if err != nil {
		return "", err
	}
	in := workflow.IncomingEvent{Kind: workflow.MessageReply, TS: "1010.0", User: c.user, Text: "fix it"}
	if c.words != "" {
		in.TS = c.words
	}
	if c.way == "click" {
		in = workflow.IncomingEvent{
			Kind:     workflow.MessageAction,
			TS:       "1010.0",
			User:     c.user,
			ActionID: workflow.ButtonFix,
			Value:    button,
		}
	}
	if err := th.receive(ctx, in); err != nil {
		return "", err
	}
	if err := th.Judge.JudgeAll(ctx); err != nil {
		return "", err
	}
	after, err := th.consentRows(ctx)
	if err != nil {
		return "", err
	}
	want := before
	if c.open && c.may {
		want = fmt.Sprintf("working %d bobbin/the-total-is-off-%s approvals:%d=%s pushes:",
			th.Session().Revision, th.Session().ID, th.Session().Revision, c.user)
	}
	if after != want {
		return fmt.Sprintf("it was %q, and is %q instead of %q", before, after, want), nil
	}
	return "", nil
}

// consentRows returns in short the rows that a yes may change.
func (th *thread) consentRows(ctx context.Context) (rows string, err error) {
	err = th.Store.Pool.QueryRow(ctx, `select concat_ws(' ', s.phase, s.revision, s.branch || s.head,
			'approvals:' || coalesce((select string_agg(revision || '=' || user_id, ',' order by revision)
				from approvals where session_id = s.id), ''),
			'pushes:' || coalesce((select string_agg(commit_hash || state, ',') from pushes
				where session_id = s.id), ''))
		from sessions s where s.id = $1`, th.Session().ID).Scan(&rows)
	return rows, err
}

// Whoever says yes in whatever state of the session, it changes something only if the person may approve
// and the session waits for an approval.
func TestWhoMayApproveWhere(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	cases := o.cases(standings)
	played := map[string]int{}
	for _, c := range cases {
		played[c.kind]++
		played[c.name+" by "+c.way]++
		played[fmt.Sprint(c.name, c.may)]++
	}
	require.Len(t, played, len(o.actors)+4*len(standings),
		"everybody is in it, and each standing in both ways, with people who may and who may not")
	require.Empty(t, strings.Join(o.matrix(t.Context(), cases), "\n"))
	a, err := consent.VerifyAudit(t.Context(), o.Store.DB, "")
	require.NoError(t, err)
	require.Nil(t, a.Flaw)
	var refused int
	require.NoError(t,
		o.Store.Pool.QueryRow(t.Context(), `select count(*) from decisions where not allowed`).Scan(&refused))
	want := 0
	for _, c := range cases {
		approved := c.open && c.may
		// a press of a button that was never shown is ignored and leaves no row
		silent := c.name == standings[0].name && c.way == "click" && c.heard()
		if !approved && !silent {
			want++
		}
	}
	require.Equal(t, want, refused, "each refusal is a row, too")
}

// While a remark below a report is read, an approval has to wait. If the report cannot be read, nobody
// knows whether it has to.
func TestAnUnreadableReportIsNoRefusal(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	th, err := o.ask(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: "1.0"},
		o.asker, "anybody")
	require.NoError(t, err)
	_, err = reportWaits(t.Context(), th)
	require.NoError(t, err)
	reading, err := th.Judge.Approvals.ReadsRemarks(t.Context())
	require.NoError(t, err)
	require.False(t, reading, "nobody wrote a remark yet")
	require.NoError(t, th.Record(t.Context(), store.Update{
		Events: []workflow.Event{workflow.EventRequest},
		Open:   ledger.Wake,
	}))
	reading, err = th.Judge.Approvals.ReadsRemarks(t.Context())
	require.NoError(t, err)
	require.True(t, reading)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = th.Judge.Approvals.ReadsRemarks(gone)
	require.ErrorIs(t, err, context.Canceled)
}

// heard reports whether the bot listens to the person at all.
func (a actor) heard() bool {
	for _, kind := range []string{"stranger", "bot", "deactivated", "unknown"} {
		if strings.Contains(a.kind, kind) {
			return false
		}
	}
	return true
}

// credulous takes every person for a full member in the channel: the control without that check.
type credulous struct{ ledger.Slack }

func (c credulous) Person(ctx context.Context, thread workflow.Thread, user string) (workflow.Person, error) {
	return workflow.Person{ID: user, Name: user, InThread: true}, nil
}

func TestThatAnybodyMayApproveIsFoundOut(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.Slack = credulous{o.Slack}
	// from the first guest on; none of them may approve
	o.actors = slices.DeleteFunc(o.actors[8:], func(a actor) bool { return a.rules != "anybody" })
	require.Len(t, o.actors, 8)
	open := standings[1:3]
	cases := o.cases(open)
	said := strings.Join(o.matrix(t.Context(), cases), "\n")
	for _, c := range cases {
		require.Contains(t, said, c.kind+", "+c.name+", by "+c.way)
	}
	require.GreaterOrEqual(t, len(cases), len(o.actors)*len(open))
}

// demoting is a Slack that says of every person after the first lookup that the person is a guest, and
// that counts the lookups.
type demoting struct {
	ledger.Slack
	lookups int
}

func (d *demoting) Person(ctx context.Context, thread workflow.Thread, user string) (workflow.Person, error) {
	p, err := d.Slack.Person(ctx, thread, user)
	p.Guest = d.lookups > 0
	d.lookups++
	return p, err
}

// The author of several plain messages is looked up once. For an approval after them, the author is
// looked up again.
func TestAnApprovalIsLookedAtByItself(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx := t.Context()
	slack := &demoting{Slack: o.Slack}
	o.Slack = slack
	th, err := o.ask(ctx, workflow.Thread{Team: "T1", Channel: o.channel, TS: "1.0"}, o.asker, "anybody")
	require.NoError(t, err)
	_, err = reportWaits(ctx, th)
	require.NoError(t, err)
	slack.lookups = 0
	for n, text := range []string{"it began on Monday", "only with coupons", "Fix it"} {
		require.NoError(t, inbox.New(o.Store.DB, o.Store.Queue).Receive(ctx, workflow.IncomingEvent{
			EventID: text,
			Kind:    workflow.MessageReply,
			Thread:  th.Thread,
			TS:      fmt.Sprintf("2.%d", n),
			User:    o.asker,
			Text:    text,
		}))
	}
	require.NoError(t, th.Judge.JudgeAll(ctx))
	require.Equal(t, 2, slack.lookups)
	var approvals, heard int
	require.NoError(t, o.Store.Pool.QueryRow(ctx, `select count(*) from approvals`).Scan(&approvals))
	require.NoError(t, o.Store.Pool.QueryRow(ctx,
		`select count(*) from inbox where message_ts like '2.%' and for_agents`).Scan(&heard))
	require.Zero(t, approvals)
	require.Equal(t, 2, heard)
}

// clicks judges and records n presses at the same time, as if no queue and no epoch kept them apart.
// change removes a check from what each press records. It returns the number of approvals.
func (o *office) clicks(ctx context.Context, n int, change func([]store.Part)) (approvals int, err error) {
	th, err := o.ask(ctx, workflow.Thread{Team: "T1", Channel: o.channel, TS: "1.0"}, o.asker, "anybody")
	if err != nil {
		return 0, err
	}
	button, err := reportWaits(ctx, th)
	if err != nil {
		return 0, err
	}
	var hands errgroup.Group
	hands.SetLimit(16)
	for i := range n {
		in := workflow.IncomingEvent{
			EventID:  fmt.Sprint("click ", i),
			Kind:     workflow.MessageAction,
			Thread:   th.Thread,
			TS:       "1010.0",
			User:     o.actors[i%2].user,
			ActionID: workflow.ButtonFix,
			Value:    button,
		}
		hands.Go(func() error { return inbox.New(o.Store.DB, o.Store.Queue).Receive(ctx, in) })
	}
	if err := hands.Wait(); err != nil {
		return 0, err
	}
	messages, err := th.Inbox().Unhandled(ctx)
	if err != nil || len(messages) != n {
		return 0, fmt.Errorf("%d of %d clicks arrived: %w", len(messages), n, err)
	}
	judged := make([][]store.Part, n) // all are judged before the first is recorded
	for i, m := range messages {
		hands.Go(func() (err error) {
			judged[i], err = th.Judge.JudgeMessage(ctx, th.Judge.Read(m))
			return err
		})
	}
	if err := hands.Wait(); err != nil {
		return 0, err
	}
	for _, f := range judged {
		if change != nil {
			change(f)
		}
		hands.Go(func() error {
			_ = th.Record(ctx, f...)
			return nil
		})
	}
	_ = hands.Wait()
	return approvals, o.Store.Pool.QueryRow(ctx, `select count(*) from approvals`).Scan(&approvals)
}

// With BOBBIN_EVERY there are a thousand.
func TestManyClicksAreOneApproval(t *testing.T) {
	t.Parallel()
	many := 100
	if every {
		many = 1000
	}
	n, err := openOffice(t).clicks(t.Context(), many, nil)
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

// severalApprovals takes away that an approval, and each person's word for it, is a unique row.
const severalApprovals = `alter table approvals drop constraint approvals_session_id_revision_key;
	drop index endorsements_once`

// Two checks prevent a second approval, the session's phase and the unique row, and each is enough.
// Without both there are several approvals.
func TestClicksWithoutTheirGuards(t *testing.T) {
	t.Parallel()
	noPhase := func(f []store.Part) { ledger.Change(f, func(u *store.Update) { u.Events = nil }) }
	for name, c := range map[string]struct {
		sql    string
		change func([]store.Part)
		one    bool
	}{
		"the phase alone":    {sql: severalApprovals, one: true},
		"the row alone":      {sql: `select 1`, change: noPhase, one: true},
		"neither of the two": {sql: severalApprovals, change: noPhase},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOffice(t)
			_, err := o.Store.Pool.Exec(t.Context(), c.sql)
			require.NoError(t, err)
			n, err := o.clicks(t.Context(), 30, c.change)
			require.NoError(t, err)
			require.Equal(t, c.one, n == 1, "%d approvals", n)
		})
	}
}

// openPushed opens a thread whose change was pushed.
func openPushed(t *testing.T) (*office, *thread) {
	t.Helper()
	o := openOffice(t)
	r := &Runner{Store: o.Store, Slack: o.Slack, Log: o.Log, Repositories: o.Repositories, Agents: o.Agents}
	th, err := r.begin(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: "1.0"}, o.asker, "",
		"what does Key do?")
	require.NoError(t, err)
	th.people = o.people
	require.NoError(t, pushedAndTold(t.Context(), th))
	require.NoError(t, th.posted(t.Context(), th.tick()))
	return o, th
}

// A stop ends a backport that was not made yet. "Go on" does not resume it, neither from a guest nor
// from a member: a new request for that release is needed.
func TestAStoppedBackportWantsAnotherWord(t *testing.T) {
	t.Parallel()
	o, th := openPushed(t)
	register := backports.Register{Store: o.Store}
	state := func() string {
		rows, err := register.Of(t.Context(), th.Session().ID)
		require.NoError(t, err)
		if len(rows) == 0 {
			return ""
		}
		require.Len(t, rows, 1)
		return rows[0].State
	}
	for _, step := range []struct{ who, says, then string }{
		{"gus", "backport to 1.1", ""},
		{"ann", "backport to 1.1", "asked"},
		{"ann", "backport to release/1.1", "asked"},
		{"cem", "stop", "stopped"},
		{"gus", "go on", "stopped"},
		{"gus", "backport to 1.1", "stopped"},
		{"ann", "backport to 1.1", "stopped"},
		{"ann", "go on", "stopped"},
		{"ann", "backport to v1.1", "asked"},
	} {
		require.NoError(t, th.says(t.Context(), step.who, step.says))
		require.Equal(t, step.then, state(), "%s: %s", step.who, step.says)
	}
	rows, err := th.permitted(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(rows, "backport="), rows)
	a, err := consent.VerifyAudit(t.Context(), o.Store.DB, "")
	require.NoError(t, err)
	require.Nil(t, a.Flaw)

	// The schema demands a permission of that kind, from that person.
	_, err = o.Store.Pool.Exec(t.Context(),
		`update backports set permission_id = (select id from permissions where what = 'report')`)
	require.ErrorContains(t, err, "backports_")
	_, err = o.Store.Pool.Exec(t.Context(), `update backports set user_id = 'U0NOBODY'`)
	require.ErrorContains(t, err, "backports_by_permission")
}

// Two releases whose names end in the same version get a branch each, and the answer names each release that
// was asked for.
func TestReleasesOfOneVersionGetABranchEach(t *testing.T) {
	t.Parallel()
	o, th := openPushed(t)
	for _, step := range []struct{ says, answer string }{
		{"backport to api-1.4 and web-1.4", "Backport to api-1.4 and web-1.4, as ann asked."},
		{"backport to web-1.4", "The backport to web-1.4 was asked for by ann, as `"},
		{
			"backport to 1.4, api/v1.4 and v1.4",
			"Backport to api/v1.4, as ann asked. It gets its own branch and its own proof. " +
				"The backport to 1.4 was asked for by ann, as `",
		},
		{
			"backport to 2.0 and v2.0",
			"Backport to 2.0, as ann asked. It gets its own branch and its own proof. " +
				"The backport to v2.0 was asked for by ann, as `",
		},
	} {
		require.NoError(t, th.says(t.Context(), "ann", step.says))
		said, err := th.said(t.Context())
		require.NoError(t, err)
		require.Contains(t, said[len(said)-1], step.answer)
	}
	rows, err := backports.Register{Store: o.Store}.Of(t.Context(), th.Session().ID)
	require.NoError(t, err)
	branches := map[string]string{}
	for _, row := range rows {
		_, branches[row.Wanted], _ = strings.Cut(row.Branch, "-backport-")
	}
	require.Equal(t, map[string]string{
		"api-1.4":  "1.4",
		"web-1.4":  "web-1.4",
		"api/v1.4": "api-v1.4",
		"2.0":      "2.0",
	}, branches)
}
