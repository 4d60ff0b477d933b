package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// StorageFlags name the database and the data directory of a bot.
type StorageFlags struct {
	DatabaseURL string `from:"DATABASE_URL" help:"Postgres ($DATABASE_URL); default: a private one under the data directory." placeholder:"URL"`
	DataDir     string `from:"BOBBIN_DATA_DIR" help:"Mirrors, workspaces, caches, the private Postgres ($BOBBIN_DATA_DIR; /var/lib/bobbin as root, else ~/.local/share/bobbin)." placeholder:"DIR"`
}

// Target returns the database and the data directory that the flags name, with the defaults filled in.
func (f StorageFlags) Target(con cli.Console) (storage.Target, error) {
	s := storage.Target{DataDir: f.DataDir, DatabaseURL: f.DatabaseURL, Durable: true, Progress: con.Err}
	if s.DataDir == "" {
		s.DataDir = storage.DefaultDataDir(con.Env)
	}
	con.Hide.Learn(secrets.InDatabaseURL(f.DatabaseURL)...)
	var err error
	if s.DataDir, err = filepath.Abs(s.DataDir); err != nil {
		return s, fmt.Errorf("data directory: %w", err)
	}
	return s, nil
}

// ReadDatabase opens the bot's database without migrating it, runs do, and closes the database.
func (f StorageFlags) ReadDatabase(
	ctx context.Context, con cli.Console, log *slog.Logger, do func(*store.Store) error,
) error {
	s, err := f.Target(con)
	if err != nil {
		return err
	}
	if s.DatabaseURL == "" {
		if _, err := os.Stat(storage.ClusterDir(s)); errors.Is(err, fs.ErrNotExist) {
			return cli.UsageError{Err: fmt.Errorf("bobbin: there is no database in %s; name the bot's own "+
				"folder with --data-dir or BOBBIN_DATA_DIR, or its Postgres with DATABASE_URL", s.DataDir)}
		}
	}
	err = storage.UseDatabase(ctx, s, log, do)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == "42P01" || refused.Code == "42703") {
		// no such table, no such column
		return errors.New("the database was not made by this version of Bobbin; bring it up to date with: " +
			"bobbin migrate")
	}
	return err
}
