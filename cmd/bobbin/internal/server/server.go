// Package server assembles the bot: bobbin serve runs it, and so do the demo, the playground and tests,
// with Settings of their own. New constructs every part, and checks before the first message what can be
// checked. Run works until its context ends, and hands work in progress back to the queue. Close releases
// the database and the data directory.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/gateway"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/bot/poster"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/health"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/housekeeping"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/traces"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/postgres"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/repo/source"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/home"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/skill"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
	"github.com/bobbinhq/bobbin/workflow/store/view"
	"github.com/bobbinhq/bobbin/workflow/turn"
)

// Settings are what a bot is built from. serve reads them from its configuration; a stage or a test makes
// them up.
type Settings struct {
	storage.Target
	SlackSettings
	ModelSettings
	LimitSettings
	ObservedSettings
	Seams

	Repositories []repository.Repository
	Sandbox      config.Sandbox
	// sets the limits of builds and tests; nil: the defaults
	LimitChecks func(*build.Checker)
	// whose issues are read where a message names one
	Trackers []*tracker.Tracker
	// MCP servers that agents may ask
	Sources []source.Config
	// hosts of the bot's own services, which package fetches must not reach
	BlockedHosts []string
	// secrets that are masked in messages, prompts and commits
	Secrets *redact.Finder
	// folder of the operator's skills; empty: none
	SkillsDir string
	// host:port where health is served; empty: nowhere
	HTTPAddr string
	// address under which browsers reach HTTPAddr, for sessions' pages; empty: there are no pages
	PageURL string
	SignIn  SignIn // to those pages; the zero value is off
	// address of the workspace in links from sessions' pages to threads; empty: what Slack says
	ThreadsURL string
	Keep       housekeeping.Retention
}

// Seams are what tests set to wait less, and to stay off the network. No configuration sets them.
type Seams struct {
	ModelRetry  model.Retry
	ModelIdle   time.Duration // longest time without data from an endpoint; zero: the client's default
	NoticeAfter time.Duration // a longer wait for a model is reported in the thread; zero: the turn's default
	HostPace    time.Duration // interval of the first checks on a new pull request; zero: half a minute
	Network     proxy.Network // the network that packages are fetched over; nil: this machine's
	SlackPace   time.Duration // between two posts in a channel; zero: Slack's own limit
	// for what Slack sends once; zero: Slack's own limit
	SlackAckTimeout time.Duration
}

// ObservedSettings say which metrics and traces of the bot's work are recorded.
type ObservedSettings struct {
	Metrics *metrics.Metrics // nil: nothing is counted
	Traces  traces.Destination
}

// SlackSettings say how the bot connects to Slack, and which messages are requests.
type SlackSettings struct {
	SlackToken, SlackAppToken, SlackURL string
	// called once if the start waits for Slack; nil: without a response from Slack, the start fails
	SlackWaiting func(error)
	// number of connections; zero: two
	SlackLinks int
	// each run is shown by a progress card
	ProgressCards bool
	// Slack shows that the bot is at work; needs an app with the agent view
	AgentStatus bool
	// where Slack does not show it, a line does until the answer is there
	Signs bool
	// ids of channels in which every new message is a request
	Watch []string
	// channels in which apps' messages are reports
	Feeds []workflow.Feed
	// names of the reactions that turn a message into a request, by channel
	Reactions map[string][]string
	// words by which messages are read; the zero value has the built-in ones
	Words intent.Lexicon
	// ids of people who see the settings in their App Home; empty: the workspace's admins
	Admins []string
}

// ModelSettings say which models are used and where they are served.
type ModelSettings struct {
	ModelURL, ModelKey string
	Endpoints          map[string]model.Endpoint // by model: those with their own endpoint
	Prices             map[string]model.Price
	Fallback           map[string][]string
	Vision             map[string]bool // models that can see pictures
	Windows            map[string]int  // sizes of models' context windows, in tokens
	Agents             map[string]agent.Setting
	Answered           func(sent int, r model.Response) // called with each response; may be nil
	Transcriber        *model.Transcriber               // of voice clips; nil: none are sent anywhere
}

// LimitSettings limit the work and the waiting for people.
type LimitSettings struct {
	// sessions at work at once, over all replicas
	Seats    queue.ConcurrencyLimits
	Attempts int
	// on what sessions may use before people are asked
	Limits workflow.Limits
	// after which a silent thread with work in progress gets a progress note; zero: never
	Silent time.Duration
	// time to find out which hunks of a fix are needed; zero: not tried
	HunkTime time.Duration

	// time to find out since when, and on which releases, a bug exists; zero: not tried
	HistoryTime time.Duration
	// repositories in which the author of the commit that brought a bug is mentioned, and not only named
	MentionAuthors map[string]bool

	// after which a question takes its recommended answer; zero: a day
	Unanswered time.Duration
}

// A Server is the bot with all its parts.
type Server struct {
	log *slog.Logger
	closables
	Store   *store.Store
	Mirrors *git.Mirrors
	queue   *Queue
	Gateway *gateway.Gateway
	painter *poster.Painter
	guides  *poster.Poster // of the messages that tell a channel how to use the bot
	// return the URL of a session's page for a user, and for a message that many people read; nil: there are
	// no pages
	pageOf     func(user, session string) string
	sharedPage func(session string) string
	Monitor    *health.Monitor
	// serves sessions' pages, at page.Paths; nil: there are no pages
	Pages  http.Handler
	keeper *housekeeping.Housekeeper
	warmer *turn.Warmer
	Runner *turn.Runner
	silent time.Duration

	// why commands are off; empty: they are on
	sandboxOff string

	settings Settings
	slack    *bot.Slack
}

// closables is what Close releases.
type closables struct {
	lock    *disk.Lock        // of the data directory
	cluster *postgres.Cluster // the private Postgres; nil with a configured one
	traces  *traces.Traces    // nil: no traces are sent
}

// New constructs the bot and checks what can be checked before the first message: the database answers and
// is migrated, the configured sandbox works, Slack accepts the token. On an error it closes what it opened.
func New(ctx context.Context, s Settings, log *slog.Logger) (_ *Server, err error) {
	b := &Server{log: log}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	if s.HTTPAddr != "" && s.Metrics == nil {
		s.Metrics = metrics.New()
	}
	if said := s.Waiting; said != nil {
		s.Target.Waiting = b.saidOnce("the database", said)
		s.SlackWaiting = b.saidOnce("Slack", said)
	}
	replica, err := b.openState(ctx, s)
	if err != nil {
		return nil, err
	}
	slack, err := b.openSlack(ctx, &s)
	if err != nil {
		return nil, err
	}
	b.slack = slack
	b.settings = s
	directory := &people.Directory{Slack: slack}
	if s.Transcriber != nil {
		directory.Transcribe = s.Transcriber.Transcribe
	}
	if err := b.openRunner(ctx, s, directory); err != nil {
		return nil, err
	}
	homes := b.newHomes(s, slack, directory)
	b.Runner.Readers = homes
	b.Runner.Helper = homes
	if err := b.openPages(s, homes, directory); err != nil {
		return nil, err
	}
	posting := outbox.New(b.Store.DB)
	posts := b.newPoster(s, slack, directory, posting)
	posts.Name = b.signature()
	b.guides = &poster.Poster{
		Slack: slack, Outbox: posting.Guides(b.signature()), Log: log, Pace: s.SlackPace,
	}
	homes.PostGuides = b.postGuides
	b.painter = &poster.Painter{Poster: posts, Cards: posting, Pace: s.SlackPace}
	b.Store.Cards = s.ProgressCards
	b.Store.Signs = s.Signs
	b.Gateway = b.newGateway(s, slack, homes, posts.GuestFilter)
	var indicator *poster.StatusIndicator
	if s.AgentStatus {
		indicator = &poster.StatusIndicator{Slack: slack, Log: log}
		posts.OwnStatus = indicator.Shown
	}
	work := b.newWork(s, slack, directory, indicator)
	work.Post = posts.Drain
	beside := b.newPoster(s, slack, directory, posting)
	beside.Outbox = posting.Reactions()
	work.React = beside.Drain
	b.queue, err = NewQueue(b.Store, work, replica,
		min(s.Seats.AtOnce, cmp.Or(s.Seats.PerReplica, s.Seats.AtOnce)), log)
	return b, err
}

// saidOnce returns a function that says once that the start waits for what, and has health say so.
func (b *Server) saidOnce(what string, say func(error)) func(error) {
	said := false
	return func(err error) {
		if !said {
			said = true
			b.Monitor.WaitFor(what)
			say(err)
		}
	}
}

// signature returns the name that the orchestrator's lines begin with.
func (b *Server) signature() string { return b.Runner.Agents[agent.Orchestrator].Signature() }

// newHomes returns what shows people their sessions in the App Home, and knows who may read a thread.
func (b *Server) newHomes(s Settings, slack *bot.Slack, directory *people.Directory) *home.Homes {
	return &home.Homes{
		Store:        b.Store,
		Repositories: b.Runner.Repositories,
		Secrets:      b.Runner.Secrets,
		Log:          b.Runner.Log,
		Directory:    directory,
		Admins:       s.Admins,
		Settings:     s.summary(),
		WorkspaceURL: slack.WorkspaceURL(),
		Limits:       s.Limits,
		DocsURL:      docsURL,
	}
}

// docsURL is the page that help leads to.
const docsURL = "https://github.com/bobbinhq/bobbin/blob/main/docs/for-people.md"

// newGateway returns what takes the events of Slack and stores them in the inbox.
func (b *Server) newGateway(
	s Settings, slack *bot.Slack, homes *home.Homes, guests *poster.GuestFilter,
) *gateway.Gateway {
	received := inbox.New(b.Store.DB, b.Store.Queue)
	received.Name = b.signature()
	received.Words = s.Words
	traced := tracedInbox{received, b.traces}
	return &gateway.Gateway{
		Slack:      slack,
		Inbox:      traced,
		Log:        b.log,
		AckTimeout: s.SlackAckTimeout,
		Listening:  gateway.Listening{Watch: s.Watch, Reactions: s.Reactions, Feeds: s.Feeds, Words: s.Words},
		Homes:      homes,
		Commands:   homes,
		Modals: gateway.Modals{
			Forms: traced, HidesCode: guests.HidesCode, MayOpen: homes.MayOpen, PageOf: b.pageOf,
		},
		Backfill:   gateway.Backfill{History: received, Channels: channelIDs(s.Repositories)},
		Connecting: gateway.Connecting{Connections: cmp.Or(s.SlackLinks, config.DefaultConnections)},
	}
}

// newWork returns what the jobs of the queue do, except for posting.
func (b *Server) newWork(
	s Settings, slack *bot.Slack, directory *people.Directory, indicator *poster.StatusIndicator,
) Work {
	side, giveUp := newSide(b.Runner, s)
	return Work{
		Side:       side,
		GiveUpSide: giveUp,
		Turn:       b.warmer.Around(withStatusIndicator(b.Runner, indicator)),
		GiveUp:     b.Runner.GiveUp,
		Secrets:    s.Secrets,
		Metrics:    s.Metrics,
		Traces:     b.traces,
		Look:       b.lookAtHosts(s, slack, directory, b.signature()),
	}
}

// openState opens the health monitor, so that health is reported from then on, locks the data directory,
// and opens the traces and the database. It returns the name of this replica.
func (b *Server) openState(ctx context.Context, s Settings) (replica string, err error) {
	if b.Monitor, err = health.NewMonitor(s.HTTPAddr, b.log); err != nil {
		return "", err
	}
	if err := storage.MakeDataDir(s.DataDir); err != nil {
		return "", err
	}
	if b.lock, err = storage.LockDataDir(s.DataDir); err != nil {
		return "", err
	}
	if replica, err = storage.ReplicaName(s.DataDir); err != nil {
		return "", err
	}
	if b.traces, err = traces.Open(ctx, s.Traces, replica, b.log); err != nil {
		return "", err
	}
	if b.cluster, b.Store, err = storage.OpenDatabase(ctx, s.Target, b.log); err != nil {
		return "", err
	}
	s.Metrics.Serve(b.Monitor.Handle, view.Shared(b.Store.DB), b.log)
	return replica, nil
}

// openSlack checks the tokens and replaces #names of channels in s by their ids.
func (b *Server) openSlack(ctx context.Context, s *Settings) (*bot.Slack, error) {
	slack, err := bot.Open(ctx, bot.Config{
		BotToken: s.SlackToken, AppToken: s.SlackAppToken, APIURL: s.SlackURL, Log: b.log,
		HTTP:    &http.Client{Timeout: 30 * time.Second, Transport: b.observed(s.Metrics, "slack")},
		Waiting: waitingForSlack(s.SlackWaiting),
	})
	if err != nil {
		return nil, err
	}
	return slack, nameChannels(ctx, slack, s)
}

// waitingForSlack returns what is called with errors of Slack while the start waits; nil if say is nil.
func waitingForSlack(say func(error)) func(error) {
	if say == nil {
		return nil
	}
	return func(err error) {
		if why := plaintext.NetworkError(err); why != "" {
			err = errors.New("Slack cannot be reached: " + why + "; " + NoSlackCure)
		} else {
			//lint:ignore ST1005 Slack is a name
			err = fmt.Errorf("Slack has trouble of its own: %w", err)
		}
		say(err)
	}
}

// NoSlackCure is what to do if Slack cannot be reached.
const NoSlackCure = "check SLACK_API_URL if it is set, and that this machine reaches https://slack.com, " +
	"through its proxy if it has one"

// openRunner opens the sandbox, the skills and the mirrors, and constructs the runner of the turns and the
// housekeeper.
func (b *Server) openRunner(ctx context.Context, s Settings, directory *people.Directory) error {
	skills, err := readSkills(s.SkillsDir, b.log)
	if err != nil {
		return err
	}
	b.Mirrors = &git.Mirrors{
		Dir:        filepath.Join(s.DataDir, "mirrors"),
		Log:        b.log,
		SpareAfter: 2 * time.Second,
	}
	runner := &turn.Runner{
		Store: b.Store, Slack: directory, Agents: agent.Table(s.Agents), Repositories: s.Repositories,
		Skills: skills, Secrets: s.Secrets, Log: b.log,
		Model: b.newModel(s), Metrics: s.Metrics, Words: s.Words,
		Trackers: s.Trackers, Sources: openSources(s.Sources, b.log),
		Machine: turn.Machine{Mirrors: b.Mirrors},
		Bounds: turn.Bounds{
			Limits:      s.Limits,
			NoticeAfter: s.NoticeAfter,
			Attempts:    s.Attempts,
			HunkTime:    s.HunkTime,
			LooksBack:   s.HistoryTime > 0,
			Unanswered:  s.Unanswered,
			Seats:       s.Seats,
		},
	}
	runner.Folders.Dir = filepath.Join(s.DataDir, "sessions")
	if err := openSandbox(ctx, runner, s, b.log); err != nil {
		return err
	}
	if runner.Sandbox != nil {
		b.Mirrors.OwnSpare = runner.Sandbox.Own
	}
	b.Runner = runner
	b.silent = s.Silent
	b.sandboxOff = runner.SandboxOff
	b.warmer = &turn.Warmer{
		Store: b.Store, Repositories: s.Repositories, Mirrors: b.Mirrors, Checker: runner.Checker, Log: b.log,
	}
	b.keeper = &housekeeping.Housekeeper{
		Keep:    s.Keep,
		Store:   b.Store,
		Folders: &runner.Folders,
		Mirrors: b.Mirrors,
		Checker: runner.Checker,
		Log:     b.log,
	}
	return nil
}

// openSources returns the sources of the configuration. Each connects when an agent begins to work.
func openSources(list []source.Config, log *slog.Logger) (sources []*source.Source) {
	for _, c := range list {
		sources = append(sources, source.New(c, log))
	}
	return sources
}

// linkedAddresses returns the addresses under which links in texts can be clicked.
func linkedAddresses(s Settings, workspace string) []string {
	return append(webAddresses(s.Repositories, s.Trackers),
		strings.TrimRight(workspace, "/")+"/archives/", docsURL)
}

// newPoster returns the poster of the turns' messages, which keeps code out of channels with guests.
func (b *Server) newPoster(
	s Settings, slack *bot.Slack, directory *people.Directory, posting *outbox.Outbox,
) *poster.Poster {
	return &poster.Poster{
		Slack: slack, Outbox: posting, Log: b.log, Pace: s.SlackPace, PageOf: b.sharedPage,
		Links:       linkedAddresses(s, slack.WorkspaceURL()),
		Mentionable: approverIDs(s.Repositories),
		Code:        codeURLs(s.Repositories),
		MentionsOwners: slices.ContainsFunc(s.Repositories,
			func(r repository.Repository) bool { return r.MentionsOwners || s.MentionAuthors[r.Name] }),
		GuestFilter: &poster.GuestFilter{
			MembersOnly: func(name string) bool { return repository.Closed(s.Repositories, name) },
			People:      directory,
			Log:         b.log,
		},
	}
}

// newSide returns the functions that do the work beside the turns, by kind of work, and those that give it
// up.
func newSide(r *turn.Runner, s Settings) (run, giveUp map[string]func(context.Context, string) error) {
	signature := r.Agents[agent.Orchestrator].Signature()
	looker := &turn.Looker{
		Store:          r.Store,
		Repositories:   r.Repositories,
		Mirrors:        r.Mirrors,
		Checker:        r.Checker,
		Limit:          s.HistoryTime,
		MentionAuthors: s.MentionAuthors,
		Slack:          r.Slack,
		Secrets:        r.Secrets,
		Signature:      signature,
		Log:            r.Log,
	}
	porter := &turn.Porter{
		Rows:         backports.Register{Store: r.Store},
		Repositories: r.Repositories,
		Mirrors:      r.Mirrors,
		Checker:      r.Checker,
		Folders:      &r.Folders,
		Secrets:      r.Secrets,
		Signature:    signature,
		Log:          r.Log,
	}
	run = map[string]func(context.Context, string) error{
		queue.HistoryWork:  beside(newPhotographer(r).Run, looker.Run),
		queue.BackportWork: beside(porter.Run),
	}
	giveUp = map[string]func(context.Context, string) error{
		queue.HistoryWork: func(ctx context.Context, session string) error {
			// no person waits for it
			_, err := r.Store.Pool.Exec(ctx, `with p as (update pictures set state = 'stopped'
				where session_id = $1 and state = 'open') update lookbacks set state = 'stopped'
				where session_id = $1 and state = 'open'`, session)
			return err
		},
		queue.BackportWork: porter.GiveUp,
	}
	return run, giveUp
}

// beside returns a function that runs the given ones in order, also after an error, and joins their errors.
// A panic becomes an error.
func beside(runs ...func(context.Context, string) error) func(context.Context, string) error {
	return func(ctx context.Context, session string) (err error) {
		for _, run := range runs {
			err = errors.Join(err, queue.CatchPanic(func() error { return run(ctx, session) }))
		}
		return err
	}
}

// newPhotographer returns the photographer, which takes pictures of what the turns pushed.
func newPhotographer(r *turn.Runner) *turn.Photographer {
	return &turn.Photographer{
		Store:        r.Store,
		Repositories: r.Repositories,
		Mirrors:      r.Mirrors,
		Checker:      r.Checker,
		Secrets:      r.Secrets,
		Signature:    r.Agents[agent.Orchestrator].Signature(),
		Log:          r.Log,
	}
}

// withStatusIndicator returns the function that runs a turn. Unless the indicator is nil, Slack shows
// meanwhile that the bot is at work.
func withStatusIndicator(
	r *turn.Runner, indicator *poster.StatusIndicator,
) func(context.Context, string) error {
	if indicator == nil {
		return r.Run
	}
	return func(ctx context.Context, session string) error {
		s, err := r.Store.Session(ctx, session)
		if err != nil {
			return err
		}
		return indicator.During(ctx, s.Thread, func(ctx context.Context) error { return r.Run(ctx, session) })
	}
}

// readSkills returns the built-in skills and the operator's. A malformed built-in skill is an error; a
// malformed skill of the operator is logged and left out.
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

// nameChannels replaces #names of channels in s by their ids. A name that is wrong is a usage error; trouble
// at Slack is not, because it passes.
func nameChannels(ctx context.Context, slack *bot.Slack, s *Settings) (err error) {
	defer func() {
		var wrong *bot.NoChannelError
		if errors.As(err, &wrong) {
			err = cli.UsageError{Err: err}
		}
	}()
	if s.Watch, err = slack.ChannelIDs(ctx, s.Watch); err != nil {
		return err
	}
	if s.Reactions, err = nameReactions(ctx, slack, s.Reactions); err != nil {
		return err
	}
	s.Feeds = slices.Clone(s.Feeds)
	for i, f := range s.Feeds {
		ids, err := slack.ChannelIDs(ctx, []string{f.Channel})
		if err != nil {
			return err
		}
		s.Feeds[i].Channel = ids[0]
	}
	s.Repositories = slices.Clone(s.Repositories)
	for i, r := range s.Repositories {
		if s.Repositories[i].Channels, err = slack.ChannelIDs(ctx, r.Channels); err != nil {
			return fmt.Errorf("repository %s: %w", r.Name, err)
		}
	}
	return nil
}

// channelIDs returns the ids of the channels of all repositories, each once.
func channelIDs(list []repository.Repository) (ids []string) {
	for _, r := range list {
		for _, id := range r.Channels {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// approverIDs returns the ids of people and user groups that the configuration names as approvers.
func approverIDs(list []repository.Repository) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.Approvers.People...)
		for _, n := range r.Approvers.Needs {
			ids = append(ids, n.From...)
		}
	}
	return ids
}

// webAddresses returns the prefixes of URLs to which links in the bot's messages may lead: the
// repositories' own pages, and those of the trackers in which issues are filed.
func webAddresses(list []repository.Repository, trackers []*tracker.Tracker) []string {
	var links []string
	for _, t := range trackers {
		if t.CanFile() {
			links = append(links, strings.TrimRight(t.URL, "/")+"/")
		}
	}
	for _, r := range list {
		if strings.HasPrefix(r.URL, "https://") {
			links = append(links, strings.TrimSuffix(r.URL, ".git")+"/")
		}
		if _, web := r.ComparePage(); web != "" {
			links = append(links, web+"/")
		}
		if r.Pulls.Web != "" {
			links = append(links, r.Pulls.Web+"/")
		}
		if r.Pulls.ForkWeb != "" {
			links = append(links, r.Pulls.ForkWeb+"/")
		}
	}
	return links
}

// openSandbox opens the sandbox. If none works, commands are off and agents and people get the reason; it
// is an error only if the configuration asks for a kind by name.
func openSandbox(ctx context.Context, r *turn.Runner, s Settings, log *slog.Logger) error {
	checker, err := OpenChecker(ctx, s, log)
	var unavailable *sandbox.Unavailable
	switch {
	case err == nil:
		r.Sandbox = checker.Caches.Sandbox
		r.Checker = checker
		r.Folders.CacheDir = checker.Caches.Dir
		checker.Caches.Packages.Mirrors = r.Mirrors
		return nil
	case errors.As(err, &unavailable) && (s.Sandbox.Kind == "" || s.Sandbox.Kind == "auto"):
		r.SandboxOff = unavailable.Why + " " + unavailable.Cure
		log.Info("commands and checks are off: no sandbox works on this machine", "why", unavailable.Why,
			"cure", unavailable.Cure)
		return nil
	}
	return err
}

// OpenChecker opens the sandbox and returns the checker that builds and tests in it, with its caches below
// the data directory. The error is a *sandbox.Unavailable if no sandbox works.
func OpenChecker(ctx context.Context, s Settings, log *slog.Logger) (*build.Checker, error) {
	options := s.Sandbox.Options(s.Sandbox.Kind, log)
	options.Ended = s.Metrics.Command
	box, err := sandbox.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	log.Info("sandbox", "kind", box.Describe())
	checker := &build.Checker{
		Caches: build.Caches{
			Sandbox: box, Dir: filepath.Join(s.DataDir, "cache"), Log: log, Tools: &environment.Tools{},
		},
	}
	if s.LimitChecks != nil {
		s.LimitChecks(checker)
	}
	checker.Caches.Packages = &packages.Fetcher{
		Sandbox:      box,
		Network:      s.Network,
		BlockedHosts: s.BlockedHosts,
		ModuleCache:  checker.Caches.GoModules(),
		Registries:   ownRegistries(log),
		Log:          log,
	}
	return checker, nil
}

// ownRegistries returns a function that finds the package registries set up for the account that runs this
// program.
func ownRegistries(log *slog.Logger) func(context.Context, string) ([]string, error) {
	return func(ctx context.Context, kind string) ([]string, error) {
		ctx, cancel := context.WithTimeout(ctx, packages.AccountTimeout)
		defer cancel()
		found, err := packages.FindAccount(ctx, kind)
		if len(found.LeftOut) > 0 {
			log.Warn("setup: a registry of this account has a password in its address, and is not used",
				"kind", kind, "settings", found.LeftOut)
		}
		return found.Env, err
	}
}

// Run works until ctx ends or a part fails for good, for example because Slack refuses the bot.
func (b *Server) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	part := func(run func(context.Context) error) {
		group.Go(func() error {
			err := run(ctx)
			b.Monitor.End(err)
			return err
		})
	}
	part(b.queue.Run)
	part(b.Gateway.Run)
	part(b.watchPrivatePostgres)
	part(b.watchForNewer)
	part(func(ctx context.Context) error {
		b.Monitor.Watch(ctx, health.Source{
			Store:      b.Store,
			Replica:    b.queue.replica.ID,
			Links:      b.Gateway.Links,
			SandboxOff: b.sandboxOff,
		})
		return nil
	})
	part(func(ctx context.Context) error {
		b.Runner.Watchdog(ctx, b.silent)
		return nil
	})
	part(func(ctx context.Context) error {
		b.keeper.Run(ctx)
		return nil
	})
	part(func(ctx context.Context) error {
		b.warmer.Run(ctx)
		return nil
	})
	part(func(ctx context.Context) error {
		b.painter.Run(ctx)
		return nil
	})
	part(func(ctx context.Context) error {
		b.finishGuides(ctx)
		return nil
	})
	err := group.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// watchPrivatePostgres ends the bot when its private Postgres has ended, because nothing would restart
// Postgres.
func (b *Server) watchPrivatePostgres(ctx context.Context) error {
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

// closeWithin is how long database connections in use have to end.
const closeWithin = 2 * time.Second

// Close stops a private Postgres and releases the database and the data directory. Health is served until
// the end.
func (b *Server) Close() {
	if b.Monitor != nil {
		defer b.Monitor.Close()
	}
	if b.Mirrors != nil {
		b.Mirrors.StopSpares()
	}
	if b.Store != nil {
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			b.Store.Close()
		}()
		select {
		case <-closed:
		case <-time.After(closeWithin): // a connection is still waiting for Postgres
		}
	}
	b.traces.Close()
	if b.cluster != nil {
		b.cluster.Stop()
	}
	b.lock.Release()
}

// codeURLs returns the code URL templates of the repositories, by name.
func codeURLs(list []repository.Repository) map[string]string {
	all := map[string]string{}
	for _, r := range list {
		if r.CodeURL != "" {
			all[r.Name] = r.CodeURL
		}
	}
	return all
}

// supersededEvery is the interval at which a running replica checks for a newer version.
const supersededEvery = 2 * time.Second

// watchForNewer ends the bot when a newer version has migrated the database: that version uses phases and
// jobs that this one does not know. Work in progress is handed over.
func (b *Server) watchForNewer(ctx context.Context) error {
	tick := time.NewTicker(supersededEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var newer *database.NewerError
		if err := b.Store.Newer(ctx); errors.As(err, &newer) {
			return fmt.Errorf("%w. That one has taken over; start it here, too", newer)
		}
	}
}

// nameReactions replaces #names of channels in the keys by their ids.
func nameReactions(
	ctx context.Context, slack *bot.Slack, named map[string][]string,
) (map[string][]string, error) {
	names := slices.Sorted(maps.Keys(named))
	ids, err := slack.ChannelIDs(ctx, names)
	if err != nil {
		return nil, err
	}
	byID := map[string][]string{}
	for i, id := range ids {
		byID[id] = append(byID[id], named[names[i]]...)
	}
	return byID, nil
}
