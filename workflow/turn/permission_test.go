package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/tasks/orchestrator"
)

// A way is one of the ways to a yes: how a thread gets to where a yes is wanted, what is said or pressed
// there, and what that permits.
type way struct {
	name  string
	what  workflow.PermissionKind
	says  string            // the message; empty: only a press
	press workflow.ActionID // action of the newest button, which is pressed; empty: only a message
	root  bool              // the message mentions the bot
	enter func(ctx context.Context, th *thread) error
	// then is what a careless model does next: it restates whatever was asked for.
	then func(th *thread, ctx context.Context) error
	// never names the repository in which no person's yes counts in this way.
	never string
}

var waysToAYes = []way{
	{
		name:  "a report",
		what:  workflow.PermitReport,
		says:  "fix it",
		press: workflow.ButtonFix,
		enter: showing(workflow.ReportRootCause, workflow.EventReport),
	},
	{
		name:  "a plan",
		what:  workflow.PermitPlan,
		says:  "go ahead",
		press: workflow.ButtonFix,
		enter: showing(workflow.ReportPlan, workflow.EventPlan, workflow.EventShowPlan),
	},
	{
		name:  "an understanding",
		what:  workflow.PermitUnderstanding,
		says:  "yes",
		press: workflow.ButtonConfirm,
		enter: interviewed,
	},
	{
		name:  "a request that waits",
		what:  workflow.PermitRequest,
		says:  "go ahead",
		press: workflow.ButtonFix,
		enter: func(ctx context.Context, th *thread) error {
			if err := errors.Join(th.says(ctx, "gus", "@bobbin also add Key.Len"),
				th.says(ctx, "ann", "please do add Key.Len")); err != nil {
				return err
			}
			return th.restates(ctx)
		},
	},
	{
		name:  "asking",
		what:  workflow.PermitRequest,
		says:  "please add an exported Key.Len method",
		root:  true,
		enter: rested,
		then:  (*thread).restatesNow,
		never: "another",
	},
	{
		name:  "asking in a reply",
		what:  workflow.PermitRequest,
		says:  "add an exported Key.Len method, with a test",
		enter: rested,
		then:  (*thread).restatesNow,
		never: "another",
	},
	{
		name:  "a follow-up",
		what:  workflow.PermitRequest,
		says:  "add an exported Key.Len method, with a test",
		root:  true,
		enter: pushedAndAsked,
		then:  (*thread).restatesNow,
		never: "another",
	},
	{
		name: "a follow-up after a stop",
		what: workflow.PermitRequest,
		says: "add an exported Key.Len method, with a test",
		root: true,
		enter: func(ctx context.Context, th *thread) error {
			if err := pushedAndAsked(ctx, th); err != nil {
				return err
			}
			return th.says(ctx, "cem", "stop")
		},
		then:  (*thread).restatesNow,
		never: "another",
	},
	{
		name:  "going on after a stop",
		what:  workflow.PermitResume,
		says:  "go on",
		press: workflow.ButtonGoOn,
		enter: stoppedAtWork,
	},
	{
		name:  "going on with more words",
		what:  workflow.PermitResume,
		says:  "it was the wrong thread. Go on please",
		enter: stoppedAtWork,
	},
	{
		name: "going on with what nobody approved",
		what: workflow.PermitResume,
		says: "look at receipts first",
		enter: func(ctx context.Context, th *thread) error {
			return th.says(ctx, "cem", "stop")
		},
	},
	{name: "adopting", what: workflow.PermitAdopt, says: "yes please do this", enter: turnedAway},
	{
		name:  "adopting, restated",
		what:  workflow.PermitRequest,
		says:  "yes please do this",
		enter: turnedAway,
		then:  (*thread).restatesNow,
		never: "another",
	},
	{
		name:  "passing on",
		what:  workflow.PermitAdopt,
		says:  "pass it on",
		press: workflow.ButtonPassOn,
		enter: heldAtWork,
	},
	{
		name:  "a push",
		what:  workflow.PermitPush,
		says:  "push it",
		press: workflow.ButtonPush,
		enter: pushWaits(""),
	},
	{
		name:  "an unproven push",
		what:  workflow.PermitPush,
		says:  "push it unproven",
		press: workflow.ButtonPush,
		enter: pushWaits("eslint is not installed"),
	},
	{
		name:  "putting back",
		what:  workflow.PermitPutBack,
		press: workflow.ButtonPutBack,
		enter: takenOut(atWork),
	},
	{
		name:  "putting back after the push",
		what:  workflow.PermitPutBack,
		press: workflow.ButtonPutBack,
		enter: takenOut(pushedNow),
	},
	{
		name:  "a backport",
		what:  workflow.PermitBackport,
		says:  "backport to release/1.1",
		press: workflow.ButtonBackport,
		enter: pushedAndTold,
	},
	{name: "a limit", what: workflow.PermitLimit, says: "go on", enter: limitReached},
}

func showing(kind string, events ...workflow.Event) func(context.Context, *thread) error {
	return func(ctx context.Context, th *thread) error {
		_, err := th.show(ctx, kind, events...)
		return err
	}
}

// interviewed brings the thread to the shared understanding of an interview, which waits to be
// confirmed.
func interviewed(ctx context.Context, th *thread) error {
	if err := happens(workflow.EventAlign)(ctx, th); err != nil {
		return err
	}
	return th.restates(ctx)
}

// rested answers what the thread asked for so far.
func rested(ctx context.Context, th *thread) error { return th.answers(ctx) }

func pushedNow(ctx context.Context, th *thread) error {
	if _, err := reportWaits(ctx, th); err != nil {
		return err
	}
	if err := th.approveAsBea(ctx, workflow.EventApprove); err != nil {
		return err
	}
	if err := th.reads(ctx); err != nil {
		return err
	}
	p, err := th.intend(ctx, "commit", "tree")
	if err != nil {
		return err
	}
	return th.settle(ctx, p)
}

// pushedAndTold has a push announced in the thread, with a release that has the bug.
func pushedAndTold(ctx context.Context, th *thread) error {
	if err := pushedNow(ctx, th); err != nil {
		return err
	}
	pushes, err := th.Store.Pushes(ctx, th.Session().ID)
	if err != nil {
		return err
	}
	p := pushes[len(pushes)-1]
	return th.Record(ctx, store.Lines(th.ProgramLine(fmt.Sprintf(
		"**Fixed and pushed:** `%s`\nshop@%s · 1 file", p.Branch, prompt.ShortHash(p.Commit)),
		workflow.Button{
			ActionID: workflow.ButtonBackport,
			Value:    store.NewToken(),
			Means:    p.Commit + " release/1.1",
		})))
}

// pushedAndAsked has a member's bug fixed and pushed, and then a member's question about it answered.
func pushedAndAsked(ctx context.Context, th *thread) error {
	if err := pushedNow(ctx, th); err != nil {
		return err
	}
	if err := th.says(ctx, "ann", "what does Key do?"); err != nil {
		return err
	}
	return th.answers(ctx)
}

func atWork(ctx context.Context, th *thread) error {
	if _, err := reportWaits(ctx, th); err != nil {
		return err
	}
	return th.approveAsBea(ctx, workflow.EventApprove)
}

func stoppedAtWork(ctx context.Context, th *thread) error {
	if err := atWork(ctx, th); err != nil {
		return err
	}
	return th.says(ctx, "cem", "stop")
}

// turnedAway has a person from another workspace ask in the thread, whom the bot does not listen to.
func turnedAway(ctx context.Context, th *thread) error {
	if err := rested(ctx, th); err != nil {
		return err
	}
	return th.says(ctx, "eve", "@bobbin add an exported Key.Len method")
}

// heldAtWork has a guest write while approved work is under way.
func heldAtWork(ctx context.Context, th *thread) error {
	if err := atWork(ctx, th); err != nil {
		return err
	}
	return th.says(ctx, "gus", "also add Key.Len")
}

func pushWaits(unproven string) func(context.Context, *thread) error {
	return func(ctx context.Context, th *thread) error {
		if err := atWork(ctx, th); err != nil {
			return err
		}
		return th.asksToPush(ctx, unproven)
	}
}

// asksToPush asks the thread whether approved work may be pushed.
func (th *thread) asksToPush(ctx context.Context, unproven string) error {
	a, err := th.StandingApproval(ctx)
	if err != nil {
		return err
	}
	return th.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: ledger.Rest},
		consent.Allowance{
			ID:       store.NewToken(),
			Approval: a.ID,
			Tree:     "tree",
			Names:    "go.sum",
			Unproven: unproven,
		},
		store.Lines(th.ProgramLine("go.sum", workflow.Button{
			ActionID: workflow.ButtonPush,
			Value:    store.NewToken(),
			Means:    "",
		})),
	)
}

// takenOut has a part of approved work taken out because it is outside the scope.
func takenOut(where func(context.Context, *thread) error) func(context.Context, *thread) error {
	return func(ctx context.Context, th *thread) error {
		if err := where(ctx, th); err != nil {
			return err
		}
		return th.takesOut(ctx, "with")
	}
}

func (th *thread) takesOut(ctx context.Context, with string) error {
	a, err := th.Store.Approval(ctx, th.Session().ID, th.Session().Revision)
	if err != nil {
		return err
	}
	r := workflow.Removal{
		Hash:     workflow.RemovalHash(a.ID, with, "without"),
		Approval: a.ID,
		Hunks:    []workflow.RemovedHunk{{Place: "`key.go:1` +1 −0", Why: "not asked for"}},
	}
	return th.Record(ctx, consent.Removal(r),
		store.Lines(th.ProgramLine("Taken out", ledger.PutBackButton(r))))
}

func limitReached(ctx context.Context, th *thread) error {
	if err := atWork(ctx, th); err != nil {
		return err
	}
	if err := th.Record(ctx, store.Usage{USD: 2}); err != nil {
		return err
	}
	return th.pauseAtLimit(ctx, &budget.LimitError{})
}

// says has a person write, and the program judge it. Agents read it at once.
func (th *thread) says(ctx context.Context, who, text string) error {
	text, mention := strings.CutPrefix(text, "@bobbin ")
	in := workflow.IncomingEvent{Kind: workflow.MessageReply, TS: th.tick(), User: th.userID(who), Text: text}
	if mention {
		in.Kind = workflow.MessageMention
	}
	return th.judges(ctx, in)
}

func (th *thread) judges(ctx context.Context, in workflow.IncomingEvent) error {
	if err := th.receive(ctx, in); err != nil {
		return err
	}
	if err := th.Judge.JudgeAll(ctx); err != nil {
		return err
	}
	if err := th.posted(ctx, th.tick()); err != nil {
		return err
	}
	return th.reads(ctx)
}

// reads marks the messages for the orchestrator as read by it.
func (th *thread) reads(ctx context.Context) error {
	unseen, err := th.Inbox().Unseen(ctx, 0)
	if err != nil || len(unseen) == 0 {
		return err
	}
	return th.Record(ctx, progress.Transcript{Seen: unseen[len(unseen)-1].ID})
}

func (th *thread) lead() *orchestrator.Tools {
	return &orchestrator.Tools{Orchestrator: th.Orchestrator}
}

// partsOf returns the parts that a call of one of the orchestrator's tools writes.
func partsOf(r model.Result) (parts []store.Part) {
	for _, w := range r.Writes {
		parts = append(parts, w.(ledger.PartWrite).Part)
	}
	return parts
}

// answers has the orchestrator answer, after which the thread rests.
func (th *thread) answers(ctx context.Context) error {
	if err := th.reads(ctx); err != nil {
		return err
	}
	r, err := th.lead().Reply(ctx, "It counts keys.")
	if err != nil {
		return err
	}
	return th.Record(ctx, partsOf(r)...)
}

// restates has the orchestrator restate what was asked for, whatever that was.
func (th *thread) restates(ctx context.Context) error {
	if err := th.restatesNow(ctx); err != nil {
		return err
	}
	return th.posted(ctx, th.tick())
}

func (th *thread) restatesNow(ctx context.Context) error {
	if err := th.reads(ctx); err != nil {
		return err
	}
	r, err := th.lead().Restate(ctx, workflow.Request{
		SurfaceArea:  "the keys",
		DoneCriteria: []string{"Key.Len is there"},
		Files:        []string{"key.go"},
	})
	if err != nil || r.Wrong {
		return err
	}
	return th.Record(ctx, partsOf(r)...)
}

// press presses the newest button of the action.
func (th *thread) press(ctx context.Context, user string, action workflow.ActionID) error {
	value, err := th.newest(ctx, action)
	if err != nil {
		return fmt.Errorf("no button %s: %w", action, err)
	}
	return th.pressOf(ctx, user, action, value)
}

// newest returns the value of the newest button of the action.
func (th *thread) newest(ctx context.Context, action workflow.ActionID) (value string, err error) {
	err = th.Store.Pool.QueryRow(ctx,
		`select o.b ->> 'Value' from (select id, json_array_elements(buttons) as b from outbox
		where session_id = $1) o
		where o.b ->> 'ActionID' = $2 order by o.id desc limit 1`, th.Session().ID, action).Scan(&value)
	return value, err
}

func (th *thread) pressOf(
	ctx context.Context, user string, action workflow.ActionID, value string,
) error {
	return th.judges(ctx, workflow.IncomingEvent{
		Kind:     workflow.MessageAction,
		TS:       th.tick(),
		User:     user,
		ActionID: action,
		Value:    value,
	})
}

// permitted returns the permissions and approvals of the thread in short.
func (th *thread) permitted(ctx context.Context) (rows string, err error) {
	err = th.Store.Pool.QueryRow(ctx, `select concat_ws(' ',
			(select string_agg(what || '=' || user_id, ',' order by at, id) from permissions
				where session_id = $1),
			'approvals:' || coalesce((select string_agg(revision || '=' || user_id, ',' order by revision)
				from approvals where session_id = $1), ''))`,
		th.Session().ID).Scan(&rows)
	return rows, err
}

// yes plays one way with one person, by a message or by a press.
func (o *office) yes(
	ctx context.Context, where workflow.Thread, a actor, w way, pressed bool,
) (fault string, err error) {
	r := &Runner{
		Store:        o.Store,
		Slack:        o.Slack,
		Log:          o.Log,
		Repositories: o.Repositories,
		Agents:       o.Agents,
		askRule:      o.askRule,
	}
	if w.what == workflow.PermitLimit {
		r.Limits = workflow.Limits{workflow.SpanSession: {workflow.UnitUSD: 1}}
	}
	th, err := r.begin(ctx, where, o.asker, a.rules, "what does Key do?")
	if err != nil {
		return "", err
	}
	th.people = o.people
	if err := w.enter(ctx, th); err != nil {
		return "", fmt.Errorf("enter: %w", err)
	}
	if err := th.posted(ctx, th.tick()); err != nil {
		return "", err
	}
	before, err := th.permitted(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case pressed:
		err = th.press(ctx, a.user, w.press)
	case w.root:
		err = th.judges(ctx,
			workflow.IncomingEvent{Kind: workflow.MessageMention, TS: th.tick(), User: a.user, Text: w.says})
	default:
		err = th.judges(ctx,
			workflow.IncomingEvent{Kind: workflow.MessageReply, TS: th.tick(), User: a.user, Text: w.says})
	}
	if err == nil && w.then != nil {
		err = w.then(th, ctx)
	}
	if err != nil && !strings.Contains(err.Error(), "user_not_found") {
		return "", err
	}
	var given int
	err = th.Store.Pool.QueryRow(ctx,
		`select count(*) from permissions p join inbox m on m.id = p.message_id and m.user_id = p.user_id
		where p.session_id = $1 and p.what = $2 and p.user_id = $3 and m.message_ts::float8 > 1100`,
		th.Session().ID, w.what, a.user).Scan(&given)
	if err != nil {
		return "", err
	}
	after, err := th.permitted(ctx)
	if err != nil {
		return "", err
	}
	switch allowed := w.allowed(a); {
	case allowed && given != 1:
		return fmt.Sprintf("it was %q, and is %q: nothing of theirs", before, after), nil
	case !allowed && (given > 0 || approvals(after) != approvals(before)):
		return fmt.Sprintf("it was %q, and is %q", before, after), nil
	}
	return "", nil
}

func approvals(rows string) string {
	_, rest, _ := strings.Cut(rows, "approvals:")
	return rest
}

// asKept is a Slack whose messages read as they were stored, because the office's messages exist only in
// rows.
type asKept struct {
	ledger.Slack
	*store.Store
	edited map[string]string // texts of messages that were edited since, by ts
}

func (a asKept) Reread(
	ctx context.Context, thread workflow.Thread, ts string,
) (text string, files []workflow.Attachment, found bool, err error) {
	err = a.Pool.QueryRow(ctx, `select coalesce(max(text), ''), count(*) > 0 from inbox
		where session_id = (select id from sessions where team = $1 and channel = $2 and thread_ts = $3)
			and message_ts = $4 and kind in ('mention', 'reply')`,
		thread.Team, thread.Channel, thread.TS, ts).Scan(&text, &found)
	if now, ok := a.edited[ts]; ok {
		text = now
	}
	return text, nil, found, err
}

// Earlier returns the messages of the thread from its rows.
func (a asKept) Earlier(ctx context.Context, thread workflow.Thread) ([]workflow.ThreadMessage, error) {
	rows, err := a.Pool.Query(ctx,
		`select i.user_id, i.user_id, i.text, i.message_ts from inbox i join sessions s on s.id = i.session_id
		where s.thread_ts = $1 and i.kind in ('mention', 'reply') order by i.message_ts`, thread.TS)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m workflow.ThreadMessage, err error) {
		err = row.Scan(&m.User, &m.Name, &m.Text, &m.TS)
		return m, err
	})
}

// A yesCase is a person who says yes in a way.
type yesCase struct {
	actor
	way
	pressed bool
}

// allowed reports whether the person's yes counts.
func (w way) allowed(a actor) bool { return a.may && w.never != a.rules }

// yeses returns each way by a message and by a press, where it has both, with a sample of the actors. With
// BOBBIN_EVERY every actor says each.
func (o *office) yeses(ways []way) (cases []yesCase) {
	n := 0
	for _, w := range ways {
		for _, pressed := range []bool{false, true} {
			if pressed && w.press == "" || !pressed && w.says == "" {
				continue
			}
			for _, a := range o.sample(n, w.allowed) {
				cases = append(cases, yesCase{a, w, pressed})
			}
			n++
		}
	}
	return cases
}

// ways plays the cases. It returns a line for each case in which the rows are not what they should be.
func (o *office) ways(ctx context.Context, cases []yesCase) []string {
	return playAll(o, cases, func(where workflow.Thread, c yesCase) (name, fault string, err error) {
		fault, err = o.yes(ctx, where, c.actor, c.way, c.pressed)
		return fmt.Sprintf("%s, %s, pressed %v", c.kind, c.name, c.pressed), fault, err
	})
}

// Whoever says yes in whatever way, only people who may approve cause anything, and the permission is in
// their name.
func TestOneWayToAYes(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	cases := o.yeses(waysToAYes)
	played := map[string]int{}
	presses := map[string]int{}
	for _, c := range cases {
		played[c.kind]++
		played[fmt.Sprint(c.name, c.allowed(c.actor))]++
		presses[fmt.Sprint(c.name, c.pressed)]++
	}
	require.Len(t, played, len(o.actors)+2*len(waysToAYes),
		"everybody is in it, and each way with people who may and who may not")
	require.GreaterOrEqual(t, len(presses), len(waysToAYes)+7)
	require.Empty(t, strings.Join(o.ways(t.Context(), cases), "\n"))
	a, err := consent.VerifyAudit(t.Context(), o.Store.DB, "")
	require.NoError(t, err)
	require.Nil(t, a.Flaw)
}

// firstWriter is an earlier rule of the program: it takes the first person who wrote since the last push
// for the author of whatever was asked for.
func firstWriter(t *permission.Permissions, ctx context.Context) (*permission.Asker, string, error) {
	approvers, err := t.Approvers(ctx)
	if err != nil || approvers.OtherThanRequester {
		return nil, "another has to", err
	}
	by := &permission.Asker{}
	m := &by.Message
	err = t.Store.Pool.QueryRow(ctx,
		`select id, message_ts, user_id from inbox where session_id = $1 and for_agents
		and kind in ('mention', 'reply')
		and at > coalesce((select max(at) from pushes where session_id = $1
			and state = 'pushed'), '-infinity') order by id limit 1`,
		t.Session().ID).
		Scan(&m.ID, &m.TS, &m.User)
	if err != nil {
		return nil, err.Error(), nil
	}
	if by.Person, err = t.Slack.Person(ctx, t.Session().Thread, m.User); err != nil {
		return nil, err.Error(), nil
	}
	if why := approvers.MayApprove(by.Person); why != "" {
		return nil, why, nil
	}
	by.RestsOn = []int64{m.ID}
	return by, "", nil
}

func TestTheFirstWriterIsFoundOut(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.askRule = firstWriter
	o.actors = slices.DeleteFunc(o.actors, func(a actor) bool {
		return a.kind != "guest of several channels" && a.kind != "guest of one channel"
	})
	requests := slices.DeleteFunc(slices.Clone(waysToAYes),
		func(w way) bool { return w.name != "a follow-up" && w.name != "asking" })
	said := strings.Join(o.ways(t.Context(), o.yeses(requests)), "\n")
	for _, a := range o.actors {
		require.Contains(t, said, a.kind+", a follow-up, pressed false: it was")
		require.Contains(t, said, a.kind+", asking, pressed false: it was")
	}
	require.Len(t, o.actors, 2)
}

// The control: with the check off, every person is taken for a member who may approve.
func TestThatEverybodyMayIsFoundOut(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.Slack = credulous{o.Slack}
	o.actors = []actor{o.actors[8]}
	said := strings.Join(o.ways(t.Context(), o.yeses(waysToAYes)), "\n")
	for _, w := range waysToAYes {
		require.Contains(t, said, "guest of several channels, "+w.name+", pressed")
	}
}
