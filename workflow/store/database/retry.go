package database

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// retryFor is how long a write is tried again while Postgres is away: long enough for a
// restart or a failover.
const retryFor = time.Minute

// transientCodes are the codes of Postgres (by their first letters) that say nothing of the
// statement: the same one may go through a moment later.
var transientCodes = []string{
	"08",    // connection exceptions
	"40001", // serialization failure
	"40P01", // deadlock
	"53100", // its disk is full: somebody has to see to it, and nothing can be told meanwhile
	"53300", // too many connections
	"55P03", // lock not available
	"57P01", // the administrator ends the connection: restart, failover
	"57P02", // another backend crashed
	"57P03", // starting up, or shutting down
	"25006", // a server that became a standby
}

// IsTransient reports whether Postgres, and not what was asked of it, is the trouble: it is
// restarting, failing over, out of connections, or two transactions met.
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
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed")
}

// Retry does what may be done twice until Postgres lets it through, or for long enough.
func (d *DB) Retry(ctx context.Context, do func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval = 50*time.Millisecond, 2*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !IsTransient(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(retryFor), backoff.WithNotify(func(err error, wait time.Duration) {
		d.Log.Warn("the database is away; trying again", "err", err, "wait", wait)
	}))
	return err
}

// Transact is a transaction that may be done twice: one whose commit was cut off is begun
// anew, and has to find what it did.
func (d *DB) Transact(ctx context.Context, do func(pgx.Tx) error) error {
	return d.Retry(ctx, func() error { return pgx.BeginFunc(ctx, d.Pool, do) })
}
