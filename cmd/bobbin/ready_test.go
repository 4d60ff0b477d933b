package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/health"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
)

// opens lets connections to an address through to a server, until the test ends.
func opens(t *testing.T, at, network, server string) {
	t.Helper()
	door, err := net.Listen("tcp", at)
	require.NoError(t, err)
	t.Cleanup(func() { door.Close() })
	go func() {
		for {
			in, err := door.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial(network, server)
			if err != nil {
				in.Close()
				continue
			}
			pass := func(to, from net.Conn) {
				_, _ = io.Copy(to, from) // ends with either connection
				to.Close()
				from.Close()
			}
			go pass(out, in)
			go pass(in, out)
		}
	}()
}

// TestServeWaitsAndSaysWhatItIs starts the bot before its Postgres and its Slack are there. It says once for
// each that it waits, and why; then in one line that it is ready, and in one more each what is off.
// TestDatabaseThatDoesNotLetUsIn is the control: other commands do not wait.
func TestServeWaitsAndSaysWhatItIs(t *testing.T) {
	t.Parallel()
	slack := healthSlack(t)
	bugs := slack.AddChannel(slacktest.Channel{Name: "bugs", Members: []string{slack.App().BotUser}})
	real, err := pgx.ParseConfig(harness.Database(t))
	require.NoError(t, err)
	socket := fmt.Sprintf("%s/.s.PGSQL.%d", real.Host, real.Port)
	database := harness.ClosedPort(t)
	office := harness.ClosedPort(t)
	addr := harness.ClosedPort(t)
	there := url.URL{
		Scheme: "postgres", User: url.UserPassword(real.User, real.Password), Host: database,
		Path: real.Database, RawQuery: "sslmode=disable",
	}
	env := map[string]string{
		"BOBBIN_CONFIG": writeConfig(t, "repositories: [{name: shop, url: https://git.example/shop.git, "+
			"channels: ["+bugs.ID+", C0NOWHERE]}, {name: web, url: /srv/web.git}]\n"+
			"agents: {deep: {model: big}}\nsandbox: {kind: none}\n"),
		"BOBBIN_DATA_DIR":     t.TempDir(),
		"BOBBIN_HTTP_ADDR":    addr,
		"SLACK_API_URL":       "http://" + office + "/api/",
		"OPENAI_BASE_URL":     "http://" + harness.ClosedPort(t),
		secrets.DatabaseURL:   there.String(),
		secrets.SlackBotToken: slack.App().BotToken,
		secrets.SlackAppToken: slack.App().AppToken,
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var errs said
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve"}, cli.Console{
			Out: &errs, Err: &errs, Env: func(name string) string { return env[name] },
		})
	}()
	says := func(line string) {
		t.Helper()
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Equal(c, 1, strings.Count(errs.String(), line), errs.String())
		}, harness.StepTimeout, 50*time.Millisecond)
	}
	const goesOn = ". The bot starts once it is there; Ctrl-C stops.\n"
	says("bobbin: waiting: no Postgres answers at " + database + ": connect: connection refused; " +
		"check DATABASE_URL, and that the server runs" + goesOn)
	require.Contains(t, becomes(t, addr, 503, health.StateStarting).Wrong, "it waits for the database")
	opens(t, database, "unix", socket)
	says("bobbin: waiting: Slack cannot be reached: nothing listens at " + office +
		" (connection refused); check SLACK_API_URL if it is set, and that this machine reaches " +
		"https://slack.com, " +
		"through its proxy if it has one" + goesOn)
	require.Contains(t, becomes(t, addr, 503, health.StateStarting).Wrong, "it waits for Slack")
	opens(t, office, "tcp", hostOf(slack.URL()))
	says("bobbin: ready: @bobbin in Acme (https://acme.slack.com/); in #bugs; repositories shop, web; " +
		"no sandbox; models big, gpt-5. Mention it to begin; Ctrl-C stops.\n")
	for _, off := range []string{
		"channel C0NOWHERE: the bot is not in it → /invite @bobbin there, or correct the id",
		"commands are not confined: they run with this program's rights and network → remove sandbox.kind ",
		"the pages of sessions → set http.url in the configuration",
		"pull requests of shop: only branches are pushed → ",
		"the app lacks the scope mpim:history: without it Bobbin cannot read direct messages of several " +
			"people → put the output of bobbin manifest ",
		"the app lacks the scope mpim:read: ",
		"the models: nothing listens at " + hostOf(env["OPENAI_BASE_URL"]) + " (connection refused) → ",
	} {
		says("bobbin: off: " + off)
	}
	require.Equal(t, 7, strings.Count(errs.String(), "bobbin: off: "), errs.String())
	require.Equal(t, 2, strings.Count(errs.String(), "bobbin: waiting: "), errs.String())
	stop()
	require.Equal(t, cli.ExitOK, <-ended, errs.String())
}
