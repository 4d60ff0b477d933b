package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/workflow/store"
)

type migrateCommand struct{ operate.StorageFlags }

// Help returns the detailed text of bobbin migrate --help.
func (migrateCommand) Help() string {
	return `serve does the same when it starts, one replica at a time. Use this to do it before the
new version starts, or with a role that may change tables while serve runs with one that may not.`
}

// Run migrates the database to the newest schema.
func (m *migrateCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	s, err := m.Target(con)
	if err != nil {
		return err
	}
	err = storage.UseDatabase(ctx, s, log, func(st *store.Store) error { return st.Migrate(ctx) })
	if err == nil {
		fmt.Fprintln(con.Out, "The database is up to date.")
	}
	return err
}
