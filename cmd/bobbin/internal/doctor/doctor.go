// Package doctor checks everything that the bot needs: the configuration, this machine, Slack,
// the database, the sandbox, each repository and the models. The checks run side by side and
// take at most a minute. Each finding says what is wrong and what to do. Doctor posts, pushes,
// fetches and migrates nothing, and shows no secret.
package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// The states of findings.
const (
	findingOK      = "ok"
	findingNote    = "note"    // nothing wrong, and something to know
	findingWarning = "warning" // the bot works, but not as somebody may expect
	findingProblem = "problem" // the bot does not work, or a part of it does not
)

// A finding is one thing that was looked at.
type finding struct {
	State string `json:"state"`
	What  string `json:"what"`
	Cure  string `json:"cure,omitempty"`
}

// findings are those of one part.
type findings []finding

func (f *findings) ok(format string, args ...any) { f.add(findingOK, fmt.Sprintf(format, args...), "") }

func (f *findings) note(what, cure string) { f.add(findingNote, what, cure) }

func (f *findings) warn(what, cure string) { f.add(findingWarning, what, cure) }

func (f *findings) problem(what, cure string) { f.add(findingProblem, what, cure) }

func (f *findings) add(state, what, cure string) {
	*f = append(*f, finding{State: state, What: plaintext.OneLine(what), Cure: plaintext.OneLine(cure)})
}

// failed is a look that ended in an error of one line.
func (f *findings) failed(what string, err error) {
	f.problem(what+": "+err.Error(), "")
}

// A part is what is looked at together; parts do not wait for each other.
type part struct {
	Name     string   `json:"part"`
	Findings findings `json:"findings"`

	look func(context.Context, *findings)
	done chan struct{}
}

// A Doctor knows what serve would be built from.
type Doctor struct {
	con       cli.Console
	log       *slog.Logger
	file      string // of the configuration; empty: none was named
	config    config.Config
	configErr error
	settings  server.Settings
	secrets   map[string]string
	botAtWork bool // a bot works in the data directory now

	opening         sync.Once // of the sandbox, by whoever needs it first
	opened          *sandbox.Sandbox
	sandboxFindings findings // about it
}

// partWithin is how long a part may take.
const partWithin = time.Minute

// Examine looks at everything, and says what it found. Its error has no words left to say
// where the findings have said it.
func (d *Doctor) Examine(ctx context.Context, asJSON bool) error {
	out := d.withoutSecrets()
	parts := d.parts()
	began := time.Now()
	for _, p := range parts {
		p.done = make(chan struct{})
		go func() {
			defer close(p.done)
			ctx, cancel := context.WithTimeout(ctx, partWithin)
			defer cancel()
			p.look(ctx, &p.Findings)
		}()
	}
	shown := out
	if asJSON {
		shown = io.Discard
	}
	for _, p := range parts {
		if err := awaitPart(ctx, d.con.Err, p, parts, began); err != nil {
			return err
		}
		p.print(shown)
	}
	return d.conclude(out, parts, asJSON)
}

// Options are what serve would be started with.
type Options struct {
	Config             string // the file; empty: none was named
	Place              storage.Place
	SlackURL, ModelURL string

	// Where a test breaks what no file can.
	Sandbox *sandbox.Sandbox       // that serve would open; nil: it is opened
	Adjust  func(*server.Settings) // after the file was read; nil: nothing
}

// New reads what serve would read. Only what it cannot even be told from is an error.
func New(o Options, con cli.Console) (*Doctor, error) {
	d := &Doctor{con: con, file: o.Config, secrets: map[string]string{}, log: slog.New(slog.DiscardHandler)}
	for _, name := range []string{secrets.SlackBotToken, secrets.SlackAppToken, secrets.ModelKey, secrets.GitToken} {
		d.secrets[name] = con.Env(name)
	}
	if o.Config != "" {
		d.config, d.configErr = config.Load(o.Config)
	}
	o.Place.Progress = io.Discard
	var err error
	d.settings, err = server.FromConfig(d.config, d.secrets, o.Place, con.Hide)
	d.settings.SlackURL, d.settings.ModelURL = o.SlackURL, o.ModelURL
	if o.Adjust != nil {
		o.Adjust(&d.settings)
	}
	if o.Sandbox != nil {
		d.opening.Do(func() { d.opened = o.Sandbox })
	}
	d.botAtWork = storage.IsLocked(d.settings.DataDir)
	return d, err
}

// ExaminePart looks at one part, by its name, and says what it found.
func (d *Doctor) ExaminePart(ctx context.Context, name string) {
	for _, p := range d.parts() {
		if p.Name == name {
			p.look(ctx, &p.Findings)
			p.print(d.withoutSecrets())
		}
	}
}

func (d *Doctor) parts() []*part {
	list := []*part{
		{Name: "configuration", look: d.examineConfiguration},
		{Name: "this machine", look: d.examineMachine},
		{Name: "Slack", look: d.examineSlack},
		{Name: "database", look: d.examineDatabase},
		{Name: "sandbox", look: d.examineSandbox},
	}
	for _, r := range d.settings.Repositories {
		list = append(list, &part{Name: "repository " + r.Name, look: func(ctx context.Context, f *findings) { d.examineRepository(ctx, r, f) }})
	}
	return append(list, &part{Name: "models", look: d.examineModels})
}

// awaitPart waits for a part, and says once a second what is still being looked at.
func awaitPart(ctx context.Context, w io.Writer, p *part, all []*part, began time.Time) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			var busy []string
			for _, other := range all {
				select {
				case <-other.done:
				default:
					busy = append(busy, other.Name)
				}
			}
			fmt.Fprintf(w, "bobbin: still looking at %s (%s)\n", strings.Join(busy, ", "), time.Since(began).Round(time.Second))
		}
	}
}

func (p *part) print(w io.Writer) {
	fmt.Fprintln(w, p.Name)
	for _, f := range p.Findings {
		fmt.Fprintf(w, "  %-8s %s\n", f.State, f.What)
		if f.Cure != "" {
			fmt.Fprintf(w, "           → %s\n", f.Cure)
		}
	}
}

// conclude says what all of it comes to; its error has no words left to say.
func (d *Doctor) conclude(w io.Writer, parts []*part, asJSON bool) error {
	count := map[string]int{}
	for _, p := range parts {
		for _, f := range p.Findings {
			count[f.State]++
		}
	}
	steps := d.Steps()
	if asJSON {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		if err := out.Encode(map[string]any{"problems": count[findingProblem], "warnings": count[findingWarning], "parts": parts, "steps": steps}); err != nil {
			return err
		}
	} else {
		d.printSummary(w, count, steps)
	}
	switch {
	case d.configErr != nil:
		return cli.ExitError(cli.ExitUsage)
	case count[findingProblem] > 0:
		return cli.ExitError(cli.ExitFailed)
	}
	return nil
}

func (d *Doctor) printSummary(w io.Writer, count map[string]int, steps []string) {
	fmt.Fprintln(w)
	if len(steps) > 0 {
		fmt.Fprintln(w, "To a working bot, in this order:")
		for i, s := range steps {
			fmt.Fprintf(w, "  %d. %s\n", i+1, s)
		}
		fmt.Fprintln(w)
	}
	said := cli.Count(count[findingProblem], "problem") + ", " + cli.Count(count[findingWarning], "warning") + "."
	switch {
	case count[findingProblem] > 0:
	case d.botAtWork:
		said += " A bot is at work already."
	default:
		said += " Start it: bobbin serve --config " + d.file
	}
	fmt.Fprintln(w, said)
}

// withoutSecrets takes every secret out of what is said, whatever said it.
func (d *Doctor) withoutSecrets() io.Writer {
	values := secrets.FromEnvironment(d.con.Env)
	if u, err := url.Parse(cmp.Or(d.settings.DatabaseURL, d.con.Env(secrets.DatabaseURL))); err == nil && u.User != nil {
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

func (v secretFilter) Write(b []byte) (int, error) {
	if _, err := v.r.WriteString(v.w, string(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// examineConfiguration says what serve would say of the file.
func (d *Doctor) examineConfiguration(_ context.Context, f *findings) {
	if d.file == "" {
		cure := "write one that names a repository (docs/configuration.md shows one) and name it with --config or BOBBIN_CONFIG"
		if _, err := os.Stat("bobbin.yaml"); err == nil {
			cure = "there is a bobbin.yaml here: add --config bobbin.yaml"
		}
		f.problem("no configuration file is named", cure)
		return
	}
	if d.configErr != nil {
		for line := range strings.Lines(d.configErr.Error()) {
			f.problem(strings.TrimSpace(line), "mend that line; docs/configuration.md tells every key")
		}
		return
	}
	if d.config.Warning != "" {
		f.warn(d.config.Warning, "write them by their new names; docs/configuration.md shows the table")
	}
	var names []string
	for _, r := range d.config.Repositories {
		names = append(names, r.Name)
	}
	f.ok("%s: %s", d.file, strings.Join(names, ", "))
}

// Steps lead from nothing to a bot; those that are done are left out. None: all are.
func (d *Doctor) Steps() (todo []string) {
	var begun bool
	step := func(needed bool, what string) {
		if needed {
			todo = append(todo, what)
		}
		begun = begun || needed
	}
	noBot, noApp := d.secrets[secrets.SlackBotToken] == "", d.secrets[secrets.SlackAppToken] == ""
	step(noBot && noApp, "Create the Slack app: open the link that `bobbin manifest --url` prints.")
	step(noBot, "On the app's page, Install App: install it, and put the Bot User OAuth Token into SLACK_BOT_TOKEN.")
	step(noApp, "Basic Information, App-Level Tokens: generate one with connections:write, and put it into SLACK_APP_TOKEN.")
	step(noBot, "In Slack, in the channel where it is to work: /invite @bobbin")
	step(d.file == "", "Write bobbin.yaml with the repository and that channel (docs/configuration.md shows one).")
	step(noBot && d.settings.DatabaseURL == "", "Set DATABASE_URL to a Postgres, or leave it out: then Bobbin runs a private one under "+d.settings.DataDir+".")
	step(d.settings.ModelURL == "" && d.secrets[secrets.ModelKey] == "" && d.config.NeedsSharedEndpoint(), "Set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own.")
	if begun {
		file := cmp.Or(d.file, "bobbin.yaml")
		todo = append(todo, "bobbin doctor --config "+file+", and when it is content: bobbin serve --config "+file)
	}
	return todo
}
