package tool

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/output"
)

const (
	defaultRun = 120 * time.Second
	maxRun     = 600 * time.Second
	outputEnd  = 15_000   // characters of each end of an output
	maxCommand = 96 << 10 // bytes; Linux accepts no argument of 128 KiB
)

type runArgs struct {
	Command        string `json:"command"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" jsonschema:"120; at most 600"`
}

// A CommandRun is a completed command. It is stored with the call of run.
type CommandRun struct {
	Number   int // in the session; 0: it has none
	Command  string
	ExitCode int    // -1 if it was stopped
	Output   string // its last lines
	Printed  int64  // bytes in total
}

// StoredWithCall marks the command as something to store.
func (CommandRun) StoredWithCall() {}

func (c CommandRun) failed() bool { return c.ExitCode != 0 }

// A commandRunner runs commands and checks in a workspace.
type commandRunner struct {
	*Commands
	workspace *git.Workspace
	outputDir string
}

func (e *Env) commandRunner() commandRunner {
	return commandRunner{&e.Commands, e.Workspace, e.OutputDir}
}

func (c commandRunner) run(ctx context.Context, in runArgs) (string, execution, error) {
	switch {
	case c.Sandbox == nil:
		return "", nil, c.off("Commands cannot be run")
	case strings.TrimSpace(in.Command) == "":
		return "", nil, model.Mistake("The command is empty.")
	case strings.ContainsRune(in.Command, 0):
		return "", nil, model.Mistake("A command cannot hold a NUL character.")
	case len(in.Command) > maxCommand:
		return "", nil, model.Mistakef("The command is longer than %s: put it into a file with write_file, "+
			"and run that.", plaintext.FormatSize(maxCommand))
	}
	limit := defaultRun
	if in.TimeoutSeconds > 0 {
		limit = min(maxRun, time.Duration(min(in.TimeoutSeconds, 3600))*time.Second)
	}
	number, err := c.nextRun(ctx)
	if err != nil {
		return "", nil, err
	}
	out, err := output.NewCapture(c.outputDir, "run", number)
	if err != nil {
		return "", nil, err
	}
	started, err := c.command(ctx, in.Command, limit, out)
	if err != nil {
		out.Finish(true)
		return "", nil, err
	}
	began := time.Now()
	failed := started.Run(ctx)
	verdict, err := ending(failed, limit)
	if end := project.FixedEnd(in.Command); failed == nil && end != "" && strings.Contains(in.Command, "|") {
		verdict += " (that of `" + plaintext.CutLine(plaintext.OneLine(end), 60) +
			"`, whatever came before it)"
	}
	verdict += model.After(time.Since(began))
	text, whole := out.Text(outputEnd, outputEnd)
	if err != nil {
		out.Finish(true)
		return "", nil, err
	}
	kept := out.Finish(whole)
	trimmed, err := c.scratch().trim()
	if err != nil {
		return "", nil, err
	}
	ran := CommandRun{
		Number:   number,
		Command:  in.Command,
		ExitCode: exitCode(failed),
		Output:   output.LastLines(text),
		Printed:  out.Size(),
	}
	text = model.Numbered(number, verdict) + "\n" + output.OrNone(text) + out.DescribeRest(whole, kept)
	return text + trimmed, ran, nil
}

// nextRun returns the number of the next command or check, or 0 if they have none here.
func (c commandRunner) nextRun(ctx context.Context) (int, error) {
	if c.NextRun == nil {
		return 0, nil
	}
	return c.NextRun(ctx)
}

func (c commandRunner) command(
	ctx context.Context, line string, limit time.Duration, out *output.Capture,
) (*sandbox.Cmd, error) {
	cmd := c.Sandbox.ShellCommand(ctx, c.workspace.Files(), line)
	cmd.Stdout = out
	cmd.Stderr = out
	cmd.Limits = c.limits
	if c.Checker != nil && c.limits == (sandbox.Limits{}) {
		cmd.Limits = c.Checker.CommandLimits()
	}
	cmd.Limits.Time = limit
	var err error
	switch {
	case c.Checker != nil && c.BuildCacheDir != "":
		cmd.Mounts, cmd.Env, err = c.Checker.Cache.ScratchMounts(c.workspace.Files(), c.BuildCacheDir)
	case c.Checker != nil:
		cmd.Mounts, cmd.Env = c.Checker.Cache.Mounts(c.workspace.Files())
	}
	if err == nil && c.Checker != nil {
		c.Checker.Cache.WithEnvironment(cmd, !onlyReads.MatchString(line))
	}
	if err == nil {
		err = c.scratch().show(cmd)
	}
	return cmd, err
}

// onlyReads matches commands that only show files, such as "ls -l docs": no service is started for them.
var onlyReads = regexp.MustCompile(
	"^(?:ls|cat|grep|rg|head|tail|wc|pwd|file|stat|tree|which)\\b[^;&|<>()$`\n]*$")

// off returns the answer for an Env without a sandbox.
func (c commandRunner) off(what string) error {
	why := c.SandboxOff
	if why == "" {
		why = "there is no sandbox on this machine"
	}
	return model.Mistakef("%s here: %s. Go on by reading and searching, and say what could not be run.", what,
		strings.TrimSuffix(why, "."))
}

// ending says how a command ended. It returns an error if the program itself failed.
func ending(err error, limit time.Duration) (string, error) {
	var exit *sandbox.ExitError
	switch {
	case err == nil:
		return "exit code 0", nil
	case !errors.As(err, &exit):
		return "", err
	}
	switch exit.Reason {
	case "":
		return fmt.Sprintf("exit code %d", exit.Code), nil
	case "time":
		return fmt.Sprintf("stopped after %.0f s, still running: run less, "+
			"or give timeout_seconds (at most %.0f)", limit.Seconds(), maxRun.Seconds()), nil
	case "memory":
		return fmt.Sprintf("stopped: it used more memory than it may (%s, all its processes together)",
			plaintext.FormatSize(exit.Limit)), nil
	case "output":
		return fmt.Sprintf("stopped: it printed more than it may (%s)", plaintext.FormatSize(exit.Limit)), nil
	case "disk":
		return fmt.Sprintf("stopped: it wrote more to the disk than one command may (%s); "+
			"what it wrote is still there: remove what is not needed", plaintext.FormatSize(exit.Limit)), nil
	case "files":
		return fmt.Sprintf("stopped: it made more files and folders than one command may (%d); "+
			"they are still there: remove what is not needed", exit.Limit), nil
	}
	return fmt.Sprintf("killed (%s)", exit.Reason), nil
}

func exitCode(err error) int {
	var exit *sandbox.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Reason == "":
		return exit.Code
	}
	return -1
}
