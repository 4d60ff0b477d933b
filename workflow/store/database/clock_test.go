package database

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAClockFollowsTheDatabases(t *testing.T) {
	t.Parallel()
	var c Clock
	require.WithinDuration(t, time.Now(), c.Now(), time.Minute, "before it has looked")
	require.Nil(t, c.NowOrNil(), "what Postgres can decide, it does")
	require.NotNil(t, InsertClock{&c}.NowOrNil())
	c.Set(time.Now().Add(-24 * time.Hour))
	before := c.Now()
	require.WithinDuration(t, time.Now().Add(-24*time.Hour), before, time.Minute)
	require.False(t, c.Now().Before(before))
}
