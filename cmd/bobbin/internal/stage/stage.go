// Package stage runs the bot with everything around it, for the demo, for the tests of the whole program, for
// the playground and for evaluations: the same bot that serve runs, with a local Slack and its people, a git
// remote, and a scripted model behind a real endpoint. It is the only package of the program that contains
// fakes, since the demo has neither a Slack nor a model. A stage can also use models and a repository of the
// operator.
package stage

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// MakeDir makes the folder dir, or a temporary one if dir is empty. It lets others read and enter the folder,
// so that the sandbox's user may: below a private temporary directory, root's commands, which run as nobody,
// would see nothing. A folder that holds something already keeps its mode, because it may be somebody's own.
func MakeDir(dir string) (string, error) {
	if dir == "" {
		tmp, err := os.MkdirTemp("", "bobbin-")
		if err != nil {
			return "", err
		}
		dir = tmp
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); errors.Is(err, syscall.ENOTDIR) {
		return "", fmt.Errorf("%s is a file, or within one; name a folder", dir)
	} else if err != nil {
		return "", err
	}
	if held, err := os.ReadDir(dir); err != nil || len(held) > 0 {
		return dir, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, info.Mode()|0o755)
}

// Sandbox is the sandbox configuration of a stage. The shop is small: its test binaries need no debugging
// information, and the compiler no garbage collection.
var Sandbox = config.Sandbox{Env: map[string]string{
	"GOFLAGS":    "-gcflags=all=-dwarf=false -ldflags=-s -vet=off",
	"GOGC":       "off",
	"GOMEMLIMIT": "512MiB",
}}

// StageChannel is the name of the channel in which the people of a stage talk.
const StageChannel = "bugs"

// A Config configures a stage.
type Config struct {
	Dir         string
	Repository  string                // the repository's name; default shop
	Files       []txtar.File          // the repository's files, in one commit; or
	Source      Source                // the repository's source, with its history; or
	Real        *remote.Remote        // the operator's remote, to which branches are pushed
	Model       string                // the script of the scripted model; or
	Models      *server.ModelSettings // the operator's models
	ModelName   string                // the script's file name, for messages
	DatabaseURL string                // empty: a private Postgres is started
	Progress    io.Writer
	Log         *slog.Logger
	Slack       func(*slacktest.Config)
	// Dir may hold an earlier stage, which continues; Slack's workspace is stored there
	Lasting bool
	Adjust  func(*server.Settings) // changes what serve would read from its configuration
}

// A Stage is the bot that serve runs, with everything around it under control: a local Slack with its people,
// a git remote, and a scripted model behind a real endpoint; or, with Config.Models and Config.Source, models
// and a repository of the operator.
type Stage struct {
	cfg     Config
	Dir     string
	Slack   *slacktest.Server
	Model   *modeltest.Server // nil with the operator's models
	Remote  string            // folder of the bare repository
	Channel string            // ID of #bugs
	People  map[string]string // user IDs by name
	Names   map[string]string // names by user ID

	Service *server.Server
	Store   *store.Store
	Mirrors *git.Mirrors
	ended   chan struct{} // closed when the bot has ended, with endErr
	endErr  error
	stop    context.CancelFunc
}

// onceTimeout is how long the local Slack waits for the acknowledgement of what it sends once.
const onceTimeout = time.Minute

// Open opens a stage.
func Open(ctx context.Context, cfg Config) (*Stage, error) {
	st := &Stage{
		cfg:    cfg,
		Dir:    cfg.Dir,
		Remote: filepath.Join(cfg.Dir, "remote.git"),
		People: map[string]string{},
		Names:  map[string]string{},
	}
	if _, err := os.Stat(st.Remote); err == nil && !cfg.Lasting {
		return nil, fmt.Errorf("%s is there already; name an empty folder", st.Remote)
	}
	if err := st.plant(ctx); err != nil {
		return nil, err
	}
	if cfg.Models == nil {
		script, err := modeltest.Parse(cfg.ModelName, cfg.Model)
		if err != nil {
			return nil, err
		}
		if st.Model, err = modeltest.Serve(script); err != nil {
			return nil, fmt.Errorf("scripted model: %w", err)
		}
	}
	workspace := slacktest.Config{
		AppName: "bobbin", TeamName: "Acme", Log: cfg.Log,
		// others on this machine can reach its address
		BotToken: "xoxb-" + rand.Text(), AppToken: "xapp-1-" + rand.Text(),
		// the shipped scopes and events have to be enough
		Scopes: deploy.Names(deploy.Scopes()), Events: deploy.Names(deploy.Events()),
		// An event that a slow machine acknowledges late is sent again soon, and not after minutes as by
		// Slack.
		Retries: []time.Duration{
			0, time.Second, 2 * time.Second, 5 * time.Second, 5 * time.Second, 5 * time.Second,
		},
		// A slow machine may open a modal late, or take a press late, which is not sent again; what comes too
		// late is tested beside the gateway.
		TriggerLife: time.Minute, OnceTimeout: onceTimeout,
	}
	if cfg.Lasting {
		workspace.File = filepath.Join(cfg.Dir, "slack.jsonl")
	}
	if cfg.Slack != nil {
		cfg.Slack(&workspace)
	}
	var err error
	if st.Slack, err = slacktest.Listen(workspace); err != nil {
		st.closeModel()
		return nil, fmt.Errorf("local Slack: %w", err)
	}
	st.addPeople()
	return st, nil
}

// plant makes the remote. If a lasting stage has it already, plant updates it from its source.
func (st *Stage) plant(ctx context.Context) error {
	if st.cfg.Real != nil {
		return nil
	}
	fromSource := st.cfg.Source.From != ""
	if _, err := os.Stat(st.Remote); err == nil {
		if fromSource {
			return updateRemote(ctx, st.Remote, st.cfg.Source, st.cfg.Log)
		}
		return nil
	}
	fresh := st.Remote + ".new" // so that an interrupted start leaves no partial remote under its final name
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	var err error
	if fromSource {
		err = CloneRemote(ctx, fresh, st.cfg.Source, st.cfg.Log)
	} else {
		err = PlantRemote(fresh, st.cfg.Files)
	}
	if err != nil {
		return err
	}
	return os.Rename(fresh, st.Remote)
}

// addPeople adds the members of the channel to the workspace, if they are missing: two members, a guest, a
// person from another workspace, another bot.
func (st *Stage) addPeople() {
	there := map[string]string{}
	for _, u := range st.Slack.Users() {
		there[u.Name] = u.ID
	}
	add := func(u slacktest.User) string {
		id := there[u.Name]
		if id == "" && u.Kind == slacktest.Bot {
			id = st.Slack.AddBot(u).ID
		} else if id == "" {
			u.Email = u.Name + "@example.com"
			id = st.Slack.AddUser(u).ID
		}
		st.People[u.Name] = id
		return id
	}
	members := []string{
		add(slacktest.User{
			Name: "ann",
		}), add(slacktest.User{Name: "bea"}), add(slacktest.User{Name: "gus", Kind: slacktest.Guest}),
		add(slacktest.User{Name: "eve", Kind: slacktest.External}), st.Slack.App().BotUser,
	}
	for _, name := range []string{"ann", "bea", "gus", "eve"} {
		st.Names[st.People[name]] = name
	}
	members = append(members, add(slacktest.User{Name: "buildbot", Kind: slacktest.Bot}))
	st.Channel = st.AddChannel(slacktest.Channel{Name: StageChannel, Members: members})
}

// AddChannel returns the ID of the channel with that name, and makes the channel if there is none.
func (st *Stage) AddChannel(ch slacktest.Channel) string {
	for _, old := range st.Slack.Channels() {
		if old.Name == ch.Name && ch.Name != "" {
			return old.ID
		}
	}
	return st.Slack.AddChannel(ch).ID
}

// NameOf returns the name that people see for the author of a message.
func (st *Stage) NameOf(m slacktest.Message) string {
	if m.BotID == st.Slack.App().BotID {
		return "bobbin"
	}
	if name, ok := st.Names[m.User]; ok {
		return name
	}
	return "bot"
}

func (st *Stage) RemoteConfig() remote.Remote {
	if st.cfg.Real != nil {
		return *st.cfg.Real
	}
	return remote.Remote{Name: cmp.Or(st.cfg.Repository, "shop"), URL: st.Remote}
}

// Settings returns the settings that serve would read from its file and environment.
func (st *Stage) Settings() server.Settings {
	app := st.Slack.App()
	s := server.Settings{
		Target: storage.Target{
			DataDir:     filepath.Join(st.Dir, "data"),
			DatabaseURL: st.cfg.DatabaseURL,
			Progress:    st.cfg.Progress,
			Durable:     st.cfg.Lasting,
		},
		SlackSettings: server.SlackSettings{
			SlackToken: app.BotToken, SlackAppToken: app.AppToken, SlackURL: st.Slack.URL(),
			SlackLinks: 1, // one link keeps messages that are sent a moment apart in order
		},
		Seams:         server.Seams{SlackPace: 20 * time.Millisecond, SlackAckTimeout: onceTimeout},
		ModelSettings: st.models(),
		LimitSettings: server.LimitSettings{
			Seats:    queue.ConcurrencyLimits{AtOnce: 4},
			Attempts: 2,
			HunkTime: 10 * time.Minute,
		},
		// most scripts have no review
		Repositories: []repository.Repository{{
			Remote: st.RemoteConfig(), Base: st.base(), Unreviewed: st.cfg.Models == nil,
		}},
		Secrets: redact.New(app.BotToken, app.AppToken),
		Sandbox: Sandbox,
	}
	s.Secrets.Learn(s.ModelKey)
	if st.cfg.Adjust != nil {
		st.cfg.Adjust(&s)
	}
	return s
}

// Agents are the names of the bot's agents. On a stage each has a scripted model of its own.
var Agents = []string{
	"orchestrator", "quick", "deep", "visual-engineering", "consultant", "explainer", "reviewer", "critic",
}

// base returns main, or an empty string for a repository of the operator without a base: its default branch
// is used.
func (st *Stage) base() string {
	if st.cfg.Real != nil || st.cfg.Source.From != "" && st.cfg.Source.Base == "" {
		return ""
	}
	return defaultName
}

// models returns the operator's models, or a scripted model for each agent.
func (st *Stage) models() server.ModelSettings {
	if st.cfg.Models != nil {
		return *st.cfg.Models
	}
	m := server.ModelSettings{ModelURL: st.Model.URL, Agents: map[string]agent.Setting{}}
	for _, name := range Agents {
		m.Agents[name] = agent.Setting{Model: "scripted-" + name}
	}
	return m
}

// Start runs the bot and returns when it is connected to Slack.
func (st *Stage) Start(ctx context.Context) error {
	service, err := server.New(ctx, st.Settings(), st.cfg.Log)
	if err != nil {
		return err
	}
	st.Service = service
	st.Store = service.Store
	st.Mirrors = service.Mirrors
	running, stop := context.WithCancel(ctx)
	st.stop = stop
	st.ended = make(chan struct{})
	go func() {
		defer close(st.ended)
		st.endErr = service.Run(running)
	}()
	waiting, cancel := context.WithTimeout(ctx, demoStepTimeout)
	defer cancel()
	defer st.OnEnd(cancel)()
	if err := st.Slack.WaitConnected(waiting, 1); err != nil {
		return fmt.Errorf("the bot did not connect: %w", err)
	}
	return nil
}

// OnEnd calls do once the bot has ended, by itself or by Halt; the returned function takes that back. Halt
// and Close return the reason.
func (st *Stage) OnEnd(do func()) (forget func()) {
	forgotten := make(chan struct{})
	go func(ended <-chan struct{}) {
		select {
		case <-ended:
			do()
		case <-forgotten:
		}
	}(st.ended)
	return sync.OnceFunc(func() { close(forgotten) })
}

// Halt stops the bot and keeps Slack, the model and the remote, as a restart would find them. It returns when
// Slack has noticed: what people write afterwards waits for the next start, and is not sent
// over a link of the stopped bot.
func (st *Stage) Halt() error {
	if st.stop == nil {
		return nil
	}
	st.stop()
	<-st.ended
	st.stop = nil
	st.Service.Close()
	ctx, cancel := context.WithTimeout(context.Background(), demoStepTimeout)
	defer cancel()
	return errors.Join(st.endErr, st.Slack.WaitDisconnected(ctx))
}

// Close stops the bot, the local Slack and the scripted model.
func (st *Stage) Close() error {
	err := st.Halt()
	st.Slack.Close()
	st.closeModel()
	return err
}

func (st *Stage) closeModel() {
	if st.Model != nil {
		st.Model.Close()
	}
}
