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

// A Retry does something again, after waits that grow to five seconds, while it is not
// refused for good.
type Retry struct {
	Within  time.Duration    // zero: until the context ends
	Refused func(error) bool // whether waiting does not mend it
	Log     *slog.Logger
	Message string // logged before each wait
}

// Do runs do until it succeeds, is refused for good, or took too long; its error is the last one.
func (r Retry) Do(ctx context.Context, do func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval = 100*time.Millisecond, 5*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && r.Refused(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(r.Within), backoff.WithNotify(func(err error, wait time.Duration) {
		r.Log.Warn(r.Message, "err", err, "wait", wait)
	}))
	return err
}

// RefusedForGood reports whether Postgres answered with a refusal that no waiting mends.
func RefusedForGood(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && !database.IsTransient(err)
}
