package database_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// patience is a time limit for a busy machine; no test waits until it passes.
const patience = 4 * time.Minute

// A commit that is under way when its context ends is waited for, so the caller knows what was written. A
// deferred trigger keeps the commit waiting for a lock of this test.
func TestACommitIsNotInterrupted(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	s.CommitWithin(patience)
	_, err := s.Pool.Exec(t.Context(), `
		create table late (n int);
		create function await_lock() returns trigger language plpgsql as $$ begin perform
			pg_advisory_xact_lock(7); return null; end $$;
		create constraint trigger at_commit after insert on late deferrable initially deferred for each row
			execute function await_lock()`)
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
		err := s.Pool.QueryRow(
			t.Context(),
			`select exists (select from pg_stat_activity where datname = current_database()
				and query = 'commit' and wait_event_type = 'Lock')`,
		).Scan(&commits)
		return err == nil && commits
	}, patience, 10*time.Millisecond)
	cancel()
	_, err = holder.Exec(t.Context(), `select pg_advisory_unlock(7)`)
	require.NoError(t, err)
	require.NoError(t, <-done)
	var rows int
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select count(*) from late`).Scan(&rows))
	require.Equal(t, 1, rows)
}

// A program that stood still in a transaction until Postgres ended it does the transaction again.
func TestATransactionThatStoodStillIsDoneAgain(t *testing.T) {
	t.Parallel()
	beside := storetest.Open(t)
	s, err := store.Open(t.Context(), overTCP(t, beside.Pool.Config()), storetest.Silent)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	tries := 0
	require.NoError(t, s.Transact(t.Context(), func(tx pgx.Tx) error {
		if tries++; tries == 1 {
			standStill(t, beside, tx)
		}
		_, err := tx.Exec(t.Context(), `select 1`)
		return err
	}))
	require.Equal(t, 2, tries)
}

// standStill leaves the transaction idle until Postgres has ended it.
func standStill(t *testing.T, beside *store.Store, tx pgx.Tx) {
	t.Helper()
	_, err := tx.Exec(t.Context(), `set local idle_in_transaction_session_timeout = 1`) // one millisecond
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return storetest.CountRows(t, beside, `select count(*) from pg_stat_activity where pid = $1`,
			tx.Conn().PgConn().PID()) == 0
	}, patience, 5*time.Millisecond)
}

// overTCP returns an address of the database over TCP, on which a client hears why Postgres ended its
// connection. On a Unix socket it hears only that the connection is broken.
func overTCP(t *testing.T, config *pgxpool.Config) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	network, address := pgconn.NetworkAddress(config.ConnConfig.Host, config.ConnConfig.Port)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go carry(client, network, address)
		}
	}()
	u, err := url.Parse(config.ConnString())
	require.NoError(t, err)
	q := u.Query()
	q.Del("host")
	q.Del("port")
	u.Host = listener.Addr().String()
	u.RawQuery = q.Encode()
	return u.String()
}

// carry carries what a client and a server say to each other until one of them ends the connection.
func carry(client net.Conn, network, address string) {
	defer client.Close()
	server, err := net.Dial(network, address)
	if err != nil {
		return
	}
	go func() {
		defer server.Close()
		io.Copy(server, client)
	}()
	io.Copy(client, server)
}
