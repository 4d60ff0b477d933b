// Package doctor checks everything that the bot needs: the configuration, this machine, Slack, the database,
// the sandbox, each repository and the models. The checks run side by side and take at most a minute. Each
// finding says what is wrong and what to do. Doctor posts, pushes, fetches and migrates nothing, and shows
// no secret.
//
// findings.go holds what was found in each part of the bot, and what to do about it. lookAt examines the
// parts side by side, each for at most a minute, and prints them in their order.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Doctor holds the settings that serve would be built from, and examines them.
type Doctor struct {
	con       cli.Console
	log       *slog.Logger
	file      string // path of the configuration file; empty: none was named
	config    config.Config
	configErr error
	secrets   map[string]string // values by variable name
	envErr    error             // variables that are missing or malformed, one line each
	settings  server.Settings
	botAtWork bool // a bot runs in the data directory now

	opening         sync.Once // guards openSandbox: the first part that needs the sandbox opens it
	opened          *sandbox.Sandbox
	sandboxFindings List // what openSandbox found
}

// Examine examines all parts and prints the findings, as text or as one JSON object. If there are problems
// it returns a cli.ExitError, because the findings have already been printed.
func (d *Doctor) Examine(ctx context.Context, asJSON bool) error {
	if !asJSON {
		d.con.Out = d.con.Painted(colorOf)
	}
	out := d.withoutSecrets()
	parts := d.parts()
	shown := out
	if asJSON {
		shown = io.Discard
	}
	if err := lookAt(ctx, parts, shown, d.con.Err); err != nil {
		return err
	}
	return d.conclude(out, parts, asJSON)
}

// Options hold what serve would be started with.
type Options struct {
	Config             string // path of the configuration file; empty: none was named
	Storage            storage.Target
	SlackURL, ModelURL string

	// For tests: faults that no configuration file can produce.
	Sandbox *sandbox.Sandbox       // used instead of the one that serve would open; nil: that one is opened
	Adjust  func(*server.Settings) // changes the settings after the file was read; nil: nothing is changed
}

// New reads the configuration and the secrets that serve would read. Whatever is wrong with them is a
// finding and no error.
func New(o Options, con cli.Console) *Doctor {
	d := &Doctor{con: con, file: o.Config, log: slog.New(slog.DiscardHandler)}
	if o.Config != "" {
		d.config, d.configErr = config.Load(o.Config)
	}
	d.config.SharedURL = o.ModelURL
	d.secrets, d.envErr = d.config.ReadSecrets(con)
	o.Storage.Progress = io.Discard
	var err error
	if d.settings, err = server.FromConfig(d.config, d.secrets, o.Storage, con.Hide); d.envErr == nil {
		d.envErr = err
	}
	addr := con.Env("BOBBIN_HTTP_ADDR")
	d.envErr = errors.Join(d.envErr, config.CheckHTTPAddr(addr), d.config.CheckServed(addr))
	d.settings.SlackURL = o.SlackURL
	d.settings.ModelURL = o.ModelURL
	if o.Adjust != nil {
		o.Adjust(&d.settings)
	}
	if o.Sandbox != nil {
		d.opening.Do(func() { d.opened = o.Sandbox })
	}
	d.botAtWork = storage.IsLocked(d.settings.DataDir)
	return d
}

// ExaminePart examines the part of that name and prints its findings.
func (d *Doctor) ExaminePart(ctx context.Context, name string) {
	for _, p := range d.parts() {
		if p.Name == name {
			p.Look(ctx, &p.Findings)
			p.print(d.withoutSecrets())
		}
	}
}

func (d *Doctor) parts() []*Part {
	list := []*Part{
		{Name: "configuration", Look: d.examineConfiguration},
		{Name: "this machine", Look: d.examineMachine},
		{Name: "Slack", Look: d.examineSlack},
		{Name: "database", Look: d.examineDatabase},
		{Name: "sandbox", Look: d.examineSandbox},
	}
	for _, r := range d.settings.Repositories {
		if r.URL == "" { // a problem of the configuration
			continue
		}
		list = append(list, &Part{
			Name: "repository " + r.Name,
			Look: func(ctx context.Context, f *List) { d.examineRepository(ctx, r, f) },
		})
	}
	for _, t := range d.settings.Trackers {
		list = append(list, &Part{
			Name: "tracker " + t.Name(),
			Look: func(ctx context.Context, f *List) { d.examineTracker(ctx, t, f) },
		})
	}
	for _, s := range d.settings.Sources {
		list = append(list, &Part{
			Name: "source " + s.Name,
			Look: func(ctx context.Context, f *List) { d.examineSource(ctx, s, f) },
		})
	}
	list = append(list, &Part{Name: "models", Look: d.examineModels})
	if d.settings.Transcriber != nil {
		list = append(list, &Part{Name: "transcription", Look: d.examineTranscription})
	}
	if d.settings.SignIn.ClientID != "" {
		list = append(list, &Part{Name: "Sign in with Slack", Look: d.examineSignIn})
	}
	return list
}

// A Result is what bobbin doctor --json prints.
type Result struct {
	Problems, Warnings int
	Parts              []*Part
	Steps              []string // to a running bot, those that are still to be done
}

// conclude prints the summary, or the whole result as JSON, and returns the exit code as an error.
func (d *Doctor) conclude(w io.Writer, parts []*Part, asJSON bool) error {
	count := countStates(parts)
	steps := d.Steps()
	if asJSON {
		result := Result{count[stateProblem], count[stateWarning], parts, steps}
		if err := cli.WriteJSON(w, result, "  "); err != nil {
			return err
		}
	} else {
		d.printSummary(w, count, steps)
	}
	switch {
	case d.configErr != nil:
		return cli.ExitError(cli.ExitUsage)
	case count[stateProblem] > 0:
		return cli.ExitError(cli.ExitFailed)
	}
	return nil
}

func (d *Doctor) printSummary(w io.Writer, count map[string]int, steps []string) {
	fmt.Fprintln(w)
	if len(steps) > 0 {
		fmt.Fprintln(w, "To get a working bot, in this order:")
		for i, s := range steps {
			fmt.Fprintf(w, "  %d. %s\n", i+1, s)
		}
		fmt.Fprintln(w)
	}
	text := cli.Count(count[stateProblem], "problem") + ", " +
		cli.Count(count[stateWarning], "warning") + "."
	switch {
	case count[stateProblem] > 0:
	case d.botAtWork:
		text += " A bot is running already."
	default:
		text += " Start it: bobbin serve" + d.flag()
	}
	fmt.Fprintln(w, text)
}

// withoutSecrets returns the console's output behind a filter that replaces every secret by "…".
func (d *Doctor) withoutSecrets() io.Writer {
	values := slices.AppendSeq(secrets.FromEnvironment(d.con.Env), maps.Values(d.secrets))
	if u, err := url.Parse(cmp.Or(d.settings.DatabaseURL, d.con.Env(secrets.DatabaseURL))); err == nil &&
		u.User != nil {
		if password, set := u.User.Password(); set {
			values = append(values, password, url.QueryEscape(password))
		}
	}
	var pairs []string
	for _, s := range values {
		if len(s) >= 4 {
			pairs = append(pairs, s, "…")
		}
	}
	return secretFilter{d.con.Out, strings.NewReplacer(pairs...)}
}

type secretFilter struct {
	w io.Writer
	r *strings.Replacer
}

func (s secretFilter) Write(b []byte) (int, error) {
	if _, err := s.r.WriteString(s.w, string(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// examineConfiguration reports what serve would say about the configuration file and the variables that it
// names.
func (d *Doctor) examineConfiguration(_ context.Context, f *List) {
	if d.file == "" {
		f.problem("there is no configuration: no bobbin.yaml in this folder, and none is named",
			"bobbin init asks for what it needs and writes one (docs/configuration.md shows one); "+
				"or name another with --config or BOBBIN_CONFIG")
		return
	}
	if cure := config.Cure(d.configErr); cure != "" {
		f.problem(strings.TrimSuffix(d.configErr.Error(), "; "+cure), cure)
		return
	}
	if d.configErr != nil {
		for line := range strings.Lines(d.configErr.Error()) {
			f.problem(strings.TrimSpace(line), "fix that line; docs/configuration.md describes every key")
		}
		return
	}
	if d.config.Warning != "" {
		f.warn(d.config.Warning,
			"write them by their new names; docs/configuration/limits.md shows the table")
	}
	var names []string
	for _, r := range d.config.Repositories {
		names = append(names, r.Name)
	}
	f.ok("%s: %s", d.file, strings.Join(names, ", "))
	if d.envErr != nil {
		reportVariables(d.envErr, f)
	}
}

// reportVariables reports the variables with secrets that are missing or malformed, but not Slack's
// tokens, which the part about Slack examines.
func reportVariables(err error, f *List) {
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "environment: ")
		if name, _, _ := strings.Cut(line,
			" "); name != secrets.SlackBotToken && name != secrets.SlackAppToken {
			f.problem(line, "set it where the bot is started, as docs/configuration/environment.md shows")
		}
	}
}

// flag returns how the configuration file is named on a command line; nothing for that of the current folder,
// which every command uses.
func (d *Doctor) flag() string {
	if d.file == "" || d.file == "bobbin.yaml" {
		return ""
	}
	return " --config " + d.file
}

// channels names the channels of the configuration.
func (d *Doctor) channels() string {
	var names []string
	for _, r := range d.config.Repositories {
		for _, name := range r.Channels {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return "the channel where it should work"
	}
	return plaintext.And(names) + ", which " + cmp.Or(d.file, "bobbin.yaml") + " names"
}

// Steps returns the steps from nothing to a running bot that are still to be done; none if all are done.
func (d *Doctor) Steps() (todo []string) {
	file := cmp.Or(d.file, "bobbin.yaml")
	var begun bool
	step := func(needed bool, what string) {
		if needed {
			todo = append(todo, what)
		}
		begun = begun || needed
	}
	noBot := d.secrets[secrets.SlackBotToken] == ""
	noApp := d.secrets[secrets.SlackAppToken] == ""
	step(noBot && noApp, "Create the Slack app: open the link that `bobbin manifest --url` prints.")
	step(noBot,
		"On the app's page, Install App: install it, and put the Bot User OAuth Token into SLACK_BOT_TOKEN.")
	step(noApp, "Basic Information, App-Level Tokens: generate one with connections:write, "+
		"and put it into SLACK_APP_TOKEN.")
	for _, fault := range config.SlackTokenFaults(d.secrets) {
		step(d.secrets[fault.Variable] != "", fault.What+": "+fault.Cure+".")
	}
	missing := d.file == "" || errors.Is(d.configErr, fs.ErrNotExist)
	step(noBot, "In Slack, in "+d.channels()+": /invite @bobbin")
	step(missing, "Write "+file+" with the repository and the channel to which you invited it: bobbin init"+
		d.flag()+" asks for them (docs/configuration.md shows one).")
	step(!missing && d.configErr != nil, "Correct the lines of "+file+" that are named above.")
	step(noBot && d.settings.DatabaseURL == "", "Set DATABASE_URL to a Postgres, or leave it out: "+
		"then Bobbin runs a private one under "+d.settings.DataDir+".")
	step(d.settings.ModelURL == "" && d.secrets[secrets.ModelKey] == "" && d.config.NeedsSharedEndpoint(),
		"Set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own.")
	if begun {
		todo = append(todo,
			"bobbin doctor"+d.flag()+", and when it finds no problem: bobbin serve"+d.flag())
	}
	return todo
}
