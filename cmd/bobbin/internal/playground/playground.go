package playground

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/chat"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/door"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/story"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground/view"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/deploy"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
)

// Options say what is opened, and how.
type Options struct {
	Dir         string // where everything is; an empty folder
	Addr        string // of the page; default: a free port of this machine
	DatabaseURL string // empty: a private Postgres
	Progress    io.Writer
	Log         *slog.Logger
}

// A Playground is a stage and the page before it.
type Playground struct {
	URL   string // with the key
	Stage *stage.Stage

	opt      Options
	story    *story.Endpoint // nil with a model
	http     *http.Server
	listener net.Listener
	stop     context.CancelFunc
}

// people are those whom the reader may speak as.
var people = []view.Person{
	{Handle: "ann", Role: "reports"},
	{Handle: "bea", Role: "approves"},
	{Handle: "gus", Role: "a guest"},
	{Handle: "eve", Role: "from another workspace"},
}

// unconnected is what the bot says without a model, to everything but the story.
const unconnected = "No model is connected, so I can only follow the story. Set OPENAI_API_KEY (and OPENAI_BASE_URL, where it is not OpenAI's) and start bobbin playground again: then I look into this for real."

// Open opens the stage and listens; Serve answers.
func Open(ctx context.Context, opt Options) (*Playground, error) {
	p := &Playground{opt: opt}
	if err := p.openStage(ctx); err != nil {
		p.Close()
		return nil, err
	}
	key := rand.Text()
	var err error
	if p.listener, err = net.Listen("tcp", orElse(opt.Addr, "127.0.0.1:0")); err != nil {
		p.Close()
		return nil, fmt.Errorf("listen for the page: %w", err)
	}
	following, stop := context.WithCancel(ctx)
	p.stop = stop
	site := chat.New(view.New(following, p.workspace()), door.Door{Name: "playground", Key: key})
	p.http = &http.Server{Handler: site.Handler(), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return following }}
	p.URL = "http://" + p.listener.Addr().String() + "/?key=" + key
	return p, nil
}

func orElse(given, usual string) string {
	if given == "" {
		return usual
	}
	return given
}

func (p *Playground) openStage(ctx context.Context) (err error) {
	cfg := stage.Config{
		Dir: p.opt.Dir, Files: txtar.Parse(stage.DemoShop).Files, DatabaseURL: p.opt.DatabaseURL, Progress: p.opt.Progress, Log: p.opt.Log,
	}
	if p.story, err = story.Serve(map[string]string{"demo/story.model": stage.DemoModel}, unconnected); err != nil {
		return err
	}
	cfg.Models = &server.ModelSettings{ModelURL: p.story.URL, Agents: map[string]agent.Setting{}}
	for _, name := range stage.Agents {
		cfg.Models.Agents[name] = agent.Setting{Model: "scripted-" + name}
	}
	cfg.Adjust = func(s *server.Settings) {
		s.ProgressCards = true
		s.Repositories[0].Approvers = workflow.Approvers{People: []string{p.Stage.People["bea"]}}
	}
	if p.Stage, err = stage.Open(ctx, cfg); err != nil {
		return err
	}
	p.furnish()
	return p.Stage.Start(ctx)
}

// furnish adds what the page shows beside the stage's own.
func (p *Playground) furnish() {
	slack := p.Stage.Slack
	_ = slack.ChangeChannel(p.Stage.Channel, func(ch *slacktest.Channel) { ch.Topic = "What is broken, and who mends it" })
	var members []string
	for i := range people {
		members = append(members, p.Stage.People[people[i].Handle])
	}
	slack.AddChannel(slacktest.Channel{Name: "general", Topic: "Bobbin is not in here: it hears nothing", Members: members})
	for _, id := range members {
		_, _ = slack.OpenIM(id)
	}
}

func (p *Playground) workspace() view.Workspace {
	cfg := view.Workspace{
		Slack: p.Stage.Slack, Channel: stage.StageChannel, Model: "No model: the demo’s story",
		Story: &story.Story{
			Slack: p.Stage.Slack, Channel: p.Stage.Channel, People: p.Stage.People, End: stage.DemoEnd,
			Opening: story.Line{ID: "report", Who: "ann", Says: stage.DemoReport, Label: "Ann reports a bug, and Bobbin looks into it"},
			Lines: []story.Line{
				{ID: "correct", Who: "bea", Says: stage.DemoCorrection, After: "Root cause (revision 1", Until: "Root cause (revision 2", Label: "A second person knows more: Bobbin looks again"},
				{ID: "approve", Who: "bea", Says: stage.DemoApproval, After: "Root cause (revision 2", Label: "Bea may approve: Bobbin mends it, proves it and pushes"},
				{ID: "guest", Who: "gus", Says: "fix it", After: "Root cause (revision 2", Label: "A guest tries to approve", Side: true},
			},
		},
	}
	for _, who := range people {
		who.ID = p.Stage.People[who.Handle]
		cfg.People = append(cfg.People, who)
	}
	for _, c := range deploy.Commands() {
		cfg.Commands = append(cfg.Commands, view.Command{Name: c.Name, Description: c.Description, Hint: c.Hint})
	}
	for _, s := range deploy.Shortcuts() {
		cfg.Shortcuts = append(cfg.Shortcuts, view.Shortcut{Name: s.Name, ID: s.ID})
	}
	return cfg
}

// Serve answers until ctx ends.
func (p *Playground) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = p.http.Close() })()
	if err := p.http.Serve(p.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close ends everything.
func (p *Playground) Close() error {
	var err error
	if p.stop != nil {
		p.stop()
	}
	if p.http != nil {
		_ = p.http.Close()
	}
	if p.Stage != nil {
		err = p.Stage.Close()
	}
	if p.story != nil {
		p.story.Close()
	}
	return err
}

// Browse opens an address in the browser, where there is one.
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
