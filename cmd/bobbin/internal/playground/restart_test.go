package playground

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// asProgram is the environment variable that makes this test binary run the playground in a folder, as a
// program that can be killed.
const asProgram = "BOBBIN_TEST_PLAYGROUND"

// beProgram runs a playground, prints its address, and ends on SIGTERM.
func beProgram(dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	_, missing := os.Stat(filepath.Join(dir, "data"))
	first := errors.Is(missing, fs.ErrNotExist)
	p, err := Open(ctx, Options{
		Dir:         dir,
		DatabaseURL: os.Getenv("DATABASE_URL"),
		Progress:    io.Discard,
		Log:         slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err == nil && first {
		err = seedGoCache(ctx, p.Stage)
	}
	if err != nil {
		return err
	}
	fmt.Println(p.URL)
	return p.Serve(ctx)
}

// seedGoCache puts Go's compiled standard library into the build cache of the stage's repository.
func seedGoCache(ctx context.Context, s *stage.Stage) error {
	mirror, err := s.Mirrors.Open(ctx, s.RemoteConfig())
	if err != nil {
		return err
	}
	box, err := sandbox.Open(ctx, s.Settings().Sandbox.Options("", slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	caches := build.Caches{Sandbox: box, Dir: filepath.Join(s.Settings().DataDir, "cache")}
	return repotest.SeedGoCache(ctx, box, repotest.GoCacheDir(caches.For(mirror).WritableMounts("")))
}

// A program is a playground in a separate process.
type program struct {
	*exec.Cmd
	url string
}

func startProgram(t *testing.T, dir, database string) program {
	t.Helper()
	p := program{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), asProgram+"="+dir, "DATABASE_URL="+database)
	p.Stderr = t.Output()
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(p.kill)
	p.url, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "it did not open")
	p.url = strings.TrimSpace(p.url)
	return p
}

// kill sends SIGKILL and waits until the process is gone.
func (p program) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// TestKilledInTheMiddle shows that after a kill what people wrote is still there, an open page reconnects by
// itself, and the work continues with nothing said twice.
func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	chromium(t)
	dir, err := stage.MakeDir(harness.Dir(t))
	require.NoError(t, err)
	database := harness.Database(t)
	p := startProgram(t, dir, database)
	ann := open(t, p.url, 1280, 800)
	restart := func() {
		t.Helper()
		p.kill()
		ann.reads("#offline:not([hidden])", "does not answer")
		again := startProgram(t, dir, database)
		require.Equal(t, p.url, again.url)
		p = again
		ann.sees("document.querySelector('#offline').hidden")
	}
	ann.click("#nav .places ul:nth-of-type(2) a", "bea")
	ann.reads("h1", "bea")
	ann.sees("document.activeElement.id === 'say'")
	ann.press("between you and me", kb.Enter)
	ann.reads("#main .body", "between you and me")
	ann.click("#nav .places a", "bugs")
	ann.takes("the refund of order 1042")
	ann.reads("#pane .body", "refund of order 1042")
	restart() // while the bot explores
	ann.reads("#pane .body", "revision 1 · nothing")
	ann.shoot("after-a-kill")
	ann.takes("15% off")
	ann.reads("#pane .body", "revision 2 · nothing")
	ann.click("#pane button", "Details") // a modal that is open stays open
	ann.reads("dialog[open] h2", "Details")
	restart()
	ann.reads("dialog[open] h2", "Details")
	ann.do(chromedp.Click("[data-modal] footer .plain"))
	ann.sees("!document.querySelector('dialog[data-modal]')")
	ann.takes(stage.DemoApproval)
	ann.reads("#pane div.body", stage.DemoApproval) // only the message: a form has a button with that text
	restart()                                       // while the bot works
	ann.reads("#pane .body", stage.DemoEnd)
	ann.shoot("fixed-after-kills")
	for text, times := range map[string]int{
		"· revision 1":     1,
		"· revision 2":     1,
		stage.DemoEnd:      1,
		"15% off 3 x 9.99": 1,
	} {
		ann.sees(fmt.Sprintf("[...document.querySelectorAll('#pane .body')].filter((e) "+
			"=> e.innerText.includes(%q)).length === %d", text, times))
	}
	ann.click("#nav .places ul:nth-of-type(2) a", "bea")
	ann.reads("#main .body", "between you and me")
}

// TestTheBotEnds shows that the playground ends with its bot, and says why, instead of taking messages that
// nobody answers.
func TestTheBotEnds(t *testing.T) {
	t.Parallel()
	dir, err := stage.MakeDir(harness.Dir(t))
	require.NoError(t, err)
	p, err := Open(t.Context(), Options{
		Dir:         dir,
		DatabaseURL: harness.Database(t),
		Progress:    io.Discard,
		Log:         slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- p.Serve(t.Context()) }()
	p.Stage.Slack.Order(slacktest.Fault{Method: "apps.connections.open", Error: "token_revoked", Times: -1})
	p.Stage.Slack.Cut()
	require.NoError(t, <-served)
	require.ErrorContains(t, p.Close(), "token_revoked")
}

// TestFolder shows that a folder holds one playground of one repository at a time, and that nothing else in a
// folder is removed.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := harness.Dir(t)
	opt := Options{Dir: dir}
	f, err := openFolder(opt)
	require.NoError(t, err)
	l, err := f.listen("")
	require.NoError(t, err)
	_, err = openFolder(opt)
	require.ErrorContains(t, err, "is open already, at "+f.url())
	require.NoError(t, l.Close())
	written := *f
	f.Address = "0.0.0.0:0"
	l, err = f.listen("")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(l.Addr().String(), "127.0.0.1:"), "never for others than this machine")
	require.NoError(t, l.Close())
	f.Address = written.Address
	require.NoError(t, f.write())
	f.release()

	again, err := openFolder(opt)
	require.NoError(t, err)
	require.Equal(t, f.url(), again.url())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "slack.jsonl"), []byte("x"), 0o600))
	again.release()
	other := Options{Dir: dir, Repository: Repository{From: "https://ann:secret@example.com/mine.git"}}
	_, err = openFolder(other)
	require.ErrorContains(t, err, "is a playground of the sample project")
	other.Fresh = true
	fresh, err := openFolder(other)
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(dir, "slack.jsonl"))
	require.NotEqual(t, again.Key, fresh.Key)
	raw, err := os.ReadFile(filepath.Join(dir, folderFile))
	require.NoError(t, err)
	require.NotContains(t, string(raw), "secret")
	fresh.release()

	theirs := harness.Dir(t)
	require.NoError(t, os.WriteFile(filepath.Join(theirs, "thesis.txt"), nil, 0o600))
	_, err = openFolder(Options{Dir: theirs, Fresh: true})
	require.ErrorContains(t, err, "holds something other than a playground")
	require.FileExists(t, filepath.Join(theirs, "thesis.txt"))
	require.NoFileExists(t, filepath.Join(theirs, lockFile))
	require.NoError(t, os.WriteFile(filepath.Join(theirs, folderFile), []byte("{"), 0o600))
	_, err = openFolder(Options{Dir: theirs, Fresh: true})
	require.ErrorContains(t, err, "is not what a playground wrote there")
	require.FileExists(t, filepath.Join(theirs, "thesis.txt"))

	require.NotEqual(t, other.Place(),
		Options{Repository: Repository{From: other.Repository.From, Push: true}}.Place())
	require.Equal(t, "shop", Options{}.Place())
}

// TestOtherBranchesOfTheStory shows that a question changes nothing, an approval of the first revision fixes
// what it names, and "stop" ends the story.
func TestOtherBranchesOfTheStory(t *testing.T) {
	t.Parallel()
	chromium(t)
	p := openPlayground(t, nil)
	b := open(t, p.URL, 1280, 800)
	b.takes("the refund of order 1042")
	b.reads("#pane .body", "revision 1 · nothing")
	b.shoot("branches")
	b.takes("is the receipt of order 1042 wrong, too?")
	b.reads("#pane .body", "three lines of 8.34")
	b.takes(stage.DemoApproval)
	b.reads("#pane .body", stage.DemoEnd)
	b.takes("the refund of order 1042")
	b.reads("#pane .body", "revision 1 · nothing")
	b.takes("stop")
	b.reads("#pane .body", "Stopped, as ann asked")
	b.reads(".story button.first", "Bea lets it go on where it stopped")
}
