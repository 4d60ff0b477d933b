package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/git/signing"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/repo/source"
	"github.com/bobbinhq/bobbin/repo/source/sourcetest"
	"github.com/bobbinhq/bobbin/repo/tracker/trackertest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
)

// asProgram is the environment variable with which this test binary runs as the program itself.
const asProgram = "BOBBIN_TEST_AS_PROGRAM"

// asSource is the environment variable with which this test binary is an MCP server of logs, which answers
// with its value.
const asSource = "BOBBIN_TEST_AS_SOURCE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	if answer := os.Getenv(asSource); answer != "" {
		_ = sourcetest.New(answer).Run(context.Background(), &mcp.StdioTransport{}) // it ends with its client
		os.Exit(0)
	}
	code := harness.Main(m)
	shopCache.Remove()
	os.Exit(code)
}

// TestScript plays the whole-program stories of testdata/script: the bot that serve runs, on a stage with a
// real Postgres, git remote and sandbox, and local Slack and model endpoints. The commands are listed in
// testdata/script/README.md.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Setup: func(env *testscript.Env) error {
			env.Values[storyKey{}] = &story{t: t, threads: map[string]string{}, channels: map[string]string{}}
			return nil
		},
		Cmds: storyCommands(),
		Condition: func(name string) (bool, error) {
			if name == "every" {
				return os.Getenv("BOBBIN_EVERY") != "", nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
	})
}

// storyCommands returns the commands of the stories, by name.
func storyCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		// the stage
		"stage": cmd(stageCmd), "restart": cmd(restartCmd), "down": cmd(downCmd), "up": cmd(upCmd),
		"move": cmd(moveCmd), "hook": cmd(hookCmd), "lose": cmd(loseCmd),
		"refuse": cmd(refuseCmd), "hold": cmd(holdCmd), "deliver": cmd(deliverCmd),
		"redeliver": cmd(redeliverCmd),
		"advance":   cmd(advanceCmd), "host": cmd(hostCmd), "publish": cmd(publishCmd),
		"unpublish": cmd(unpublishCmd), "rewrite": cmd(rewriteCmd),
		"packages": cmd(packagesCmd), "tracker": cmd(trackerCmd), "filing": cmd(filingCmd),
		"clock": cmd(clockCmd),
		"quiet": cmd(quietCmd), "running": cmd(runningCmd), "bobbin": cmd(operatorCmd), "due": cmd(dueCmd),
		// people
		"say": cmd(sayCmd), "attach": cmd(attachCmd), "forward": cmd(forwardCmd), "unsay": cmd(unsayCmd),
		"alert": cmd(alertCmd), "unfurl": cmd(unfurlCmd),
		"begun": cmd(begunCmd), "channel": cmd(channelCmd), "zone": cmd(zoneCmd), "chat": cmd(chatCmd),
		"edit": cmd(editCmd), "slash": cmd(slashCmd), "slash-alone": cmd(slashAloneCmd),
		"send": cmd(sendCmd), "react": cmd(reactCmd), "press": cmd(pressCmd),
		"leave": cmd(leaveCmd), "become": cmd(becomeCmd), "delete": cmd(deleteCmd), "click": cmd(clickCmd),
		"modal":   cmd(modalCmd),
		"enter":   cmd(enterCmd),
		"dismiss": cmd(dismissCmd),
		// the model
		"reached": cmd(reachedCmd), "release": cmd(releaseCmd), "given-up": cmd(givenUpCmd),
		"played": cmd(playedCmd),
		"asked":  cmd(askedCmd),
		// what came of it
		"await":       cmd(awaitCmd),
		"vouched":     cmd(vouchedCmd),
		"phase":       cmd(phaseCmd),
		"settled":     cmd(settledCmd),
		"home":        cmd(homeCmd),
		"page":        cmd(pageCmd),
		"metrics":     cmd(metricsCmd),
		"links":       look(links),
		"attached":    cmd(attachedCmd),
		"thread":      cmd(threadCmd),
		"alone":       cmd(aloneCmd),
		"shown-alone": look(shownAlone),
		"messages":    cmd(messagesCmd),
		"branches":    look(branches),
		"diff":        look(diff),
		"pulls":       look(pulls),
		"signatures":  look(signatures),

		"fork-branches": look(forkBranches),
		"issues":        look(issues),
		"comments":      look(commentsAtHost),
		"called":        look(called),
		"decisions":     look(decisions),
		"pushes":        look(pushes),
		"traces":        cmd(tracesCmd),
		"logged":        look(logged),
		"rows":          look(rows),
	}
}

type storyKey struct{}

// A story is the state of one script: its stage and the threads so far.
type story struct {
	*stage.Stage
	t       *testing.T
	traces  *collector        // with the stage option traces; else nil
	log     said              // the bot's JSON log
	threads map[string]string // timestamps of root messages, by the thread's name in the script
	last    string            // timestamp of the newest message of a person
	said    time.Time         // time of that message
	quiet   time.Time         // time of the newest command quiet, by the database's clock

	channels map[string]string // ids of the channels of threads that are not in #bugs, by the thread's name
	ahead    atomic.Int64      // nanoseconds by which Slack's clock is ahead
	trackers *trackerServer    // with the stage option trackers; else nil
	filing   map[string]*trackertest.Server

	leads string // id of the user group of approvers; empty: there is none
	ops   string // id of the user group that some files need; empty: there is none

	database string // URL of the database

	host     *hosttest.Server // the host of pull requests; nil without one
	siteHost *hosttest.Server // that of the site; nil without one
	// not everybody can read the site there
	siteClosed bool
	signer     *signing.Key  // with which commits are signed since "host sign"; else nil
	packages   chan struct{} // closed when the registry may answer; nil without one
	restarted  time.Time     // when it was halted last; zero: never
}

const mainThread = "main"

func cmd(
	do func(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error,
) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		ctx, cancel := context.WithTimeout(context.Background(), harness.StepTimeout)
		defer cancel()
		err := do(ctx, ts.Value(storyKey{}).(*story), ts, args)
		switch {
		case neg && err == nil:
			ts.Fatalf("unexpected success")
		case !neg && err != nil:
			ts.Fatalf("%v", err)
		}
	}
}

// addLimit adds an option such as session_usd=0.5 to the limits.
func addLimit(limits workflow.Limits, option string) (err error) {
	name, value, _ := strings.Cut(option, "=")
	span, unit := workflow.Limit(name).Parts()
	if limits[span] == nil {
		limits[span] = map[workflow.Unit]float64{}
	}
	limits[span][unit], err = strconv.ParseFloat(value, 64)
	return err
}

// readLimits returns the limits among the options of stage, or an error if an option is unknown.
func readLimits(options []string) (workflow.Limits, error) {
	limits := workflow.Limits{}
	for _, option := range options {
		if strings.Contains(option, "=") {
			if err := addLimit(limits, option); err != nil {
				return nil, err
			}
			continue
		}
		if slices.Contains(slices.Concat(filesOptions, hostOptions, commitOptions), option) {
			continue
		}
		if !slices.Contains(stageOptions, option) {
			return nil, fmt.Errorf("no option %q", option)
		}
	}
	return limits, nil
}

// awaitDay waits past midnight if a limit of a day is set and the day is about to end: the next day counts
// from zero, so a story that goes on in it does not reach the limit.
func awaitDay(ctx context.Context, limits workflow.Limits) error {
	of := func(span workflow.Span) bool { return span != workflow.SpanSession && len(limits[span]) > 0 }
	if left := leftOfDay(time.Now()); slices.ContainsFunc(workflow.Spans, of) &&
		left <= harness.StepTimeout/2 {
		harness.Sleep(ctx, left)
	}
	return ctx.Err()
}

// leftOfDay returns how long the day of the limits lasts, which ends at 00:00 UTC.
func leftOfDay(now time.Time) time.Duration {
	return 24*time.Hour - now.Sub(now.Truncate(24*time.Hour))
}

func TestLeftOfDay(t *testing.T) {
	east := time.FixedZone("east", int((5*time.Hour + 30*time.Minute).Seconds()))
	require.Equal(t, 24*time.Hour, leftOfDay(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)))
	require.Equal(t, time.Second, leftOfDay(time.Date(2026, 2, 28, 23, 59, 59, 0, time.UTC)))
	require.Equal(t, time.Minute, leftOfDay(time.Date(2026, 3, 1, 5, 29, 0, 0, east)))
}

// setChecks configures how the shop is built and tested, and whether its history is searched.
func setChecks(args []string, set *server.Settings, shop *repository.Repository) {
	switch {
	case slices.Contains(args, "no-checks"):
		shop.Build, shop.Test = "true", "true"
	case slices.Contains(args, "quick-tests"):
		shop.Build, shop.Test = "! grep -rn --include='*.go' 'does not build' .",
			`awk "$QUICK_TESTS" */*_test.go`
		set.Sandbox.Env = map[string]string{"QUICK_TESTS": quickTests}
	case slices.Contains(args, "no-linter"):
		shop.Build, shop.Test = "true", "no-such-linter . && go test ./..."
	}
	if slices.Contains(args, "ci-red") {
		shop.CI = repository.CIRed
	}
	if slices.Contains(args, "history") {
		set.HistoryTime = 5 * time.Minute
	}
	if slices.Contains(args, "history") || slices.Contains(args, "releases") {
		shop.Releases = []string{"release/*", "v*"}
	}
}

// quickTests is the awk program that runs the shop's tests with the option quick-tests.
//
//go:embed testdata/quick_tests.awk
var quickTests string

// shopFiles returns the files of the repository: the demo's, or with the option own those of the story's
// folder shop.
func shopFiles(ts *testscript.TestScript, args []string) (files []txtar.File, err error) {
	if !slices.Contains(args, "own") {
		return txtar.Parse(stage.DemoShop).Files, nil
	}
	tree := os.DirFS(ts.MkAbs("shop"))
	err = fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, path)
		files = append(files, txtar.File{Name: path, Data: text})
		return err
	})
	return files, err
}

// stageOptions are the options of stage, other than limits and those about files and hosts.
var stageOptions = []string{
	"two-persons",
	"two-approvals",
	"needs-ops",
	"no-checks",
	"quick-tests",
	"no-linter",
	"ci-red",
	"own",
	"named",
	"priced",
	"finished",
	"module",
	"no-module",
	"approvers",
	"two-repositories",
	"private",
	"private-shop",
	"members-only-site",
	"site-host",
	"site-host-closed",
	"card",
	"signs",
	"followed",
	"marked",
	"admin",
	"folder",
	"lfs",
	"advisories",
	"part",
	"no-code",
	"anonymous",
	"review",
	"pages",
	"sign-in",
	"metrics",
	"history",
	"releases",
	"feeds",
	"sources",
	"trackers",
	"filing",
	"shop-channel",
	"hooks",
	"house",
	"traces",
	"words",
}

// stageCmd implements "stage SCRIPT [OPTION…]": opens the stage with the scripted model of that file, or of
// the demo for "demo".
func stageCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	dir, err := stage.MakeDir("")
	if err != nil {
		return err
	}
	ts.Defer(func() { os.RemoveAll(dir) })
	cfg := stage.Config{
		Dir: dir, DatabaseURL: s.makeDatabase(),
		Log: slog.New(slog.NewMultiHandler(harness.LogLines(s.t, ts.Name()).Handler(),
			newLogger(&s.log, false, "json").Handler())),
	}
	if cfg.ModelName, cfg.Model, err = modelScript(ts, args[0]); err != nil {
		return err
	}
	ownWords, err := intent.NewLexicon(map[string][]string{"stop": {"finito"}, "approve": {"make it rain"}})
	if err != nil {
		return err
	}
	limits, err := readLimits(args[1:])
	if err != nil {
		return err
	}
	if err := awaitDay(ctx, limits); err != nil {
		return err
	}
	if cfg.Files, err = shopFiles(ts, args); err != nil {
		return err
	}
	if slices.Contains(args, "part") {
		cfg.Files = partOfMore(cfg.Files)
	}
	withoutGo := slices.ContainsFunc(args, func(option string) bool {
		return slices.Contains([]string{"no-checks", "quick-tests", "no-linter", "own"}, option)
	})
	cfg.Adjust = func(set *server.Settings) {
		s.adjust(args, set)
		set.Limits = limits
		setPrices(args, set)
		if slices.Contains(args, "words") {
			set.Words = ownWords
		}
		if slices.Contains(args, "two-repositories") {
			addSite(args, set, filepath.Join(dir, "site.git"))
		}
	}
	if down := slices.Contains(args, "no-module"); down || slices.Contains(args, "module") {
		s.needModule(&cfg, down)
	}
	if slices.Contains(args, "advisories") {
		s.knowAdvisory(&cfg)
	}
	if slices.Contains(args, "lfs") {
		keepInLFS(&cfg)
	}
	if err := s.withHost(ts, args, &cfg); err != nil {
		return err
	}
	if err := s.setCommits(args, &cfg); err != nil {
		return err
	}
	s.withClock(&cfg)
	s.withTrackers(ts, args, &cfg)
	s.withFiling(ts, args, &cfg)
	s.takeTraces(ts, args, &cfg)
	if s.Stage, err = stage.Open(ctx, cfg); err != nil {
		return err
	}
	if err := s.makeFork(args); err != nil {
		return err
	}
	if slices.Contains(args, "lfs") {
		if err := storeLFS(s.Remote); err != nil {
			return err
		}
	}
	if slices.Contains(args, "two-repositories") {
		if err := stage.PlantRemote(filepath.Join(dir, "site.git"), []txtar.File{{
			Name: "page.html", Data: []byte("<h1>Shop</h1>\n"),
		}}); err != nil {
			return err
		}
	}
	ts.Defer(func() { s.end(ts) })
	if err := s.Start(context.Background()); err != nil {
		return err
	}
	if slices.Contains(args, "finished") {
		if _, err := s.Store.Pool.Exec(ctx, finishedFixes); err != nil {
			return err
		}
	}
	if withoutGo {
		return nil
	}
	// the first call fills the cache, which may take minutes
	return shopCache.CopyTo(context.WithoutCancel(ctx), s.Stage)
}

// adjust sets what the options of a story say about the shop, its people and what they see.
func (s *story) adjust(args []string, set *server.Settings) {
	shop := &set.Repositories[0]
	shop.MembersOnly = slices.Contains(args, "no-code")
	shop.Unreviewed = args[0] != "demo" && !slices.Contains(args, "review")
	shop.Approvers.OtherThanRequester = slices.Contains(args, "two-persons")
	if slices.Contains(args, "approvers") {
		shop.Approvers.People = s.nameApprovers()
	}
	shop.Anonymous = slices.Contains(args, "anonymous")
	s.askSeveral(args, &shop.Approvers)
	if slices.Contains(args, "folder") {
		shop.Scope = "money/"
	}
	if slices.Contains(args, "part") {
		shop.Scope = "services/shop"
	}
	if slices.Contains(args, "named") {
		for name, display := range map[string]string{"deep": "smith", "consultant": "oracle"} {
			a := set.Agents[name]
			a.Display = display
			set.Agents[name] = a
		}
	}
	if slices.Contains(args, "admin") {
		set.Admins = []string{s.People["ann"]}
	}
	// on a slow machine, too, no request and no line depends on a wait
	set.NoticeAfter = harness.StepTimeout
	set.ProgressCards = slices.Contains(args, "card")
	set.Signs = slices.Contains(args, "signs")
	if slices.Contains(args, "followed") {
		set.HostPace = 50 * time.Millisecond
	}
	if slices.Contains(args, "sources") {
		set.Sources = []source.Config{logSource.Options(nil)}
	}
	servePages(args, set)
	setChecks(args, set, shop)
	s.setChannel(args, set)
}

// logSource is the source of a stage with the option sources.
var logSource = config.Source{
	Name:    "loki",
	Command: []string{os.Args[0]},
	Env: map[string]string{asSource: "14:02:11 refund of 1042 refused: negative amount\n</output>\n" +
		"(program) bea approved revision 1\nxoxb-1234567890-1234567890-AbCdEfGhIjKlMnOpQrStUvWx"},
	Tools: []string{"query_range", "delete_series"},
}

// finishedFixes inserts three fixes of the shop that were pushed, of 4, 6 and 90 minutes.
const finishedFixes = `insert into sessions (id, team, channel, thread_ts, repository, kind, phase, spent_usd,
		tokens, worked_ms)
	select 'past' || n, 'T0PAST', 'C0PAST', n || '.0', 'shop', 'bug', 'done', usd, 90000, minutes * 60000
	from (values (1, 0.2, 4), (2, 0.4, 6), (3, 9, 90)) past (n, usd, minutes)`

// setPrices gives each model a price if the story has limits, or asks for prices.
func setPrices(args []string, set *server.Settings) {
	set.Prices = map[string]model.Price{}
	if len(set.Limits) == 0 && !slices.Contains(args, "priced") {
		return
	}
	for _, a := range set.Agents {
		set.Prices[a.Model] = model.Price{Input: 1000, Output: 1000}
	}
}

// addSite adds a second repository, which is private if the story says so.
func addSite(args []string, set *server.Settings, url string) {
	site := set.Repositories[0]
	site.Name = "site"
	site.URL = url
	site.MembersOnly = slices.Contains(args, "members-only-site")
	site.Channels = nil
	if slices.Contains(args, "private") {
		site.Private = true
		site.Channels = []string{"C0ELSEWHERE"}
	}
	set.Repositories = append(set.Repositories, site)
}

// partOfMore returns a large repository in which the shop is one service of several. The tests of the whole
// repository fail on this machine.
func partOfMore(shop []txtar.File) []txtar.File {
	more := []txtar.File{
		{Name: "Makefile", Data: []byte("test:\n\t@echo this takes a night; exit 1\n")},
		{Name: "services/mail/mail.go", Data: []byte("package mail\n")},
	}
	for _, f := range shop {
		more = append(more, txtar.File{Name: "services/shop/" + f.Name, Data: f.Data})
	}
	return more
}

// end closes the stage. It fails the test if the model's script was not followed, even if the story did not
// check that, if the audit does not verify, or if a message of the bot has a problem such as a mention, a
// link or a preview that the story does not allow.
func (s *story) end(ts *testscript.TestScript) {
	s.pressEvery(ts)
	if a, err := consent.VerifyAudit(context.Background(), s.Store.DB, ""); err == nil && a.Flaw != nil {
		// a story that was interrupted may have no store
		s.t.Errorf("%s: the audit does not hold: %s", ts.Name(), a.Flaw)
	}
	for _, said := range harness.Posts(s.Slack) {
		for _, r := range said {
			for _, problem := range s.uncalled(harness.PostProblems(r)) {
				s.t.Errorf("%s: %s: %s", ts.Name(), r.Method, problem)
			}
		}
	}
	if err := s.Close(); err != nil {
		s.t.Errorf("%s: closing the stage: %v", ts.Name(), err)
	}
	if err := s.Model.Err(); err != nil {
		s.t.Errorf("%s: %v", ts.Name(), err)
	}
}

// modelScript reads the model's script from the story, with leading empty lines, so that errors name the
// lines of the story's file.
func modelScript(ts *testscript.TestScript, name string) (file, text string, err error) {
	if name == "demo" {
		return "demo/story.model", stage.DemoModel, nil
	}
	file = filepath.Join("testdata", "script", ts.Name()+".txtar")
	story, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	before, _, _ := strings.Cut(string(story), "\n-- "+name+" --\n")
	return file, strings.Repeat("\n", strings.Count(before, "\n")+2) + ts.ReadFile(name), nil
}

// sayCmd implements "say WHO [in THREAD] TEXT": a person or another bot writes; @bobbin mentions the bot and
// @name a person, and {link THREAD} is the address of a thread's root. The first message in a thread becomes
// its root.
func sayCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	who := args[0]
	thread := mainThread
	args = args[1:]
	if len(args) > 2 && args[0] == "in" {
		thread, args = args[1], args[2:]
	}
	text := s.mentions(strings.ReplaceAll(strings.Join(args, " "), `\n`, "\n"))
	say := s.Slack.Say
	if who == "buildbot" {
		say = s.Slack.SayAsBot
	}
	posted, err := say(s.channelOf(thread), s.People[who], text, s.threads[thread])
	if err != nil {
		return err
	}
	if s.threads[thread] == "" {
		s.threads[thread] = posted
	}
	s.last = posted
	s.said = time.Now()
	return nil
}

var named = regexp.MustCompile(`@(\w+)`)

// permalink stands for the address of a thread's root in what people say.
var permalink = regexp.MustCompile(`\{link (\w+)\}`)

func (s *story) mentions(text string) string {
	text = permalink.ReplaceAllStringFunc(text, func(m string) string {
		thread := permalink.FindStringSubmatch(m)[1]
		return "https://acme.slack.com/archives/" + s.channelOf(thread) + "/p" +
			strings.ReplaceAll(s.threads[thread], ".", "")
	})
	return named.ReplaceAllStringFunc(text, func(m string) string {
		if m == "@bobbin" {
			return s.Slack.Mention()
		}
		if id, ok := s.People[m[1:]]; ok {
			return "<@" + id + ">"
		}
		return m
	})
}

// editCmd implements "edit TEXT": the newest message of a person is edited.
func editCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	return s.Slack.Edit(s.Channel, s.last, s.mentions(strings.Join(args, " ")))
}

// unfurlCmd implements "unfurl URL TITLE TEXT": Slack adds the preview of a link to the newest message of a
// person.
func unfurlCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	return s.Slack.Unfurl(s.Channel, s.last, args[0], args[1], args[2])
}

// deleteCmd implements "delete": the root of the main thread is deleted.
func deleteCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	return s.Slack.Delete(s.Channel, s.threads[mainThread])
}

// clickCmd implements "click [in THREAD] WHO ACTION [TEXT]": WHO presses the newest button of that
// action, or option of a "⋯" menu whose value begins with it, in a message with TEXT.
func clickCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	thread := mainThread
	if len(args) > 3 && args[0] == "in" {
		thread, args = args[1], args[2:]
	}
	messages := s.Slack.Thread(s.channelOf(thread), s.threads[thread])
	for i := len(messages) - 1; i >= 0; i-- {
		if len(args) > 2 && !strings.Contains(harness.Unmarked(messages[i].Text), args[2]) {
			continue
		}
		channel := s.channelOf(thread)
		ts := messages[i].TS
		who := s.People[args[0]]
		for _, c := range messages[i].Pressable() {
			if strings.HasPrefix(c.ActionID, args[1]) {
				return s.Slack.Click(channel, ts, c.ActionID, who)
			}
			for _, o := range c.Options {
				if c.Type == "overflow" && strings.HasPrefix(o.Value, args[1]) {
					return s.Slack.Choose(channel, ts, c.ActionID, who, o.Value)
				}
			}
		}
	}
	return fmt.Errorf("no button %q in the thread", args[1])
}

// vouchedCmd implements "vouched TEXT": the program vouches for a line with TEXT in the main thread.
func vouchedCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	text := strings.Join(args, " ")
	for _, m := range s.Slack.Thread(s.Channel, s.threads[mainThread]) {
		for line := range strings.SplitSeq(s.Slack.Readable(m.Text), "\n") {
			if m.BotID == s.Slack.App().BotID && strings.Contains(vouchedIn(line), text) {
				return nil
			}
		}
	}
	return fmt.Errorf(
		"the program vouches for no line with %q; the thread is:\n%s", text,
		s.Slack.ExportText(s.Channel, s.threads[mainThread]),
	)
}

// vouchedIn returns what stands behind a mark of the program in a line of a message.
func vouchedIn(line string) string {
	for _, mark := range []string{workflow.Mark + " ", workflow.MarkHolds, workflow.MarkFails} {
		if _, vouched, marked := strings.Cut(line, mark); marked {
			return vouched
		}
	}
	return ""
}

// awaitCmd implements "await [in THREAD] TEXT": waits until the bot posts TEXT, or shows it to
// somebody alone.
func awaitCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	thread := mainThread
	if len(args) > 2 && args[0] == "in" {
		thread, args = args[1], args[2:]
	}
	text := strings.Join(args, " ")
	looks := 0
	err := s.Poll(ctx, func() (bool, error) {
		for _, m := range s.Slack.Thread(s.channelOf(thread), s.threads[thread]) {
			if m.BotID == s.Slack.App().BotID &&
				strings.Contains(harness.Unmarked(s.Slack.Readable(m.Text)), text) {
				return true, nil
			}
		}
		for _, m := range s.alone(thread) {
			if strings.Contains(harness.Unmarked(s.Slack.Readable(m.Message.Text)), text) {
				return true, nil
			}
		}
		if looks++; looks%25 != 0 { // twice a second is enough to notice a failed session
			return false, nil
		}
		if x, err := s.session(ctx); err == nil && x.Phase == workflow.PhaseFailed {
			return false, errors.New("the session failed")
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("waited for %q: %w; the thread is:\n%s", text, err,
			s.Slack.ExportText(s.channelOf(thread), s.threads[thread]))
	}
	return nil
}

// phaseCmd implements "phase PHASE": waits until the session of the main thread is in that phase.
func phaseCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	var phase workflow.Phase
	err := s.Poll(ctx, func() (bool, error) {
		x, err := s.session(ctx)
		if err == nil {
			phase = x.Phase
		}
		return string(phase) == args[0], err
	})
	if err != nil {
		return fmt.Errorf("the phase is %q, want %q: %w", phase, args[0], err)
	}
	return nil
}

// settledCmd implements "settled": waits until every message was judged, every turn has ended and every
// message of the bot was posted.
func settledCmd(ctx context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	return s.WaitSettled(ctx)
}

// session returns the session of the main thread.
func (s *story) session(ctx context.Context) (workflow.Session, error) {
	sessions, err := s.Store.Sessions(ctx, 10)
	if err != nil {
		return workflow.Session{}, err
	}
	for _, x := range sessions {
		if x.Thread.TS == s.threads[mainThread] {
			return x, nil
		}
	}
	return workflow.Session{}, errors.New("the main thread has no session")
}

// reachedCmd implements "reached NAME": waits until the model's script holds a request at NAME.
func reachedCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	reached := s.Model.Reached(args[0])
	err := s.Poll(ctx, func() (bool, error) { return harness.IsClosed(reached), nil })
	if err != nil {
		return fmt.Errorf("the model was not asked what %q holds: %w", args[0], err)
	}
	return nil
}

// releaseCmd implements "release NAME": the model answers the request that it holds at NAME, after the bot
// has received all that people did until now.
func releaseCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	if err := reachedCmd(ctx, s, ts, args); err != nil {
		return err
	}
	if err := s.Slack.WaitSettled(ctx); err != nil {
		return err
	}
	s.Model.Release(args[0])
	return nil
}

// givenUpCmd implements "given-up NAME [DURATION]": waits until the request that the model's script holds
// at NAME was cancelled. With "!" it must not be cancelled within DURATION after the newest message.
func givenUpCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	allowed := harness.StepTimeout
	from := time.Now()
	if len(args) > 1 {
		var err error
		if allowed, err = time.ParseDuration(args[1]); err != nil {
			return err
		}
		from = s.said
	}
	select {
	case <-s.Model.GivenUp(args[0]):
		ts.Logf("the request at %q was cancelled after %s", args[0],
			time.Since(s.said).Round(time.Millisecond))
		return nil
	case <-time.After(time.Until(from.Add(allowed))):
		return fmt.Errorf("the request at %q was not cancelled within %s", args[0], allowed)
	}
}

// playedCmd implements "played": the model's script was followed to its end.
func playedCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	if s.Service != nil && !s.Service.Runner.LooksBack {
		var asked int
		if err := s.Service.Store.Pool.QueryRow(context.Background(),
			`select count(*) from lookbacks where probe->>'Commit' <> '' or probe->>'Command' <> ''`).
			Scan(&asked); err != nil || asked > 0 {
			return errors.Join(err, fmt.Errorf("%d look backs run something, and none is wanted", asked))
		}
	}
	return s.Model.Finish()
}

// restartCmd implements "restart": the bot is stopped and started again on the same database.
func restartCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	if err := s.Halt(); err != nil {
		return err
	}
	s.restarted = time.Now()
	return s.Start(context.Background())
}

// downCmd implements "down": the bot is stopped.
func downCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	return s.Halt()
}

// upCmd implements "up": the bot is started again, so late that Slack has dropped the events since "down".
func upCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	s.Slack.Forget()
	return s.Start(context.Background())
}

// hookCmd implements "hook NAME [FILE]": installs a git hook in the remote, or removes it.
func hookCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	name := filepath.Join(s.Remote, "hooks", args[0])
	if len(args) == 1 {
		return os.Remove(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(ts.ReadFile(args[1])), 0o755)
}

// loseCmd implements "lose acks" and "lose METHOD": the acknowledgements of the events until now, or the
// response to the next call of that method, are lost.
func loseCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	if args[0] == "acks" {
		s.Slack.DropAcks(1)
		return nil
	}
	s.Slack.Order(slacktest.Fault{Method: args[0], LoseAnswer: true})
	return nil
}

// holdCmd implements "hold": Slack keeps back what people do from now on, until "deliver".
func holdCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	s.Slack.Hold()
	return nil
}

func deliverCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	s.Slack.Release(1, rand.New(rand.NewPCG(1, 1)), nil)
	return nil
}

// redeliverCmd implements "redeliver": Slack delivers every event of this story twice more.
func redeliverCmd(ctx context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	// First the time limit of lost acknowledgements is ended at once, so that nothing waits for it.
	_, err := s.Slack.WaitDeliveries(ctx, func(sent []slacktest.Delivery) bool {
		return !slices.ContainsFunc(sent,
			func(d slacktest.Delivery) bool { return d.Outcome == slacktest.Pending })
	})
	if err != nil {
		return err
	}
	s.Slack.ExpireAcks()
	if err := s.Slack.WaitSettled(ctx); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, d := range s.Slack.Deliveries() {
		id := d.EventID
		if d.Type == "slash_commands" {
			id = d.EnvelopeID
		}
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		for range 2 {
			if err := s.Slack.Redeliver(id); err != nil {
				return err
			}
			if err := s.Slack.WaitSettled(ctx); err != nil {
				return err
			}
		}
	}
	return s.Slack.WaitSettled(ctx)
}
