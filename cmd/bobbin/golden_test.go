package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

// Commands of a story that look at the state: each writes a text to a file of the story, which the story
// then compares or searches.

func look(
	at func(ctx context.Context, s *story) (string, error),
) func(*testscript.TestScript, bool, []string) {
	return cmd(func(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
		text, err := at(ctx, s)
		if err != nil {
			return err
		}
		return s.show(ctx, ts, args[0], text)
	})
}

// show writes a text to a file of the story, with what differs between runs replaced.
func (s *story) show(ctx context.Context, ts *testscript.TestScript, file, text string) error {
	text, err := s.stable(ctx, text)
	if err != nil {
		return err
	}
	return os.WriteFile(ts.MkAbs(file), []byte(text), 0o644)
}

// beginsLine matches the beginning of a line of the bot. It makes lines that share a message read the same
// as lines with a message of their own.
var beginsLine = regexp.MustCompile(`^\[[^\]\n]+\] `)

// threadCmd implements "thread [in THREAD] FILE [but TEXT…]": the messages of a thread, without those of the
// bot that contain a TEXT.
func threadCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	of := mainThread
	if len(args) > 2 && args[0] == "in" {
		of, args = args[1], args[2:]
	}
	text, err := s.export(of)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		if args[1] != "but" {
			return fmt.Errorf("no option %q", args[1])
		}
		text = message.ReplaceAllStringFunc(text, func(m string) string {
			leftOut := slices.ContainsFunc(args[2:], func(of string) bool { return strings.Contains(m, of) })
			if leftOut && strings.HasPrefix(m, "bobbin: ") {
				return ""
			}
			return m
		})
	}
	return s.show(ctx, ts, args[0], text)
}

// message matches a message in the text of a thread, with the lines below it that belong to it.
var message = regexp.MustCompile(`(?m)^\S.*\n(?: .*\n)*`)

// export returns the messages of a thread, one line each, with reactions and buttons, and below them what one
// person alone was shown.
func (s *story) export(thread string) (string, error) {
	var out strings.Builder
	for _, m := range s.Slack.Thread(s.channelOf(thread), s.threads[thread]) {
		who := s.NameOf(m)
		for i, line := range strings.Split(harness.Unmarked(s.Slack.Readable(m.Text)), "\n") {
			if i > 0 && (who != "bobbin" || !beginsLine.MatchString(line)) {
				fmt.Fprintf(&out, "    %s\n", line)
				continue
			}
			fmt.Fprintf(&out, "%s: %s\n", who, line)
		}
		var under []string
		for _, c := range m.Controls() {
			under = append(under, "["+c.Label()+"]")
		}
		for _, r := range m.Reactions {
			under = append(under, ":"+r.Name+":")
		}
		if len(under) > 0 {
			fmt.Fprintf(&out, "    %s\n", strings.Join(under, " "))
		}
	}
	out.WriteString(s.exportAlone(thread))
	return out.String(), nil
}

// messagesCmd implements "messages MOST": it fails if the bot has posted more than MOST messages in the
// main thread, not counting cards.
func messagesCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	most, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	n := 0
	for _, m := range s.Slack.Thread(s.Channel, s.threads[mainThread]) {
		if m.BotID == s.Slack.App().BotID &&
			(m.Metadata == nil || !strings.Contains(string(m.Metadata.EventPayload), ":card:")) {
			n++
		}
	}
	if n > most {
		return fmt.Errorf("%d messages; the thread is:\n%s", n,
			s.Slack.ExportText(s.Channel, s.threads[mainThread]))
	}
	return nil
}

// diff implements "diff FILE": the diff of the pushed branch's head, with the commit message.
func diff(ctx context.Context, s *story) (string, error) {
	x, err := s.session(ctx)
	if err != nil {
		return "", err
	}
	mirror, err := s.Mirrors.Open(ctx, s.Settings().Repositories[0].Remote)
	if err != nil {
		return "", err
	}
	if err := mirror.Fetch(ctx); err != nil {
		return "", err
	}
	commit, changed, err := mirror.Commits().Show(ctx, x.Head, "", nil)
	if err != nil {
		return "", err
	}
	return commit.Subject + "\n\n" + commit.Body + "\n" + changed, nil
}

// branches implements "branches FILE": the remote's branches with their commits, sorted.
func branches(_ context.Context, s *story) (string, error) {
	return branchesOf(s.Remote)
}

func branchesOf(dir string) (string, error) {
	there, err := stage.RemoteBranches(dir)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(there)) {
		fmt.Fprintf(&out, "%s %.7s\n", name, there[name])
	}
	return out.String(), nil
}

// decisions implements "decisions FILE": the decisions of all sessions, in the order of their threads' root
// messages.
func decisions(ctx context.Context, s *story) (string, error) {
	return s.query(ctx,
		`select format('%s %s %s, revision %s: %s', d.user_id, d.what, case when d.allowed then 'allowed'
		else 'refused' end, d.revision, d.reason)
		from decisions d join sessions s on s.id = d.session_id order by s.thread_ts, d.id`)
}

// pushes implements "pushes FILE": the pushes, in the order of their time.
func pushes(ctx context.Context, s *story) (string, error) {
	return s.query(ctx,
		`select format('%s %s %s %s', branch, left(commit_hash, 7), state, reason) from pushes order by at`)
}

// rows implements "rows FILE": the number of rows of each main table.
func rows(ctx context.Context, s *story) (string, error) {
	var parts []string
	for _, table := range []string{
		"sessions", "inbox", "reports", "approvals", "tasks", "attempts", "pushes",
	} {
		parts = append(parts, fmt.Sprintf("select '%[1]s ' || count(*) from %[1]s", table))
	}
	return s.query(ctx, strings.Join(parts, " union all "))
}

// query returns the single column of each row as a line.
func (s *story) query(ctx context.Context, sql string) (string, error) {
	found, err := s.Store.Pool.Query(ctx, sql)
	if err != nil {
		return "", err
	}
	defer found.Close()
	var out strings.Builder
	for found.Next() {
		var line string
		if err := found.Scan(&line); err != nil {
			return "", err
		}
		fmt.Fprintln(&out, strings.TrimSpace(line))
	}
	return out.String(), found.Err()
}

// askedCmd implements "asked GOLDEN": the requests to the model must match that file of testdata/golden,
// without the system prompts and the tools, which tests of package agent pin.
func askedCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	text, err := s.stable(ctx, s.Model.Transcript())
	if err != nil {
		return err
	}
	modeltest.Golden(s.t, text, filepath.Join("testdata", "golden", args[0]), withoutPrompts)
	return nil
}

// withoutPrompts removes the system prompts and the tools' descriptions from a transcript.
func withoutPrompts(transcript string) string {
	var out strings.Builder
	within := false
	for line := range strings.Lines(transcript) {
		begins := line == "system:\n" || strings.HasPrefix(line, "tool ") && strings.Contains(line, " {")
		within = begins || within && (line == "\n" || strings.HasPrefix(line, "  "))
		if !within {
			out.WriteString(line)
		}
	}
	return callTimes.ReplaceAllString(out.String(), "$1")
}

// memory matches a limit that depends on the machine's size.
var memory = regexp.MustCompile(`\b\d+(\.\d+)? [GM]B of memory`)

// callTimes matches the durations of commands and checks: whether one is shown differs between runs.
var callTimes = regexp.MustCompile(
	`(?m)^(  (?:(?:run \d+: )?exit code|.*(?:passed|clean|failed)).*) after <time>$`)

var atWork = regexp.MustCompile(`\b\d+ (s|min|h|days) at work(, \d+ (min|h|days) waiting)?` +
	`(, – \([\d,]+ tokens\))?`)

var durations = regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(ms|µs|s)\b`)

// moments match the times that agents are told.
var moments = regexp.MustCompile(
	`\b(Sent|It is now) \w{3} \d{4}-\d\d-\d\d \d\d:\d\d UTC(?:, [\d:]+ local)?(?:; \w+'s clock is [^.]+)?\.`)

// cardMoney matches the money that a card says was spent, which depends on the length of the prompts, and
// cardTokens the tokens that it shows where there is no price.
var (
	cardMoney  = regexp.MustCompile(` · \$\d+\.\d\d\b`)
	cardTokens = regexp.MustCompile(`(?m) · – \([\d,]+ tokens\)(?: in this run)?$`)
	someTokens = regexp.MustCompile(`(– \(|\bused )[\d,]+ tokens\b`)
)

// cardDurations match the time in a card's headline, and behind a task.
var cardDurations = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^(\w+: \[[^\]\n]+\] [^·\n]{1,60}(?: · approved by [^·\n]+)?` +
		`(?: · \d+ of \d+ tasks done)? · )\d+ (?:s|min)(\b)`),
	regexp.MustCompile(`(?m)^( +\d+\. \[.*\(.*, )\d+ (?:s|min)(\))$`),
}

// cardTimes match the times that a card shows only if the run or the task took long: behind the headline
// of a run that goes on, and behind a task.
var cardTimes = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^(\w+: \[[^\]\n]+\] (?:At work|Checking the result|Asking the consultant|` +
		`Waiting for a reply in the thread)(?: · \d+ of \d+ tasks done)?) · <time>(?: in this run)?`),
	regexp.MustCompile(`(?m)^( +\d+\. \[.*\(.*), <time>(\))$`),
}

// stable replaces what differs between runs by placeholders, or removes it.
func (s *story) stable(ctx context.Context, text string) (string, error) {
	sessions, err := s.Store.Sessions(ctx, 10)
	if err != nil {
		return "", err
	}
	for _, x := range sessions {
		text = strings.ReplaceAll(text, x.ID, "<session>")
	}
	made, err := s.query(ctx,
		`select commit_hash from pushes union all select commit_hash from backports where commit_hash <> ''`)
	if err != nil {
		return "", err
	}
	for _, commit := range strings.Fields(made) {
		text = strings.ReplaceAll(strings.ReplaceAll(text, commit, "<commit>"), commit[:7], "<commit>")
	}
	text = durations.ReplaceAllString(atWork.ReplaceAllString(text, "<time> at work"), "<time>")
	for _, shown := range cardDurations {
		text = shown.ReplaceAllString(text, "$1<time>$2")
	}
	text = moments.ReplaceAllString(text, "$1 <moment>.")
	text = memory.ReplaceAllString(text, "<memory> of memory")
	text = cardMoney.ReplaceAllString(cardTokens.ReplaceAllString(text, ""), " · <money>")
	text = someTokens.ReplaceAllString(text, "$1<some> tokens")
	for _, shown := range cardTimes {
		text = shown.ReplaceAllString(text, "$1$2")
	}
	text = strings.ReplaceAll(text, s.Dir, "<dir>")
	for id, name := range s.Names {
		text = strings.ReplaceAll(text, id, "<"+name+">")
	}
	return text, nil
}
