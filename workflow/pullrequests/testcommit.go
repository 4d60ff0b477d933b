package pullrequests

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
)

// madeTests returns the commit with the new tests of the row alone, on top of its base. Made again from the
// same row it is the same commit.
func (f *Follower) madeTests(ctx context.Context, row ciproof.Row) (commit string, err error) {
	err = f.withTests(ctx, row, func(_ *git.Workspace, made string) error {
		commit = made
		return nil
	})
	return commit, err
}

// sendTests pushes the commit with the new tests alone as a branch of its own. A repeated push changes
// nothing.
func (f *Follower) sendTests(ctx context.Context, row ciproof.Row) error {
	return f.withTests(ctx, row, func(w *git.Workspace, made string) error {
		if made != row.TestsCommit {
			return fmt.Errorf("the tests of %s alone: the commit is %s, not %s", row.Commit, made,
				row.TestsCommit)
		}
		_, err := w.Push(ctx, f.testsSpec(row))
		return err
	})
}

// removeTests deletes the branch with the new tests alone if it is at the commit that was pushed. If somebody
// moved it, stands is where it is.
func (f *Follower) removeTests(ctx context.Context, row ciproof.Row) (stands string, err error) {
	mirror, err := f.mirrorOf(ctx, row)
	if err != nil {
		return "", err
	}
	return mirror.DeleteBranch(ctx, f.testsSpec(row))
}

// testsSpec says what is pushed, or deleted, and where.
func (f *Follower) testsSpec(row ciproof.Row) git.PushSpec {
	spec := git.PushSpec{
		Commit:    row.TestsCommit,
		Base:      row.BaseCommit,
		Branch:    row.TestsBranch,
		Protected: []string{row.Base, row.Branch},
	}
	if r := f.repositoryOf(row.Repository); r != nil {
		spec.Prefix = r.BranchPrefix
		spec.Named = r.Naming.Branch.Expression()
	}
	return spec
}

func (f *Follower) mirrorOf(ctx context.Context, row ciproof.Row) (*git.Mirror, error) {
	r := f.repositoryOf(row.Repository)
	if r == nil || f.Mirrors == nil {
		return nil, &remote.Error{
			Op:     "open " + row.Repository,
			Reason: "the configuration names no repository " + row.Repository + " any more",
			Cure:   "Put it back into the configuration",
		}
	}
	return f.Mirrors.Open(ctx, r.Remote)
}

// withTests makes the commit with the new tests alone in a workspace, and calls use with both.
func (f *Follower) withTests(
	ctx context.Context, row ciproof.Row, use func(w *git.Workspace, made string) error,
) (err error) {
	mirror, err := f.mirrorOf(ctx, row)
	if err != nil {
		return err
	}
	if !mirror.Commits().Has(row.Commit) {
		if err := mirror.Fetch(ctx); err != nil {
			return err
		}
	}
	dir := filepath.Join(f.Dir, row.Session, "tests-"+short(row.Commit))
	if err := disk.RemoveFolder(dir); err != nil { // left by an earlier try
		return err
	}
	w, err := mirror.Workspace(ctx, dir, row.BaseCommit)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Remove()) }()
	if err := f.findPushed(ctx, w, row); err != nil {
		return err
	}
	tree, err := w.TreeWith(row.BaseCommit, row.Commit, row.Tests)
	if err != nil {
		return err
	}
	made, err := w.Commit(ctx, git.CommitSpec{
		Tree:     tree,
		Parent:   row.BaseCommit,
		When:     row.At.UTC().Truncate(time.Second),
		Message:  "Show the new tests of " + short(row.Commit) + " alone\n\nThey have to fail here.",
		Trailers: [][2]string{{"Session", row.Session}},
		Made:     row.TestsCommit,
	})
	if err != nil {
		return err
	}
	return use(w, made)
}

// findPushed makes the pushed commit readable in the workspace. If its branch was deleted since, the files
// that are kept of the session hold it.
func (f *Follower) findPushed(ctx context.Context, w *git.Workspace, row ciproof.Row) error {
	if w.HasCommit(row.Commit) {
		return nil
	}
	kept, err := f.Rows.Store.Snapshot(ctx, row.Session, 0)
	if err != nil {
		return err
	}
	if kept != nil {
		var unfit *git.PackError
		if err := w.Unpack(ctx, kept.Pack); err != nil && !errors.As(err, &unfit) {
			return err
		}
	}
	if !w.HasCommit(row.Commit) {
		return &remote.Error{
			Op:     "find " + row.Commit,
			Reason: "the pushed commit " + short(row.Commit) + " is on no branch of the repository any more",
			Cure:   "Push it again",
		}
	}
	return nil
}
