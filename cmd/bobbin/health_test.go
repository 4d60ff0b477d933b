package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/health"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/postgres"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// probe requests a page of health, and checks that the response contains no secret and no repository's
// name.
func probe(t require.TestingT, addr, page string) (code int, h health.Health) {
	response, err := (&http.Client{Timeout: time.Minute}).Get("http://" + addr + page)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(body, &h), string(body))
	require.NotContains(t, string(body), secret)
	require.NotContains(t, string(body), "shop", "a repository's name")
	require.NotContains(t, string(body), "xoxb-")
	return response.StatusCode, h
}

// becomes waits until /readyz answers with that status code and state.
func becomes(t *testing.T, addr string, code int, state string) (h health.Health) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		got, now := probe(c, addr, "/readyz")
		require.Equal(c, code, got)
		require.Equal(c, state, now.State)
		h = now
	}, harness.StepTimeout, 50*time.Millisecond)
	return h
}

// fails waits until /readyz answers that the bot is not ready, for a reason that contains wrong. On a busy
// machine it may have another reason for a while.
func fails(t *testing.T, addr, wrong string) (h health.Health) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var code int
		code, h = probe(c, addr, "/readyz")
		require.Equal(c, http.StatusServiceUnavailable, code)
		require.Equal(c, health.StateNotReady, h.State)
		require.Contains(c, h.Wrong, wrong)
	}, harness.StepTimeout, 50*time.Millisecond)
	return h
}

// healthSettings returns the settings of a bot that needs only a database and a Slack.
func healthSettings(t *testing.T, slack *slacktest.Server, database string) server.Settings {
	app := slack.App()
	return server.Settings{
		Target:   storage.Target{DataDir: t.TempDir(), DatabaseURL: database},
		HTTPAddr: "127.0.0.1:0",
		Sandbox:  config.Sandbox{Kind: "none"},
		SlackSettings: server.SlackSettings{
			SlackToken:    app.BotToken,
			SlackAppToken: app.AppToken,
			SlackURL:      slack.URL(),
		},
		ModelSettings: server.ModelSettings{ModelURL: "http://" + harness.ClosedPort(t), ModelKey: secret},
		Repositories:  []repository.Repository{{Remote: remote.Remote{Name: "shop", URL: "/srv/shop.git"}}},
	}
}

// withQuery returns an address with one more query parameter.
func withQuery(t *testing.T, address, key, value string) string {
	u, err := url.Parse(address)
	require.NoError(t, err)
	q := u.Query()
	q.Set(key, value)
	u.RawQuery = q.Encode()
	return u.String()
}

func healthSlack(t *testing.T) *slacktest.Server {
	slack, err := slacktest.Listen(slacktest.Config{
		AppName:  "bobbin",
		TeamName: "Acme",
		Log:      slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(slack.Close)
	return slack
}

// TestHealthFollowsItsParts checks that the bot is ready while the database answers, a Slack connection is
// up and the queue sends heartbeats; otherwise health names the part that is down, the reason and the cure.
func TestHealthFollowsItsParts(t *testing.T) {
	t.Parallel()
	// short, and the same over a restart: the folder of the Unix socket
	dir, err := os.MkdirTemp("", "bobbin-health-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	own, err := postgres.Start(t.Context(), postgres.Config{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { own.Stop() })
	slack := healthSlack(t)
	const connections = 20 // more than ever wait for a table at once
	settings := healthSettings(t, slack, withQuery(t, own.URL(), "pool_max_conns", fmt.Sprint(connections)))
	b, err := server.New(t.Context(), settings, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(b.Close)
	code, h := probe(t, b.Monitor.Addr, "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, health.StateStarting, h.State)
	code, _ = probe(t, b.Monitor.Addr, "/healthz")
	require.Equal(t, http.StatusOK, code)

	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- b.Run(ctx) }()
	h = becomes(t, b.Monitor.Addr, http.StatusOK, health.StateReady)
	for _, p := range []health.Part{h.Parts.Database, h.Parts.Slack, h.Parts.Queue, h.Parts.Sandbox} {
		require.Equal(t, health.StateUp, p.State)
		require.False(t, p.Since.IsZero())
	}
	require.Positive(t, h.Counts.Goroutines)
	require.Eventually(t, func() bool {
		_, h = probe(t, b.Monitor.Addr, "/readyz")
		return h.Counts.SlackLinks == config.DefaultConnections
	}, harness.StepTimeout, 10*time.Millisecond)

	// Slack refuses new connections.
	slack.Order(slacktest.Fault{
		Method: "apps.connections.open",
		Status: http.StatusServiceUnavailable,
		Times:  -1,
	})
	slack.Cut()
	h = fails(t, b.Monitor.Addr, "no link to Slack is up")
	require.Equal(t, health.StateDown, h.Parts.Slack.State)
	require.Equal(t, "no link to Slack is up", h.Wrong)
	require.Contains(t, h.Cure, "connects again by itself")
	require.Equal(t, health.StateUp, h.Parts.Database.State)
	code, _ = probe(t, b.Monitor.Addr, "/healthz")
	require.Equal(t, http.StatusOK, code, "nothing is beyond fixing")
	slack.ClearFaults()
	becomes(t, b.Monitor.Addr, http.StatusOK, health.StateReady)

	// A database that hangs does not make health hang.
	c, err := pgx.Connect(t.Context(), own.URL())
	require.NoError(t, err)
	_, err = c.Exec(t.Context(), `begin; lock table replicas in access exclusive mode`)
	require.NoError(t, err)
	h = fails(t, b.Monitor.Addr, "the database does not answer within 2s")
	require.Equal(t, "the database does not answer within 2s", h.Wrong)
	require.NoError(t, c.Close(t.Context()))
	becomes(t, b.Monitor.Addr, http.StatusOK, health.StateReady)

	// Neither do other clients that hold every connection.
	var taken []*pgxpool.Conn
	for range connections {
		c, err := b.Store.Pool.Acquire(t.Context())
		require.NoError(t, err)
		taken = append(taken, c)
	}
	h = fails(t, b.Monitor.Addr, "all 20 connections to the database are in use")
	require.Equal(t, "all 20 connections to the database are in use", h.Wrong)
	for _, c := range taken {
		c.Release()
	}
	becomes(t, b.Monitor.Addr, http.StatusOK, health.StateReady)

	// The database stops, and starts again.
	own.Stop()
	h = fails(t, b.Monitor.Addr, "database")
	require.Equal(t, health.StateDown, h.Parts.Database.State)
	require.Equal(t, health.StateUnknown, h.Parts.Queue.State)
	require.Contains(t, h.Cure, "goes on by itself")
	own, err = postgres.Start(t.Context(), postgres.Config{Dir: dir})
	require.NoError(t, err)
	h = becomes(t, b.Monitor.Addr, http.StatusOK, health.StateReady)
	require.Empty(t, h.Wrong)

	stop()
	require.NoError(t, <-stopped)
	code, h = probe(t, b.Monitor.Addr, "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, health.StateDraining, h.State)
}

// TestHealthSaysWhatEndsTheBot checks that an error that no waiting fixes ends the bot, and that health
// reports it until the end.
func TestHealthSaysWhatEndsTheBot(t *testing.T) {
	t.Parallel()
	slack := healthSlack(t)
	b, err := server.New(t.Context(), healthSettings(t, slack, harness.Database(t)),
		slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(b.Close)
	stopped := make(chan error, 1)
	go func() { stopped <- b.Run(t.Context()) }()
	becomes(t, b.Monitor.Addr, http.StatusOK, health.StateReady)
	slack.Order(slacktest.Fault{Method: "apps.connections.open", Error: "token_revoked", Times: -1})
	slack.Cut()
	var refused *bot.AuthError
	require.ErrorAs(t, <-stopped, &refused)
	for _, page := range []string{"/healthz", "/readyz"} {
		code, h := probe(t, b.Monitor.Addr, page)
		require.Equal(t, http.StatusServiceUnavailable, code)
		require.Equal(t, health.StateEnded, h.State)
		require.Contains(t, h.Wrong, "token_revoked: SLACK_APP_TOKEN was revoked; install the app again")
	}
}

// TestHealthCommand runs serve and health as commands, and checks addresses, texts and exit codes.
func TestHealthCommand(t *testing.T) {
	t.Parallel()
	slack := healthSlack(t)
	app := slack.App()
	addr := harness.ClosedPort(t)
	config := writeConfig(t,
		"repositories: [{name: shop, url: /srv/shop.git}]\nsandbox: {kind: none}\nhttp: {addr: '"+addr+"'}\n")
	env := ready("SLACK_API_URL", slack.URL(), "SLACK_BOT_TOKEN", app.BotToken, "SLACK_APP_TOKEN",
		app.AppToken,
		"DATABASE_URL", harness.Database(t), "BOBBIN_DATA_DIR", t.TempDir(), "BOBBIN_CONFIG", config)
	code, _, errs := call(t, t.Context(), env, "health")
	require.Equal(t, cli.ExitFailed, code)
	require.Equal(t, "bobbin: no bot answers at "+addr+": connection refused\n", errs)

	type outcome struct {
		code int
		errs string
	}
	served := make(chan outcome, 1)
	go func() {
		code, _, errs := call(t, t.Context(), env, "serve")
		served <- outcome{code, errs}
	}()
	require.Eventually(t, func() bool {
		code, out, _ := call(t, t.Context(), env, "health")
		return code == cli.ExitOK && out == "ready\n"
	}, harness.StepTimeout, 50*time.Millisecond)

	response, err := http.Post("http://"+addr+"/readyz", "text/plain", strings.NewReader("x"))
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)

	code, _, errs = call(t, t.Context(), env, "serve") // a second bot on the same address
	require.Equal(t, cli.ExitFailed, code, "a supervisor starts it again")
	require.Equal(t, "bobbin: health cannot be served at "+addr+": address already in use; "+
		"name another host:port with http.addr or BOBBIN_HTTP_ADDR, or leave both out\n", errs)

	slack.Order(slacktest.Fault{Method: "apps.connections.open", Error: "account_inactive", Times: -1})
	slack.Cut()
	o := <-served
	require.Equal(t, cli.ExitUsage, o.code)
	require.Contains(t, o.errs, "bobbin: health is at http://"+addr+"/readyz\n")
	require.Contains(t, o.errs, "Slack says account_inactive\n  → the app was removed from the workspace")

	code, _, errs = call(t, t.Context(), nil, "health")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "health is served nowhere; set http.addr")
	code, _, errs = call(t, t.Context(), nil, "health", "--http-addr", "8080")
	require.Equal(t, cli.ExitUsage, code)
	require.Equal(t, "environment: BOBBIN_HTTP_ADDR: it has to be host:port, such as 127.0.0.1:8080\n", errs)
}
