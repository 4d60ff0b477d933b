// Package stage stages the bot for the demo and for the stories of the whole program's tests: the
// same bot that serve runs, with a local Slack and its people, a git remote, and a scripted model
// behind a real endpoint. It is the one room of the program with fakes in it, since the demo has
// neither a Slack nor a model. A stage can also have models and a repository of the operator's own.
package stage

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
)

// MakeDir makes a folder that the sandbox's user may pass through: below a private
// temporary directory root's commands, which run as nobody, would see nothing.
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
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// Sandbox is what confines commands on a stage. The shop is small: its test binaries need no
// debugging information, and the compiler no garbage collection.
var Sandbox = config.Sandbox{Env: map[string]string{"GOFLAGS": "-ldflags=-s -vet=off", "GOGC": "off", "GOMEMLIMIT": "512MiB"}}

// StageChannel is where the people of a stage talk.
const StageChannel = "bugs"

// A Config says what a stage shows.
type Config struct {
	Dir         string
	Repository  string                // its name; default shop
	Files       []txtar.File          // of the repository, in one commit; or
	Source      Source                // where it comes from, with its history; or
	Real        *remote.Remote        // the operator's own, where branches are pushed
	Model       string                // the scripted model; or
	Models      *server.ModelSettings // the operator's own
	ModelName   string                // the script's file, for messages
	DatabaseURL string                // empty: a private Postgres
	Progress    io.Writer
	Log         *slog.Logger
	Slack       func(*slacktest.Config)
	Lasting     bool                   // Dir may hold a stage of before, which goes on; Slack's workspace is kept there
	Adjust      func(*server.Settings) // of what serve would read from its configuration
}

// A Stage is everything around the bot with nothing left to chance: a local Slack with
// its people, a git remote, a scripted model behind a real endpoint; or, with Config.Models and
// Config.Source, models and a repository of the operator's own. The bot on it is the very one
// that serve runs.
type Stage struct {
	cfg     Config
	Dir     string
	Slack   *slacktest.Server
	Model   *modeltest.Server // nil with models of the operator's
	Remote  string            // bare repository
	Channel string            // id of #bugs
	People  map[string]string // user ids by name
	Names   map[string]string // and back

	Service *server.Server
	Store   *store.Store
	Mirrors *repo.Mirrors
	stopped chan error
	stop    context.CancelFunc
}

func Open(ctx context.Context, cfg Config) (*Stage, error) {
	st := &Stage{cfg: cfg, Dir: cfg.Dir, Remote: filepath.Join(cfg.Dir, "remote.git"), People: map[string]string{}, Names: map[string]string{}}
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
		Scopes: deploy.Names(deploy.Scopes()), Events: deploy.Names(deploy.Events()), // what is shipped has to be enough
		// What a slow machine acknowledges late comes again soon, and not in minutes as at Slack's.
		Retries: []time.Duration{0, time.Second, 2 * time.Second, 5 * time.Second, 5 * time.Second, 5 * time.Second},
		// And one that opens a modal late opens it: what a trigger that is over comes to is tested beside the gateway.
		TriggerLife: time.Minute,
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

// plant makes the remote. A stage that goes on has it already; what its source has got since is
// brought in.
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
	fresh := st.Remote + ".new" // a start that is cut off leaves nothing that looks whole
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

// addPeople fills the workspace: two members, a guest, somebody from elsewhere, another bot. Who
// is there already stays.
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
		add(slacktest.User{Name: "ann"}), add(slacktest.User{Name: "bea"}), add(slacktest.User{Name: "gus", Kind: slacktest.Guest}),
		add(slacktest.User{Name: "eve", Kind: slacktest.External}), st.Slack.App().BotUser,
	}
	for _, name := range []string{"ann", "bea", "gus", "eve"} {
		st.Names[st.People[name]] = name
	}
	members = append(members, add(slacktest.User{Name: "buildbot", Kind: slacktest.Bot}))
	st.Channel = st.AddChannel(slacktest.Channel{Name: StageChannel, Members: members})
}

// AddChannel makes a channel, unless there is one of that name, and gives its id.
func (st *Stage) AddChannel(ch slacktest.Channel) string {
	for _, old := range st.Slack.Channels() {
		if old.Name == ch.Name && ch.Name != "" {
			return old.ID
		}
	}
	return st.Slack.AddChannel(ch).ID
}

// NameOf is who posted a message, as people see it.
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

// Settings are what serve would have read from its file and environment.
func (st *Stage) Settings() server.Settings {
	app := st.Slack.App()
	s := server.Settings{
		Place: storage.Place{DataDir: filepath.Join(st.Dir, "data"), DatabaseURL: st.cfg.DatabaseURL, Progress: st.cfg.Progress, Durable: st.cfg.Lasting},
		SlackSettings: server.SlackSettings{
			SlackToken: app.BotToken, SlackAppToken: app.AppToken, SlackURL: st.Slack.URL(), SlackPace: 20 * time.Millisecond,
			SlackLinks: 1, // so that messages which are a moment apart come in their order
		},
		ModelSettings: st.models(),
		LimitSettings: server.LimitSettings{Seats: queue.ConcurrencyLimits{AtOnce: 4}, Attempts: 2, HunkTime: 2 * time.Minute},
		Repositories:  []catalog.Repository{{Remote: st.RemoteConfig(), Base: st.base(), Unreviewed: st.cfg.Models == nil}}, // most scripts are not about it
		Secrets:       redact.New(app.BotToken, app.AppToken),
		Sandbox:       Sandbox,
	}
	s.Secrets.Learn(s.ModelKey)
	if st.cfg.Adjust != nil {
		st.cfg.Adjust(&s)
	}
	return s
}

// Agents are those of the bot, each with a scripted model of its own on a stage.
var Agents = []string{"orchestrator", "quick", "deep", "visual-engineering", "consultant", "explainer", "reviewer", "critic"}

// base is main, or what the operator's own remote has as its default.
func (st *Stage) base() string {
	if st.cfg.Real != nil {
		return ""
	}
	return "main"
}

// models are the operator's, or a scripted one for each agent.
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

// Start runs the bot and returns when it listens.
func (st *Stage) Start(ctx context.Context) error {
	service, err := server.New(ctx, st.Settings(), st.cfg.Log)
	if err != nil {
		return err
	}
	st.Service, st.Store, st.Mirrors = service, service.Store, service.Mirrors
	running, stop := context.WithCancel(ctx)
	st.stop, st.stopped = stop, make(chan error, 1)
	go func() { st.stopped <- service.Run(running) }()
	waiting, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	if err := st.Slack.WaitConnected(waiting, 1); err != nil {
		return fmt.Errorf("the bot did not connect: %w", err)
	}
	return nil
}

// Halt stops the bot and keeps the rest, as a restart would find it.
func (st *Stage) Halt() error {
	if st.stop == nil {
		return nil
	}
	st.stop()
	err := <-st.stopped
	st.stop = nil
	st.Service.Close()
	return err
}

// Close ends everything.
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
