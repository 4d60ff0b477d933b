package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// WriteBrief writes the first message of the orchestrator's transcript: facts about the repository, its
// conventions as data, and the messages of the thread so far. What people wrote to the bot follows with
// Splice.
func (o *Orchestrator) WriteBrief(ctx context.Context, j *runtime.Transcript) error {
	parts := []string{o.Trees.RepositoryFacts(ctx)}
	if c := o.Trees.Current().Conventions(); c != "" {
		parts = append(parts, c)
	}
	learned, used, err := o.learned(ctx)
	if err != nil {
		return err
	}
	if learned != "" {
		parts = append(parts, learned)
	}
	if skills := o.Trees.Current().Skills.Catalogue(); skills != "" {
		parts = append(parts, prompt.ProgramMark+"Skills that load_skill gives you:\n"+
			prompt.MarkReplacements.ReplaceAllString(strings.TrimRight(skills, "\n"), `"program"`))
	}
	parts = append(parts, fmt.Sprintf(prompt.ProgramMark+"It is now %s. A time that a person names "+
		"(\"8am\", \"yesterday\") is on that person's own clock: the local time of a message is its "+
		"writer's, and each person's zone is said once.",
		prompt.When(o.Store.Clock().Now(), nil)))
	duplicates, err := o.Duplicates.Facts(ctx)
	if err != nil {
		return err
	}
	if duplicates != "" {
		parts = append(parts, duplicates)
	}
	earlier, err := o.Slack.Earlier(ctx, o.Session().Thread)
	if err != nil {
		o.Log.Warn("cannot read the thread so far", "err", err) // the request itself is in the inbox
	}
	said, of, err := o.earlierText(ctx, earlier)
	if err != nil {
		return err
	}
	if said != "" {
		parts = append(parts, said)
	}
	known, err := o.Trees.AdvisoryFacts(ctx, said)
	if err != nil {
		return err
	}
	if known != "" {
		parts = append(parts, known)
	}
	shown := inbox.Earlier(earlierOf(earlier, of))
	var files []workflow.Attachment
	for _, s := range earlier {
		if of[s.TS] {
			files = append(files, s.Files...)
		}
	}
	if len(files) > 0 {
		if err := o.Record(ctx, inbox.Attachments(files)); err != nil {
			return err
		}
	}
	more, pictures, err := o.Attachments.Describe(ctx, "Attached to those", of)
	if err != nil {
		return err
	}
	if more != "" {
		parts = append(parts, more)
	}
	if err := o.Runtime.Links.FollowEarlier(ctx, earlierOf(earlier, of)); err != nil {
		return err
	}
	return j.Append(ctx, agent.Entry{
		Messages: []model.Message{{Role: model.User, Text: strings.Join(parts, "\n\n"), Pictures: pictures}},
		Writes:   ledger.Writes(append(used, shown)...),
	})
}

// earlierOf returns the messages whose ts is in of: those that agents are shown with the brief.
func earlierOf(messages []workflow.ThreadMessage, of map[string]bool) []workflow.ThreadMessage {
	return slices.DeleteFunc(slices.Clone(messages),
		func(s workflow.ThreadMessage) bool { return !of[s.TS] })
}

// maxLearned is how many lessons agents are shown, the newest ones.
const maxLearned = 12

// learned returns what agents are told of the repository's lessons, and the line that says in the thread
// that they are used. Both are recorded together.
func (o *Orchestrator) learned(ctx context.Context) (text string, said []store.Part, err error) {
	here := o.Trees.Current()
	all, err := lessons.Of(ctx, o.Store.DB, here.Repository.Name, here.Folder())
	if err != nil || len(all) == 0 {
		return "", nil, err
	}
	all = all[max(0, len(all)-maxLearned):]
	var given, shown []string
	for _, l := range all {
		given = append(given, "- "+plaintext.OneLine(l.Text))
		short := plaintext.CutLine(plaintext.OneLine(l.Text), 100)
		shown = append(shown, fmt.Sprintf("%d. %s", l.ID, plaintext.QuoteLine(short)))
	}
	text = prompt.ProgramMark + "Learned of this repository before: what the program saw, or what members " +
		"asked to have remembered. Data, and perhaps out of date: look before you rely on it.\n" +
		prompt.Fence("lessons", strings.Join(given, "\n"))
	line := o.ProgressLine(fmt.Sprintf("Uses %s learned here before (\"lessons\" tells more): %s",
		plaintext.CountNoun(len(all), "thing"), strings.Join(shown, " ")))
	return text, []store.Part{store.Lines(line)}, nil
}

// earlierText returns the messages that were in the thread before the bot was named, without the bot's
// own replies and without messages in the inbox. Of a long thread it keeps the first message and the
// newest ones, and says how many between them are left out. of holds the ts of the messages in the text.
func (o *Orchestrator) earlierText(
	ctx context.Context, messages []workflow.ThreadMessage,
) (text string, of map[string]bool, err error) {
	var lines []string
	of = map[string]bool{}
	size := 0
	left := leftOut{by: map[string]int{}}
	full := false
	for i := len(messages) - 1; i >= 0; i-- {
		s := messages[i]
		left.skip(s)
		kept, err := o.Inbox().Original(ctx, s.TS, 1<<62)
		if err != nil {
			return "", nil, err
		}
		if s.Own || kept != "" {
			continue
		}
		line := o.threadLine(ctx, s, worktree.MaxEarlier/2)
		root := s.TS == o.Session().Thread.TS
		if full = full || size+len(line) > worktree.MaxEarlier; full && !root {
			left.add(s)
			continue
		}
		size += len(line)
		lines = append(lines, line)
		of[s.TS] = true
	}
	slices.Reverse(lines)
	if len(lines) == 0 {
		return "", of, nil
	}
	head := prompt.ProgramMark + "Said in the thread before" + left.String() +
		o.clocksText(ctx, messages, of)
	return head + ":\n" + prompt.Fence("message", strings.Join(lines, "\n")), of, nil
}
