package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/storage"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A movingBot is a bot as a process, with a private Postgres in its data directory, that moves from one data
// directory to another by a backup.
type movingBot struct {
	t       *testing.T
	dir     string
	slack   *slacktest.Server
	ann     string
	channel string
	env     []string // without the data directory
	config  string
}

// TestARunningBotIsBackedUpAndGoesOnElsewhere makes a backup of a bot that waits for an approval, beside the
// running process and with its private Postgres, restores it beneath another process that runs on an empty
// database of its own, and approves there: the session goes on to its push.
func TestARunningBotIsBackedUpAndGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	b := newMovingBot(t)
	ctx, cancel := context.WithTimeout(t.Context(), harness.RunTimeout)
	defer cancel()

	first := filepath.Join(b.dir, "first")
	stop := b.serve(ctx, first)
	root, err := b.slack.Say(b.channel, b.ann, b.slack.Mention()+" bug 0", "")
	require.NoError(t, err)
	b.awaitPhase(ctx, first, workflow.PhaseReported)
	backup := filepath.Join(b.dir, "backup")
	said := b.command(first, "backup", "--config", b.config, backup)
	require.Contains(t, said, "Restore it with: bobbin restore "+backup)
	require.Contains(t, said, "Not in it, and to be kept elsewhere: "+b.config+", and the values of "+
		"OPENAI_API_KEY, SLACK_APP_TOKEN and SLACK_BOT_TOKEN.\n")
	b.hasNoSecret(backup)
	before := b.command(first, "audit", "--verify")
	stop()
	log, err := os.ReadFile(first + ".log")
	require.NoError(t, err)
	require.Contains(t, string(log), "bobbin: making a private Postgres in "+first+"/postgres, once …\n")
	require.True(t, strings.HasSuffix(string(log), "bobbin: stopped; sessions go on at the next start.\n"),
		string(log))

	second := filepath.Join(b.dir, "second")
	defer b.serve(ctx, second)()
	code, out, errs := b.try(second, "restore", backup)
	require.Equal(t, cli.ExitOK, code, errs)
	require.Contains(t, out, "Restored: ")
	require.Regexp(t, `^bobbin: restoring [\d,]+ rows …\n$`, errs, "the database of the running bot is used")
	require.Equal(t, before, b.command(second, "audit", "--verify"))
	code, _, errs = b.try(second, "restore", backup)
	require.Equal(t, cli.ExitUsage, code)
	require.Equal(t, "bobbin: the database is not empty, and nothing was changed; "+
		"name another, or delete what this one holds with --replace\n", errs)
	code, _, errs = b.try(second, "restore", "--replace", backup)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "a bot is at work in the database")

	_, err = b.slack.Say(b.channel, b.ann, "fix it", root)
	require.NoError(t, err)
	b.awaitPhase(ctx, second, workflow.PhaseDone)
	require.Len(t, b.pushed(), 1)
}

func newMovingBot(t *testing.T) *movingBot {
	b := &movingBot{t: t, dir: harness.Dir(t)}
	remote := filepath.Join(b.dir, "remote.git")
	require.NoError(t, stage.PlantRemote(remote, chatmodel.NumberedBugs(1)))
	var err error
	b.slack, err = slacktest.Listen(slacktest.Config{
		AppName:  "bobbin",
		TeamName: "Acme",
		Log:      slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { b.slack.Close() })
	b.ann = b.slack.AddUser(slacktest.User{Name: "ann"}).ID
	b.channel = b.slack.AddChannel(slacktest.Channel{
		Name: "bugs", Members: []string{b.ann, b.slack.App().BotUser},
	}).ID
	b.config = filepath.Join(b.dir, "bobbin.yaml")
	text := fmt.Sprintf("repositories: [{name: shop, url: %q, base: main}]\nsandbox: {kind: none}\n", remote)
	require.NoError(t, os.WriteFile(b.config, []byte(text), 0o644))
	b.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir,
		secrets.SlackBotToken + "=" + b.slack.App().BotToken,
		secrets.SlackAppToken + "=" + b.slack.App().AppToken, "SLACK_API_URL=" + b.slack.URL(),
		secrets.ModelKey + "=key-of-the-model",
		"OPENAI_BASE_URL=" + chatmodel.Serve(t, chatmodel.FixNumberedBug).URL + "/v1",
	}
	return b
}

// serve starts the bot on a data directory and waits until it is connected. stop stops it.
func (b *movingBot) serve(ctx context.Context, data string) (stop func()) {
	b.t.Helper()
	log, err := os.Create(data + ".log")
	require.NoError(b.t, err)
	defer log.Close()
	cmd := exec.Command(harness.Program(b.t), "serve", "--config", b.config, "--data-dir", data)
	cmd.Env = b.env
	cmd.Stdout = log
	cmd.Stderr = log
	// an aborted test leaves no process behind
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(b.t, cmd.Start())
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()
		if said, _ := os.ReadFile(log.Name()); b.t.Failed() {
			b.t.Log(string(said))
		}
		require.NoError(b.t, b.slack.WaitDisconnected(ctx))
	}
	require.NoError(b.t, b.slack.WaitConnected(ctx, 1))
	return stop
}

// try runs a command of the program as a process on a data directory.
func (b *movingBot) try(data string, args ...string) (code int, out, errs string) {
	b.t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(b.t.Context(), harness.Program(b.t), append(args, "--data-dir", data)...)
	cmd.Env = b.env
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil {
		require.ErrorAs(b.t, err, &ended)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

func (b *movingBot) command(data string, args ...string) string {
	b.t.Helper()
	code, out, errs := b.try(data, args...)
	require.Equal(b.t, cli.ExitOK, code, "%v: %s", args, errs)
	return out
}

// awaitPhase waits until the only session is in the phase, has nothing to do, and everything is posted: a
// backup from before that would post the report once more, and who answers the first one is told to read it.
func (b *movingBot) awaitPhase(ctx context.Context, data string, phase workflow.Phase) {
	b.t.Helper()
	log := slog.New(slog.DiscardHandler)
	at := storage.Target{DataDir: data}
	require.NoError(b.t, storage.UseDatabase(ctx, at, log, func(s *store.Store) error {
		for {
			var there bool
			err := s.Pool.QueryRow(ctx, `select exists (select 1 from sessions where phase = $1 and not open)
				and not exists (select 1 from outbox where posted_at is null and refused is null)`,
				phase).Scan(&there)
			if there || err != nil {
				return err
			}
			harness.Sleep(ctx, 20*time.Millisecond)
		}
	}), "waited for %s", phase)
}

// hasNoSecret checks that no file of a backup has a secret of the bot's environment.
func (b *movingBot) hasNoSecret(dir string) {
	b.t.Helper()
	files := 0
	require.NoError(b.t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(name)
		require.NoError(b.t, err)
		if strings.HasSuffix(name, ".gz") {
			zip, err := gzip.NewReader(bytes.NewReader(text))
			require.NoError(b.t, err)
			text, err = io.ReadAll(zip)
			require.NoError(b.t, err)
		}
		for _, secret := range []string{b.slack.App().BotToken, b.slack.App().AppToken, "key-of-the-model"} {
			require.NotContains(b.t, string(text), secret, name)
		}
		return nil
	}))
	require.Greater(b.t, files, 50)
}

// pushed returns the branches of the remote besides main.
func (b *movingBot) pushed() (branches []string) {
	b.t.Helper()
	require.NoError(b.t, filepath.WalkDir(filepath.Join(b.dir, "remote.git", "refs", "heads", "bobbin"),
		func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				branches = append(branches, name)
			}
			return err
		}))
	return branches
}
