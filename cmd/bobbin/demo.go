package main

import (
	"context"
	"log/slog"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
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
	return stage.PlayDemo(ctx, c.Keep, con.Out, con.Err, log)
}
