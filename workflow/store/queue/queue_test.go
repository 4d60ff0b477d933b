package queue

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func openDatabase(t *testing.T) *database.DB {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	url := postgrestest.Database(t, func(ctx context.Context, url string) error {
		db, err := database.Open(ctx, url, log)
		if err != nil {
			return err
		}
		defer db.Close()
		return db.Migrate(ctx)
	})
	db, err := database.Open(t.Context(), url, log)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// A new job gets the Clock's time, not this machine's: with a
// machine's clock ahead, the job would wait too long.
func TestANewJobGoesByTheClock(t *testing.T) {
	t.Parallel()
	db := openDatabase(t)
	q, err := New(db)
	require.NoError(t, err)
	db.Clock().Set(time.Now().Add(-time.Hour))
	var at time.Time
	err = pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
		if err := q.InsertTurn(t.Context(), tx, "s1"); err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), `select scheduled_at from river_job`).Scan(&at)
	})
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(-time.Hour), at, time.Minute)
}

// A retry is scheduled by the database's clock, too.
func TestARetryGoesByTheClock(t *testing.T) {
	t.Parallel()
	db := &database.DB{}
	db.Clock().Set(time.Now().Add(-24 * time.Hour))
	before := db.Clock().Now()
	retry := (&Queue{db: db}).retrySoon(3)
	require.WithinRange(t, retry.Add(-4*time.Second), before, db.Clock().Now())
}
