package inquiry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// maxDiffFile is how many bytes of a diff people are sent. Slack shows no more of a snippet.
const maxDiffFile = 900 << 10

// AnswerDiffs shows the change to those who asked to see it. It needs no open repository and no model, so it
// is done before anything that takes longer.
func (i *Inquiries) AnswerDiffs(ctx context.Context) error {
	open, err := i.openInquiries(ctx)
	if err != nil {
		return err
	}
	open = slices.DeleteFunc(open, func(q workflow.Inquiry) bool { return q.Kind != workflow.InquiryDiff })
	if len(open) > 0 {
		i.answerDiffs(ctx, open)
	}
	return nil
}

// answerDiffs answers all of them with one reply: who presses twice sees it once.
func (i *Inquiries) answerDiffs(ctx context.Context, asked []workflow.Inquiry) {
	line, err := i.diffLine(ctx)
	if err != nil && ctx.Err() != nil {
		return // the inquiry is asked again when the session continues
	}
	if err != nil {
		i.Log.Error("show the change", "err", err)
		line = i.ProgramLine("I could not read the change (" + prompt.FirstLine(err.Error()) +
			"). Ask again in a moment; my operator finds more in the log.")[0]
	}
	parts := []store.Part{store.Replies{line}}
	for _, q := range asked {
		q.Answer = json.RawMessage(`{"shown":true}`)
		parts = append(parts, progress.Inquiry(q))
	}
	if s := i.Session(); s.Phase == workflow.PhaseExploring && !s.Open {
		parts = append(parts, store.Update{OptionalEvents: []workflow.Event{workflow.EventAnswer}})
	}
	if err := i.Record(ctx, parts...); err != nil && ctx.Err() == nil {
		i.Log.Error("record that the change was shown", "err", err)
	}
}

// diffLine returns the line that shows the change, with the diff as its file.
func (i *Inquiries) diffLine(ctx context.Context) (workflow.Line, error) {
	change, err := i.Trees.ReadChange(ctx)
	if err != nil {
		return workflow.Line{}, err
	}
	if change == nil || len(change.Files) == 0 {
		return i.ProgramLine("Nothing is changed yet.")[0], nil
	}
	s := i.Session()
	added, removed := 0, 0
	for _, f := range change.Files {
		added += f.Added
		removed += f.Removed
	}
	var text workflow.Text
	text.Vouch(fmt.Sprintf("The change against %s at %s: %s, +%d −%d lines.", change.Branch,
		prompt.ShortHash(s.BaseCommit), plaintext.CountNoun(len(change.Files), "file"), added, removed))
	if len(change.Private) > 0 {
		text.Vouch("Left out, since such files usually hold secrets: " +
			plaintext.CodeSpan(plaintext.OneLine(strings.Join(change.Private, ", "))) + ".")
	}
	if len(change.Diff) > maxDiffFile {
		text.Vouch("It is too large for one file, so `change.diff` is cut, and its end names what is " +
			"missing." + i.wholeDiff(change))
	}
	line := i.ProgramText(text)[0]
	line.Files = i.diffFiles(change)
	return line, nil
}

// diffFiles returns the diff as a file that Slack highlights, or nil if it has no text.
func (i *Inquiries) diffFiles(change *worktree.Change) []workflow.File {
	if change == nil || strings.TrimSpace(change.Diff) == "" {
		return nil
	}
	return []workflow.File{{
		Name:      "change.diff",
		Title:     "The change",
		Text:      prompt.CutDiff(change.Diff, maxDiffFile),
		Snippet:   "diff",
		Otherwise: strings.TrimSpace(i.wholeDiff(change)),
	}}
}

// wholeDiff says where the whole change can be read, or nothing before it is pushed.
func (i *Inquiries) wholeDiff(change *worktree.Change) string {
	s := i.Session()
	if s.Head == "" {
		return ""
	}
	if page := change.Repository.CompareURL(s.BaseCommit, s.Head); page != "" {
		return fmt.Sprintf(" The pushed change: [Compare](%s).", page)
	}
	return fmt.Sprintf(" The pushed change: `git fetch %s %s && git diff %s %s`.",
		change.Repository.FetchFrom(), s.Branch, prompt.ShortHash(s.BaseCommit), prompt.ShortHash(s.Head))
}
