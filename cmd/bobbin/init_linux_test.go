package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// initiate runs bobbin init with those answers as its input.
func (d *doctorSetup) initiate(
	ctx context.Context, answers io.Reader, args ...string,
) (code int, said string) {
	var out strings.Builder
	code = run(ctx, append([]string{"init"}, args...),
		cli.Console{In: answers, Out: &out, Err: &out, Env: func(name string) string { return d.env[name] }})
	require.NotContains(d, strings.ReplaceAll(out.String(), botTail, ""), secret)
	return code, out.String()
}

// TestInitWritesAConfiguration answers from a pipe: init offers what the tokens can access, repeats a
// question after an invalid answer, and the doctor finds no problem with the file.
func TestInitWritesAConfiguration(t *testing.T) {
	t.Parallel()
	w := openDoctorSetup(t, slacktest.Config{})
	w.env["OPENAI_BASE_URL"] = w.model
	file := filepath.Join(t.TempDir(), "bobbin.yaml")
	code, said := w.initiate(t.Context(),
		strings.NewReader("#bugs\nhttp//nonsense\n"+w.remote+"\n\n"+w.ann.ID+"\n\n"), "--config", file)
	require.Equal(t, cli.ExitOK, code, said)
	require.Contains(t, said, "1. #bugs\n")
	require.Equal(t, 2, strings.Count(said, "Repository: a number"), "nonsense is asked for again")
	require.Contains(t, said, "may approve: ann")
	require.Contains(t, said, "no problems, no warnings.")
	made, err := config.Load(file)
	require.NoError(t, err)
	require.Len(t, made.Repositories, 1)
	require.Equal(t, []string{w.bugs.ID}, made.Repositories[0].Channels)
	require.Equal(t, []string{"remote", w.remote, w.ann.ID},
		[]string{made.Repositories[0].Name, made.Repositories[0].URL, made.Repositories[0].Approvers[0]})
}

// TestInitEndsInARunningBot checks that all channels that the token sees are offered, the bot's own first,
// and that after a doctor without problems the bot is started if that is wanted, and only then.
func TestInitEndsInARunningBot(t *testing.T) {
	t.Parallel()
	w := openDoctorSetup(t, slacktest.Config{})
	w.slack.AddChannel(slacktest.Channel{Name: "alpha", Members: []string{w.ann.ID}})
	w.env["OPENAI_BASE_URL"] = w.model
	w.env["DATABASE_URL"] = harness.Database(t)
	answers := "1\n" + w.remote + "\nshop\n\n\n"
	file := filepath.Join(t.TempDir(), "bobbin.yaml")
	code, said := w.initiate(t.Context(), strings.NewReader(answers), "--config", file)
	require.Equal(t, cli.ExitOK, code, said)
	require.Contains(t, said, "1. #bugs\n  2. #alpha (the bot is not in it: /invite @bobbin there)\n")
	require.Contains(t, said, "no problems")
	require.Contains(t, said, "Start it now? yes or no [no]: ")

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	go func() {
		code, _ := w.initiate(ctx, strings.NewReader("yes\n"+answers+"yes\n"), "--config", file)
		ended <- code
	}()
	within, cancel := context.WithTimeout(t.Context(), harness.StepTimeout)
	defer cancel()
	require.NoError(t, w.slack.WaitConnected(within, 1))
	stop()
	require.Equal(t, cli.ExitStopped, <-ended)
}

// TestInitReplacesNothingUnasked checks that an existing file is replaced only after a yes, and that no
// partial file is left.
func TestInitReplacesNothingUnasked(t *testing.T) {
	t.Parallel()
	w := openDoctorSetup(t, slacktest.Config{})
	answers := "1\n/srv/shop.git\nshop\n\nlocal-model\n"
	for name, c := range map[string]struct {
		there, answers string
		code           int
		now            string // text in the file afterwards; empty: there is no file
	}{
		"no":              {"mine\n", "no\n" + answers, cli.ExitUsage, "mine\n"},
		"only enter":      {"mine\n", "\n" + answers, cli.ExitUsage, "mine\n"},
		"nobody answers":  {"mine\n", "", cli.ExitUsage, "mine\n"},
		"answers ran out": {"mine\n", "yes\n1\n/srv/shop.git\n", cli.ExitUsage, "mine\n"},
		"yes":             {"mine\n", "yes\n" + answers, cli.ExitOK, `orchestrator: {model: "local-model"}`},
		"new, cut short":  {"", "1\n", cli.ExitUsage, ""},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "bobbin.yaml")
		if c.there != "" {
			require.NoError(t, os.WriteFile(file, []byte(c.there), 0o644))
		}
		code, said := w.initiate(t.Context(), strings.NewReader(c.answers), "--config", file, "--no-doctor")
		require.Equal(t, c.code, code, name+"\n"+said)
		now, _ := os.ReadFile(file)
		require.Contains(t, string(now), c.now, name)
		require.Equal(t, c.now == "", now == nil, name)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.LessOrEqual(t, len(left), 1, name)
	}
	// If the file cannot be written, no question is asked.
	code, said := w.initiate(t.Context(), strings.NewReader(answers), "--config",
		filepath.Join(t.TempDir(), "none", "bobbin.yaml"))
	require.Equal(t, cli.ExitUsage, code)
	require.Regexp(t, `^bobbin: \S+/none/bobbin.yaml cannot be written: no such file or directory\n$`, said)
	// With a token that Slack does not know, the channels are typed, and the doctor says what to do.
	known := w.env["SLACK_BOT_TOKEN"]
	w.env["SLACK_BOT_TOKEN"] = "xoxb-1-2-" + secret
	code, said = w.initiate(t.Context(), strings.NewReader("#bugs"+answers[1:]), "--config",
		filepath.Join(t.TempDir(), "bobbin.yaml"))
	w.env["SLACK_BOT_TOKEN"] = known
	require.Equal(t, cli.ExitFailed, code, said)
	require.Contains(t, said, "The bot's channels cannot be offered: ")
	require.Contains(t, said, "SLACK_BOT_TOKEN")
	// Ctrl-C at a question.
	ctx, stop := context.WithCancel(t.Context())
	never, typed := io.Pipe()
	defer typed.Close()
	stop()
	dir := t.TempDir()
	code, _ = w.initiate(ctx, never, "--config", filepath.Join(dir, "bobbin.yaml"))
	require.Equal(t, cli.ExitStopped, code)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestInitOffersRepositories checks that the repositories that a token can access are offered, from the
// responses of GitHub and GitLab.
func TestInitOffersRepositories(t *testing.T) {
	t.Parallel()
	for token, answer := range map[string]string{
		"ghp_": `[{"full_name":"acme/shop","clone_url":"https://git.example/acme/shop.git"},` +
			`{"full_name":"bad","clone_url":"file:///etc"}]`,
		"glpat-": `[{"path_with_namespace":"acme/shop",` +
			`"http_url_to_repo":"https://git.example/acme/shop.git"}]`,
	} {
		w := openDoctorSetup(t, slacktest.Config{})
		w.env["BOBBIN_GIT_TOKEN"] = token + secret
		host := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Authorization")+r.Header.Get("PRIVATE-TOKEN"), secret) {
				rw.WriteHeader(http.StatusUnauthorized)
				return
			}
			fmt.Fprint(rw, answer)
		}))
		t.Cleanup(host.Close)
		file := filepath.Join(t.TempDir(), "bobbin.yaml")
		code, said := w.initiate(t.Context(), strings.NewReader("1\n1\n\n\n\n"), "--config", file,
			"--no-doctor", "--host-api", host.URL)
		require.Equal(t, cli.ExitOK, code, said)
		require.Contains(t, said, "1. acme/shop\n")
		require.NotContains(t, said, "bad")
		made, err := config.Load(file)
		require.NoError(t, err)
		require.Equal(t, "https://git.example/acme/shop.git", made.Repositories[0].URL)
		require.Equal(t, "shop", made.Repositories[0].Name)
	}
}
