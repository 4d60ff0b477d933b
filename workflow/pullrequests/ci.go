package pullrequests

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/ciproof"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

func (f *Follower) proofs() ciproof.Register { return ciproof.Register{Store: f.Rows.Store} }

// lookAtProof does the next step for a commit that CI is to prove: for the branch with the new tests alone,
// for the checks, and for the end. Each is written down before the next begins.
func (f *Follower) lookAtProof(ctx context.Context, row ciproof.Row) (time.Duration, error) {
	at := f.hostOf(row.Repository)
	if at == nil {
		if row.State != ciproof.Waiting {
			return maxPollInterval, nil // the configuration may name a host again
		}
		return f.endProof(ctx, row, ruling{
			state: ciproof.Unproven, reason: "the configuration names no host for " + row.Repository,
		}, nil)
	}
	row, changed, err := f.pushTests(ctx, row)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil { // the checks of the commit are still worth a look
		f.Log.Warn("a branch of tests has to wait", "session", row.Session, "branch", row.TestsBranch,
			"err", err)
	}
	if changed && row.State == ciproof.Waiting {
		return f.judgeChecks(ctx, row, at.Host)
	}
	if row.TestsState == ciproof.TestsUnwanted {
		return f.deleteTests(ctx, row)
	}
	return f.pace(), nil
}

// isRefusal reports whether err is of a remote or a host, which is asked again later, and logs it.
func (f *Follower) isRefusal(ctx context.Context, row ciproof.Row, err error) bool {
	var refused *remote.Error
	if !errors.As(err, &refused) || ctx.Err() != nil {
		return false
	}
	f.Log.Warn("a proof by CI has to wait", "session", row.Session, "repository", row.Repository,
		"commit", row.Commit, "err", err)
	return true
}

// changeProof writes what became of the row. If somebody else changed it meanwhile, changed is false.
func (f *Follower) changeProof(
	ctx context.Context, row *ciproof.Row, after ciproof.Row, parts ...store.Part,
) (changed bool, err error) {
	if changed, err = f.proofs().Change(ctx, *row, after, parts...); changed {
		*row = after
	}
	return changed, err
}

// judgeChecks reads the checks of the commit and of the branch with its tests alone, and ends the waiting if
// they tell enough, or if it took too long.
func (f *Follower) judgeChecks(ctx context.Context, row ciproof.Row, at host.Host) (time.Duration, error) {
	all, err := at.Checks(ctx, row.Commit)
	var ofTests []host.Check
	if err == nil && row.TestsState == ciproof.TestsPushed {
		ofTests, err = at.Checks(ctx, row.TestsCommit)
	}
	if err != nil {
		if !f.isRefusal(ctx, row, err) {
			return 0, err
		}
		if time.Since(row.At) < ciLimit {
			var refused *remote.Error
			errors.As(err, &refused)
			return max(refused.After, f.pace()), nil
		}
		unread := ruling{state: ciproof.Unproven, reason: "its checks could not be read"}
		return f.endProof(ctx, row, unread, nil)
	}
	waiting := heldChecks(slices.Concat(all, ofTests))
	seen := fingerprint(all, ofTests) + heldMark(waiting)
	r := rule(row, sighting{
		checks:  sortChecks(all),
		tests:   sortChecks(ofTests),
		settled: seen == row.Seen && time.Since(row.SeenAt) >= 2*f.pace(),
		now:     time.Now(),
	})
	if r.state != ciproof.Waiting {
		return f.endProof(ctx, row, r, all)
	}
	if seen != row.Seen {
		after := row
		after.Seen = seen
		var said []store.Part
		if len(waiting) > 0 && !strings.HasSuffix(row.Seen, heldMark(waiting)) {
			said = append(said, f.line(heldText(short(row.Commit), f.hostOf(row.Repository).Words(), waiting,
				slices.Concat(all, ofTests))))
		}
		if _, err := f.changeProof(ctx, &row, after, said...); err != nil {
			return 0, err
		}
	}
	return f.pace(), nil
}

// heldMark ends what was seen of checks if some wait for a person, so that the thread is told of them once.
func heldMark(waiting []string) string {
	if len(waiting) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(waiting, "\n")))
	return "-" + hex.EncodeToString(sum[:4])
}

// fingerprint returns a short hash of the checks and their states.
func fingerprint(all, ofTests []host.Check) string {
	h := sha256.New()
	for _, list := range [][]host.Check{all, ofTests} {
		var lines []string
		for _, c := range list {
			lines = append(lines, fmt.Sprintf("%q %s %q", c.Name, c.State, c.Inconclusive))
		}
		slices.Sort(lines)
		fmt.Fprintf(h, "%s\n\n", strings.Join(lines, "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// endProof records the result and posts it, once. The branch with the tests alone is deleted after that.
func (f *Follower) endProof(
	ctx context.Context, row ciproof.Row, r ruling, all []host.Check,
) (time.Duration, error) {
	after := row
	after.State = r.state
	after.Reason = f.Secrets.Mask(r.reason)
	switch row.TestsState {
	case ciproof.TestsIntended, ciproof.TestsPushed:
		after.TestsState = ciproof.TestsUnwanted
	case ciproof.TestsAsked:
		after.TestsState = ciproof.TestsNone
	}
	parts, err := f.resultParts(ctx, row, r, all)
	if err != nil {
		return 0, err
	}
	if err := f.reach("judged"); err != nil {
		return 0, err
	}
	if changed, err := f.changeProof(ctx, &row, after, parts...); err != nil || !changed {
		return f.pace(), err
	}
	if err := f.reach("told"); err != nil {
		return 0, err
	}
	if row.TestsState == ciproof.TestsUnwanted {
		return f.deleteTests(ctx, row)
	}
	return 0, nil
}

// resultParts returns the line that tells the thread how the checks ended. Checks that failed can be fixed
// there, like those of every pull request.
func (f *Follower) resultParts(
	ctx context.Context, row ciproof.Row, r ruling, all []host.Check,
) ([]store.Part, error) {
	checked := pullrequest.Checked{Repository: row.Repository, Branch: row.Branch, Head: row.Commit}
	said := resultText(row, r, all)
	switch r.state {
	case ciproof.Passed:
		checked.State = green
		return []store.Part{checked, f.line(said)}, nil
	case ciproof.Failed:
	default:
		return []store.Part{f.line(said)}, nil
	}
	failed := slices.DeleteFunc(slices.Clone(all), func(c host.Check) bool { return c.State != host.Failed })
	at := f.hostOf(row.Repository)
	pull := pullrequest.Row{Proposal: pullrequest.Proposal{Repository: row.Repository, Head: row.Commit}}
	if tests := f.readFailures(ctx, &pull, at.Host, failed); len(tests) > 0 {
		said += " Failing: " + strings.Join(tests[:min(len(tests), maxTests)], ", ") + "."
	}
	checked.State = f.Secrets.Mask(red + " " + strings.Join(r.checks.failed, ", "))
	checked.Failure = pull.Failure
	buttons := []workflow.Button{{
		ActionID: workflow.ButtonDetails, Label: "Details", Value: store.NewToken(), Means: pull.Failure,
	}}
	open, err := f.Rows.Of(ctx, row.Session)
	if err != nil {
		return nil, err
	}
	if open != nil && open.Head == row.Commit && open.State == pullrequest.Open {
		said += " \"" + fixLabel + "\" keeps to the files of what was pushed."
		buttons = slices.Insert(buttons, 0, workflow.Button{
			ActionID: workflow.ButtonFixThere, Label: fixLabel, Value: store.NewToken(), Means: row.Commit,
		})
	} else {
		said += " Say what to do about it."
	}
	return []store.Part{checked, f.line(said, buttons...)}, nil
}
