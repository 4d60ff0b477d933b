// Package database is the connection to Postgres that all packages of the store share: the pools, the
// database's clock, writes that are retried while Postgres is unavailable, and the version of the schema.
//
// Open connects and reads the clock; it does not migrate. Migrate updates the tables,
// and leaves a database alone that a newer version has changed. A function that runs
// under Retry or Transact may run twice, and has to find what it did the first time.
package database

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bobbinhq/bobbin/workflow/tracing"
)

// A DB is the connection to a database. It is safe for concurrent use.
type DB struct {
	Pool *pgxpool.Pool
	// Arrivals is the pool for what comes in from Slack, which waits three seconds for an
	// acknowledgement: these transactions never queue behind those of the sessions at work.
	Arrivals *pgxpool.Pool
	Log      *slog.Logger

	clock        Clock
	commitWithin time.Duration // how long a commit may take after the end of its context; default 10 s
}

// idleTimeout is the setting of Postgres that ends an idle transaction. Without it, a replica
// that froze in the middle of a transaction would lock its sessions away from the other replicas.
const idleTimeout = "idle_in_transaction_session_timeout"

// arrivals is how many connections Arrivals has: one for each connection that a replica keeps to Slack.
const arrivals = 2

// Open connects to the database at url and checks that it answers.
func Open(ctx context.Context, url string, log *slog.Logger) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	if _, given := config.ConnConfig.RuntimeParams[idleTimeout]; !given {
		config.ConnConfig.RuntimeParams[idleTimeout] = "4s"
	}
	config.ConnConfig.Tracer = otelpgx.NewTracer(otelpgx.WithTracerProvider(tracing.Provider{}),
		otelpgx.WithDisableSQLStatementInAttributes(), otelpgx.WithDisableConnectionDetailsInAttributes(),
		otelpgx.WithDisableAcquireTracer())
	arriving := config.Copy()
	arriving.MinConns = 0
	arriving.MinIdleConns = 0
	arriving.MaxConns = arrivals
	d := &DB{Log: log}
	if d.Pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	if d.Arrivals, err = pgxpool.NewWithConfig(ctx, arriving); err != nil {
		d.Pool.Close()
		return nil, fmt.Errorf("database: %w", err)
	}
	if err := d.readClock(ctx); err != nil {
		d.Close()
		return nil, fmt.Errorf("database does not answer: %w", err)
	}
	return d, nil
}

// Close closes all connections.
func (d *DB) Close() {
	d.Pool.Close()
	d.Arrivals.Close()
}
