package turn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// An office is a database and a fake Slack with people of every kind in one channel. What they write and
// press is judged by the real program; no model is asked and no repository is opened.
type office struct {
	*Runner
	t       testing.TB
	slack   *slacktest.Server
	channel string
	actors  []actor
	asker   string            // the person who asks for everything
	people  map[string]string // user ids, by name
}

// An actor is one kind of person, with the repository whose rules make the person that kind.
type actor struct {
	kind, user, rules string
	may               bool // the person may approve, by the specification
}

// every is set if the tests play all cases, and not a sample that has each kind once.
var every = os.Getenv("BOBBIN_EVERY") != ""

// sample returns who plays the n-th case: one of those who may, and two of those who may not, so that
// everybody plays several cases. With BOBBIN_EVERY everybody plays each.
func (o *office) sample(n int, may func(actor) bool) []actor {
	var yes, no []actor
	for _, a := range o.actors {
		if may(a) {
			yes = append(yes, a)
		} else {
			no = append(no, a)
		}
	}
	if every || len(yes) == 0 || len(no) < 2 { // a control has few actors
		return o.actors
	}
	return []actor{yes[n%len(yes)], no[n%len(no)], no[(n+len(no)/2)%len(no)]}
}

func openOffice(t testing.TB) *office {
	st := storetest.Open(t)
	slack := slacktest.New(slacktest.Config{AppName: "bobbin"})
	t.Cleanup(slack.Close)
	app := slack.App()
	own, err := bot.Open(t.Context(),
		bot.Config{BotToken: app.BotToken, AppToken: app.AppToken, APIURL: slack.URL()})
	require.NoError(t, err)

	user := func(u slacktest.User) string { return slack.AddUser(u).ID }
	asker := user(slacktest.User{Name: "ann"})
	bea := user(slacktest.User{Name: "bea"})
	cem := user(slacktest.User{Name: "cem"})
	away := user(slacktest.User{Name: "away"})
	gone := user(slacktest.User{Name: "gone", Deleted: true})
	robot := slack.AddBot(slacktest.User{Name: "buildbot"}).ID
	guest := user(slacktest.User{Name: "gus", Kind: slacktest.Guest})
	single := user(slacktest.User{Name: "una", Kind: slacktest.UltraGuest})
	eve := user(slacktest.User{Name: "eve", Kind: slacktest.External})
	group := slack.AddGroup(slacktest.UserGroup{Handle: "owners", Users: []string{bea, guest, gone}}).ID
	bugs := slack.AddChannel(slacktest.Channel{
		Name:    "bugs",
		Members: []string{app.BotUser, asker, bea, cem, gone, robot, guest, single, eve},
	}).ID
	return &office{
		t:       t,
		slack:   slack,
		channel: bugs,
		asker:   asker,
		people:  map[string]string{"ann": asker, "bea": bea, "cem": cem, "gus": guest, "eve": eve},
		Runner: &Runner{
			Store:        st,
			Slack:        asKept{&people.Directory{Slack: own}, st, nil},
			Log:          slog.New(slog.DiscardHandler),
			Repositories: rules(bea, group),
			Agents:       agent.Table(nil),
		},
		actors: []actor{
			{"member", bea, "anybody", true},
			{"requester", asker, "anybody", true},
			{"requester where another has to approve", asker, "another", false},
			{"member where another has to approve", cem, "another", true},
			{"named approver", bea, "named", true},
			{"member who is not named", cem, "named", false},
			{"member of the named group", bea, "group", true},
			{"member outside the named group", cem, "group", false},
			{"guest of several channels", guest, "anybody", false},
			{"guest of several channels, in the named group", guest, "group", false},
			{"guest of one channel", single, "anybody", false},
			{"stranger of another workspace", eve, "anybody", false},
			{"another bot", robot, "anybody", false},
			{"our own bot", app.BotUser, "anybody", false},
			{"deactivated", gone, "anybody", false},
			{"deactivated, in the named group", gone, "group", false},
			{"unknown to Slack", "U0UNKNOWN", "anybody", false},
			{"member who is not in the channel", away, "anybody", false},
			{"member where the group cannot be read", bea, "lost", false},
			{"member where the configuration does not name the repository any more", bea, "renamed", false},
		},
	}
}

// townRunner returns a Runner that knows the people of a town, and reads threads as they are in the database.
func townRunner(st *store.Store) *Runner {
	return &Runner{
		Store: st, Slack: asKept{&town{}, st, nil}, Log: storetest.Silent, Repositories: rules("bea", "S1"),
		Agents: agent.Table(nil),
	}
}

// rules returns repositories that differ in who may approve.
func rules(named, group string) (list []repository.Repository) {
	for name, a := range map[string]workflow.Approvers{
		"anybody": {},
		"another": {OtherThanRequester: true},
		"named":   {People: []string{named}},
		"group":   {People: []string{group}},
		"lost":    {People: []string{"S0GONE"}},
	} {
		list = append(list, repository.Repository{Remote: remote.Remote{Name: name}, Approvers: a})
	}
	return list
}

// A thread is one session and its thread in the fake Slack.
type thread struct {
	*turn
	workflow.Thread
	n      int // number of messages so far
	clock  int // the fake Slack's time in seconds
	people map[string]string
	edited map[string]string // texts of edited messages in Slack, by ts
}

// tick returns the next ts.
func (th *thread) tick() string {
	th.clock++
	return fmt.Sprintf("%d.0", 1100+th.clock)
}

// userID returns the user id of a person by name. A name that is not known is returned as it is.
func (th *thread) userID(who string) string {
	if id, ok := th.people[who]; ok {
		return id
	}
	return who
}

// ask begins a session about a repository.
func (r *Runner) ask(ctx context.Context, where workflow.Thread, user, repository string) (*thread, error) {
	return r.begin(ctx, where, user, repository, "the total is off")
}

func (r *Runner) begin(
	ctx context.Context, where workflow.Thread, user, repository, text string,
) (*thread, error) {
	err := inbox.New(r.Store.DB, r.Store.Queue).Receive(ctx, workflow.IncomingEvent{
		EventID: "Ev " + where.TS,
		Kind:    workflow.MessageMention,
		Thread:  where,
		TS:      where.TS,
		User:    user,
		Text:    text,
	})
	if err != nil {
		return nil, err
	}
	var id string
	if err := r.Store.Pool.QueryRow(ctx, `select id from sessions where thread_ts = $1`,
		where.TS).Scan(&id); err != nil {
		return nil, err
	}
	begun, err := r.beginTurn(ctx, id)
	if err != nil {
		return nil, err
	}
	th := &thread{turn: begun, Thread: where}
	waiting, err := th.Inbox().Unhandled(ctx)
	if err != nil {
		return nil, err
	}
	return th, th.Record(ctx,
		inbox.Handled{ID: waiting[0].ID, ForAgents: true},
		store.Update{Change: func(s *workflow.Session) {
			s.Repository = repository
			s.BaseCommit = "base"
		}},
	)
}

// show shows a new revision with its button, and returns the button's value.
func (th *thread) show(
	ctx context.Context, kind string, events ...workflow.Event,
) (button string, err error) {
	report, err := th.Orchestrator.NewReport(ctx, kind, struct{}{})
	if err != nil {
		return "", err
	}
	report.Text = fmt.Sprintf("%s, revision %d on %s", kind, report.Revision, report.BaseCommit)
	button = store.NewToken()
	return button, th.Record(ctx,
		store.Update{OptionalEvents: events, Open: ledger.Rest},
		consent.Report(*report),
		store.Replies(th.ProgramLine(report.Text, workflow.Button{
			ActionID: workflow.ButtonFix, Value: button,
		})),
	)
}

// posted marks all lines that were not posted yet as posted to Slack with that ts.
func (th *thread) posted(ctx context.Context, ts string) error {
	_, err := th.Store.Pool.Exec(ctx,
		`update outbox set tried_at = now(), posted_at = now(), ts = $2 where session_id = $1
			and posted_at is null`,
		th.Session().ID, ts)
	return err
}

// messageOf returns the ts of the message that shows the button, or other if there is none.
func (th *thread) messageOf(ctx context.Context, value, other string) (ts string, err error) {
	err = th.Store.Pool.QueryRow(ctx, `select coalesce(max(coalesce(first.ts, o.ts)), $3)
		from outbox o left join outbox first on first.key = o.rewrites
		where o.session_id = $1 and o.buttons::jsonb @> jsonb_build_array(jsonb_build_object('Value',
			$2::text))`,
		th.Session().ID, value, other).Scan(&ts)
	return ts, err
}

// receive receives a message, or a press of a button where it is shown.
func (th *thread) receive(ctx context.Context, in workflow.IncomingEvent) error {
	if in.Kind == workflow.MessageAction {
		ts, err := th.messageOf(ctx, in.Value, in.TS)
		if err != nil {
			return err
		}
		in.TS = ts
	}
	return th.receives(ctx, in)
}

// receives receives an event as it is.
func (th *thread) receives(ctx context.Context, in workflow.IncomingEvent) error {
	th.n++
	in.EventID = fmt.Sprintf("Ev %s %d", th.TS, th.n)
	in.Thread = th.Thread
	in.At = time.Unix(int64(1100+th.clock), 0)
	return inbox.New(th.Store.DB, th.Store.Queue).Receive(ctx, in)
}

// approveAsBea approves the newest revision in the name of bea.
func (th *thread) approveAsBea(ctx context.Context, events ...workflow.Event) error {
	s := th.Session()
	report, err := th.Store.Report(ctx, s.ID, s.Revision)
	if err != nil {
		return err
	}
	m, err := th.wrote(ctx, "U1", "1002.0", "fix it")
	if err != nil {
		return err
	}
	f := []store.Part{store.Update{Events: events}}
	approved, err := th.Permissions.ApprovalParts(ctx,
		permission.Asker{Message: m, Person: workflow.Person{ID: "U1", Name: "bea"}}, report,
		permission.Terms{What: th.Permissions.PermissionKind(report.Kind)})
	if err != nil {
		return err
	}
	return th.Record(ctx, append(f, approved...)...)
}

// intend records the intent to push, as finish does.
func (th *thread) intend(ctx context.Context, commit, tree string) (workflow.Push, error) {
	a, err := th.StandingApproval(ctx)
	if err != nil {
		return workflow.Push{}, err
	}
	if a == nil {
		return workflow.Push{}, errors.New("nothing is approved")
	}
	s := th.Session()
	p := workflow.Push{
		Commit:     commit,
		Tree:       tree,
		BaseCommit: s.BaseCommit,
		Branch:     s.Branch,
		Approval:   a.ID,
		State:      workflow.PushIntended,
	}
	return p, th.Record(ctx, store.Update{Events: s.Phase.EventsToVerify()}, consent.Push(p))
}

// settle records that the push is done.
func (th *thread) settle(ctx context.Context, p workflow.Push) error {
	p.State = workflow.PushDone
	return th.Record(ctx, store.Update{
		Change: func(s *workflow.Session) { s.Head = p.Commit },
		Events: []workflow.Event{workflow.EventProve},
	}, consent.Push(p))
}

// wrote inserts a message that is judged already.
func (th *thread) wrote(ctx context.Context, user, ts, text string) (m workflow.Message, err error) {
	th.n++
	m.IncomingEvent = workflow.IncomingEvent{
		EventID: fmt.Sprintf("Ev %s %d", th.TS, th.n),
		Kind:    workflow.MessageReply,
		TS:      ts,
		User:    user,
		Text:    text,
	}
	err = th.Store.Pool.QueryRow(ctx,
		`insert into inbox (session_id, event_id, kind, message_ts, user_id, text, handled_at)
		values ($1, $2, $3, $4, $5, $6, now()) returning id`, th.Session().ID, m.EventID, m.Kind, m.TS,
		m.User, m.Text).Scan(&m.ID)
	return m, err
}
