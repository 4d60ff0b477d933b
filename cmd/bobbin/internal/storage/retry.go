package storage

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store/database"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A Retry repeats a function that fails, with waits that grow from about 0.1 to 5 seconds, unless the error
// is final.
type Retry struct {
	Within  time.Duration    // time limit; zero: until the context ends
	Refused func(error) bool // reports whether an error is final, so that waiting does not help
	Log     *slog.Logger
	Message string // logged before each wait
	// Waiting is called before each wait in place of the log; nil: it is logged.
	Waiting func(error)
}

// Do runs do until it succeeds, fails with a final error or exceeds Within; it returns the last error.
func (r Retry) Do(ctx context.Context, do func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = 100 * time.Millisecond
	growing.MaxInterval = 5 * time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && r.Refused(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(r.Within),
		backoff.WithNotify(func(err error, wait time.Duration) {
			if r.Waiting != nil {
				r.Waiting(err)
				return
			}
			r.Log.Warn(r.Message, "err", err, "wait", wait)
		}))
	return err
}

// RefusedForGood reports whether Postgres answered with an error that no waiting fixes.
func RefusedForGood(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && !database.IsTransient(err)
}
