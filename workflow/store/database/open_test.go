package database_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// Open reads the database's clock, and the Clock is never ahead of it.
func TestTheClockIsTheDatabases(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ours := s.Clock().Now()
	var theirs time.Time
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select clock_timestamp()`).Scan(&theirs))
	require.False(t, ours.After(theirs))
	require.WithinDuration(t, theirs, ours, time.Minute)
}
