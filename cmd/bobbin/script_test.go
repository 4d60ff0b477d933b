package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/store/cluster/clustertest"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(clustertest.Main(m))
}

// patience is for a step of a story on a busy machine. Nothing waits for it to pass.
const patience = 2 * time.Minute

// TestScript plays the whole-program stories of testdata/script: the bot that serve runs,
// on a stage with a real Postgres, git remote, sandbox, Slack and model endpoint. The
// commands are listed in testdata/script/README.md.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Values[storyKey{}] = &story{t: t, env: env, threads: map[string]string{}}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"stage": cmd(stageCmd), "say": cmd(sayCmd), "edit": cmd(editCmd), "delete": cmd(deleteCmd), "click": cmd(clickCmd), "await": cmd(awaitCmd),
			"phase": cmd(phaseCmd), "branches": cmd(branchesCmd), "thread": cmd(threadCmd), "decisions": cmd(decisionsCmd), "played": cmd(playedCmd),
			"asked": cmd(askedCmd), "restart": cmd(restartCmd), "hook": cmd(hookCmd), "slack": cmd(slackCmd), "settled": cmd(settledCmd), "diff": cmd(diffCmd),
		},
	})
}

type storyKey struct{}

// A story is one script's stage and where it is in it.
type story struct {
	*stage
	t       *testing.T
	env     *testscript.Env
	threads map[string]string // ts of roots by name
	last    string            // ts of the newest thing a person wrote
}

const mainThread = "main"

func cmd(do func(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err := do(ctx, ts.Value(storyKey{}).(*story), ts, args)
		switch {
		case neg && err == nil:
			ts.Fatalf("unexpected success")
		case !neg && err != nil:
			ts.Fatalf("%v", err)
		}
	}
}

// stage MODEL [crew=…]: opens the stage with the scripted model of that file.
func stageCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	dir, err := stageDir("")
	if err != nil {
		return err
	}
	ts.Defer(func() { os.RemoveAll(dir) })
	log := slog.New(slog.NewTextHandler(logLines{ts}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s.stage, err = openStage(ctx, stageConfig{
		Dir: dir, Files: txtar.Parse(demoShop).Files, Model: ts.ReadFile(args[0]), ModelName: args[0], Log: log,
		DatabaseURL: clustertest.Database(s.t, func(context.Context, string) error { return nil }),
		Adjust: func(set *settings) {
			for _, option := range args[1:] {
				switch option {
				case "two-persons":
					set.Repositories[0].Approvers.OtherThanRequester = true
				case "no-sandbox":
					set.SandboxKind = "gvisor"
				}
			}
		},
	})
	if err != nil {
		return err
	}
	ts.Defer(func() {
		if err := s.close(); err != nil {
			ts.Logf("closing the stage: %v", err)
		}
	})
	return s.start(context.Background())
}

type logLines struct{ ts *testscript.TestScript }

func (l logLines) Write(b []byte) (int, error) {
	l.ts.Logf("%s", strings.TrimRight(string(b), "\n"))
	return len(b), nil
}

// say WHO [in THREAD] TEXT: a person or another bot writes; @bobbin is the bot's mention
// and @name a person's. The first message of a thread is its root.
func sayCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	who, thread := args[0], mainThread
	args = args[1:]
	if len(args) > 2 && args[0] == "in" {
		thread, args = args[1], args[2:]
	}
	text := s.mentions(strings.ReplaceAll(strings.Join(args, " "), `\n`, "\n"))
	say := s.slack.Say
	if who == "buildbot" {
		say = s.slack.SayAsBot
	}
	posted, err := say(s.channel, s.people[who], text, s.threads[thread])
	if err != nil {
		return err
	}
	if s.threads[thread] == "" {
		s.threads[thread] = posted
	}
	s.last = posted
	return nil
}

var named = regexp.MustCompile(`@(\w+)`)

func (s *story) mentions(text string) string {
	return named.ReplaceAllStringFunc(text, func(m string) string {
		if m == "@bobbin" {
			return s.slack.Mention()
		}
		if id, ok := s.people[m[1:]]; ok {
			return "<@" + id + ">"
		}
		return m
	})
}

// edit TEXT: the newest message of a person is edited.
func editCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	return s.slack.Edit(s.channel, s.last, s.mentions(strings.Join(args, " ")))
}

// delete: the root of the main thread is deleted.
func deleteCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	return s.slack.Delete(s.channel, s.threads[mainThread])
}

// click WHO ACTION [TEXT]: presses the newest button of that action in a message with TEXT.
func clickCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	messages := s.slack.Thread(s.channel, s.threads[mainThread])
	for i := len(messages) - 1; i >= 0; i-- {
		if len(args) > 2 && !strings.Contains(messages[i].Text, args[2]) {
			continue
		}
		for _, c := range messages[i].Controls() {
			if strings.HasPrefix(c.ActionID, args[1]) {
				return s.slack.Click(s.channel, messages[i].TS, c.ActionID, s.people[args[0]])
			}
		}
	}
	return fmt.Errorf("no button %q in the thread", args[1])
}

// await [in THREAD] TEXT: the bot says it, sooner or later.
func awaitCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	thread := mainThread
	if len(args) > 2 && args[0] == "in" {
		thread, args = args[1], args[2:]
	}
	text := strings.Join(args, " ")
	_, err := s.slack.WaitFor(ctx, s.channel, s.threads[thread], func(messages []slacktest.Message) bool {
		for _, m := range messages {
			if m.BotID == s.slack.App().BotID && strings.Contains(s.slack.Readable(m.Text), text) {
				return true
			}
		}
		return s.model.Err() != nil
	})
	if err != nil {
		return fmt.Errorf("waited for %q: %w\n%v", text, err, s.model.Err())
	}
	return s.model.Err()
}

// phase PHASE: the session of the main thread comes to that phase.
func phaseCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	phase := ""
	err := poll(ctx, func() (bool, error) {
		sessions, err := s.store.Sessions(ctx, 10)
		if err != nil {
			return false, err
		}
		for _, x := range sessions {
			if x.Thread.TS == s.threads[mainThread] {
				phase = string(x.Phase)
			}
		}
		return phase == args[0], nil
	})
	if err != nil {
		return fmt.Errorf("the phase is %q, want %q: %w", phase, args[0], err)
	}
	return nil
}

// settled: every message was judged, every turn is over, everything said was posted.
func settledCmd(ctx context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	if err := s.slack.WaitSettled(ctx); err != nil {
		return err
	}
	return poll(ctx, func() (bool, error) {
		var open int
		err := s.store.Pool.QueryRow(ctx, `select (select count(*) from inbox where handled_at is null)
			+ (select count(*) from outbox where posted_at is null and refused is null)
			+ (select count(*) from river_job where state not in ('completed', 'discarded', 'cancelled'))`).Scan(&open)
		return open == 0, err
	})
}

func poll(ctx context.Context, ready func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := ready()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// branches FILE: writes the remote's branches, one a line, sorted by testscript's grep.
func branchesCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	branches, err := remoteBranches(s.remote)
	if err != nil {
		return err
	}
	var out strings.Builder
	for name := range branches {
		fmt.Fprintln(&out, name)
	}
	return os.WriteFile(ts.MkAbs(args[0]), []byte(out.String()), 0o644)
}

// diff FILE: writes what the pushed branch changed.
func diffCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	sessions, err := s.store.Sessions(ctx, 1)
	if err != nil {
		return err
	}
	mirror, err := s.mirrors.Open(ctx, s.remoteConfig())
	if err != nil {
		return err
	}
	if err := mirror.Fetch(ctx); err != nil {
		return err
	}
	commit, diff, err := mirror.Show(ctx, sessions[0].Head)
	if err != nil {
		return err
	}
	return os.WriteFile(ts.MkAbs(args[0]), []byte(commit.Subject+"\n\n"+commit.Body+"\n"+diff), 0o644)
}

// thread FILE: writes the main thread as people see it.
func threadCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	return os.WriteFile(ts.MkAbs(args[0]), []byte(s.slack.ExportText(s.channel, s.threads[mainThread])), 0o644)
}

// decisions FILE: writes what was decided, a line each.
func decisionsCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	sessions, err := s.store.Sessions(ctx, 10)
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, x := range sessions {
		decisions, err := s.store.Decisions(ctx, x.ID)
		if err != nil {
			return err
		}
		for _, d := range decisions {
			fmt.Fprintf(&out, "%s %s allowed=%t revision=%d %s\n", s.names[d.User], d.What, d.Allowed, d.Revision, d.Reason)
		}
	}
	return os.WriteFile(ts.MkAbs(args[0]), []byte(out.String()), 0o644)
}

// played: the model's script was followed to its end.
func playedCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	return s.model.Finish()
}

// asked GOLDEN: what the model was asked is as in the golden file of testdata/golden.
func askedCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	return compareGolden(filepath.Join("testdata", "golden", args[0]), s.stable(s.model.Transcript()))
}

// restart: the bot is stopped and started again on the same database.
func restartCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	if err := s.halt(); err != nil {
		return err
	}
	return s.start(context.Background())
}

// hook NAME FILE: plants a hook in the remote.
func hookCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	name := filepath.Join(s.remote, "hooks", args[0])
	if len(args) == 1 {
		return os.Remove(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(ts.ReadFile(args[1])), 0o755)
}

// slack METHOD ERROR: the next call of the method is refused by Slack with that code.
func slackCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	s.slack.Order(slacktest.Fault{Method: args[0], Error: args[1]})
	return nil
}
