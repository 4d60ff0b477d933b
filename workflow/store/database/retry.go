package database

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// retryFor is how long a write is retried while Postgres is
// unavailable: long enough for a restart or a failover.
const retryFor = time.Minute

// transientCodes are the error codes of Postgres, by their first characters, that
// are not the statement's fault: the same statement may succeed a moment later.
var transientCodes = []string{
	"08",    // connection exceptions
	"40001", // serialization failure
	"40P01", // deadlock
	"53100", // disk full: a person has to free space, and nothing can be said until then
	"53300", // too many connections
	"55P03", // lock not available
	"57P01", // the administrator ends the connection: restart, failover
	"57P02", // another backend crashed
	"57P03", // starting up, or shutting down
	"25006", // a server that became a standby
	"25P03", // this program stood still in a transaction for longer than idleTimeout: Postgres rolled it back
}

// IsTransient reports whether an error is Postgres' fault and not the statement's: the
// server is restarting, failing over or out of connections, or two transactions conflicted.
func IsTransient(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		for _, code := range transientCodes {
			if strings.HasPrefix(refused.Code, code) {
				return true
			}
		}
		return false
	}
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) || fromNetwork(err) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed")
}

// fromNetwork reports whether a connection failed. Two other errors look like one: the operating system's
// refusal of anything else, such as to open a file, and the end of the time that a caller set.
func fromNetwork(err error) bool {
	var network net.Error
	if !errors.As(err, &network) {
		return false
	}
	_, refused := network.(syscall.Errno) // without the net.OpError of a connection around it
	return !refused && network != context.DeadlineExceeded
}

// Retry calls do until it returns no transient error, for a minute after the first one at most. do
// has to be safe to run twice.
//
// The minute begins with the first error: a process that stood still during the first attempt, for however
// long, finds its connections closed when it goes on, and the next attempt succeeds.
func (d *DB) Retry(ctx context.Context, do func() error) error {
	if err := do(); !IsTransient(err) {
		return err
	}
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = 50 * time.Millisecond
	growing.MaxInterval = 2 * time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !IsTransient(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(retryFor),
		backoff.WithNotify(func(err error, wait time.Duration) {
			d.Log.Warn("the database cannot do this just now; trying again", "err", err, "wait", wait)
		}))
	return err
}

// Transact runs do in a transaction, with Retry. If the answer to a commit
// was lost, do runs again, and has to find what it did the first time.
//
// The end of ctx does not interrupt a commit: Postgres may commit after the client has gone, and a caller
// that goes on in the belief that nothing was written would write it twice.
func (d *DB) Transact(ctx context.Context, do func(pgx.Tx) error) error {
	return d.Retry(ctx, func() error { return d.transactOnce(ctx, do) })
}

// commitWithin is the default for how long a commit may take after the end of its context.
const commitWithin = 10 * time.Second

func (d *DB) transactOnce(ctx context.Context, do func(pgx.Tx) error) error {
	tx, err := d.Pool.Begin(ctx)
	if err != nil {
		return err
	}
	// nothing is left to roll back after a commit, and a rollback that fails closes the connection
	defer tx.Rollback(ctx) //nolint:errcheck
	if err := do(tx); err != nil {
		return err
	}
	commit, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(cmp.Or(d.commitWithin, commitWithin), cancel) })()
	return tx.Commit(commit)
}
