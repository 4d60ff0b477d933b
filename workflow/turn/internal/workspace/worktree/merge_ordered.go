package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// makeOrdered merges the base into the files of the session's own workspace, as a person who may approve has
// ordered it, if that was not done yet. Until then the session's base commit is one that the files do not
// hold, so nobody gets the workspace before. Conflicts stand in the files between markers; the merge commit
// is made when they are resolved and the whole is proven.
func (t *Trees) makeOrdered(ctx context.Context, p *Checkout, w *git.Workspace) error {
	row, err := merges.Register{Store: t.Store}.ToMake(ctx, t.Session().ID)
	if err != nil || row == nil {
		return err
	}
	if !w.HasCommit(row.Ours) || !w.HasCommit(row.Common) {
		if err := p.Mirror.Fetch(ctx); err != nil {
			return err
		}
	}
	tree, conflicts, err := w.MergeCommits(ctx, row.Common, row.Ours, row.Theirs, git.MergeLabels{
		Ours:   row.Branch,
		Theirs: row.Base,
	})
	if err != nil {
		return fmt.Errorf("merge %s: %w", row.Base, err)
	}
	if err := w.Restore(ctx, tree); err != nil {
		return fmt.Errorf("merge %s: %w", row.Base, err)
	}
	failpoint.Crash("base_merged")
	kept, err := t.Pack(ctx, w, 0, tree)
	if err != nil {
		return err
	}
	parts := append(Some(kept), merges.Merged{Revision: row.Revision, Tree: tree}, inbox.AgentNote{
		Key:  fmt.Sprintf("merge:%d", row.Revision),
		Text: mergeNote(*row, conflicts),
	})
	if err := t.Record(ctx, parts...); err != nil {
		return err
	}
	failpoint.Crash("merge_recorded")
	return nil
}

// mergeNote tells the orchestrator what was merged, and what it has to do about it.
func mergeNote(row merges.Row, conflicts []git.Conflict) string {
	note := fmt.Sprintf("Somebody who may approve had %s (%s) merged into the session's branch, as revision "+
		"%d, which is approved. The files hold the merge; the base is that commit now. The program makes "+
		"the merge commit, with two parents. ",
		prompt.FileName(row.Base), prompt.ShortHash(row.Theirs), row.Revision)
	if len(conflicts) == 0 {
		return note + "Nothing conflicts, and the program proves and pushes it by itself. If you are " +
			"called before it is pushed, do what the thread asks and call finish."
	}
	var places []string
	for _, c := range conflicts {
		if line := c.Path + ": " + plaintext.OneLine(c.Why); !slices.Contains(places, line) {
			places = append(places, line)
		}
	}
	return note + fmt.Sprintf("These places conflict:\n%s\nTexts stand there between <<<<<<<, |||||||, "+
		"======= and >>>>>>>: the branch's lines, those before both, and those of %s. Delegate one task to "+
		"deep that resolves all of them so that both intentions hold, and leaves no marker. Where one side "+
		"deleted a file, it decides whether the file stays. A lock file is written anew by its package "+
		"manager. Only these files may change:\n%s\nThen call finish.",
		prompt.Fence("conflicts", strings.Join(places, "\n")), prompt.FileName(row.Base),
		prompt.Fence("files", strings.Join(row.Files, "\n")))
}
