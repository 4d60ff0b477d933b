package pullrequests

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
)

// pushTests does the next steps for the branch with the new tests alone: the commit is made and written down,
// and then pushed. changed is false if the row is another one by now.
func (f *Follower) pushTests(
	ctx context.Context, row ciproof.Row,
) (now ciproof.Row, changed bool, err error) {
	if row.State != ciproof.Waiting {
		return row, true, nil
	}
	if row.TestsState == ciproof.TestsAsked {
		after := row
		after.TestsCommit, err = f.madeTests(ctx, row)
		after.TestsState = ciproof.TestsIntended
		if changed, err = f.testsStep(ctx, &row, after, err); err != nil || !changed {
			return row, changed, err
		}
		if err := f.reach("intended"); err != nil {
			return row, false, err
		}
	}
	if row.TestsState == ciproof.TestsIntended {
		after := row
		err = f.sendTests(ctx, row)
		if err := f.reach("pushed"); err != nil {
			return row, false, err
		}
		after.TestsState = ciproof.TestsPushed
		if changed, err = f.testsStep(ctx, &row, after, err); err != nil || !changed {
			return row, changed, err
		}
	}
	return row, true, nil
}

// testsStep writes down a step for the branch, or that it was refused for good. It returns every other error,
// with changed set: the checks of the commit are still worth a look.
func (f *Follower) testsStep(
	ctx context.Context, row *ciproof.Row, after ciproof.Row, err error,
) (changed bool, failed error) {
	var refused *remote.Error
	switch {
	case errors.As(err, &refused) && !refused.Retry:
		after = *row
		after.TestsState = ciproof.TestsRefused
		after.TestsReason = f.Secrets.Mask(refused.Reason)
	case err != nil:
		return true, err
	}
	return f.changeProof(ctx, row, after)
}

// deleteLimit is how long a remote is asked to delete a branch before the thread is told that it stays.
const deleteLimit = 24 * time.Hour

// deleteTests deletes the branch with the new tests alone, if it is still at the commit that was pushed.
func (f *Follower) deleteTests(ctx context.Context, row ciproof.Row) (time.Duration, error) {
	stands, err := f.removeTests(ctx, row)
	var refused *remote.Error
	after := row
	again := time.Since(row.TestsAt) < deleteLimit
	switch {
	case errors.As(err, &refused) && refused.Retry && again && ctx.Err() == nil:
		f.Log.Warn("a branch of tests cannot be deleted yet", "session", row.Session,
			"branch", row.TestsBranch, "err", err)
		return max(refused.After, 4*f.pace()), nil
	case errors.As(err, &refused) && ctx.Err() == nil:
		after.TestsState = ciproof.TestsMoved
		after.TestsReason = f.Secrets.Mask(refused.Reason)
		_, err = f.changeProof(ctx, &row, after, f.line(fmt.Sprintf("`%s` could not be deleted: %s. %s.",
			row.TestsBranch, refused.Reason, refused.Cure)))
		return 0, err
	case err != nil:
		return 0, err
	case stands != "":
		after.TestsState = ciproof.TestsMoved
		said := fmt.Sprintf("`%s` stays, since somebody moved it to %s.", row.TestsBranch, short(stands))
		_, err = f.changeProof(ctx, &row, after, f.line(said))
		return 0, err
	}
	if err := f.reach("deleted"); err != nil {
		return 0, err
	}
	after.TestsState = ciproof.TestsDeleted
	_, err = f.changeProof(ctx, &row, after)
	return 0, err
}
