package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn"
)

// stageDir makes a folder that the sandbox's user may pass through: below a private
// temporary directory root's commands, which run as nobody, would see nothing.
func stageDir(dir string) (string, error) {
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

// authored is when everything in a staged remote was committed: the same input gives
// the same hashes at every run.
var authored = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// plantRemote makes a bare repository at dir with one commit of the files on main.
func plantRemote(dir string, files []txtar.File) error {
	work, err := os.MkdirTemp("", "bobbin-plant-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, f := range files {
		name := filepath.Join(work, filepath.FromSlash(f.Name))
		if !filepath.IsLocal(f.Name) {
			return fmt.Errorf("file %q leaves its folder", f.Name)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	storage := filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault())
	r, err := git.InitWithOptions(storage, osfs.New(work), git.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName("main")})
	if err != nil {
		return fmt.Errorf("make a remote: %w", err)
	}
	tree, err := r.Worktree()
	if err != nil {
		return err
	}
	if err := tree.AddGlob("."); err != nil {
		return fmt.Errorf("make a remote: %w", err)
	}
	who := &object.Signature{Name: "Ann Author", Email: "ann@example.com", When: authored}
	if _, err := tree.Commit("shop: first version", &git.CommitOptions{Author: who, Committer: who}); err != nil {
		return fmt.Errorf("make a remote: %w", err)
	}
	return makeBare(r)
}

func makeBare(r *git.Repository) error {
	cfg, err := r.Config()
	if err != nil {
		return err
	}
	cfg.Core.IsBare, cfg.Core.Worktree = true, ""
	return r.SetConfig(cfg)
}

// remoteBranches are the branches of a bare repository on this machine, read from its own
// storage, and what they point at.
func remoteBranches(dir string) (map[string]string, error) {
	r, err := git.PlainOpen(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the remote: %w", err)
	}
	refs, err := r.Branches()
	if err != nil {
		return nil, fmt.Errorf("look at the remote: %w", err)
	}
	branches := map[string]string{}
	err = refs.ForEach(func(ref *plumbing.Reference) error {
		branches[ref.Name().Short()] = ref.Hash().String()
		return nil
	})
	return branches, err
}

// stageChannel is where the people of a stage talk.
const stageChannel = "bugs"

// A stageConfig says what a stage shows.
type stageConfig struct {
	Dir         string
	Files       []txtar.File // of the repository "shop"
	Model       string       // the scripted model
	ModelName   string       // its file, for messages
	DatabaseURL string       // empty: a private Postgres
	Progress    io.Writer
	Log         *slog.Logger
	Slack       func(*slacktest.Config)
	Adjust      func(*settings) // of what serve would read from its configuration
}

// A stage is everything around the bot with nothing left to chance: a local Slack with
// its people, a git remote, a scripted model behind a real endpoint. The bot on it is
// the very one that serve runs.
type stage struct {
	cfg     stageConfig
	dir     string
	slack   *slacktest.Server
	model   *modeltest.Server
	remote  string            // bare repository
	channel string            // id of #bugs
	people  map[string]string // user ids by name
	names   map[string]string // and back

	service *service
	store   *store.Store
	mirrors *repo.Mirrors
	stopped chan error
	stop    context.CancelFunc
}

func openStage(ctx context.Context, cfg stageConfig) (*stage, error) {
	st := &stage{cfg: cfg, dir: cfg.Dir, remote: filepath.Join(cfg.Dir, "remote.git"), people: map[string]string{}, names: map[string]string{}}
	if _, err := os.Stat(st.remote); err == nil {
		return nil, fmt.Errorf("%s is there already; name an empty folder", st.remote)
	}
	if err := plantRemote(st.remote, cfg.Files); err != nil {
		return nil, err
	}
	script, err := modeltest.Parse(cfg.ModelName, cfg.Model)
	if err != nil {
		return nil, err
	}
	server, err := modeltest.Serve(script)
	if err != nil {
		return nil, fmt.Errorf("scripted model: %w", err)
	}
	st.model = server
	workspace := slacktest.Config{
		AppName: "bobbin", TeamName: "Acme", Log: cfg.Log,
		Scopes: deploy.Names(deploy.Scopes()), Events: deploy.Names(deploy.Events()), // what is shipped has to be enough
		// What a slow machine acknowledges late comes again soon, and not in minutes as at Slack's.
		Retries: []time.Duration{0, time.Second, 2 * time.Second, 5 * time.Second, 5 * time.Second, 5 * time.Second},
	}
	if cfg.Slack != nil {
		cfg.Slack(&workspace)
	}
	if st.slack, err = slacktest.Listen(workspace); err != nil {
		server.Close()
		return nil, fmt.Errorf("local Slack: %w", err)
	}
	st.cast()
	return st, nil
}

// cast fills the workspace: two members, a guest, somebody from elsewhere, another bot.
func (st *stage) cast() {
	add := func(name string, kind slacktest.UserKind) string {
		u := st.slack.AddUser(slacktest.User{Name: name, Kind: kind})
		st.people[name], st.names[u.ID] = u.ID, name
		return u.ID
	}
	members := []string{
		add("ann", slacktest.Member), add("bea", slacktest.Member), add("gus", slacktest.Guest), add("eve", slacktest.External),
		st.slack.App().BotUser,
	}
	other := st.slack.AddBot(slacktest.User{Name: "buildbot"})
	st.people["buildbot"] = other.ID
	st.channel = st.slack.AddChannel(slacktest.Channel{Name: stageChannel, Members: append(members, other.ID)}).ID
}

// nameOf is who posted a message, as people see it.
func (st *stage) nameOf(m slacktest.Message) string {
	if m.BotID == st.slack.App().BotID {
		return "bobbin"
	}
	if name, ok := st.names[m.User]; ok {
		return name
	}
	return "bot"
}

func (st *stage) remoteConfig() repo.Remote { return repo.Remote{Name: "shop", URL: st.remote} }

// settings are what serve would have read from its file and environment.
func (st *stage) settings() settings {
	app := st.slack.App()
	s := settings{
		DataDir: filepath.Join(st.dir, "data"), DatabaseURL: st.cfg.DatabaseURL, Progress: st.cfg.Progress,
		SlackToken: app.BotToken, SlackAppToken: app.AppToken, SlackURL: st.slack.URL(), SlackPace: 20 * time.Millisecond,
		SlackLinks: 1, // so that messages which are a moment apart come in their order
		ModelURL:   st.model.URL, Agents: map[string]agent.Setting{},
		Repositories: []turn.Repository{{Remote: st.remoteConfig(), Base: "main"}}, Seats: store.Seats{AtOnce: 4}, Attempts: 2,
		Secrets: redact.New(app.BotToken, app.AppToken),
	}
	for _, name := range []string{"orchestrator", "quick", "deep", "visual-engineering", "consultant", "explainer", "reviewer"} {
		s.Agents[name] = agent.Setting{Model: "scripted-" + name}
	}
	if st.cfg.Adjust != nil {
		st.cfg.Adjust(&s)
	}
	return s
}

// start runs the bot and returns when it listens.
func (st *stage) start(ctx context.Context) error {
	service, err := newService(ctx, st.settings(), st.cfg.Log)
	if err != nil {
		return err
	}
	st.service, st.store, st.mirrors = service, service.store, service.mirrors
	running, stop := context.WithCancel(ctx)
	st.stop, st.stopped = stop, make(chan error, 1)
	go func() { st.stopped <- service.run(running) }()
	waiting, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := st.slack.WaitConnected(waiting, 1); err != nil {
		return fmt.Errorf("the bot did not connect: %w", err)
	}
	return nil
}

// halt stops the bot and keeps the rest, as a restart would find it.
func (st *stage) halt() error {
	if st.stop == nil {
		return nil
	}
	st.stop()
	err := <-st.stopped
	st.stop = nil
	st.service.close()
	return err
}

// close ends everything.
func (st *stage) close() error {
	err := st.halt()
	st.slack.Close()
	st.model.Close()
	return err
}
