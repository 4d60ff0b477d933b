package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/housekeeping"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/workflow/store"
)

type cleanCommand struct {
	operate.StorageFlags
	Config string `from:"BOBBIN_CONFIG" help:"The configuration file, for its settings under keep ($BOBBIN_CONFIG; else bobbin.yaml here)." placeholder:"FILE"`
	DryRun bool   `help:"Only print what would be removed; works while a bot runs."`
	JSON   bool   `name:"json" help:"As JSON."`
}

// Help returns the detailed text of bobbin clean --help.
func (cleanCommand) Help() string {
	return `Removes what is older, or larger, than the configuration keeps: messages and files of old
sessions in the database, sessions' folders, mirrors and build caches on the disk. A running bot
does so by itself every hour.`
}

// cleaned is what bobbin clean --json prints.
type cleaned struct {
	DryRun              bool
	Sessions, Decisions int
	Jobs, Alerts        int64
	Folders             []cleanedFolder
}

type cleanedFolder struct {
	Path, Why string
	Bytes     int64
}

// Run cleans once and prints what was removed, or with --dry-run what would be. Without --dry-run it takes
// the lock of the data directory, so it fails while a bot runs there, and it needs the configuration: the
// file may keep more than the defaults do.
func (c *cleanCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	var file config.Config
	switch {
	case c.Config == "" && !c.DryRun:
		return cli.UsageError{Err: errors.New("bobbin: there is no bobbin.yaml in this folder: " +
			"name the configuration with --config or BOBBIN_CONFIG, since it says what is kept; " +
			"or look with --dry-run")}
	case c.Config != "":
		var err error
		if file, err = config.Load(c.Config); err != nil {
			return err
		}
	}
	s, err := c.Target(con)
	if err != nil {
		return err
	}
	return c.ReadDatabase(ctx, con, log, func(st *store.Store) error {
		if !c.DryRun {
			lock, err := storage.LockDataDir(s.DataDir)
			if errors.Is(err, storage.ErrBusy) {
				return cli.UsageError{Err: fmt.Errorf("bobbin: the bot that works in %s cleans by itself; "+
					"stop it first, or look with --dry-run", s.DataDir)}
			}
			if err != nil {
				return err
			}
			defer lock.Release()
		}
		done, err := housekeeping.New(s.DataDir, housekeeping.FromConfig(file.Keep), st,
			log).Clean(ctx, c.DryRun)
		if c.JSON {
			list := cleaned{
				DryRun:    c.DryRun,
				Sessions:  done.Rows.Sessions,
				Decisions: done.Rows.Records,
				Jobs:      done.Rows.Jobs,
				Alerts:    done.Rows.Alerts,
			}
			for _, gone := range done.Disk {
				list.Folders = append(list.Folders, cleanedFolder{gone.What, gone.Why, gone.Bytes})
			}
			return errors.Join(err, cli.WriteJSON(con.Out, list, ""))
		}
		for _, gone := range done.Disk {
			fmt.Fprintf(con.Out, "%10s  %s: %s\n", cli.Megabytes(gone.Bytes), gone.What, gone.Why)
		}
		what := "Removed "
		switch {
		case c.DryRun && c.Config == "":
			what = "By the defaults, would remove "
		case c.DryRun:
			what = "Would remove "
		}
		fmt.Fprintln(con.Out, what+done.String()+".")
		return err
	})
}
