package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/report"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/suite"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
)

type evalCommand struct {
	Paths    []string `arg:"" name:"suite" help:"The suite: a folder with a folder for each task. With --compare: the folders of two runs."`
	Tasks    string   `default:"*" help:"Play only the tasks whose names match." placeholder:"GLOB"`
	AtOnce   int      `short:"n" default:"1" help:"How many tasks are played at once (${default})." placeholder:"N"`
	Repeat   int      `default:"1" help:"How often each is played (${default}); more shows what is chance." placeholder:"K"`
	Out      string   `default:"eval" help:"Where the table, results.json and report.html go (${default})." placeholder:"DIR"`
	Resume   bool     `help:"Continue the run in --out: finished tasks are not played again."`
	Check    bool     `help:"Play nothing: prove that the hidden tests fail on each base and pass on each good fix."`
	Compare  bool     `help:"Play nothing: compare two runs, and say which differences may be chance."`
	Config   string   `from:"BOBBIN_CONFIG" help:"The configuration file, for its models and sandbox ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
	ModelURL string   `from:"OPENAI_BASE_URL" help:"An OpenAI-compatible endpoint ($OPENAI_BASE_URL)." placeholder:"URL"`
}

// Help returns the detailed text of bobbin eval --help.
func (evalCommand) Help() string {
	return `Plays each task of a suite through the whole bot, as serve runs it, with your models: a
person reports in a local Slack, corrects, says "fix it"; the hidden tests of the task judge the
branch that was pushed. Writes the results, and what they cost. Ctrl-C keeps what is finished. Our own
suite is in cmd/bobbin/testdata/suite; docs/eval.md says how to write one.

Models cost money: begin with --tasks and one task. Needs OPENAI_API_KEY, or --model-url for an
endpoint that needs none.`
}

// Validate checks the flags and arguments after they are parsed.
func (ec *evalCommand) Validate() error {
	switch {
	case ec.Compare && len(ec.Paths) != 2:
		return errors.New("--compare needs the folders of two runs")
	case !ec.Compare && len(ec.Paths) != 1:
		return errors.New("name one suite")
	case ec.AtOnce < 1 || ec.AtOnce > 64:
		return errors.New("-n has to be between 1 and 64")
	case ec.Repeat < 1 || ec.Repeat > 100:
		return errors.New("--repeat has to be between 1 and 100")
	}
	return nil
}

// Run plays the suite, or checks its tasks with --check, or compares two runs with --compare.
func (ec *evalCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	if ec.Compare {
		return ec.compare(con)
	}
	tasks, err := suite.Read(ec.Paths[0], ec.Tasks)
	if err != nil {
		return err
	}
	file := config.Config{}
	if ec.Config != "" {
		if file, err = config.Load(ec.Config); err != nil {
			return err
		}
	}
	if ec.Check {
		return ec.check(ctx, con, tasks, file.Sandbox, log)
	}
	keys := file.ModelKeys(con.Env)
	for _, key := range keys {
		con.Hide.Learn(key)
	}
	file.SharedURL = ec.ModelURL
	if keys[secrets.ModelKey] == "" && ec.ModelURL == "" && file.NeedsSharedEndpoint() {
		return cli.UsageError{Err: errors.New("environment: set OPENAI_API_KEY, " +
			"or OPENAI_BASE_URL for an endpoint that needs none")}
	}
	if err := address.CheckWebAddress("OPENAI_BASE_URL", ec.ModelURL); err != nil {
		return cli.UsageError{Err: err}
	}
	return ec.play(ctx, con, tasks, file, log)
}

func (ec *evalCommand) play(
	ctx context.Context, con cli.Console, tasks []suite.Task, file config.Config, log *slog.Logger,
) error {
	absolute, err := filepath.Abs(ec.Paths[0])
	if err != nil {
		return err
	}
	e := eval.Config{
		Suite:    filepath.Base(absolute),
		Tasks:    tasks,
		Models:   server.ModelsFromConfig(file, file.ModelKeys(con.Env)),
		Sandbox:  file.Sandbox,
		Attempts: file.Limits.Attempts,
		AtOnce:   ec.AtOnce,
		Repeat:   ec.Repeat,
		Log:      log,
	}
	e.Models.ModelURL = ec.ModelURL
	switch earlier, err := report.Load(ec.Out); {
	case err == nil && ec.Resume && earlier.Suite != e.Suite:
		return cli.UsageError{Err: fmt.Errorf("%s holds a run of the suite %s; continue that, or name "+
			"another folder with --out", ec.Out, earlier.Suite)}
	case err == nil && ec.Resume && !maps.Equal(earlier.Models, e.ModelNames()):
		return cli.UsageError{Err: fmt.Errorf("%s holds a run with other models; continue with those, or "+
			"name another folder with --out", ec.Out)}
	case err == nil && ec.Resume:
		e.Earlier = earlier.Tried()
	case err == nil:
		return cli.UsageError{Err: fmt.Errorf("%s holds a run already; continue it with --resume, or name "+
			"another folder with --out", ec.Out)}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	bar := newBar(con.Err, tasks, ec.Repeat, e.Earlier)
	e.Finished = func(run report.Run, x report.Result) error {
		bar.step(x)
		return run.Save(ec.Out)
	}
	run, err := eval.Run(ctx, e)
	bar.end()
	if len(run.Results) > 0 {
		run.Table(con.Out)
		fmt.Fprintf(con.Out, "%s\n", filepath.Join(ec.Out, "report.html"))
	}
	return err
}

func (ec *evalCommand) check(
	ctx context.Context, con cli.Console, tasks []suite.Task, box config.Sandbox, log *slog.Logger,
) error {
	wrong := 0
	err := eval.Check(ctx, eval.Checking{Tasks: tasks, Sandbox: box, Log: log, Found: func(v eval.Verdict) {
		switch {
		case v.Skipped != "":
			fmt.Fprintf(con.Out, "skipped %s: %s\n", v.Task, v.Skipped)
		case len(v.Wrong) == 0:
			fmt.Fprintf(con.Out, "good    %s\n", v.Task)
		}
		for _, why := range v.Wrong {
			wrong++
			fmt.Fprintf(con.Out, "wrong   %s: %s\n", v.Task, cli.Indent(cli.WithoutControls(why), 8))
		}
	}})
	if err == nil && wrong > 0 {
		return cli.ExitError(cli.ExitFailed)
	}
	return err
}

func (ec *evalCommand) compare(con cli.Console) error {
	before, err := report.Load(ec.Paths[0])
	if err != nil {
		return err
	}
	after, err := report.Load(ec.Paths[1])
	if err != nil {
		return err
	}
	fmt.Fprint(con.Out, report.Compare(before, after))
	return nil
}

// isTerminal reports whether standard error is a terminal that is not dumb (TERM=dumb).
func isTerminal() bool {
	fi, err := os.Stderr.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
