package storage

import (
	"context"
	"log/slog"
	neturl "net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func TestAddressesOfPostgres(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "postgres://u:" + databaseSecret + "@h/x", "postgres://u:a#" + databaseSecret + "@h/x",
		"postgresql://h", "host=/run user=u", "postgres:///bobbin?host=/run/postgresql",
		"postgres://h/x?pool_max_conns=2",
	} {
		require.NoError(t, CheckDatabase(address), address)
	}
	for address, want := range map[string]string{
		"localhost": "invalid keyword/value",
		"postgres://u:" + databaseSecret + "@h:99999/x": "invalid port",
		"postgres://u:a " + databaseSecret + "@h/x": "unexpected spaces found in password, " +
			"use percent-encoded spaces (%20) instead",
		"postgres://u:" + databaseSecret + "%zz@h/x": "invalid percent-encoded token in " +
			"password",
		"postgres://u:a@" + databaseSecret + "@h/x":        "an @ in the password is written %40",
		"host=h password=" + databaseSecret + " sslmode=x": "sslmode is invalid",
		"postgres://u:" + databaseSecret + "@h/x?pool_max_conns=1": "DATABASE_URL has pool_max_conns=1, " +
			"and Bobbin needs 2 connections at least",
		"host=h password='" + databaseSecret: "unterminated quoted string in " +
			"connection info string",
	} {
		err := CheckDatabase(address)
		require.ErrorContains(t, err, want, address)
		require.NotContains(t, err.Error(), databaseSecret)
		require.NotContains(t, err.Error(), "\n")
	}
}

// TestTheFewestConnections checks that a database is opened and migrated with as few
// connections as an address may ask for.
func TestTheFewestConnections(t *testing.T) {
	t.Parallel()
	address, err := neturl.Parse(postgrestest.Database(t, nil))
	require.NoError(t, err)
	q := address.Query()
	q.Set("pool_max_conns", strconv.Itoa(minConns))
	address.RawQuery = q.Encode()
	_, s, err := OpenDatabase(t.Context(), Target{DatabaseURL: address.String()},
		slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s.Close()
}

// TestASocketIsNoWrongAddress checks that a Postgres on a Unix socket has longer to answer than a host that
// may be the wrong one.
func TestASocketIsNoWrongAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]time.Duration{
		"postgres://u@h/x":                   connectTimeout,
		"host=127.0.0.1 user=u":              connectTimeout,
		"postgres:///x?host=/run/postgresql": startTimeout,
		"host=/run user=u":                   startTimeout,
	} {
		require.Equal(t, want, patienceWith(address), address)
	}
}

// TestAStartWaitsForAFreeConnection checks that the start also waits for a database without a free
// connection, and returns no error that blames the address.
func TestAStartWaitsForAFreeConnection(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	url := postgrestest.Database(t, nil)
	admin, err := pgx.Connect(ctx, url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = admin.Close(context.WithoutCancel(ctx)) })
	role := "crowded_" + strings.ToLower(store.NewToken()[:8])
	_, err = admin.Exec(ctx, `create role `+role+` login connection limit 0; alter database `+
		admin.Config().Database+` owner to `+role)
	require.NoError(t, err)

	address, err := neturl.Parse(url)
	require.NoError(t, err)
	address.User = neturl.User(role)
	again := make(chan struct{}, 10)
	opened := make(chan error, 1)
	go func() {
		_, s, err := OpenDatabase(ctx, Target{DatabaseURL: address.String()}, slog.New(watchedLog{
			slog.DiscardHandler, "the database accepts no connection at the moment; trying again", again,
		}))
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

// watchedLog is a log handler that signals when one message is logged.
type watchedLog struct {
	slog.Handler
	message string
	told    chan<- struct{}
}

func (w watchedLog) Enabled(context.Context, slog.Level) bool { return true }

func (w watchedLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == w.message {
		w.told <- struct{}{}
	}
	return nil
}

func (w watchedLog) WithAttrs([]slog.Attr) slog.Handler { return w }

func (w watchedLog) WithGroup(string) slog.Handler { return w }

// FuzzDatabaseURL checks that the error about a Postgres URL is one line without the password, and that the
// password is masked with the secrets of InDatabaseURL.
func FuzzDatabaseURL(f *testing.F) {
	for _, seed := range []string{
		"postgres://u:%s@h:5432/d", "postgres://u:%s%%zz@h/d", "postgres://u:%s@h:port/d",
		"postgres://u:%s@a,b/d?sslmode=no", "host=h password=%s user=u port=x", "host=h password='%s",
		"postgresql://%s", "%s", "u:%s@h", "",
	} {
		f.Add(strings.ReplaceAll(strings.ReplaceAll(seed, "%%", "%"), "%s", databaseSecret))
	}
	f.Fuzz(func(t *testing.T, address string) {
		if strings.Contains(address, "passfile") || strings.Contains(address, "service") ||
			strings.Contains(address, "ssl") {
			return // settings that name files
		}
		if err := CheckDatabase(address); err != nil {
			require.NotContains(t, err.Error(), "\n")
			if strings.Contains(address, ":"+databaseSecret+"@") ||
				strings.Contains(address, "password="+databaseSecret) {
				require.NotContains(t, err.Error(), databaseSecret)
			}
			return
		}
		cfg, err := pgxpool.ParseConfig(address)
		if address == "" || err != nil {
			return
		}
		if password := cfg.ConnConfig.Password; strings.Contains(password, databaseSecret) {
			require.NotContains(t,
				redact.New(secrets.InDatabaseURL(address)...).MaskGiven("no: "+password), password)
		}
	})
}

const databaseSecret = "s3cr3t-of-the-database"
