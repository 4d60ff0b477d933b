package database_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A commit that is under way when its context ends is waited for, so the caller knows what was written. A
// deferred trigger keeps the commit waiting for a lock of this test.
func TestACommitIsNotInterrupted(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	_, err := s.Pool.Exec(t.Context(), `
		create table late (n int);
		create function await_lock() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(7); return null; end $$;
		create constraint trigger at_commit after insert on late deferrable initially deferred for each row execute function await_lock()`)
	require.NoError(t, err)
	holder, err := s.Pool.Acquire(t.Context())
	require.NoError(t, err)
	defer holder.Release()
	_, err = holder.Exec(t.Context(), `select pg_advisory_lock(7)`)
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- s.Transact(ctx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `insert into late values (1)`)
			return err
		})
	}()
	require.Eventually(t, func() bool {
		var commits bool
		err := s.Pool.QueryRow(t.Context(), `select exists (select from pg_stat_activity where datname = current_database() and query = 'commit' and wait_event_type = 'Lock')`).Scan(&commits)
		return err == nil && commits
	}, 4*time.Minute, 10*time.Millisecond)
	cancel()
	_, err = holder.Exec(t.Context(), `select pg_advisory_unlock(7)`)
	require.NoError(t, err)
	require.NoError(t, <-done)
	var rows int
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select count(*) from late`).Scan(&rows))
	require.Equal(t, 1, rows)
}
