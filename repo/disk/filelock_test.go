package disk

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLockWaitsForItsHolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "lock")
	held, err := Exclusive(t.Context(), file)
	require.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
	defer cancel()
	_, err = Exclusive(short, file)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	held.Release()
	held, err = Exclusive(t.Context(), file)
	require.NoError(t, err)
	held.Release()
}

func TestSharedLocksExcludeExclusiveOnes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "lock")
	one, err := Shared(t.Context(), file)
	require.NoError(t, err)
	other, err := TryShared(file)
	require.NoError(t, err)
	require.NotNil(t, other)
	other.Release()
	none, err := TryExclusive(file)
	require.NoError(t, err)
	require.Nil(t, none)
	none.Release()
	require.True(t, one.Current())
	require.NoError(t, os.Remove(file))
	require.False(t, one.Current())
	one.Release()
}
