package upgrades

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// An upgradeCase is one session in its own channel. An older version of the program began it and was killed;
// today's version ends it.
type upgradeCase struct {
	name   string // name of the channel and of the file that it is about
	since  string // the first release that can reach this state
	asks   string // what the first message asks for, for the scripted model
	before []string
	hold   string // the model call, or the remote's hook, that is in progress when the program is killed
	unread string // step that the program has no time to handle; "ask" is the first message
	stands string // phase in which it is killed
	after  []string
	ends   string
	// verified is true if the work was already verified. If the release stored no files in the database,
	// another machine has to do the work again under the same approval, and the worker reports it again.
	verified bool
}

// The steps of a case are a word and its arguments:
//
//	await TEXT          the bot posts it
//	say TEXT            ann writes it
//	click ACTION TEXT   ann presses the newest such button under a message with the text
//	mute                Slack refuses all posts from now on
//	lose                the answer to the next post is lost, and Slack refuses to show the thread after it
//	due                 the question has waited long enough
const (
	reported = "await revision 1"
	allowed  = "say fix it"
	pushed   = "await and pushed:"
)

var upgradeCases = []upgradeCase{
	{
		name:   "button",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported},
		stands: "reported",
		after:  []string{"click fix_it revision 1", pushed},
		ends:   "done",
	},
	{
		name:   "words",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported},
		stands: "reported",
		after:  []string{allowed, pushed},
		ends:   "done",
	},
	{
		name:   "corrected",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported, "say the plural is wrong, too", "await revision 2"},
		stands: "reported",
		after: []string{
			"click fix_it revision 1", "await the newest is revision 2",
			"click fix_it revision 2", pushed,
		},
		ends: "done",
	},
	{
		name:   "answered",
		since:  "0.1",
		asks:   "question",
		before: []string{"await Answer 1"},
		stands: "answered",
		after:  []string{"say and the other one?", "await Answer 2"},
		ends:   "answered",
	},
	{
		name:   "over",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported, allowed, pushed},
		stands: "done",
		ends:   "done",
	},
	{
		name:   "stopped",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported, "say stop", "await Stopped, as ann asked"},
		stands: "stopped",
		ends:   "stopped",
	},
	{
		name:     "refused",
		since:    "0.1",
		asks:     "bug",
		before:   []string{reported, allowed, "await could not be pushed"},
		stands:   "paused",
		after:    []string{"say push again", pushed},
		ends:     "done",
		verified: true,
	},
	{
		name:   "unsent",
		since:  "0.1",
		asks:   "bug",
		before: []string{"mute"},
		stands: "reported",
		after:  []string{reported, allowed, pushed},
		ends:   "done",
	},
	{
		name:   "unknown",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported, "lose", allowed},
		stands: "done",
		after:  []string{"await 1 file"}, // the older program wrote the line
		ends:   "done",
	},

	{
		name:   "asking",
		since:  "0.1",
		asks:   "bug",
		hold:   "report_root_cause",
		stands: "exploring",
		after:  []string{reported, allowed, pushed},
		ends:   "done",
	},
	{
		name:   "begun",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported, allowed},
		hold:   "read_file",
		stands: "working",
		after:  []string{pushed},
		ends:   "done",
	},
	{
		name:   "halfway",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported, allowed},
		hold:   "done",
		stands: "working",
		after:  []string{pushed},
		ends:   "done",
	},
	{
		name:     "verified",
		since:    "0.1",
		asks:     "bug",
		before:   []string{reported, allowed},
		hold:     "finish",
		stands:   "working",
		after:    []string{pushed},
		ends:     "done",
		verified: true,
	},
	{
		name:     "intended",
		since:    "0.1",
		asks:     "bug",
		before:   []string{reported, allowed},
		hold:     "hook",
		stands:   "verifying",
		after:    []string{pushed},
		ends:     "done",
		verified: true,
	},
	{
		name:     "unrecorded",
		since:    "0.1",
		asks:     "bug",
		before:   []string{reported, allowed},
		hold:     "hook",
		stands:   "verifying",
		after:    []string{pushed},
		ends:     "done",
		verified: true,
	},

	{
		name:   "fresh",
		since:  "0.1",
		asks:   "bug",
		unread: "ask",
		stands: "exploring",
		after:  []string{reported, allowed, pushed},
		ends:   "done",
	},
	{
		name:   "approved",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported},
		unread: allowed,
		stands: "reported",
		after:  []string{pushed},
		ends:   "done",
	},
	{
		name:   "clicked",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported},
		unread: "click fix_it revision 1",
		stands: "reported",
		after:  []string{pushed},
		ends:   "done",
	},
	{
		name:   "correction",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported},
		unread: "say the plural is wrong, too",
		stands: "reported",
		after:  []string{"await revision 2", allowed, pushed},
		ends:   "done",
	},
	{
		name:   "stopping",
		since:  "0.1",
		asks:   "bug",
		before: []string{reported},
		unread: "say stop",
		stands: "reported",
		after:  []string{"await Stopped, as ann asked"},
		ends:   "stopped",
	},

	{
		name:   "doubt",
		since:  "0.2",
		asks:   "doubt",
		before: []string{"await Which word"},
		stands: "exploring",
		after:  []string{"click option Which word", reported, allowed, pushed},
		ends:   "done",
	},
	{
		name:   "late",
		since:  "0.2",
		asks:   "doubt",
		before: []string{"await Which word"},
		stands: "exploring",
		after:  []string{"due", "await Nobody answered", reported, allowed, pushed},
		ends:   "done",
	},
	{
		name:   "interview",
		since:  "0.2",
		asks:   "grill me on interview",
		before: []string{"await Question 1"},
		stands: "aligning",
		after: []string{
			"say wrap up", "await Wrapping up, I would take", "click take_defaults Wrapping up",
			"await Shared understanding", "say yes", pushed,
		},
		ends: "done",
	},
	{
		name:   "understood",
		since:  "0.2",
		asks:   "grill me on interview",
		before: []string{"await Question 1", "say right", "await Shared understanding"},
		stands: "aligning",
		after:  []string{"click confirm Shared understanding", pushed},
		ends:   "done",
	},
	{
		name:   "plan",
		since:  "0.2",
		asks:   "plan",
		before: []string{"await Plan: Plan plan"},
		stands: "plan_shown",
		after:  []string{"click fix_it Plan: Plan plan", pushed},
		ends:   "done",
	},
	{
		name:  "follow",
		since: "0.2",
		asks:  "bug",
		before: []string{
			reported, allowed, pushed, "say there is another one", "await revision 2",
		},
		stands: "reported",
		after:  []string{"click fix_it revision 2", "await 2 files +2"},
		ends:   "done",
	},
	{
		name:   "pair",
		since:  "0.2",
		asks:   "pair",
		before: []string{reported, allowed},
		hold:   "done",
		stands: "working",
		after:  []string{pushed},
		ends:   "done",
	},
	{
		name:   "advice",
		since:  "0.2",
		asks:   "advice",
		hold:   "advise",
		stands: "consulting",
		after:  []string{reported, allowed, pushed},
		ends:   "done",
	},
	{
		name:   "feature",
		since:  "0.2",
		asks:   "feature",
		hold:   "finish",
		stands: "working",
		after:  []string{pushed},
		ends:   "done",
	},
	{
		name:   "diagnosis",
		since:  "0.2",
		asks:   "diagnose this: diagnosis",
		hold:   "report_diagnosis",
		stands: "diagnosing",
		after:  []string{"await Diagnosis Report", allowed, pushed},
		ends:   "done",
	},
}

// casesOf returns the cases that a release can have.
func casesOf(version string) []upgradeCase {
	return slices.DeleteFunc(slices.Clone(upgradeCases),
		func(f upgradeCase) bool { return f.since > version })
}

// single returns the case with a name, alone.
func single(name string) []upgradeCase {
	at := slices.IndexFunc(upgradeCases, func(f upgradeCase) bool { return f.name == name })
	return upgradeCases[at : at+1]
}

// someOf returns the cases of an older release that are played by default: the first that was killed in each
// phase, and all whose work was verified. With BOBBIN_EVERY, and of the newest release, all are played.
func someOf(version string) (some []upgradeCase) {
	all := casesOf(version)
	phases := map[string]bool{}
	if version == releases[len(releases)-1].version || os.Getenv("BOBBIN_EVERY") != "" {
		return all
	}
	for _, f := range all {
		if f.verified || !phases[f.stands] {
			some = append(some, f)
		}
		phases[f.stands] = true
	}
	return some
}

// files returns the names of the files that a case is about.
func (u upgradeCase) files() []string {
	if u.asks == "pair" || u.name == "follow" {
		return []string{u.name, u.name + "2"}
	}
	return []string{u.name}
}

// An upgradeDriver holds what the cases are followed with: Slack and the database.
type upgradeDriver struct {
	slack    *slacktest.Server
	db       *pgxpool.Pool
	ann      string
	channels map[string]string // IDs by name
}

// ask posts the first message of the case.
func (u upgradeDriver) ask(f upgradeCase) error {
	_, err := u.slack.Say(f.name, u.ann,
		fmt.Sprintf("%s %s %s: the word is wrong", u.slack.Mention(), f.asks, f.name), "")
	return err
}

func (u upgradeDriver) root(f upgradeCase) string {
	for _, m := range u.slack.Channel(f.name) {
		if m.User == u.ann && m.Subtype == "" {
			return m.TS
		}
	}
	return ""
}

// fly carries the steps out, one after the other.
func (u upgradeDriver) fly(ctx context.Context, f upgradeCase, steps ...string) error {
	for _, step := range steps {
		if err := u.step(ctx, f, step); err != nil {
			return fmt.Errorf("%s: %q: %w", f.name, step, err)
		}
	}
	return nil
}

func (u upgradeDriver) step(ctx context.Context, f upgradeCase, step string) error {
	word, rest, _ := strings.Cut(step, " ")
	switch word {
	case "ask":
		return u.ask(f)
	case "say":
		_, err := u.slack.Say(f.name, u.ann, rest, u.root(f))
		return err
	case "await":
		_, err := u.slack.WaitFor(ctx, f.name, u.root(f),
			func([]slacktest.Message) bool { return u.said(f, rest) })
		return err
	case "click":
		return u.click(f, rest)
	case "mute":
		u.slack.Order(slacktest.Fault{
			Method:  "chat.postMessage",
			Channel: u.channels[f.name],
			Status:  503,
			Times:   -1,
		})
		return nil
	case "lose":
		u.slack.Order(slacktest.Fault{
			Method:     "chat.postMessage",
			Channel:    u.channels[f.name],
			LoseAnswer: true,
		})
		u.slack.Order(slacktest.Fault{
			Method:  "conversations.replies",
			Channel: u.channels[f.name],
			Status:  503,
			Times:   -1,
		})
		return nil
	case "due":
		return u.until(ctx,
			`with due as (update river_job set scheduled_at = now() where kind = 'due' and state = 'scheduled'
			and args->>'session' in (select id from sessions where channel = $1)
				returning 1) select count(*) > 0 from due`,
			u.channels[f.name])
	}
	return fmt.Errorf("no such step")
}

// said reports whether the bot said the text in the thread, or to a person alone there.
func (u upgradeDriver) said(f upgradeCase, text string) bool {
	root := u.root(f)
	said := func(m slacktest.Message) bool {
		return m.BotID == u.slack.App().BotID &&
			strings.Contains(harness.Unmarked(u.slack.Readable(m.Text)), text)
	}
	alone := func(m slacktest.Message) bool { return m.ThreadTS == root && said(m) }
	return slices.ContainsFunc(u.slack.Thread(f.name, root), said) ||
		slices.ContainsFunc(u.slack.Ephemeral(), alone)
}

func (u upgradeDriver) click(f upgradeCase, what string) error {
	action, text, _ := strings.Cut(what, " ")
	for _, m := range slices.Backward(u.slack.Thread(f.name, u.root(f))) {
		if !strings.Contains(harness.Unmarked(u.slack.Readable(m.Text)), text) {
			continue
		}
		for _, c := range m.Pressable() {
			if strings.HasPrefix(c.ActionID, action) {
				return u.slack.Click(f.name, m.TS, c.ActionID, u.ann)
			}
		}
	}
	return fmt.Errorf("there is no such button:\n%s", u.slack.ExportText(f.name, u.root(f)))
}

// until polls the database until the query is true.
func (u upgradeDriver) until(ctx context.Context, sql string, args ...any) error {
	for {
		var is bool
		err := u.db.QueryRow(ctx, sql, args...).Scan(&is)
		if is {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("never so: %s %v: %w", sql, args, err)
		case <-time.After(30 * time.Millisecond):
		}
	}
}
