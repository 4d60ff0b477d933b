package playground

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/page"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/chat"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/pageauth"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/story"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/internal/view"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
)

// Options configure a playground.
type Options struct {
	Dir         string // an empty folder, or the folder of an earlier run
	Fresh       bool   // the earlier playground in Dir is removed
	Addr        string // address of the page; default: that of the last run, or a free port of this machine
	DatabaseURL string // empty: a private Postgres is started
	Progress    io.Writer
	Log         *slog.Logger

	Models     *server.ModelSettings // nil: no model; a scripted model plays the demo's story
	Sandbox    config.Sandbox
	NoSandbox  []*sandbox.Unavailable // why no sandbox works here; nil: one works
	Repository Repository

	adjust func(*server.Settings) // set by tests
}

// A Repository is the repository that the bot works on. The zero value is the sample project.
type Repository struct {
	From        string // a local path or an address
	Push        bool   // branches are pushed to From, not to a clone
	Credentials remote.Credentials
}

// name returns the repository's name in the bot's configuration.
func (r Repository) name() string {
	if r.From == "" {
		return "shop"
	}
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(strings.TrimRight(r.From, "/"))), ".git")
	if name = unnamable.ReplaceAllString(name, "-"); strings.Trim(name, "-.") == "" {
		return "repository"
	}
	return name
}

var unnamable = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// A Playground is a stage with a chat page.
type Playground struct {
	URL   string // address of the page, with its key
	Stage *stage.Stage

	opt      Options
	folder   *folder
	story    *story.Endpoint // nil with an operator's model
	http     *http.Server
	listener net.Listener
	stop     context.CancelFunc
}

// people are the persons that the reader of the page can act as.
var people = []view.Person{
	{Handle: "ann", Role: "reports"},
	{Handle: "bea", Role: "approves"},
	{Handle: "gus", Role: "a guest"},
	{Handle: "eve", Role: "from another workspace"},
}

// branches is the scripted model's answers for the side branches of the story.
//
//go:embed branches.model
var branches string

// unconnected is the bot's answer without a model to everything outside the story.
const unconnected = "No model is connected, so I can only follow the story. Set OPENAI_API_KEY (and " +
	"OPENAI_BASE_URL, if it is not OpenAI's) and start bobbin playground again: " +
	"then I look into this for real."

// Open opens the folder and the page's listener, and starts the bot on its stage. Serve then serves the page.
func Open(ctx context.Context, opt Options) (*Playground, error) {
	p := &Playground{opt: opt}
	var err error
	if p.folder, err = openFolder(opt); err != nil {
		return nil, err
	}
	if p.listener, err = p.folder.listen(opt.Addr); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if err := p.openStage(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	following, stop := context.WithCancel(ctx)
	auth := pageauth.KeyAuth{Name: "playground", Key: p.folder.Key}
	site := chat.New(view.New(following, p.workspace()), auth)
	site.Beside = map[string]http.Handler{}
	for _, path := range page.Paths {
		site.Beside[path] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.Stage.Service.Pages.ServeHTTP(w, r)
		})
	}
	p.stop = stop
	p.http = &http.Server{
		Handler:           site.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return following },
	}
	p.URL = p.folder.url()
	return p, nil
}

func (p *Playground) openStage(ctx context.Context) (err error) {
	cfg := stage.Config{
		Dir:         p.opt.Dir,
		Repository:  p.opt.Repository.name(),
		DatabaseURL: p.opt.DatabaseURL,
		Progress:    p.opt.Progress,
		Log:         p.opt.Log,
		Models:      p.opt.Models,
		Lasting:     true,
	}
	switch r := p.opt.Repository; {
	case r.From == "":
		cfg.Files = txtar.Parse(stage.DemoShop).Files
	case r.Push:
		cfg.Real = &remote.Remote{Name: r.name(), URL: r.From, Credentials: r.Credentials}
	default:
		cfg.Source = stage.Source{From: r.From, Credentials: r.Credentials}
	}
	if cfg.Models == nil {
		if cfg.Models, err = p.serveStory(); err != nil {
			return err
		}
	}
	cfg.Adjust = func(s *server.Settings) {
		s.ProgressCards = true
		s.AgentStatus = true
		s.Signs = true
		s.PageURL = p.pagesURL()
		s.ThreadsURL = s.PageURL // no browser finds the local Slack's acme.slack.com
		if p.opt.Repository.From != "" || p.opt.Sandbox.Kind != "" {
			s.Sandbox = p.opt.Sandbox
		}
		s.Repositories[0].Channels = []string{p.Stage.Channel}
		if !p.opt.Repository.Push {
			s.Repositories[0].Fetch = cli.ShellWord(p.Stage.Remote)
		}
		s.Repositories[0].Approvers = workflow.Approvers{People: []string{p.Stage.People["bea"]}}
		if p.opt.adjust != nil {
			p.opt.adjust(s)
		}
	}
	if p.Stage, err = stage.Open(ctx, cfg); err != nil {
		return fmt.Errorf("%w (if the kept state is broken, --fresh starts over)", err)
	}
	p.furnish()
	return p.Stage.Start(ctx)
}

// pagesURL returns the address below which the pages of sessions are.
func (p *Playground) pagesURL() string { return "http://" + p.listener.Addr().String() }

// serveStory starts the endpoint that plays the demo's story, and returns settings that use it as the model.
func (p *Playground) serveStory() (*server.ModelSettings, error) {
	var err error
	if p.story, err = story.Serve("demo/story.model", stage.DemoModel+branches, unconnected); err != nil {
		return nil, err
	}
	m := &server.ModelSettings{ModelURL: p.story.URL, Agents: map[string]agent.Setting{}}
	for _, name := range stage.Agents {
		m.Agents[name] = agent.Setting{Model: "scripted-" + name}
	}
	return m, nil
}

// furnish adds what the page shows besides the stage's channel: a channel without the app, and direct
// messages with the app and between people.
func (p *Playground) furnish() {
	slack := p.Stage.Slack
	_ = slack.ChangeChannel(p.Stage.Channel,
		func(ch *slacktest.Channel) { ch.Topic = "What is broken, and who fixes it" })
	var members []string
	for i := range people {
		members = append(members, p.Stage.People[people[i].Handle])
	}
	p.Stage.AddChannel(slacktest.Channel{
		Name:    "general",
		Topic:   "Bobbin is not in here: it hears nothing",
		Members: members,
	})
	for i, id := range members {
		_, _ = slack.OpenIM(id)
		for _, other := range members[i+1:] {
			p.openIM(id, other)
		}
	}
}

// openIM opens direct messages between two people, unless they exist.
func (p *Playground) openIM(one, other string) {
	for _, ch := range p.Stage.Slack.Channels() {
		if ch.Kind == slacktest.IM && slices.Contains(ch.Members, one) && slices.Contains(ch.Members, other) {
			return
		}
	}
	p.Stage.Slack.AddChannel(slacktest.Channel{Kind: slacktest.IM, Members: []string{one, other}})
}

// workspace returns what the page shows.
func (p *Playground) workspace() view.Workspace {
	w := view.Workspace{
		Read:    filepath.Join(p.opt.Dir, "read.json"),
		Slack:   p.Stage.Slack,
		Channel: stage.StageChannel,
		Notices: p.notices(),
		Pushed:  p.pushed,
		Model:   "No model",

		SharedPages: p.pagesURL() + "/s/",
		OwnPage: func(user, session string) string {
			return p.Stage.Service.OwnPage(user, session)
		},
	}
	if p.opt.Models != nil {
		w.Model = cmp.Or(p.opt.Models.Agents["orchestrator"].Model, "your model") + " on " +
			p.opt.Repository.name()
	}
	if p.tellsStory() {
		w.Story = p.demoStory()
		w.Model = "No model: the demo’s story"
	}
	for _, who := range people {
		who.ID = p.Stage.People[who.Handle]
		w.People = append(w.People, who)
	}
	for _, c := range deploy.Commands() {
		w.Commands = append(w.Commands, view.Command{Name: c.Name, Description: c.Description, Hint: c.Hint})
	}
	for _, s := range deploy.Shortcuts() {
		w.Shortcuts = append(w.Shortcuts, view.Shortcut{Name: s.Name, ID: s.ID})
	}
	return w
}

// tellsStory reports whether the demo's story can be played: there is no model, the repository is the sample
// project, and a sandbox works.
func (p *Playground) tellsStory() bool {
	return p.opt.Models == nil && p.opt.Repository.From == "" && p.opt.NoSandbox == nil
}

// notices returns what the reader has to know before they begin: that there is no model, or no sandbox.
func (p *Playground) notices() (list []view.Notice) {
	if p.opt.Models == nil && !p.tellsStory() {
		list = append(list, view.Notice{
			Title: "No model is connected",
			Text:  "Bobbin answers everything with one line that says so. Two variables connect one:",
			Ways: []string{
				"OPENAI_API_KEY, the key of the endpoint", "OPENAI_BASE_URL, if it is not OpenAI’s",
			},
		})
	}
	if p.opt.NoSandbox == nil {
		return list
	}
	n := view.Notice{
		Title: "No sandbox works on this machine",
		Text: "Bobbin reads and writes code here, but runs nothing: no command, no build, no test, " +
			"so nothing is proven. Ways to get one:",
	}
	for _, u := range p.opt.NoSandbox {
		n.Ways = append(n.Ways, u.Kind+": "+u.Why+" "+u.Cure)
	}
	return append(list, n)
}

// pushed returns the sessions' branches that are in the remote. With Push it goes by the sessions' state and
// does not ask the remote.
func (p *Playground) pushed() (list []view.Branch) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	sessions, err := p.Stage.Store.Sessions(ctx, 50)
	if err != nil {
		p.opt.Log.Warn("branches cannot be listed", "err", err)
		return nil
	}
	from := p.Stage.Remote
	there := map[string]string{}
	if p.opt.Repository.Push {
		from = remote.Redact(p.opt.Repository.From)
	} else if there, err = stage.RemoteBranches(from); err != nil {
		return nil
	}
	for _, s := range sessions {
		if s.Head != "" &&
			(p.opt.Repository.Push && s.Phase == workflow.PhaseDone || there[s.Branch] == s.Head) {
			list = append(list, view.Branch{
				Name:   s.Branch,
				Thread: s.Thread.TS,
				Where:  p.opt.Repository.where(),
				Fetch:  p.opt.Repository.fetch(cli.ShellWord(from), cli.ShellWord(s.Branch)),
			})
		}
	}
	return list
}

// where says where the command of fetch is run.
func (r Repository) where() string {
	if r.From == "" {
		return "In any folder:"
	}
	return "In your clone:"
}

// fetch returns the one command after which somebody is on the branch: in a new clone of the sample project,
// or in the own clone of another repository.
func (r Repository) fetch(from, branch string) string {
	if r.From == "" {
		return "git clone -b " + branch + " " + from + " " + r.name()
	}
	return "git fetch " + from + " " + branch + ":" + branch + " && git switch " + branch
}

// Serve serves the page until ctx ends, the bot ends or the playground is closed. If the bot ended by itself,
// Close returns the reason.
func (p *Playground) Serve(ctx context.Context) error {
	defer p.Stage.OnEnd(func() { _ = p.http.Close() })()
	defer context.AfterFunc(ctx, func() { _ = p.http.Close() })()
	if err := p.http.Serve(p.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close stops the page, the bot, its stage and the story's endpoint, and unlocks the folder.
func (p *Playground) Close() error {
	var err error
	if p.stop != nil {
		p.stop()
	}
	if p.http != nil {
		_ = p.http.Close()
	}
	if p.listener != nil {
		_ = p.listener.Close() // closed already if Serve was called
	}
	if p.Stage != nil {
		err = p.Stage.Close()
	}
	if p.story != nil {
		p.story.Close()
	}
	p.folder.release()
	return err
}

// Browse opens an http address in the browser, if this machine has a desktop.
func Browse(address string) {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	} else if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return
	}
	if !strings.HasPrefix(address, "http://") {
		return
	}
	cmd := exec.Command(program, address)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
