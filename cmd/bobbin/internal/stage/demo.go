package stage

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// DemoShop is the demo's repository.
//
//go:embed demo/shop.txtar
var DemoShop []byte

// DemoModel is the script of the demo's model.
//
//go:embed demo/story.model
var DemoModel string

// What the people of the demo write, and what marks its end.
const (
	DemoReport = "the refund of order 1042 is too much: paid 25.00, refunded 25.02. Three articles, " +
		"coupon 5.00 off. " +
		"With one article it is right. Seen with `shop refund orders/1042.json`"
	DemoCorrection = "also happens for percent coupons: 15% off 3 x 9.99 (order 1077), " +
		"and there the receipt's lines do not add up to its total"
	DemoApproval = "Fix it"
	DemoEnd      = "and pushed:"
	demoNewTest  = "TestSplitKeepsEveryCent"
)

// demoStepTimeout is how long the demo waits for each step before it fails.
const demoStepTimeout = 3 * time.Minute

// PlayDemo plays the demo's story. It fails unless the remote has the branch, and the new test was seen
// failing on the base and passing on the branch. It leaves everything in the folder keep; if keep is empty,
// it works in a temporary folder and removes it.
func PlayDemo(ctx context.Context, keep string, out, progress io.Writer, log *slog.Logger) (err error) {
	dir, err := MakeDir(keep)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if keep == "" {
		defer os.RemoveAll(dir)
	}
	files := txtar.Parse(DemoShop).Files
	st, err := Open(ctx, Config{
		Dir:       dir,
		Files:     files,
		Model:     DemoModel,
		ModelName: "demo/story.model",
		Progress:  progress,
		Log:       log,
		Adjust:    func(s *server.Settings) { s.ProgressCards, s.Repositories[0].Unreviewed = true, false },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.Start(ctx); err != nil {
		return err
	}
	d := &demo{Stage: st, out: out, progress: progress}
	if err := d.playStory(ctx); err != nil {
		return err
	}
	return d.verifyOutcome(ctx, keep)
}

// A demo plays the story on its stage.
type demo struct {
	*Stage
	out      io.Writer
	progress io.Writer
	thread   string // timestamp of the report
}

func (d *demo) playStory(ctx context.Context) error {
	watched := make(chan struct{})
	watching, stop := context.WithCancel(ctx)
	go func() {
		defer close(watched)
		d.showThread(watching, DemoEnd)
	}()
	defer func() {
		stop()
		<-watched
	}()

	fmt.Fprintf(d.out, "#%s\n", StageChannel)
	fmt.Fprintf(d.out, "  (%s, ✓ and ✗ begin what Bobbin itself says, and has seen; "+
		"its other lines are the agents' words)\n", workflow.Mark)
	ts, err := d.Slack.Say(d.Channel, d.People["ann"], d.Slack.Mention()+" "+DemoReport, "")
	if err != nil {
		return err
	}
	d.thread = ts
	for _, step := range []struct{ awaited, who, says string }{
		{"revision 1 · nothing", "bea", DemoCorrection},
		{"revision 2 · nothing", "bea", DemoApproval},
	} {
		if err := d.awaitText(ctx, step.awaited); err != nil {
			return err
		}
		if _, err := d.Slack.Say(d.Channel, d.People[step.who], step.says, ts); err != nil {
			return err
		}
	}
	if err := d.awaitText(ctx, DemoEnd); err != nil {
		return err
	}
	<-watched // wait until the last reply is printed, too
	return nil
}

// awaitText waits until the bot has posted text in the thread. It fails if the bot gives up or ends, or after
// demoStepTimeout.
func (d *demo) awaitText(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, demoStepTimeout)
	defer cancel()
	defer d.OnEnd(cancel)()
	failed := ""
	thread, err := d.Slack.WaitFor(ctx, d.Channel, d.thread, func(messages []slacktest.Message) bool {
		for _, m := range messages {
			for _, bad := range []string{
				"I got nowhere", "could not answer", "failed on my side", "could not be pushed",
				"cannot get at",
			} {
				if m.BotID != "" && strings.Contains(m.Text, bad) {
					failed = m.Text
				}
			}
			if m.BotID != "" && strings.Contains(m.Text, text) {
				return true
			}
		}
		return failed != ""
	})
	switch {
	case failed != "":
		return fmt.Errorf("demo: the bot gave up: %s\n%w", failed, d.Model.Err())
	case err != nil:
		return errors.Join(fmt.Errorf("demo: waited for %q after %d messages: %w", text, len(thread),
			err), d.Model.Err())
	}
	return nil
}

// showThread prints messages as they are posted, up to the bot's message that contains last, and how the work
// goes as its card changes.
func (d *demo) showThread(ctx context.Context, last string) {
	card := ""
	for change := range d.Slack.WatchFrom(ctx, 0) {
		m := change.Message
		switch {
		case change.Kind == slacktest.Updated && m.TS == card:
			d.showProgress(m.Text)
			continue
		case change.Kind != slacktest.Posted || m.Subtype != "" && m.Subtype != "bot_message":
			continue
		case m.BotID != "" && strings.HasSuffix(m.Text, atWork):
			card = m.TS
		}
		d.show(m)
		if m.BotID != "" && strings.Contains(m.Text, last) {
			return
		}
	}
}

// atWork is the end of a card when it is posted.
const atWork = workflow.Mark + " At work"

func (d *demo) show(m slacktest.Message) {
	who := d.NameOf(m)
	text := d.Slack.Readable(m.Text)
	if m.BotID != "" {
		text = bold.ReplaceAllString(text, "$1")
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			who = ""
		}
		fmt.Fprintf(d.out, "  %-8s %s\n", who, line)
	}
}

// bold matches bold text in a message of Slack, which a terminal would show with its stars.
var bold = regexp.MustCompile(`\*([^*\n]+)\*`)

// showProgress prints the headline of the card.
func (d *demo) showProgress(card string) {
	headline, _, _ := strings.Cut(card, "\n")
	if _, says, found := strings.Cut(headline, workflow.Mark+" "); found {
		fmt.Fprintln(d.progress, "bobbin: "+says)
	}
}

// verifyOutcome checks the remote's branch and the database rows rather than the bot's words, and prints the
// diff and the proof.
func (d *demo) verifyOutcome(ctx context.Context, keep string) error {
	sessions, err := d.Store.Sessions(ctx, 2)
	if err != nil || len(sessions) != 1 {
		return fmt.Errorf("demo: %d sessions, want one: %w", len(sessions), err)
	}
	s := sessions[0]
	branches, err := RemoteBranches(d.Remote)
	if err != nil {
		return err
	}
	if s.Phase != workflow.PhaseDone || s.Head == "" || branches[s.Branch] != s.Head {
		return fmt.Errorf("demo: the remote does not have %s at %s", s.Branch, s.Head)
	}
	proof, err := provenAttempt(ctx, d.Store, s.ID)
	if err != nil {
		return err
	}
	if err := d.Model.Finish(); err != nil {
		return fmt.Errorf("demo: the scripted model was not followed: %w", err)
	}
	mirror, err := d.Mirrors.Open(ctx, d.RemoteConfig())
	if err != nil {
		return err
	}
	if err := mirror.Fetch(ctx); err != nil {
		return err
	}
	_, diff, err := mirror.Commits().Show(ctx, s.Head, "", nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nPushed %s at %.7s:\n\n%s\n", s.Branch, s.Head, strings.TrimRight(diff, "\n"))
	fmt.Fprintf(d.out, "\nProof, run by the program:\n  %s\n", strings.ReplaceAll(proof, "\n", "\n  "))
	return d.printWhereToLook(s, keep)
}

// provenAttempt returns the summary of the attempt whose proof held and ran the new test.
func provenAttempt(ctx context.Context, st *store.Store, session string) (string, error) {
	tasks, err := st.Tasks(ctx, session, "")
	if err != nil {
		return "", err
	}
	for _, k := range tasks {
		attempts, err := st.Attempts(ctx, k.ID)
		if err != nil {
			return "", err
		}
		for _, a := range attempts {
			if a.Held && strings.Contains(a.Summary, demoNewTest) {
				return a.Summary, nil
			}
		}
	}
	return "", errors.New("demo: no attempt with the new test was proven")
}

// printWhereToLook prints where everything was kept and how to look at it.
func (d *demo) printWhereToLook(s workflow.Session, keep string) error {
	if keep == "" {
		fmt.Fprintln(d.out,
			"\nRun again with --keep DIR to look at the remote, the database and the thread yourself.")
		return nil
	}
	thread := filepath.Join(d.Dir, "thread.txt")
	if err := os.WriteFile(thread, []byte(d.Slack.ExportText(d.Channel, d.thread)), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(d.out, `
Kept in %[1]s:
  thread.txt      the thread
  remote.git      git --git-dir %[1]s/remote.git log -p main..%[2]s
                  git clone -b %[2]s %[1]s/remote.git shop && cd shop && go test ./...
  data            the bot's data directory with the database:
                  BOBBIN_DATA_DIR=%[1]s/data bobbin sessions %[3]s
`, d.Dir, s.Branch, s.ID)
	return nil
}
