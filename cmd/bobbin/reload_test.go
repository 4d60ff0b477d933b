package main

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/health"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
)

// said collects the output of a program that runs beside the test.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestAReloadOutlivesTroubleAtSlack checks that the bot starts again with the configuration that it had when
// Slack fails during a reload, or the bot is not in a channel of the new file. The same file is then taken
// over as a new one once the bot is in that channel.
func TestAReloadOutlivesTroubleAtSlack(t *testing.T) {
	t.Parallel()
	slack := healthSlack(t)
	slack.AddChannel(slacktest.Channel{Name: "bugs", Members: []string{slack.App().BotUser}})
	const text = "repositories: [{name: shop, url: /srv/shop.git, channels: ['#bugs']}]\n" +
		"sandbox: {kind: none}\n"
	env := map[string]string{
		"BOBBIN_CONFIG":       writeConfig(t, text),
		"BOBBIN_DATA_DIR":     t.TempDir(),
		"SLACK_API_URL":       slack.URL(),
		"OPENAI_BASE_URL":     "http://" + harness.ClosedPort(t),
		secrets.DatabaseURL:   harness.Database(t),
		secrets.SlackBotToken: slack.App().BotToken,
		secrets.SlackAppToken: slack.App().AppToken,
	}
	ctx, stop := context.WithCancel(t.Context())
	var errs said
	asked := make(chan os.Signal, 1)
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve"}, cli.Console{
			Out:    &errs,
			Err:    &errs,
			Hangup: func() <-chan os.Signal { return asked },
			Env:    func(name string) string { return env[name] },
		})
	}()
	listens := func(times int) {
		t.Helper()
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Equal(c, times, strings.Count(errs.String(), "bobbin: ready: "), errs.String())
		}, harness.StepTimeout, 50*time.Millisecond)
	}
	listens(1)
	slack.Order(slacktest.Fault{Method: "users.conversations", Error: "out_of_order", Times: 3})
	asked <- os.Interrupt
	listens(2)
	require.Contains(t, errs.String(), "refused as a whole")

	const same = "its file is the same as before"
	before := strings.Count(errs.String(), same)
	require.NoError(t,
		os.WriteFile(env["BOBBIN_CONFIG"], []byte(strings.Replace(text, "#bugs", "#later", 1)), 0o600))
	asked <- os.Interrupt
	listens(3)
	require.Equal(t, 2, strings.Count(errs.String(), "refused as a whole"))
	slack.AddChannel(slacktest.Channel{Name: "later", Members: []string{slack.App().BotUser}})
	asked <- os.Interrupt
	listens(4)
	require.Equal(t, 2, strings.Count(errs.String(), "refused as a whole"))
	require.Equal(t, before, strings.Count(errs.String(), same))
	stop()
	require.Equal(t, cli.ExitOK, <-ended, errs.String())
}

// TestAConfigurationThatChangedIsTakenOver checks that a faulty configuration is refused whole, with its
// line in the log and in health, and the one before stays; and that the same process applies a sound one.
func TestAConfigurationThatChangedIsTakenOver(t *testing.T) {
	t.Parallel()
	slack := healthSlack(t)
	const quiet = good + "sandbox: {kind: none}\n"
	name := writeConfig(t, quiet)
	addr := harness.ClosedPort(t)
	dir := t.TempDir()
	env := map[string]string{
		"BOBBIN_CONFIG":       name,
		"BOBBIN_DATA_DIR":     dir,
		"BOBBIN_HTTP_ADDR":    addr,
		"SLACK_API_URL":       slack.URL(),
		"OPENAI_BASE_URL":     "http://" + harness.ClosedPort(t),
		secrets.DatabaseURL:   harness.Database(t),
		secrets.SlackBotToken: slack.App().BotToken,
		secrets.SlackAppToken: slack.App().AppToken,
		"SHOP_TOKEN":          "t0k3n-of-the-shop",
	}
	var mu sync.Mutex
	ctx, stop := context.WithCancel(t.Context())
	var errs said
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve"}, cli.Console{
			Out: &errs, Err: &errs, Hangup: listenHangup,
			Env: func(name string) string {
				mu.Lock()
				defer mu.Unlock()
				return env[name]
			},
			Forget: func(names ...string) {
				mu.Lock()
				defer mu.Unlock()
				for _, name := range names {
					delete(env, name)
				}
			},
		})
	}()
	becomes(t, addr, http.StatusOK, health.StateReady)
	reload := func(text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		code, out, told := call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": dir}, "reload")
		require.Equal(t, cli.ExitOK, code, told)
		require.Contains(t, out, "its log has the result")
	}
	refused := func(c require.TestingT) bool {
		_, h := probe(c, addr, "/readyz")
		return h.ConfigurationRefused != nil
	}

	reload(quiet + "nonsense: 1\n")
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.True(c, refused(c)) }, harness.StepTimeout,
		50*time.Millisecond)
	require.Contains(t, errs.String(), "bobbin.yaml:3")
	becomes(t, addr, http.StatusOK, health.StateReady)
	require.NotContains(t, errs.String(), "in use now.")
	code, _, told := call(t, t.Context(),
		map[string]string{"BOBBIN_CONFIG": name, "BOBBIN_DATA_DIR": dir}, "reload")
	require.Equal(t, cli.ExitUsage, code, "the command looks at the file before")
	require.Contains(t, told, "bobbin.yaml:3")

	for again := range 2 { // the second time the token is no longer in the environment
		before := strings.Count(errs.String(), "bobbin: ready: ")
		reload("repositories: [{name: shop, url: https://git.example/shop.git, token_env: SHOP_TOKEN}]\n" +
			"sandbox: {kind: none}\n")
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Greater(c, strings.Count(errs.String(), "bobbin: ready: "), before, errs.String())
			require.False(c, refused(c))
		}, harness.StepTimeout, 50*time.Millisecond)
		becomes(t, addr, http.StatusOK, health.StateReady)
		require.Equal(t, again, strings.Count(errs.String(),
			"is in use now, but its file is the same as before"), "as in a container that sees the old file")
	}
	stop()
	require.Equal(t, cli.ExitOK, <-ended, errs.String())
	code, _, told = call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": dir}, "reload")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, told, "no bot works in")
}
