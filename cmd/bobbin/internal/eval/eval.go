// Package eval evaluates the whole bot on the tasks of a suite. Run plays each task on a separate stage with
// the operator's models: a simulated person posts the report, corrects it and approves, and the task's hidden
// tests judge the branch that the bot pushed. Check needs no model: it proves that the hidden tests of each
// task fail on its base and pass on its good fix.
package eval

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/report"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/suite"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Config configures Run.
type Config struct {
	Suite    string // the suite's name
	Tasks    []suite.Task
	Models   server.ModelSettings
	Sandbox  config.Sandbox
	Attempts int             // failed attempts before the consultant is asked; zero: the bot's default
	AtOnce   int             // tasks played at the same time; default 1
	Repeat   int             // attempts per task; default 1
	Earlier  []report.Result // results of a run that is continued; their attempts are not repeated
	// Finished receives the run so far and each new result. Calls do not overlap. An error ends the run.
	Finished func(report.Run, report.Result) error
	Log      *slog.Logger
}

// ModelNames returns the model and the effort of each agent, as a run records them.
func (c Config) ModelNames() map[string]string {
	names := map[string]string{}
	for name, row := range agent.Table(c.Models.Agents) {
		if name != agent.Explainer && name != agent.Reviewer { // they use the orchestrator's model
			names[name] = strings.TrimSpace(row.Model + " " + row.Effort)
		}
	}
	return names
}

// Run plays every task and returns all results. If ctx ends, it returns the finished results and ctx's error.
func Run(ctx context.Context, c Config) (report.Run, error) {
	run := report.Run{
		Suite:   c.Suite,
		Began:   time.Now(),
		Models:  c.ModelNames(),
		Results: slices.Clone(c.Earlier),
	}
	earlier := report.Run{Results: c.Earlier}
	var mu sync.Mutex // guards run.Results
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(max(1, c.AtOnce))
	for attempt := 1; attempt <= max(1, c.Repeat); attempt++ {
		for _, t := range c.Tasks {
			if earlier.Has(t.Name, attempt) {
				continue
			}
			group.Go(func() error {
				if within.Err() != nil {
					return nil
				}
				x, err := c.play(within, t, attempt)
				if within.Err() != nil { // an interrupted attempt is not a result
					return nil
				}
				if err != nil { // this machine failed; that skips the task and does not end the run
					x.Skipped = true
					x.Why = err.Error()
				}
				mu.Lock()
				defer mu.Unlock()
				run.Results = append(run.Results, x)
				run.Sort()
				return c.Finished(run, x)
			})
		}
	}
	err := group.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return run, err
}

// An attempt is one task that is played on a stage.
type attempt struct {
	*stage.Stage
	task  suite.Task
	meter *meter
	judge *judge
}

// play plays attempt n of one task. If the task cannot be played, the result is skipped and says why. An
// error means that this machine failed.
func (c Config) play(ctx context.Context, t suite.Task, n int) (x report.Result, err error) {
	x = report.Result{Task: t.Name, Attempt: n, Title: t.Title, Language: t.Language, Kind: t.Kind}
	x.UpstreamAdded = t.Upstream.Added
	x.UpstreamRemoved = t.Upstream.Removed
	if missing := t.Missing(onMachine); len(missing) > 0 {
		x.Skipped = true
		x.Why = "not on this machine: " + strings.Join(missing, ", ")
		return x, nil
	}
	dir, err := stage.MakeDir("")
	if err != nil {
		return x, err
	}
	defer os.RemoveAll(dir)
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	a := &attempt{task: t, meter: &meter{limits: t.Limits, stop: stop}}
	if a.Stage, err = c.open(limited, dir, a); err != nil {
		x.Skipped = true
		x.Why = err.Error()
		return x, nil
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Start(ctx); err != nil {
		return x, err
	}
	mirror, err := a.Mirrors.Open(ctx, a.RemoteConfig())
	if err != nil {
		return x, err
	}
	if a.judge, err = openJudge(ctx, a.Service.Runner.Checker, mirror, t); err != nil {
		return x, err
	}
	defer a.judge.Close()
	if x.Why = a.judge.lacksPackages(); x.Why == "" {
		x.Why, err = a.judge.examineBase(ctx)
	}
	if err != nil || x.Why != "" {
		x.Skipped = true
		return x, err
	}
	began := time.Now()
	deadline, cancel := context.WithTimeoutCause(limited, time.Duration(t.Limits.Minutes)*time.Minute,
		errors.New("it took "+plaintext.CountNoun(t.Limits.Minutes, "minute")))
	defer cancel()
	end, err := a.talk(deadline)
	if err != nil {
		return x, err
	}
	x.Seconds = time.Since(began).Seconds()
	return x, a.conclude(ctx, &x, end)
}

// open opens the stage of an attempt with the operator's models, metered by a.meter.
func (c Config) open(ctx context.Context, dir string, a *attempt) (*stage.Stage, error) {
	models := c.Models
	models.Answered = a.meter.count
	s := stage.Config{Dir: dir, Repository: a.task.Name, Models: &models, Log: c.Log}
	s.Adjust = func(set *server.Settings) {
		set.Sandbox = c.Sandbox
		set.Attempts = c.Attempts
		set.SlackPace = 0
	}
	var err error
	if from := a.task.Source(); from.From != "" {
		s.Source = stage.Source{From: from.From, Base: from.Base}
	} else if s.Files, err = stage.ReadFiles(a.task.Files()); err != nil {
		return nil, err
	}
	return stage.Open(ctx, s)
}

// conclude fills x with the outcome. It judges the remote's branches and the session's row, not what the bot
// said.
func (a *attempt) conclude(ctx context.Context, x *report.Result, end ending) error {
	a.meter.add(&x.Use)
	x.Thread = a.Slack.ExportText(a.Channel, end.thread)
	x.Why = end.why
	x.Hunks = hunksNeeded(x.Thread)
	branches, err := stage.RemoteBranches(a.Remote)
	if err != nil {
		return err
	}
	head := end.session.Head
	if head == "" || branches[end.session.Branch] != head {
		return nil
	}
	x.Branch = end.session.Branch
	if err := a.judge.mirror.Fetch(ctx); err != nil {
		return err
	}
	_, diff, err := a.judge.mirror.Commits().Show(ctx, head, "", nil)
	if err != nil {
		return err
	}
	code, tests := suite.Sizes(diff)
	x.Added = code.Added
	x.Removed = code.Removed
	x.TestsAdded = tests.Added
	x.TestsRemoved = tests.Removed
	r, err := a.judge.run(ctx, head, a.task.LayHidden)
	if err != nil {
		return err
	}
	if x.Solved = passes(r); x.Solved {
		x.Why = "the hidden tests pass"
	} else {
		x.Why = "pushed, but: " + r.String()
		x.Hidden = r.Output
	}
	return nil
}

// plantRemote makes the bare repository of a task at dir, for callers without a stage.
func plantRemote(ctx context.Context, dir string, t suite.Task, log *slog.Logger) error {
	if from := t.Source(); from.From != "" {
		return stage.CloneRemote(ctx, dir, stage.Source{From: from.From, Base: from.Base}, log)
	}
	files, err := stage.ReadFiles(t.Files())
	if err != nil {
		return err
	}
	return stage.PlantRemote(dir, files)
}
