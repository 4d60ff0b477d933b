package store

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/bobbinhq/bobbin/workflow/postgres/postgrestest"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// A new job's time is the clock's, not this machine's: one that is ahead would put it off.
func TestANewJobGoesByTheClock(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	url := postgrestest.Database(t, func(ctx context.Context, url string) error {
		s, err := Open(ctx, url, log)
		if err != nil {
			return err
		}
		defer s.Close()
		return s.Migrate(ctx)
	})
	s, err := Open(t.Context(), url, log)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	s.clock.set(time.Now().Add(-time.Hour))
	var at time.Time
	err = pgx.BeginFunc(t.Context(), s.Pool, func(tx pgx.Tx) error {
		if err := s.queueTurn(t.Context(), tx, "s1"); err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), `select scheduled_at from river_job`).Scan(&at)
	})
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(-time.Hour), at, time.Minute)
}

func TestAClockFollowsTheDatabases(t *testing.T) {
	t.Parallel()
	var c Clock
	require.WithinDuration(t, time.Now(), c.Now(), time.Minute, "before it has looked")
	require.Nil(t, c.NowOrNil(), "what Postgres can decide, it does")
	require.NotNil(t, inserting{&c}.NowOrNil())
	c.set(time.Now().Add(-24 * time.Hour))
	before := c.Now()
	require.WithinDuration(t, time.Now().Add(-24*time.Hour), before, time.Minute)
	require.False(t, c.Now().Before(before))
	require.WithinDuration(t, c.Now().Add(4*time.Second), (&Store{clock: &c}).retrySoon(3), time.Second)
}
