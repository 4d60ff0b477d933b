package main

import (
	"context"
	"log/slog"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/initcmd"
)

type initCommand struct{ initcmd.Command }

// Run asks the questions and, if the doctor finds no problem and the person wants it, runs the bot.
func (i *initCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	start, err := i.Ask(ctx, con)
	if err != nil || !start {
		return err
	}
	serve := serveCommand{
		StorageFlags: i.StorageFlags,
		Config:       i.Config,
		SlackURL:     i.SlackURL,
		ModelURL:     i.ModelURL,
		HTTPAddr:     con.Env("BOBBIN_HTTP_ADDR"),
	}
	return serve.Run(ctx, con, log)
}
