package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/cluster"
)

// connectPatience is how long a database has to answer the first time.
const connectPatience = 10 * time.Second

// startPatience is how long one that is there may let nobody in: it starts up or fails over,
// or has no connection free. An address at which nobody answers is told at once: most
// likely it is wrong.
const startPatience = time.Minute

// placeFlags say where everything is kept.
type placeFlags struct {
	DatabaseURL string `from:"DATABASE_URL" help:"Postgres ($DATABASE_URL); left out: a private one under the data directory." placeholder:"URL"`
	DataDir     string `from:"BOBBIN_DATA_DIR" help:"Mirrors, workspaces, caches, the private Postgres ($BOBBIN_DATA_DIR; /var/lib/bobbin as root, else ~/.local/share/bobbin)." placeholder:"DIR"`
}

// place is where everything is kept, with the defaults filled in.
func (f placeFlags) place(con console) (settings, error) {
	s := settings{DataDir: f.DataDir, DatabaseURL: f.DatabaseURL, Durable: true, Progress: con.Err}
	if s.DataDir == "" {
		s.DataDir = defaultDataDir(con.Env)
	}
	con.Hide.Learn(ofDatabase(f.DatabaseURL)...)
	var err error
	if s.DataDir, err = filepath.Abs(s.DataDir); err != nil {
		return s, fmt.Errorf("data directory: %w", err)
	}
	return s, nil
}

// look opens the database of a bot as it is, to read it, and closes it after.
func (f placeFlags) look(ctx context.Context, con console, log *slog.Logger, do func(*store.Store) error) error {
	s, err := f.place(con)
	if err != nil {
		return err
	}
	if s.DatabaseURL == "" {
		if _, err := os.Stat(clusterDir(s)); errors.Is(err, fs.ErrNotExist) {
			return usageError{fmt.Errorf("bobbin: there is no database in %s; name the bot's own folder with --data-dir or BOBBIN_DATA_DIR, or its Postgres with DATABASE_URL", s.DataDir)}
		}
	}
	err = withDatabase(ctx, s, log, do)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == "42P01" || refused.Code == "42703") { // no such table, no such column
		return errors.New("the database was not made by this version of Bobbin; bring it up to date with: bobbin migrate")
	}
	return err
}

func withDatabase(ctx context.Context, s settings, log *slog.Logger, do func(*store.Store) error) error {
	own, st, err := connect(ctx, s, log)
	if err != nil {
		return err
	}
	defer func() {
		st.Close()
		if own != nil {
			own.Stop()
		}
	}()
	return do(st)
}

// openDatabase connects to the configured Postgres, or starts a private one, and brings
// it up to date.
func openDatabase(ctx context.Context, s settings, log *slog.Logger) (*cluster.Cluster, *store.Store, error) {
	own, st, err := connect(ctx, s, log)
	if err != nil {
		return nil, nil, err
	}
	if err := untilLetIn(ctx, log, func() error { return st.Migrate(ctx) }); err != nil {
		st.Close()
		if own != nil {
			own.Stop()
		}
		return nil, nil, err
	}
	return own, st, nil
}

// supersededEvery is how often a running replica looks whether a newer one came.
const supersededEvery = 2 * time.Second

// superseded ends the bot when a newer version has changed the database beneath it: that
// one knows phases and jobs that this one does not. What is under way is handed over.
func (b *service) superseded(ctx context.Context) error {
	tick := time.NewTicker(supersededEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var newer *store.NewerError
		if err := b.store.Newer(ctx); errors.As(err, &newer) {
			return fmt.Errorf("%w. That one has taken over; start it here, too", newer)
		}
	}
}

func connect(ctx context.Context, s settings, log *slog.Logger) (*cluster.Cluster, *store.Store, error) {
	if err := checkDatabase(s.DatabaseURL); err != nil {
		return nil, nil, usageError{err}
	}
	where := s.DatabaseURL
	var own *cluster.Cluster
	if where == "" {
		var err error
		own, err = cluster.Start(ctx, cluster.Config{Dir: clusterDir(s), Log: log, Progress: s.Progress, Durable: s.Durable})
		if err != nil {
			return nil, nil, err
		}
		where = own.URL()
	}
	var st *store.Store
	err := untilLetIn(ctx, log, func() (err error) {
		trying, cancel := context.WithTimeout(ctx, connectPatience)
		defer cancel()
		st, err = store.Open(trying, where, log)
		return err
	})
	if err != nil {
		if own != nil {
			own.Stop()
		}
		return nil, nil, noDatabase(ctx, where, err)
	}
	return own, st, nil
}

// untilLetIn does it again while Postgres answers that it lets nobody in.
func untilLetIn(ctx context.Context, log *slog.Logger, do func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval = 200*time.Millisecond, 5*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		var refused *pgconn.PgError
		if err != nil && (!errors.As(err, &refused) || !store.Passing(err)) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(startPatience), backoff.WithNotify(func(err error, wait time.Duration) {
		log.Warn("the database lets nobody in just now; trying again", "err", err, "wait", wait)
	}))
	return err
}

func clusterDir(s settings) string { return filepath.Join(s.DataDir, "postgres") }

// checkDatabase says what is wrong with an address of Postgres, in words that do not hold
// its password.
func checkDatabase(address string) error {
	if address == "" {
		return nil
	}
	cfg, err := pgxpool.ParseConfig(address)
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	switch {
	case err == nil && strings.Contains(cfg.ConnConfig.Host, "@"):
		err = errors.New("an @ in the password is written %40")
	case err == nil:
		return nil
	}
	return fmt.Errorf("environment: DATABASE_URL is not an address such as postgres://user:password@host:5432/bobbin: %s", plaintext.OneLine(err.Error()))
}

// noDatabase makes one line of why Postgres did not let us in.
func noDatabase(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	cfg, bad := pgxpool.ParseConfig(address)
	if bad != nil {
		return err
	}
	where := net.JoinHostPort(cfg.ConnConfig.Host, fmt.Sprint(cfg.ConnConfig.Port))
	if strings.HasPrefix(cfg.ConnConfig.Host, "/") {
		where = cfg.ConnConfig.Host
	}
	var refused *pgconn.PgError
	var lookup *net.DNSError
	var network *net.OpError
	switch {
	case errors.As(err, &refused) && store.Passing(err):
		return fmt.Errorf("the Postgres at %s has let nobody in for %s: %s; see its log, or raise its max_connections where none is free", where, startPatience, plaintext.OneLine(refused.Message))
	case errors.As(err, &refused):
		return fmt.Errorf("the Postgres at %s refused: %s; check DATABASE_URL", where, plaintext.OneLine(refused.Message))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no Postgres answers at %s within %s; check DATABASE_URL, and that the server runs", where, connectPatience)
	case errors.As(err, &lookup):
		return fmt.Errorf("no Postgres answers at %s: %s; check DATABASE_URL", where, lookup.Err)
	case errors.As(err, &network):
		return fmt.Errorf("no Postgres answers at %s: %w; check DATABASE_URL, and that the server runs", where, network.Err)
	}
	return errors.New(plaintext.OneLine(err.Error()))
}

// defaultDataDir follows the XDG base directories; root's home is closed to the
// unprivileged users that Postgres and commands run as.
func defaultDataDir(env func(string) string) string {
	if os.Getuid() == 0 {
		return "/var/lib/bobbin"
	}
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "bobbin")
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".local", "share", "bobbin")
	}
	return filepath.Join(os.TempDir(), "bobbin")
}

type migrateCommand struct{ placeFlags }

// Help is what bobbin migrate --help teaches.
func (migrateCommand) Help() string {
	return `serve does the same when it starts, one replica at a time. Use this to do it before the new version starts, or
with a role that may change tables while serve runs with one that may not.`
}

// Run brings the database up to date.
func (c *migrateCommand) Run(ctx context.Context, con console, log *slog.Logger) error {
	s, err := c.place(con)
	if err != nil {
		return err
	}
	err = withDatabase(ctx, s, log, func(st *store.Store) error { return st.Migrate(ctx) })
	if err == nil {
		fmt.Fprintln(con.Out, "The database is up to date.")
	}
	return err
}
