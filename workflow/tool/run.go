package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	defaultRun = 120 * time.Second
	maxRun     = 600 * time.Second
	outputEnd  = 15_000   // characters of each end of an output
	maxCommand = 96 << 10 // bytes; Linux takes no argument of 128 KiB
)

type runArgs struct {
	Command        string `json:"command" jsonschema:"for sh -c, in the repository's root"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" jsonschema:"default 120, at most 600"`
}

func (b *Bench) run(ctx context.Context, in runArgs) (string, error) {
	switch {
	case b.Sandbox == nil:
		return "", b.off("Commands cannot be run")
	case strings.TrimSpace(in.Command) == "":
		return "", wrong("The command is empty.")
	case strings.ContainsRune(in.Command, 0):
		return "", wrong("A command cannot hold a NUL character.")
	case len(in.Command) > maxCommand:
		return "", wrongf("The command is longer than %s: put it into a file with write_file, and run that.", plaintext.FormatSize(maxCommand))
	}
	limit := defaultRun
	if in.TimeoutSeconds > 0 {
		limit = min(maxRun, time.Duration(min(in.TimeoutSeconds, 3600))*time.Second)
	}
	file, name, err := b.newOutput()
	if err != nil {
		return "", err
	}
	out := &capture{file: file}
	command, err := b.command(in.Command, limit, out)
	if err != nil {
		out.finish(true)
		return "", err
	}
	failed := command.Run(ctx)
	verdict, err := ending(failed, limit)
	text, whole := out.text(outputEnd, outputEnd)
	if err != nil {
		out.finish(true)
		return "", err
	}
	kept := out.finish(whole)
	if b.Ran != nil {
		b.Ran(in.Command, exitCode(failed), lastLines(text), out.size())
	}
	return verdict + "\n" + shownOutput(text) + whereRest(name, whole, kept), nil
}

func (b *Bench) command(line string, limit time.Duration, out *capture) (*sandbox.Cmd, error) {
	c := b.Sandbox.Command(b.Workspace.Files(), "sh", "-c", line)
	c.Stdout, c.Stderr, c.Limits = out, out, b.limits
	c.Limits.Time = limit
	var err error
	switch {
	case b.Checker != nil && b.ScratchDir != "":
		c.Mounts, c.Env, err = b.Checker.Cache.ScratchMounts(b.Workspace.Files(), b.ScratchDir)
	case b.Checker != nil:
		c.Mounts, c.Env = b.Checker.Cache.Mounts(b.Workspace.Files())
	}
	return c, err
}

// off is the answer where there is no sandbox.
func (b *Bench) off(what string) error {
	why := b.SandboxOff
	if why == "" {
		why = "there is no sandbox on this machine"
	}
	return wrongf("%s here: %s. Go on by reading and searching, and say what could not be run.", what, strings.TrimSuffix(why, "."))
}

// ending says how a command ended; an error is a failure of ours.
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
		return fmt.Sprintf("stopped after %.0f s, still running: run less, or give timeout_seconds (at most %.0f)", limit.Seconds(), maxRun.Seconds()), nil
	case "memory":
		return fmt.Sprintf("stopped: it used more memory than it may (%s, all its processes together)", plaintext.FormatSize(exit.Limit)), nil
	case "output":
		return fmt.Sprintf("stopped: it printed more than it may (%s)", plaintext.FormatSize(exit.Limit)), nil
	case "disk":
		return fmt.Sprintf("stopped: it wrote more to the disk than one command may (%s); what it wrote is still there: remove what is not needed", plaintext.FormatSize(exit.Limit)), nil
	case "files":
		return fmt.Sprintf("stopped: it made more files and folders than one command may (%d); they are still there: remove what is not needed", exit.Limit), nil
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

// lastLines is the end of an output, as much as is worth keeping of it.
func lastLines(text string) string {
	const most = 400
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
	}
	return text
}

func shownOutput(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return "(no output)"
	}
	return text
}

func whereRest(name string, whole, kept bool) string {
	switch {
	case whole:
		return ""
	case kept:
		return fmt.Sprintf("\n[the whole output: read_file or search with path %s%s]", outputPrefix, name)
	}
	return "\n[to see the rest run it again with | grep, | head or | tail]"
}
