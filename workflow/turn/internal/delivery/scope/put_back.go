package scope

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// PutBack returns the removals under the approval that a person had put back.
func (s *Scope) PutBack(ctx context.Context, a *workflow.Approval) ([]workflow.Removal, error) {
	all, err := s.Store.Removals(ctx, s.Session().ID)
	return slices.DeleteFunc(all,
		func(r workflow.Removal) bool { return r.User == "" || r.Approval != a.ID }), err
}

// HunkSum returns the hash by which a hunk is known again when it moves within its file.
func HunkSum(h diff.Hunk) string { return workflow.HunkSum(h.Path, h.Kind, h.Mode, h.Text) }

// sumsOf returns the sums of all removed hunks.
func sumsOf(list []workflow.Removal) (sums []string) {
	for _, r := range list {
		for _, h := range r.Hunks {
			sums = append(sums, h.Sum)
		}
	}
	return sums
}

// RestoreRemovals merges removals that a person who may approve had put back into the files that they were
// taken out of: the fork of a task while the task works there, otherwise the session's own workspace. k is
// the task that works in tree; nil means the work as a whole. If a removal does not fit any more, the
// agents are told to make it anew.
func (s *Scope) RestoreRemovals(ctx context.Context, tree *git.Workspace, k *workflow.Task) error {
	all, err := s.Store.Removals(ctx, s.Session().ID)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(r workflow.Removal) bool { return r.User == "" || r.Restored })
	if len(all) == 0 {
		return nil
	}
	tasks, err := s.Store.Tasks(ctx, s.Session().ID, "")
	if err != nil {
		return err
	}
	for _, r := range all {
		owner := int64(0)
		for _, o := range tasks {
			if o.ID == r.Task && (o.State == workflow.TaskOpen || o.State == workflow.TaskWorking) {
				owner = o.TreeOwner()
			}
		}
		if owner != k.TreeOwner() {
			continue
		}
		if err := s.layRemoval(ctx, tree, k, r); err != nil {
			return fmt.Errorf("put back what was taken out: %w", err)
		}
	}
	return nil
}

// layRemoval merges one removal into the files. While they hold something that cannot be committed, nothing
// can be merged: the removal waits until an agent has removed that, and done and finish demand it.
func (s *Scope) layRemoval(
	ctx context.Context, tree *git.Workspace, k *workflow.Task, r workflow.Removal,
) error {
	pack, err := s.Store.RemovalPack(ctx, s.Session().ID, r.Hash)
	if err != nil {
		return err
	}
	if len(pack) > 0 {
		if err := tree.Unpack(ctx, pack); err != nil {
			return err
		}
	}
	written := []store.Part{consent.Restored(r.Hash)}
	conflicts, err := tree.Merge(ctx, nil, r.Without, r.With)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		return s.Record(ctx, inbox.AgentNote{
			Key: "waits:" + r.Hash,
			Text: fmt.Sprintf("What was put back is not in the files yet, "+
				"since they hold what cannot be committed: %v. Without that it comes by itself.", unfit),
		})
	}
	if err != nil && len(pack) > 0 {
		return err
	}
	if len(conflicts) > 0 || err != nil {
		var why []string
		for _, c := range conflicts {
			why = append(why, c.Path+": "+c.Why)
		}
		s.Log.Info("what was taken out does not fit any more", "conflicts", why, "err", err)
		written = append(written,
			inbox.AgentNote{
				Key: "unfit:" + r.Hash,
				Text: "What was to be put back does not fit into the files as they are now. Make it anew " +
					"where it belongs; the scope takes it in:\n" + prompt.Fence("removed", r.Diff()),
			},
			store.Lines(s.ProgramLine("The files have changed since at "+r.Places()+
				", so it is redone instead of put back.")))
		return s.Record(ctx, written...)
	}
	if err := s.Trees.LetCommandsWrite(tree); err != nil {
		return err
	}
	files, err := s.Trees.Snapshot(ctx, tree, k.TreeOwner())
	if err != nil {
		return err
	}
	return s.Record(ctx, append(written, worktree.Some(files)...)...)
}
