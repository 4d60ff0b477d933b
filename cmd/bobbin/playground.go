package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/playground"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

type playgroundCommand struct {
	Addr      string `help:"Where the page is served, on this machine." placeholder:"HOST:PORT" default:"127.0.0.1:0"`
	NoBrowser bool   `help:"Only print the address, open no browser."`
}

// Help is what bobbin playground --help teaches.
func (playgroundCommand) Help() string {
	return `Opens a small team chat in the browser, with Bobbin in it: the very bot that serve runs, on a local Slack, a private
Postgres and a sample project with a bug. Speak as a reporter, an approver, a guest or somebody from another workspace.

Without a model the demo's story is told along: press what comes next. The page is for this machine alone, and for whoever
has the address that is printed. Ctrl-C ends it.`
}

// Run serves the page.
func (c *playgroundCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	dir, err := stage.MakeDir("")
	if err != nil {
		return fmt.Errorf("playground: %w", err)
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(con.Err, "bobbin: opening the playground …")
	p, err := playground.Open(ctx, playground.Options{Dir: dir, Addr: c.Addr, Progress: con.Err, Log: log})
	if err != nil {
		return fmt.Errorf("playground: %w", err)
	}
	fmt.Fprintf(con.Out, "%s\n", p.URL)
	fmt.Fprintln(con.Err, "bobbin: open that address; Ctrl-C ends the playground.")
	if !c.NoBrowser {
		playground.Browse(p.URL)
	}
	err = p.Serve(ctx)
	if closed := p.Close(); err == nil {
		err = closed
	}
	return err
}
