// Package storage opens the data directory and the database of a bot. Only one process works in a data
// directory at a time. The database is a configured Postgres or a private one below that directory. Opening
// waits for a database that accepts no connection at the moment. A database that does not exist is an error
// of one line, which names no password.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/repo/postgres"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// connectTimeout is the time limit for one attempt to connect to a database over the network.
const connectTimeout = 10 * time.Second

// startTimeout is how long a server that answers may refuse connections, because it is starting or failing
// over or has no connection free. For commands, an address at which nothing answers is an error at once; the
// bot waits (see Target.Waiting), since the server may only start later than it does.
const startTimeout = time.Minute

// A Target says where a bot keeps its data.
type Target struct {
	DataDir     string
	DatabaseURL string // empty: a private Postgres under DataDir
	Durable     bool   // the private Postgres loses no commits in a power failure
	Progress    io.Writer
	// Waiting is called with the reason before each new try of OpenDatabase to reach the configured Postgres,
	// which goes on until its context ends. Nil: a Postgres that does not answer is an error.
	Waiting func(error)
}

func UseDatabase(ctx context.Context, s Target, log *slog.Logger, do func(*store.Store) error) error {
	own, st, err := connectDatabase(ctx, s, false, log)
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

// OpenDatabase connects to the configured Postgres, or starts a private one, and migrates the schema. The
// cluster is nil unless Postgres is private. It is this program's own: a bot must not lose the Postgres of a
// command that was there first and ends.
func OpenDatabase(ctx context.Context, s Target, log *slog.Logger) (*postgres.Cluster, *store.Store, error) {
	own, st, err := connectDatabase(ctx, s, true, log)
	if err != nil {
		return nil, nil, err
	}
	if err := st.Migrate(ctx); err != nil {
		st.Close()
		if own != nil {
			own.Stop()
		}
		return nil, nil, err
	}
	return own, st, nil
}

func connectDatabase(
	ctx context.Context, s Target, ownServer bool, log *slog.Logger,
) (*postgres.Cluster, *store.Store, error) {
	if err := CheckDatabase(s.DatabaseURL); err != nil {
		return nil, nil, cli.UsageError{Err: err}
	}
	where := s.DatabaseURL
	var own *postgres.Cluster
	if where == "" {
		if err := CheckDataDir(s.DataDir); err != nil {
			return nil, nil, cli.UsageError{Err: fmt.Errorf("bobbin: %w", err)}
		}
		sayFirst(s)
		var err error
		own, err = postgres.Start(ctx, postgres.Config{
			Dir:      ClusterDir(s),
			Log:      log,
			Progress: s.Progress,
			Durable:  s.Durable,
			Own:      ownServer,
		})
		if err != nil {
			return nil, nil, describeDataDir(s.DataDir, err)
		}
		where = own.URL()
	}
	var st *store.Store
	try := retryWhileFull
	if ownServer && s.DatabaseURL != "" && s.Waiting != nil {
		try = s.retryUntilThere
	}
	err := try(ctx, log, func() (err error) {
		trying, cancel := context.WithTimeout(ctx, patienceWith(where))
		defer cancel()
		st, err = store.Open(trying, where, log)
		return err
	})
	if err != nil {
		if own != nil {
			own.Stop()
		}
		return nil, nil, describeFailure(ctx, where, err)
	}
	return own, st, nil
}

// sayFirst says that a private Postgres is made, which takes some seconds, if there is none yet.
func sayFirst(s Target) {
	if _, err := os.Stat(ClusterDir(s)); s.Progress != nil && errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(s.Progress, "bobbin: making a private Postgres in %s, once …\n", ClusterDir(s))
	}
}

// patienceWith returns the time limit for one attempt to connect to the Postgres at address. A host that says
// nothing is most likely the wrong one, and that is said soon. Nothing but Postgres listens on its Unix
// socket: if it says nothing there, the machine is busy.
func patienceWith(address string) time.Duration {
	cfg, err := pgxpool.ParseConfig(address)
	if err == nil && onSocket(cfg) {
		return startTimeout
	}
	return connectTimeout
}

// onSocket reports whether the Postgres is reached over a Unix socket.
func onSocket(cfg *pgxpool.Config) bool { return strings.HasPrefix(cfg.ConnConfig.Host, "/") }

// retryWhileFull repeats do while Postgres answers that it accepts no connection at the moment, for
// startTimeout at most.
func retryWhileFull(ctx context.Context, log *slog.Logger, do func() error) error {
	unanswered := func(err error) bool {
		var refused *pgconn.PgError
		return !errors.As(err, &refused) || !database.IsTransient(err)
	}
	return Retry{
		Within:  startTimeout,
		Refused: unanswered,
		Log:     log,
		Message: "the database accepts no connection at the moment; trying again",
	}.Do(ctx, do)
}

// retryUntilThere repeats do until Postgres accepts a connection, or refuses it for a reason that no waiting
// changes.
func (t Target) retryUntilThere(ctx context.Context, log *slog.Logger, do func() error) error {
	return Retry{
		Refused: func(err error) bool { return ctx.Err() != nil || RefusedForGood(err) },
		Log:     log,
		Waiting: func(err error) { t.Waiting(describeFailure(ctx, t.DatabaseURL, err)) },
	}.Do(ctx, do)
}

// ClusterDir returns the folder of the private Postgres.
func ClusterDir(s Target) string { return filepath.Join(s.DataDir, "postgres") }

// minConns is how many connections a start needs at once: one holds the lock around the migrations, the other
// migrates.
const minConns = 2

// CheckDatabase returns what is wrong with the URL of a Postgres. The error does not contain its password.
func CheckDatabase(address string) error {
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
	case err == nil && cfg.MaxConns < minConns:
		return fmt.Errorf("environment: DATABASE_URL has pool_max_conns=%d, "+
			"and Bobbin needs %d connections at least: raise it, or leave it out", cfg.MaxConns, minConns)
	case err == nil:
		return nil
	}
	return fmt.Errorf("environment: DATABASE_URL is not an address such as "+
		"postgres://user:password@host:5432/bobbin: %s", plaintext.OneLine(err.Error()))
}

// describeFailure returns an error of one line that says why the connection to Postgres failed.
func describeFailure(ctx context.Context, address string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	cfg, bad := pgxpool.ParseConfig(address)
	if bad != nil {
		return err
	}
	where := net.JoinHostPort(cfg.ConnConfig.Host, fmt.Sprint(cfg.ConnConfig.Port))
	if onSocket(cfg) {
		where = cfg.ConnConfig.Host
	}
	var refused *pgconn.PgError
	var lookup *net.DNSError
	var network *net.OpError
	switch {
	case errors.As(err, &refused) && database.IsTransient(err):
		return fmt.Errorf("the Postgres at %s accepts no connection: %s; see its log, or raise its "+
			"max_connections if none is free", where, plaintext.OneLine(refused.Message))
	case errors.As(err, &refused):
		return fmt.Errorf("the Postgres at %s refused: %s; check DATABASE_URL", where,
			plaintext.OneLine(refused.Message))
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no Postgres answers at %s within %s; check DATABASE_URL, and that the server runs",
			where, patienceWith(address))
	case errors.As(err, &lookup):
		return fmt.Errorf("no Postgres answers at %s: %s; check DATABASE_URL", where,
			plaintext.NetworkError(lookup))
	case errors.As(err, &network):
		return fmt.Errorf("no Postgres answers at %s: %w; check DATABASE_URL, and that the server runs",
			where, network.Err)
	}
	return errors.New(plaintext.OneLine(err.Error()))
}
