package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/doctor"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow"
)

type demoCommand struct {
	Keep string `help:"Keep the remote, the database and the thread in this folder." placeholder:"DIR"`
}

// Help returns the detailed text of bobbin demo --help.
func (demoCommand) Help() string {
	return `Starts a private Postgres, a local Slack, a git remote with a small shop that has a bug,
a scripted model behind a real endpoint, and the same bot that serve runs, with its real sandbox. A
reporter writes in #bugs; the bot explores and reports the root cause; a second person corrects it
and says "Fix it"; the fix is proven and pushed. Needs nothing but Go and Postgres binaries (or npm to fetch
them once).`
}

// Run plays the demo's story. It returns an error with ways to get a sandbox if none works on this machine.
func (d *demoCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	box, whys, err := sandbox.Find(ctx, stage.Sandbox.Options("", log))
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if box == nil {
		return noSandbox(whys, runtime.GOOS)
	}
	if err := checkGo(ctx, box); err != nil {
		return err
	}
	return stage.PlayDemo(ctx, d.Keep, con.Painted(demoColor), con.Err, log)
}

// checkGo returns an error with the cure if commands in the sandbox do not find Go, with which the demo's
// project is built and tested.
func checkGo(ctx context.Context, box *sandbox.Sandbox) error {
	f, lacks := doctor.LacksToolchain(ctx, box, "go")
	if !lacks || ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the demo's project is built and tested with Go, and %s: %s; nothing was started",
		f.What, f.Cure)
}

// demoColor returns the color of a line of the demo: of what the program says and has found out, and of the
// diff.
func demoColor(line string) cli.Color {
	begins := func(marks ...string) bool {
		return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(line, mark) })
	}
	said := strings.TrimSpace(line)
	switch {
	case begins("#", "Pushed ", "Proof", "diff --git ", "+++ ", "--- "):
		return cli.Bold
	case begins("index ", "new file mode "):
		return cli.Faint
	case begins("+"), strings.HasPrefix(said, workflow.MarkHolds):
		return cli.Green
	case begins("-"), strings.HasPrefix(said, workflow.MarkFails):
		return cli.Red
	case begins("@@"), strings.Contains(line, workflow.Mark):
		return cli.Cyan
	}
	return cli.Plain
}

// needsLinux is the error text for systems other than Linux; %s is the system's name. It lists what works
// there.
const needsLinux = `the demo's commands and tests run in a sandbox that needs Linux, and this is %s.
Nothing was started. What works:
  the whole demo, in a container (Docker Desktop, Colima and the like), from the folder of Bobbin's source:
    docker run --rm -it --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
      --security-opt systempaths=unconfined -v "$PWD":/src -w /src golang:1.26-bookworm \
      sh -c 'apt-get update && apt-get install -y bubblewrap postgresql && go run ./cmd/bobbin demo'
  bobbin playground, here: a team chat with a model of yours; commands are off, and nothing is proved.
  bobbin serve, here: the same; with commands in a container, by docker compose up`

// noSandbox returns the error that explains why the demo cannot run: there is no sandbox for its commands.
func noSandbox(whys []*sandbox.Unavailable, system string) error {
	if system != "linux" {
		if system == "darwin" {
			system = "macOS"
		}
		return fmt.Errorf(needsLinux, system)
	}
	var b strings.Builder
	b.WriteString("no sandbox works on this machine, so the demo's commands and tests cannot run. Ways to " +
		"get one:\n")
	for _, u := range whys {
		fmt.Fprintf(&b, "  %s: %s\n    → %s\n", u.Kind, u.Why, u.Cure)
	}
	b.WriteString("  bobbin playground works without commands, with a model of yours.")
	return errors.New(b.String())
}
