package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/repo/proxy"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/cluster"
	"github.com/bobbinhq/bobbin/workflow/turn"
)

// settings are what a bot is made of, wherever they came from: serve reads them from its
// configuration, a stage makes them up.
type settings struct {
	DataDir     string
	DatabaseURL string // empty: a private Postgres under DataDir
	Durable     bool   // the private Postgres keeps its word through a power cut
	Progress    io.Writer

	SlackToken, SlackAppToken, SlackURL string
	SlackPace                           time.Duration       // between two posts in a channel; zero: Slack's own limit
	SlackLinks                          int                 // connections; zero: two
	ProgressCards                       bool                // each run is shown by a card
	AgentStatus                         bool                // Slack shows that the bot is at work; needs an app that is an agent
	Watch                               []string            // channel ids whose every new message is a request
	Reactions                           map[string][]string // names of those that make a request of a message, by channel
	Admins                              []string            // who see the settings in their App Home; empty: those of the workspace

	ModelURL, ModelKey string
	Prices             map[string]model.Price
	Fallback           map[string][]string
	Vision             map[string]bool // models that can see pictures
	ModelRetry         model.Retry
	ModelIdle          time.Duration // an endpoint's longest silence; zero: the client's own
	ModelPatience      time.Duration // a longer wait for a model is told in the thread; zero: the turn's own
	Agents             map[string]agent.Setting

	Repositories []turn.Repository
	Sandbox      SandboxConfig
	Network      proxy.Network // where packages are fetched; nil: this machine's
	Never        []string      // hosts of services of the bot's own, for the same
	Seats        store.Seats   // sessions at work, over all replicas
	Attempts     int
	Secrets      *redact.Finder  // kept out of lines, prompts and commits
	Limits       workflow.Limits // on what sessions may use before people are asked
	Silent       time.Duration   // after which a thread at work is told what goes on; zero: never
	Unanswered   time.Duration   // after which a question takes its recommended answer; zero: a day
	SkillsDir    string          // the operator's skills; empty: none
	HTTPAddr     string          // where health is served; empty: nowhere
	Keep         retention
}

// A service is the bot, wired.
type service struct {
	log     *slog.Logger
	hold    *os.File         // the data directory's lock
	cluster *cluster.Cluster // nil with a database of somebody else's
	store   *store.Store
	mirrors *repo.Mirrors
	queue   *queue
	gateway *bot.Gateway
	painter *bot.Painter
	monitor *monitor
	keeper  *housekeeper
	runner  *turn.Runner
	silent  time.Duration

	sandboxOff string // why commands are off; empty: they are not
}

// newService constructs everything and checks what can be checked before the first
// message: the database answers and is up to date, the sandbox holds, Slack's token is good.
func newService(ctx context.Context, s settings, log *slog.Logger) (_ *service, err error) {
	b := &service{log: log}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.monitor, err = newMonitor(s.HTTPAddr, log); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.DataDir, 0o755); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if b.hold, err = hold(s.DataDir); err != nil {
		return nil, err
	}
	name, err := replicaName(s.DataDir)
	if err != nil {
		return nil, err
	}
	if b.cluster, b.store, err = openDatabase(ctx, s, log); err != nil {
		return nil, err
	}
	slack, err := bot.Open(ctx, bot.Config{BotToken: s.SlackToken, AppToken: s.SlackAppToken, APIURL: s.SlackURL, Log: log})
	if err != nil {
		return nil, err
	}
	if err := nameChannels(ctx, slack, &s); err != nil {
		return nil, err
	}
	skills, err := readSkills(s.SkillsDir, log)
	if err != nil {
		return nil, err
	}
	b.mirrors = &repo.Mirrors{Dir: filepath.Join(s.DataDir, "mirrors"), Log: log}
	people := &bot.People{Slack: slack}
	runner := &turn.Runner{
		Store: b.store, Slack: people, Agents: agent.Table(s.Agents), Repositories: s.Repositories, Mirrors: b.mirrors,
		Model: model.New(model.Config{
			BaseURL: s.ModelURL, Key: s.ModelKey, Log: log, Prices: s.Prices, Fallback: s.Fallback, Vision: s.Vision, Retry: s.ModelRetry, IdleTimeout: s.ModelIdle,
		}),
		Dir: filepath.Join(s.DataDir, "sessions"), Attempts: s.Attempts, Log: log,
		Skills: skills, Unanswered: s.Unanswered, Seats: s.Seats, Patience: s.ModelPatience, Limits: s.Limits, Secrets: s.Secrets,
	}
	if err := confine(ctx, runner, s, log); err != nil {
		return nil, err
	}
	b.runner, b.silent = runner, s.Silent
	b.sandboxOff = runner.SandboxOff
	b.keeper = &housekeeper{keep: s.Keep, store: b.store, runner: runner, mirrors: b.mirrors, checker: runner.Checker, log: log}
	poster := &bot.Poster{Slack: slack, Outbox: b.store, Log: log, Pace: s.SlackPace, Links: webAddresses(s.Repositories), Calls: mayBeCalled(s.Repositories), Code: codeURLs(s.Repositories)}
	b.store.Cards, poster.Name = s.ProgressCards, runner.Agents[agent.Orchestrator].Signature()
	b.painter = &bot.Painter{Slack: slack, Cards: b.store, Log: log, Name: poster.Name, Pace: s.SlackPace}
	homes := &turn.Homes{Runner: runner, Directory: &bot.People{Slack: slack}, Admins: s.Admins, Settings: s.inShort()}
	reacting := &bot.Poster{Slack: slack, Outbox: b.store.Reactions(), Log: log}
	poster.Discretion = &bot.Discretion{Closed: closedToGuests(s.Repositories), People: people, Log: log}
	b.painter.Discretion = poster.Discretion
	b.gateway = &bot.Gateway{
		Slack: slack, Inbox: b.store, Log: log, Watch: s.Watch, Reactions: s.Reactions, Homes: homes, Connections: cmp.Or(s.SlackLinks, defaultConnections),
		Ledger: b.store, Forms: b.store, Channels: channels(s.Repositories),
	}
	b.queue, err = newQueue(b.store, work{Turn: lit(runner, slack, s.AgentStatus, log), GiveUp: runner.GiveUp, Post: poster.Drain, React: reacting.Drain, Secrets: s.Secrets}, name, s.Seats.AtOnce, log)
	return b, err
}

// lit is the turns' work, with Slack showing that the bot is at it where that is turned on.
func lit(r *turn.Runner, slack *bot.Slack, on bool, log *slog.Logger) func(context.Context, string) error {
	if !on {
		return r.Run
	}
	light := &bot.Light{Slack: slack, Log: log}
	return func(ctx context.Context, session string) error {
		s, err := r.Store.Session(ctx, session)
		if err != nil {
			return err
		}
		return light.During(ctx, s.Thread, func(ctx context.Context) error { return r.Run(ctx, session) })
	}
}

// readSkills are the built-in skills and the operator's. A built-in one that is malformed
// stops the start; another is named and left out.
func readSkills(dir string, log *slog.Logger) ([]skill.Skill, error) {
	builtIn, err := skill.BuiltIn()
	if err != nil || dir == "" {
		return builtIn, err
	}
	operator, problems := skill.Read(os.DirFS(dir), skill.Operator)
	set, clashes := skill.NewSet(builtIn, operator, nil)
	for _, p := range append(problems, clashes...) {
		log.Warn("a skill is left out", "problem", p.String(), "skills_dir", dir)
	}
	var all []skill.Skill
	for _, name := range set.Names() {
		if s, ok := set.Find(name); ok {
			all = append(all, s)
		}
	}
	return all, nil
}

// nameChannels puts ids where the configuration has #names.
func nameChannels(ctx context.Context, slack *bot.Slack, s *settings) (err error) {
	if s.Watch, err = slack.ChannelIDs(ctx, s.Watch); err != nil {
		return usageError{err}
	}
	if s.Reactions, err = nameReactions(ctx, slack, s.Reactions); err != nil {
		return usageError{err}
	}
	s.Repositories = slices.Clone(s.Repositories)
	for i, r := range s.Repositories {
		if s.Repositories[i].Channels, err = slack.ChannelIDs(ctx, r.Channels); err != nil {
			return usageError{fmt.Errorf("repository %s: %w", r.Name, err)}
		}
	}
	return nil
}

// channels are the ids of those that belong to repositories, each once.
func channels(list []turn.Repository) (ids []string) {
	for _, r := range list {
		for _, id := range r.Channels {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// closedToGuests are the repositories whose code is shown to full members only.
func closedToGuests(list []turn.Repository) (names []string) {
	for _, r := range list {
		if r.Closed {
			names = append(names, r.Name)
		}
	}
	return names
}

// mayBeCalled are the people and user groups that the configuration names as approvers.
func mayBeCalled(list []turn.Repository) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.Approvers.People...)
	}
	return ids
}

// webAddresses are the places that links in the bot's words may lead to: the
// repositories' own pages.
func webAddresses(list []turn.Repository) []string {
	var links []string
	for _, r := range list {
		if strings.HasPrefix(r.URL, "https://") {
			links = append(links, strings.TrimSuffix(r.URL, ".git")+"/")
		}
	}
	return links
}

// config is what opens that kind.
func (s SandboxConfig) config(kind string, log *slog.Logger) sandbox.Config {
	return sandbox.Config{Kind: kind, Runsc: s.Runsc, Engine: s.Engine, Image: s.Image, Log: log}
}

// confine opens the sandbox. Where none holds, commands are off and the reason is what
// agents and people are told; only a kind that was asked for by name stops the start.
func confine(ctx context.Context, r *turn.Runner, s settings, log *slog.Logger) error {
	box, err := sandbox.Open(ctx, s.Sandbox.config(s.Sandbox.Kind, log))
	var unavailable *sandbox.Unavailable
	switch {
	case err == nil:
		r.Sandbox = box
		r.Checker = &proof.Checker{Sandbox: box, CacheDir: filepath.Join(s.DataDir, "cache"), Log: log}
		r.Checker.Setup = &packages.Fetcher{Sandbox: box, Network: s.Network, Never: s.Never, ModuleCache: r.Checker.MachineModules(), Log: log}
		log.Info("sandbox", "kind", box.Describe())
		return nil
	case errors.As(err, &unavailable) && (s.Sandbox.Kind == "" || s.Sandbox.Kind == "auto"):
		r.SandboxOff = unavailable.Why + " " + unavailable.Cure
		log.Warn("commands and checks are off: no sandbox holds on this machine", "why", unavailable.Why, "cure", unavailable.Cure)
		return nil
	}
	return err
}

// run works until ctx ends or Slack turns the bot away for good.
func (b *service) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	part := func(run func(context.Context) error) {
		group.Go(func() error {
			err := run(ctx)
			b.monitor.end(err)
			return err
		})
	}
	part(b.queue.run)
	part(b.gateway.Run)
	part(b.ownDatabase)
	part(b.superseded)
	part(func(ctx context.Context) error { b.monitor.watch(ctx, b); return nil })
	part(func(ctx context.Context) error { b.runner.Watchdog(ctx, b.silent); return nil })
	part(func(ctx context.Context) error { b.keeper.run(ctx); return nil })
	part(func(ctx context.Context) error { b.painter.Run(ctx); return nil })
	err := group.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// ownDatabase ends the bot when its private Postgres ended: nothing would start that again.
func (b *service) ownDatabase(ctx context.Context) error {
	if b.cluster == nil {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-b.cluster.Done():
		return errors.New("the private Postgres has ended; its log is beside its data; start the bot again")
	}
}

// closeWithin is how long connections have to end that are in use.
const closeWithin = 2 * time.Second

// close lets go of the database and the folder; a private database is stopped. Health is
// told to the end.
func (b *service) close() {
	if b.monitor != nil {
		defer b.monitor.close()
	}
	if b.store != nil {
		closed := make(chan struct{})
		go func() { defer close(closed); b.store.Close() }()
		select {
		case <-closed:
		case <-time.After(closeWithin): // somebody still waits for Postgres
		}
	}
	if b.cluster != nil {
		b.cluster.Stop()
	}
	if b.hold != nil {
		b.hold.Close()
	}
}
