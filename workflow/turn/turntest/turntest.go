// Package turntest opens a thread whose turns run with real parts: a Postgres with its own schema, a git
// repository, a Slack with people, and a model that follows a script. It is for tests only. A test of a turn
// has three lines:
//
//	th := turntest.Open(t, turntest.Settings{Script: `call reply {"text": "It is 3 cents."}`})
//	th.Say("ann", "@bobbin what is the total?")
//	require.Contains(t, th.Text(), "It is 3 cents.")
//
// The test's package has a TestMain that calls postgrestest.Main. A test of one part of a turn, without a turn
// that runs, uses package internal/ledgertest.
package turntest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/bot/poster"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/turn"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// Settings say what differs from the usual thread. The zero value is ready to use.
type Settings struct {
	// Script is what the model answers, in the language of package modeltest. Without a line "== MODEL" it answers
	// for all agents. The test fails if it is not followed to its end; an empty Script expects no request.
	Script string
	// Files are the commits of the repository, the last one on main; default: a page about a shop.
	Files []repotest.Files
	// Commands lets agents run commands, and the program build and test, in the sandbox of this machine.
	Commands bool
}

// A Thread is one thread in #bugs of a Slack. The members ann, bea and cem and the guest gus are in the channel.
type Thread struct {
	// Runner runs the turns. Its fields may be changed before the first message.
	Runner  *turn.Runner
	Slack   *slacktest.Server
	Model   *modeltest.Server
	Channel string            // id of #bugs
	People  map[string]string // user ids by name
	Origin  string            // folder of the repository
	Commits []string          // those of Settings.Files
	Root    string            // ts of the first message; empty before it

	t      testing.TB
	poster *poster.Poster
	events int
}

// shop is the usual repository.
var shop = repotest.Files{"README.md": "# Shop\nThe total of an order is 3 cents.\n"}

// Open opens a thread. Everything is closed and removed at the end of the test.
func Open(t testing.TB, s Settings) *Thread {
	t.Helper()
	files := s.Files
	if len(files) == 0 {
		files = []repotest.Files{shop}
	}
	th := &Thread{t: t, Model: serve(t, s.Script)}
	th.Origin, th.Commits = repotest.NewOrigin(t, files...)
	slack := th.openSlack()
	st := storetest.Open(t)
	th.Runner = &turn.Runner{
		Store: st, Slack: &people.Directory{Slack: slack}, Agents: agent.Table(nil), Log: storetest.Silent,
		Model:        model.New(model.Config{BaseURL: th.Model.URL, Log: storetest.Silent}),
		Repositories: []repository.Repository{{Remote: remote.Remote{Name: "shop", URL: th.Origin}}},
		Machine:      turn.Machine{Mirrors: repotest.OpenMirrors(t), Folders: folder.Folders{Dir: t.TempDir()}},
	}
	if s.Commands {
		box := repotest.OpenBuilder(t)
		th.Runner.Sandbox = box
		th.Runner.Checker = &build.Checker{Caches: build.Caches{Sandbox: box, Dir: t.TempDir()}}
	}
	th.poster = &poster.Poster{Slack: slack, Outbox: outbox.New(st.DB), Pace: time.Microsecond, Log: storetest.Silent}
	return th
}

// serve starts the model.
func serve(t testing.TB, script string) *modeltest.Server {
	t.Helper()
	if !strings.HasPrefix(strings.TrimSpace(script), "==") && script != "" {
		script = "== *\n" + script
	}
	return modeltest.Start(t, script+"\n")
}

func (th *Thread) openSlack() *bot.Slack {
	th.t.Helper()
	th.Slack = slacktest.New(slacktest.Config{AppName: "bobbin"})
	th.t.Cleanup(th.Slack.Close)
	app := th.Slack.App()
	th.People = map[string]string{}
	members := []string{app.BotUser}
	for name, kind := range map[string]slacktest.UserKind{"ann": "", "bea": "", "cem": "", "gus": slacktest.Guest} {
		th.People[name] = th.Slack.AddUser(slacktest.User{Name: name, Kind: kind}).ID
		members = append(members, th.People[name])
	}
	th.Channel = th.Slack.AddChannel(slacktest.Channel{Name: "bugs", Members: members}).ID
	config := bot.Config{BotToken: app.BotToken, AppToken: app.AppToken, APIURL: th.Slack.URL()}
	own, err := bot.Open(th.t.Context(), config)
	require.NoError(th.t, err)
	return own
}

// Say writes a message of a person and runs the turn that follows, until the session waits for people. The
// first message begins the thread. It returns the message's ts.
func (th *Thread) Say(who, text string) (ts string) {
	th.t.Helper()
	written := strings.ReplaceAll(text, "@bobbin", th.Slack.Mention())
	ts, err := th.Slack.Say(th.Channel, th.user(who), written, th.Root)
	require.NoError(th.t, err)
	in := workflow.IncomingEvent{Kind: workflow.MessageReply, TS: ts, User: th.user(who)}
	if th.Root == "" {
		th.Root, in.Kind = ts, workflow.MessageMention
	}
	in.Text = strings.TrimSpace(strings.ReplaceAll(text, "@bobbin", ""))
	th.Receive(in)
	return ts
}

// Press presses the newest button of an action in the thread, such as fix_it, and runs the turn that follows.
func (th *Thread) Press(who, action string) {
	th.t.Helper()
	in := workflow.IncomingEvent{Kind: workflow.MessageAction, User: th.user(who), ActionID: action}
	for _, m := range th.Slack.Thread(th.Channel, th.Root) {
		for _, c := range m.Controls() {
			if c.ActionID == action {
				in.TS, in.Value = m.TS, c.Value
			}
		}
	}
	require.NotEmpty(th.t, in.TS, "no button %s in:\n%s", action, later(th.Text))
	th.Receive(in)
}

// Receive stores an event of the thread, runs the turn that follows, and posts what it says. The Event needs no
// EventID, Thread or At.
func (th *Thread) Receive(in workflow.IncomingEvent) {
	th.t.Helper()
	th.events++
	in.EventID, in.At = fmt.Sprintf("Ev%d", th.events), time.Now()
	in.Thread = workflow.Thread{Team: th.Slack.App().TeamID, Channel: th.Channel, TS: th.Root}
	st := th.Runner.Store
	require.NoError(th.t, inbox.New(st.DB, st.Queue).Receive(th.t.Context(), in))
	id := th.id()
	require.NoError(th.t, th.Runner.Run(th.t.Context(), id))
	require.NoError(th.t, th.poster.Drain(th.t.Context(), id))
}

// Session returns the session of the thread.
func (th *Thread) Session() workflow.Session {
	th.t.Helper()
	s, err := th.Runner.Store.Session(th.t.Context(), th.id())
	require.NoError(th.t, err)
	return s
}

// Text returns the thread as people see it.
func (th *Thread) Text() string { return th.Slack.ExportText(th.Channel, th.Root) }

// id returns the id of the session.
func (th *Thread) id() (id string) {
	th.t.Helper()
	row := th.Runner.Store.Pool.QueryRow(th.t.Context(), `select id from sessions where thread_ts = $1`, th.Root)
	require.NoError(th.t, row.Scan(&id))
	return id
}

// user returns the id of a person, who may also be given by id.
func (th *Thread) user(who string) string {
	if id, ok := th.People[who]; ok {
		return id
	}
	return who
}

// later is a text that is made only when a failure prints it.
type later func() string

// String makes the text.
func (l later) String() string { return l() }
