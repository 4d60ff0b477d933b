package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/workflow/store"
)

// databaseFlags are the flags of the subcommands that only look at the database.
type databaseFlags struct {
	DatabaseURL string `env:"DATABASE_URL" help:"Postgres; unset: the private one under the data directory."`
	DataDir     string `env:"BOBBIN_DATA_DIR" help:"The bot's data directory." placeholder:"DIR"`
}

// with opens the database, brings it up to date, and closes it after.
func (f databaseFlags) with(ctx context.Context, con console, log *slog.Logger, do func(*store.Store) error) error {
	dir := f.DataDir
	if dir == "" {
		dir = defaultDataDir()
	}
	own, s, err := openDatabase(ctx, settings{DataDir: dir, DatabaseURL: f.DatabaseURL, Durable: true, Progress: con.Err}, log)
	if err != nil {
		return err
	}
	defer func() {
		s.Close()
		if own != nil {
			own.Stop()
		}
	}()
	return do(s)
}

// defaultDataDir follows the XDG base directories; root's home is closed to the
// unprivileged users that Postgres and commands run as.
func defaultDataDir() string {
	if os.Getuid() == 0 {
		return "/var/lib/bobbin"
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "bobbin")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "bobbin")
	}
	return filepath.Join(home, ".local", "share", "bobbin")
}

type migrateCommand struct{ databaseFlags }

// Run brings the database up to date.
func (c *migrateCommand) Run(ctx context.Context, con console, log *slog.Logger) error {
	return c.with(ctx, con, log, func(*store.Store) error {
		fmt.Fprintln(con.Out, "The database is up to date.")
		return nil
	})
}
