package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

type demoCommand struct {
	Keep string `help:"Leave the remote, the database and the thread in this folder." placeholder:"DIR"`
}

// Help is what bobbin demo --help teaches.
func (demoCommand) Help() string {
	return `Starts a private Postgres, a local Slack, a git remote with a small shop that has a bug, a scripted model behind
a real endpoint, and the very bot that serve runs, with its real sandbox. A reporter writes in #bugs; the bot
explores and reports the root cause; a second person corrects it; "Fix it"; the fix is proven and pushed.
Needs nothing but Go and Postgres binaries (or npm to fetch them once).`
}

// Run plays the story.
func (c *demoCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	box, whys, err := sandbox.Find(ctx, stage.Sandbox.Options("", log))
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if box == nil {
		return noSandbox(whys)
	}
	return stage.PlayDemo(ctx, c.Keep, con.Out, con.Err, log)
}

// noSandbox says why the demo's story cannot be played here: its commands would not run.
func noSandbox(whys []*sandbox.Unavailable) error {
	var b strings.Builder
	b.WriteString("no sandbox holds on this machine, so the demo's commands and tests cannot run. Ways to have one:\n")
	for _, u := range whys {
		fmt.Fprintf(&b, "  %s: %s %s\n", u.Kind, u.Why, u.Cure)
	}
	b.WriteString("  bobbin playground goes on without commands, with a model of yours.")
	return errors.New(b.String())
}
