// Package turntest opens a thread whose turns run with real parts: a Postgres with its own schema, a git
// repository, a Slack with people, and a model that follows a script. It is for tests only. A test of a turn
// has three lines:
//
//	th := turntest.Open(t, turntest.Settings{Script: `call reply {"text": "It is 3 cents."}`})
//	th.Say("ann", "@bobbin what is the total?")
//	require.Contains(t, th.Text(), "It is 3 cents.")
//
// The test's package has a TestMain that calls postgrestest.Main. A test of one part of a turn, without a
// turn that runs, uses package internal/ledgertest.
package turntest

import (
	"cmp"
	"fmt"
	"maps"
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
	// Script is what the model answers, in the language of package modeltest. Without a line "==
	// MODEL" it answers for all agents. The test fails if it is not followed to its end; an
	// empty Script expects no request.
	Script string
	// Commands lets agents run commands, and the program build and test, in the sandbox of this machine.
	Commands bool
	// Files are the repository's files beside its README.md.
	Files map[string]string
	// Commits are made after the one with the files.
	Commits []Commit
	// Now is Slack's clock; nil: time.Now.
	Now func() time.Time
	// Zones are the time zones of people, by name.
	Zones map[string]string
}

// A Commit adds a file to the repository whose content is its message.
type Commit struct {
	At      time.Time
	Message string
}

// A Thread is one thread in #bugs of a Slack. The members ann, bea and cem and the
// guest gus are in the channel.
type Thread struct {
	// Runner runs the turns. Its fields may be changed before the first message.
	Runner  *turn.Runner
	Slack   *slacktest.Server
	Model   *modeltest.Server
	Channel string            // id of #bugs
	People  map[string]string // user ids by name
	Root    string            // ts of the first message; empty before it

	t      testing.TB
	poster *poster.Poster
	beside *poster.Poster // for reactions, and for what one person alone is shown
	events int
}

// shop is the repository.
var shop = repotest.Files{"README.md": "# Shop\nThe total of an order is 3 cents.\n"}

// Open opens a thread. Everything is closed and removed at the end of the test.
func Open(t testing.TB, s Settings) *Thread {
	t.Helper()
	th := &Thread{t: t, Model: serve(t, s.Script)}
	files := maps.Clone(shop)
	maps.Copy(files, s.Files)
	origin, _ := repotest.NewOrigin(t, files)
	for i, c := range s.Commits {
		file := fmt.Sprintf("commit%d.txt", i)
		require.NoError(t, repotest.CommitAt(origin, c.At, c.Message, repotest.Files{file: c.Message}))
	}
	slack := th.openSlack(s)
	st := storetest.Open(t)
	th.Runner = &turn.Runner{
		Store: st, Slack: &people.Directory{Slack: slack}, Agents: agent.Table(nil), Log: storetest.Silent,
		Model:        model.New(model.Config{BaseURL: th.Model.URL, Log: storetest.Silent}),
		Repositories: []repository.Repository{{Remote: remote.Remote{Name: "shop", URL: origin}}},
		Machine: turn.Machine{
			Mirrors: repotest.OpenMirrors(t),
			Folders: folder.Folders{Dir: t.TempDir()},
		},
	}
	if s.Commands {
		box := repotest.OpenBuilder(t)
		th.Runner.Sandbox = box
		th.Runner.Checker = &build.Checker{Caches: build.Caches{Sandbox: box, Dir: t.TempDir()}}
	}
	th.poster = &poster.Poster{
		Slack:  slack,
		Outbox: outbox.New(st.DB),
		Pace:   time.Microsecond,
		Log:    storetest.Silent,
	}
	th.beside = &poster.Poster{Slack: slack, Outbox: outbox.New(st.DB).Reactions(), Log: storetest.Silent}
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

func (t *Thread) openSlack(s Settings) *bot.Slack {
	t.t.Helper()
	t.Slack = slacktest.New(slacktest.Config{AppName: "bobbin", Now: s.Now})
	t.t.Cleanup(t.Slack.Close)
	app := t.Slack.App()
	t.People = map[string]string{}
	members := []string{app.BotUser}
	for name, kind := range map[string]slacktest.UserKind{
		"ann": "",
		"bea": "",
		"cem": "",
		"gus": slacktest.Guest,
	} {
		t.People[name] = t.Slack.AddUser(slacktest.User{Name: name, Kind: kind, TZ: s.Zones[name]}).ID
		members = append(members, t.People[name])
	}
	t.Channel = t.Slack.AddChannel(slacktest.Channel{Name: "bugs", Members: members}).ID
	config := bot.Config{BotToken: app.BotToken, AppToken: app.AppToken, APIURL: t.Slack.URL()}
	own, err := bot.Open(t.t.Context(), config)
	require.NoError(t.t, err)
	return own
}

// Say writes a message of a person and runs the turn that follows, until the session waits for people. The
// first message begins the thread. It returns the message's ts.
func (t *Thread) Say(who, text string) (ts string) {
	t.t.Helper()
	written := strings.ReplaceAll(text, "@bobbin", t.Slack.Mention())
	ts, err := t.Slack.Say(t.Channel, t.user(who), written, t.Root)
	require.NoError(t.t, err)
	in := workflow.IncomingEvent{Kind: workflow.MessageReply, TS: ts, User: t.user(who)}
	if t.Root == "" {
		t.Root = ts
		in.Kind = workflow.MessageMention
	}
	in.Text = strings.TrimSpace(strings.ReplaceAll(text, "@bobbin", ""))
	t.Receive(in)
	return ts
}

// Write writes a message of a person that the bot is not given, as before it was called. The first one begins
// the thread. It returns the message's ts.
func (t *Thread) Write(who, text string) (ts string) {
	t.t.Helper()
	ts, err := t.Slack.Say(t.Channel, t.user(who), text, t.Root)
	require.NoError(t.t, err)
	t.Root = cmp.Or(t.Root, ts)
	return ts
}

// Call calls the bot in a thread that Write began, and runs the turn that follows.
func (t *Thread) Call(who, text string) {
	t.t.Helper()
	ts := t.Write(who, t.Slack.Mention()+" "+text)
	t.Receive(workflow.IncomingEvent{Kind: workflow.MessageMention, TS: ts, User: t.user(who), Text: text})
}

// Press presses the newest button of an action in the thread, such as fix_it, and runs the turn that follows.
func (t *Thread) Press(who string, action workflow.ActionID) {
	t.t.Helper()
	in := workflow.IncomingEvent{Kind: workflow.MessageAction, User: t.user(who), ActionID: action}
	for _, m := range t.Slack.Thread(t.Channel, t.Root) {
		for _, c := range m.Controls() {
			if c.ActionID == string(action) {
				in.TS = m.TS
				in.Value = c.Value
			}
		}
	}
	require.NotEmpty(t.t, in.TS, "no button %s in:\n%s", action, later(t.Text))
	t.Receive(in)
}

// Receive stores an event of the thread, runs the turn that follows, and posts what it says. The Event
// needs no EventID, Thread or At.
func (t *Thread) Receive(in workflow.IncomingEvent) {
	t.t.Helper()
	t.events++
	in.EventID = fmt.Sprintf("Ev%d", t.events)
	in.At = time.Now()
	in.Thread = workflow.Thread{Team: t.Slack.App().TeamID, Channel: t.Channel, TS: t.Root}
	st := t.Runner.Store
	require.NoError(t.t, inbox.New(st.DB, st.Queue).Receive(t.t.Context(), in))
	id := t.id()
	require.NoError(t.t, t.Runner.Run(t.t.Context(), id))
	require.NoError(t.t, t.poster.Drain(t.t.Context(), id))
	require.NoError(t.t, t.beside.Drain(t.t.Context(), id))
}

// Session returns the session of the thread.
func (t *Thread) Session() workflow.Session {
	t.t.Helper()
	s, err := t.Runner.Store.Session(t.t.Context(), t.id())
	require.NoError(t.t, err)
	return s
}

// Text returns the thread as people see it, and below it what people were shown alone.
func (t *Thread) Text() string { return t.Slack.ExportText(t.Channel, t.Root) + t.Alone() }

// Alone returns what people were shown alone, one message each: "gus: [orchestrator] …".
func (t *Thread) Alone() string {
	names := map[string]string{}
	for name, id := range t.People {
		names[id] = name
	}
	var b strings.Builder
	for _, m := range t.Slack.Whispers() {
		fmt.Fprintf(&b, "%s: %s\n", names[m.To], m.Message.Text)
	}
	return b.String()
}

// id returns the id of the session.
func (t *Thread) id() (id string) {
	t.t.Helper()
	row := t.Runner.Store.Pool.QueryRow(t.t.Context(),
		`select id from sessions where thread_ts = $1`, t.Root)
	require.NoError(t.t, row.Scan(&id))
	return id
}

// user returns the id of a person, who may also be given by id.
func (t *Thread) user(who string) string {
	if id, ok := t.People[who]; ok {
		return id
	}
	return who
}

// later is a text that is made only when a failure prints it.
type later func() string

// String makes the text.
func (l later) String() string { return l() }
