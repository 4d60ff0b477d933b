package main

import (
	"context"
	"log/slog"
	neturl "net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/cluster/clustertest"
)

// A database that lets nobody begin for longer than the queue waits by itself is waited for:
// the program does not end, and works when it is there again.
func TestTheQueueWaitsForASlowDatabase(t *testing.T) {
	t.Parallel()
	ctx := soon(t)
	url := clustertest.Database(t, migrate)
	worked, again := make(chan string, 1), make(chan struct{}, 10)
	open := func(log *slog.Logger) (*store.Store, *queue) {
		s, err := store.Open(ctx, url, log)
		require.NoError(t, err)
		t.Cleanup(s.Close)
		q, err := newQueue(s, work{React: func(_ context.Context, session string) error { worked <- session; return nil }}, store.NewToken(), 1, log)
		require.NoError(t, err)
		return s, q
	}
	s, q := open(slog.New(overheard{slog.DiscardHandler, "the database is too slow to begin, or away; trying again", again}))
	busy, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = busy.Close(context.WithoutCancel(ctx)) })
	_, err = busy.Exec(ctx, `begin; lock table river_queue in access exclusive mode`)
	require.NoError(t, err)

	_, other := open(slog.New(slog.DiscardHandler))
	unguarded := make(chan error, 1)
	go func() { unguarded <- other.client.Start(ctx) }()
	run, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- q.run(run) }()

	require.ErrorContains(t, <-unguarded, "timed out", "without waiting, the queue is given up")
	<-again
	require.NoError(t, busy.Close(ctx))
	require.NoError(t, pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		_, err := q.client.InsertTx(ctx, tx, store.ReactJob{Session: "somebody's"}, nil)
		return err
	}))
	require.Equal(t, "somebody's", <-worked)
	stop()
	require.NoError(t, <-ended)
}

// One that has no connection free is waited for, too, and nobody is told to mend the address.
func TestAStartWaitsForAFreeConnection(t *testing.T) {
	t.Parallel()
	ctx := soon(t)
	url := clustertest.Database(t, nil)
	admin, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = admin.Close(context.WithoutCancel(ctx)) })
	role := "crowded_" + strings.ToLower(store.NewToken()[:8])
	_, err = admin.Exec(ctx, `create role `+role+` login connection limit 0; alter database `+admin.Config().Database+` owner to `+role)
	require.NoError(t, err)

	address, err := neturl.Parse(url)
	require.NoError(t, err)
	address.User = neturl.User(role)
	again := make(chan struct{}, 10)
	opened := make(chan error, 1)
	go func() {
		_, s, err := openDatabase(ctx, settings{DatabaseURL: address.String()}, slog.New(overheard{slog.DiscardHandler, "the database lets nobody in just now; trying again", again}))
		if err == nil {
			s.Close()
		}
		opened <- err
	}()
	select {
	case <-again:
	case err := <-opened:
		require.FailNow(t, "it did not wait", "%v", err)
	}
	_, err = admin.Exec(ctx, `alter role `+role+` connection limit -1`)
	require.NoError(t, err)
	require.NoError(t, <-opened)
}

// overheard tells of one message of the log.
type overheard struct {
	slog.Handler
	message string
	told    chan<- struct{}
}

func (h overheard) Enabled(context.Context, slog.Level) bool { return true }

func (h overheard) Handle(_ context.Context, r slog.Record) error {
	if r.Message == h.message {
		h.told <- struct{}{}
	}
	return nil
}

func (h overheard) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h overheard) WithGroup(string) slog.Handler      { return h }
