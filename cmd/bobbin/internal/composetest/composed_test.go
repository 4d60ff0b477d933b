package composetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow/agent"
)

// override is merged over docker-compose.yml and sets the addresses of Slack and of the remote. It changes
// nothing about how the bot is confined.
const override = `
services:
  bot:
    environment:
      SLACK_API_URL: "%s"
    volumes:
      - "%s:/srv/remote.git"
`

const configuration = `repositories:
  - {name: shop, url: /srv/remote.git, base: main, channels: ["#bugs"]}
agents:
%s`

// patience is the time limit for one step of a session in containers on a busy machine; the images are
// built before.
const patience = 10 * time.Minute

func TestASessionRunsInTheComposedContainers(t *testing.T) {
	host := os.Getenv("BOBBIN_COMPOSE_HOST")
	if host == "" {
		t.Skip("it takes a Docker engine and minutes: deploy/try runs it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	st := openStage(t, ctx, host)
	c := &composition{t: t, dir: t.TempDir()}
	c.write(st, serveModel(t, st, host))

	t.Cleanup(c.takeDown)
	// git opens the mounted remote only if it belongs to the user that the bot runs as in its container.
	c.compose(ctx, "run", "--rm", "--no-deps", "--user", "0", "--entrypoint", "chown", "bot", "-R", "10001",
		"/srv/remote.git")
	c.compose(ctx, "up", "-d")
	require.NoError(t, st.Slack.WaitConnected(ctx, 1))
	await := func(root, text string) {
		t.Helper()
		step, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, err := st.Slack.WaitFor(step, st.Channel, root, func(all []slacktest.Message) bool {
			return slices.ContainsFunc(all,
				func(x slacktest.Message) bool { return strings.Contains(st.Slack.Readable(x.Text), text) })
		})
		if err != nil {
			t.Fatalf("no %q: %v\n%s\n%s", text, err, st.Slack.ExportText(st.Channel, root),
				c.compose(context.WithoutCancel(ctx), "logs", "--tail", "50", "bot"))
		}
	}
	root, err := st.Slack.Say(st.Channel, st.People["ann"], st.Slack.Mention()+" "+stage.DemoReport, "")
	require.NoError(t, err)
	await(root, "revision 1 · nothing")
	c.compose(ctx, "restart", "bot") // the session's state is in the volumes
	_, err = st.Slack.Say(st.Channel, st.People["bea"], stage.DemoCorrection, root)
	require.NoError(t, err)
	await(root, "revision 2 · nothing")
	// The same process applies another configuration, and refuses a faulty one while work goes on.
	logged := func(text string) bool { return strings.Contains(c.compose(ctx, "logs", "bot"), text) }
	c.compose(ctx, "exec", "-T", "bot", "bobbin", "reload")
	require.Eventually(t, func() bool { return logged("is in use now") }, patience, time.Second)
	require.NoError(t, st.Slack.WaitConnected(ctx, 1))
	_, err = st.Slack.Say(st.Channel, st.People["bea"], stage.DemoApproval, root)
	require.NoError(t, err)
	await(root, "Both new tests fail on the code as it is")
	c.spoil()
	c.compose(ctx, "kill", "--signal", "HUP", "bot")
	require.Eventually(t, func() bool { return logged("refused whole") }, patience, time.Second)
	await(root, stage.DemoEnd)
	require.NoError(t, st.Model.Finish(), st.Model.Transcript())
	thread := st.Slack.ExportText(st.Channel, root)
	require.Contains(t, thread, "red before, green now", "the tests ran in the sandbox of the container")
	require.Len(t, pushed(t, st.Remote), 1)
	require.Contains(t, c.compose(ctx, "exec", "-T", "bot", "bobbin", "health"), "ready")
	require.NotContains(t, c.compose(ctx, "exec", "-T", "bot", "id", "-u"), "\n0\n", "not as root")
	t.Log(thread)
}

// openStage opens a stage with the demo's people, remote and scripted model, and a Slack at an address that
// containers reach.
func openStage(t *testing.T, ctx context.Context, host string) *stage.Stage {
	dir, err := stage.MakeDir(t.TempDir())
	require.NoError(t, err)
	st, err := stage.Open(ctx, stage.Config{
		Dir:       dir,
		Files:     txtar.Parse(stage.DemoShop).Files,
		Model:     stage.DemoModel,
		ModelName: "demo/story.model",
		Log:       slog.New(slog.DiscardHandler),
		Slack:     func(c *slacktest.Config) { c.Addr = net.JoinHostPort(host, "0") },
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = st.Close() })
	// The bot runs under another user id in its container, and writes to the mounted remote.
	require.NoError(t, filepath.WalkDir(st.Remote, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o777)
		}
		return os.Chmod(path, 0o666)
	}))
	return st
}

// serveModel serves the scripted model at an address that containers reach, and returns its URL.
func serveModel(t *testing.T, st *stage.Stage, host string) string {
	target, err := url.Parse(st.Settings().ModelURL)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
		},
	}}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String() + target.Path
}

func pushed(t *testing.T, remote string) (branches []string) {
	r, err := git.PlainOpen(remote)
	require.NoError(t, err)
	refs, err := r.References()
	require.NoError(t, err)
	require.NoError(t, refs.ForEach(func(ref *plumbing.Reference) error {
		if strings.HasPrefix(ref.Name().Short(), "bobbin/") {
			branches = append(branches, ref.Name().Short())
		}
		return nil
	}))
	return branches
}

// A composition is the project's compose file with an override, under a separate project name.
type composition struct {
	t   *testing.T
	dir string
	env []string
}

func (c *composition) write(st *stage.Stage, model string) {
	var agents strings.Builder
	for name, a := range st.Settings().Agents {
		if name == agent.Explainer || name == agent.Reviewer {
			continue // they use the orchestrator's model
		}
		fmt.Fprintf(&agents, "  %s: {model: %s}\n", name, a.Model)
	}
	save := func(name, text string) string {
		file := filepath.Join(c.dir, name)
		require.NoError(c.t, os.WriteFile(file, []byte(text), 0o644))
		return file
	}
	require.NoError(c.t, os.Chmod(c.dir, 0o755))
	save("override.yml", fmt.Sprintf(override, st.Slack.URL(), st.Remote))
	app := st.Slack.App()
	c.env = append(os.Environ(), "SLACK_BOT_TOKEN="+app.BotToken, "SLACK_APP_TOKEN="+app.AppToken,
		"OPENAI_BASE_URL="+model, "OPENAI_API_KEY=none",
		"BOBBIN_YAML="+save("bobbin.yaml", fmt.Sprintf(configuration, agents.String())))
}

// compose runs docker compose, or docker-compose if the client has no compose plugin.
func (c *composition) compose(ctx context.Context, args ...string) string {
	c.t.Helper()
	command := []string{"docker", "compose"}
	if exec.CommandContext(ctx, "docker", "compose", "version").Run() != nil {
		command = []string{"docker-compose"}
	}
	root, err := filepath.Abs("../../../..")
	require.NoError(c.t, err)
	command = append(command, "-p", "bobbin-try", "-f", filepath.Join(root, "docker-compose.yml"), "-f",
		filepath.Join(c.dir, "override.yml"))
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], args...)...)
	cmd.Env = c.env
	out, err := cmd.CombinedOutput()
	require.NoError(c.t, err, string(out))
	return "\n" + string(out)
}

// spoil adds a fault to the configuration file that the container sees.
func (c *composition) spoil() {
	f, err := os.OpenFile(filepath.Join(c.dir, "bobbin.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(c.t, err)
	_, err = f.WriteString("nonsense: 1\n")
	require.NoError(c.t, errors.Join(err, f.Close()))
}

func (c *composition) takeDown() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c.compose(ctx, "down", "-v")
}
