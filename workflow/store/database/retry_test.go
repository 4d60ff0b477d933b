package database_test

import (
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store/database"

	"github.com/stretchr/testify/require"
)

// TestAProcessThatStoodStillTriesAgain checks that the time for which a process stood still, in an attempt
// that then finds its connection closed, is not taken for a minute in which the database was away; and that a
// database which stays away is given up.
func TestAProcessThatStoodStillTriesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &database.DB{Log: slog.New(slog.DiscardHandler)}
		attempts := 0
		require.NoError(t, db.Retry(t.Context(), func() error {
			if attempts++; attempts > 1 {
				return nil
			}
			time.Sleep(time.Hour) // on the clock of synctest: no test waits
			return io.ErrUnexpectedEOF
		}))
		require.Equal(t, 2, attempts)

		began := time.Now()
		require.ErrorIs(t, db.Retry(t.Context(), func() error { return io.ErrUnexpectedEOF }),
			io.ErrUnexpectedEOF)
		require.InDelta(t, time.Minute, time.Since(began), float64(5*time.Second))
	})
}
