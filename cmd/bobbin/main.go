// Command bobbin is a Slack bot that fixes bugs in a thread. Each subcommand has a file in this folder,
// with its flags; the packages below internal do the work. The bot itself is assembled in internal/server
// and nowhere else.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/completion"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

func main() {
	os.Exit(run(untilSignal(), os.Args[1:], cli.Console{
		In:     os.Stdin,
		Out:    os.Stdout,
		Err:    os.Stderr,
		Env:    secrets.TakeEnvironment(),
		Forget: secrets.ForgetVariables,
		Hangup: listenHangup,
		Seal:   secrets.SealProcess,

		Colored: cli.IsColored(os.Stdout, os.Getenv),
	}))
}

// untilSignal returns a context that ends with the first Ctrl-C or SIGTERM. The second one ends the program
// at once: signals have their default effect again before anything can see that the context has ended.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	asked := make(chan os.Signal, 2)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-asked
		signal.Stop(asked)
		select {
		case second := <-asked: // it came before the line above
			raise(second)
		default:
		}
		cancel()
	}()
	return ctx
}

// raise sends a signal to this program.
func raise(s os.Signal) {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(s) // where signals cannot be sent, the first one has its effect
	}
}

// commands holds the subcommands, in the order and the groups in which the help lists them.
type commands struct {
	Verbose   bool        `help:"Log more on standard error." short:"v"`
	LogFormat string      `from:"BOBBIN_LOG_FORMAT" enum:"text,json" default:"text" help:"text for people, json for machines ($BOBBIN_LOG_FORMAT)." placeholder:"FORMAT"`
	Version   versionFlag `help:"Print the version, its commit with the date, and Go's version."`

	Demo       demoCommand       `cmd:"" group:"Try it" help:"The whole bug story on this machine: no Slack, no key."`
	Playground playgroundCommand `cmd:"" group:"Try it" help:"A team chat in the browser with Bobbin in it: no Slack, no admin."`
	Try        tryCommand        `cmd:"" group:"Try it" help:"What the bot would find in a repository, and what it could prove there: no Slack, no key."`
	Eval       evalCommand       `cmd:"" group:"Try it" help:"Play a suite of tasks through the whole bot with your models, and measure the results."`

	Manifest manifestCommand `cmd:"" group:"Set up" help:"The Slack app's manifest, or a link that creates the app."`
	Init     initCommand     `cmd:"" group:"Set up" help:"Ask a few questions, write the configuration, and check that it works."`
	Doctor   doctorCommand   `cmd:"" group:"Set up" help:"Check everything that the bot needs, and say how to fix what is wrong."`
	Schema   schemaCommand   `cmd:"" group:"Set up" help:"The JSON schema of bobbin.yaml, for editors."`

	Serve   serveCommand   `cmd:"" group:"Run" help:"Run the bot."`
	Migrate migrateCommand `cmd:"" group:"Run" help:"Bring the database up to date (serve does so, too)."`
	Reload  reloadCommand  `cmd:"" group:"Run" help:"Have the running bot load its changed configuration file."`
	Health  healthCommand  `cmd:"" group:"Run" help:"Ask the running bot whether it is ready."`

	Sessions sessionsCommand `cmd:"" group:"Look and operate" help:"List sessions, or show one in full."`
	Audit    auditCommand    `cmd:"" group:"Look and operate" help:"Print a session as JSON lines: everything that was decided or run. Or check that nobody changed it."`
	operate.Commands
	Clean   cleanCommand   `cmd:"" group:"Look and operate" help:"Remove data that is older, or larger, than keep allows (serve does so, too)."`
	Backup  backupCommand  `cmd:"" group:"Look and operate" help:"Write everything that the bot keeps into a folder, while it runs."`
	Restore restoreCommand `cmd:"" group:"Look and operate" help:"Put a backup into an empty database."`

	programCommands
}

// programCommands holds the commands about the program itself.
type programCommands struct {
	Help        helpCommand        `cmd:"" group:"This program" help:"What a command does, and its flags: the same as its --help."`
	ShowVersion versionCommand     `cmd:"" name:"version" group:"This program" help:"The same as --version."`
	Completion  completion.Command `cmd:"" group:"This program" help:"Set up completion of commands and flags in a shell."`
}

// run is main without the process: it takes the arguments and the console, and returns the exit code. The
// end-to-end tests call it too.
func run(ctx context.Context, args []string, c cli.Console) int {
	c.Hide = redact.New(secrets.FromEnvironment(c.Env)...)
	log := c.Hide.Writer(c.Err)
	c.Err = c.Hide.GivenWriter(c.Err)
	var flags commands
	exited := -1
	out := c.Out
	if len(args) == 0 {
		// without arguments the help is printed, but as a usage error: to standard error, exit code 2
		args = []string{"--help"}
		out = c.Err
	}
	args = helpArguments(args)
	here := &hereConfig{env: c.Env}
	parser, err := kong.New(&flags, kong.Name("bobbin"), kong.Writers(out, c.Err),
		kong.Exit(func(code int) { exited = code }),
		kong.Description("A self-hosted Slack bot that fixes code in a thread. Start with: bobbin demo"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Bind(here), kong.Resolvers(here, fromEnvironment(c.Env)))
	if err != nil {
		fmt.Fprintln(c.Err, "bobbin:", err)
		return cli.ExitFailed
	}
	parsed, err := parser.Parse(args)
	switch {
	case exited >= 0 && out != c.Out:
		return cli.ExitUsage
	case exited >= 0: // --help and --version have printed their text
		return exited
	case err != nil:
		fmt.Fprintf(c.Err, "bobbin: %s\n", describeMisuse(err))
		return cli.ExitUsage
	}
	here.announce(c.Err)
	parsed.BindTo(ctx, (*context.Context)(nil))
	return reportOutcome(ctx, parsed.Run(c, newLogger(log, flags.Verbose, flags.LogFormat)), c.Err)
}

// fromEnvironment returns a resolver that sets each flag with a tag "from" to the value of that environment
// variable.
func fromEnvironment(env func(string) string) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if name := flag.Tag.Get("from"); name != "" && env(name) != "" {
			return env(name), nil
		}
		return nil, nil
	})
}

// reportOutcome prints an error once, in words for people, and returns the exit code.
func reportOutcome(ctx context.Context, err error, w io.Writer) int {
	var usage cli.UsageError
	var silent cli.ExitError
	switch {
	case err == nil:
		return cli.ExitOK
	case errors.As(err, &silent): // the command has already printed why
		return int(silent)
	case errors.As(err, &usage):
		fmt.Fprintln(w, err)
		return cli.ExitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "bobbin: stopped")
		return cli.ExitStopped
	}
	fmt.Fprintln(w, "bobbin:", err)
	return cli.ExitFailed
}

// newLogger returns the program's logger. As text it writes warnings; as JSON it also writes what happened
// to each session (level info). Words of people and models are logged at level debug only, which verbose
// switches on.
func newLogger(w io.Writer, verbose bool, format string) *slog.Logger {
	level := slog.LevelWarn
	if format == "json" {
		level = slog.LevelInfo
	}
	if verbose {
		level = slog.LevelDebug
	}
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
