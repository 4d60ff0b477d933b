package pullrequests

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

func (f *Follower) merges() merges.Register { return merges.Register{Store: f.Rows.Store} }

// lookForConflicts tells the thread once if an open pull request conflicts with its base, and again only
// after it did not. What the host says of conflicts comes first; the files, and what the host does not know,
// are found out by a merge in the mirror.
func (f *Follower) lookForConflicts(ctx context.Context, row pullrequest.Row, says host.Mergeability) error {
	known, err := f.merges().Branches(ctx, row.Session)
	if err != nil {
		return err
	}
	b := merges.Branch{
		Repository: row.Repository,
		Branch:     row.Branch,
		Session:    row.Session,
		Base:       row.Base,
	}
	if i := slices.IndexFunc(known, func(k merges.Branch) bool {
		return k.Repository == row.Repository && k.Branch == row.Branch
	}); i >= 0 {
		b = known[i]
	}
	if says == host.MergeClean && b.State != merges.Conflicts {
		return nil
	}
	c := clash{name: f.name(row), own: !row.Aside}
	if c.own {
		made, err := f.isWorkBase(ctx, row)
		if err != nil {
			return err
		}
		c.retargeted = !made
	}
	if says != host.MergeClean {
		found, err := f.tryMerge(ctx, b, row.Head)
		var refused *remote.Error
		switch {
		case errors.As(err, &refused) && ctx.Err() == nil:
			f.Log.Warn("whether a branch conflicts cannot be found out", "session", row.Session,
				"branch", row.Branch, "err", err)
			return nil // the next look tries again
		case err != nil:
			return err
		case found.moved || found.Done:
			return nil
		}
		c.trial = found
		c.byHost = says == host.MergeConflicts && len(found.Conflicts) == 0
	}
	return f.tellConflicts(ctx, b, row.Head, c)
}

// lookAtBranch does the same for a pushed branch without a pull request.
func (f *Follower) lookAtBranch(ctx context.Context, b merges.Branch) (again time.Duration, err error) {
	if f.repositoryOf(b.Repository) == nil || f.Mirrors == nil {
		return maxPollInterval, nil // the configuration may name it again
	}
	again = f.pauseSince(b.NewsAt)
	found, err := f.tryMerge(ctx, b, b.Head)
	var refused *remote.Error
	if errors.As(err, &refused) && ctx.Err() == nil {
		f.Log.Warn("a pushed branch cannot be looked at", "session", b.Session, "branch", b.Branch,
			"err", err)
		return max(refused.After, again), nil
	}
	if err != nil {
		return 0, err
	}
	if found.gone || found.merged || time.Since(b.NewsAt) > watchedBranch {
		after := b
		after.State = merges.Ended
		return 0, f.merges().Change(ctx, b, after)
	}
	if found.moved || found.Done && b.State != merges.Conflicts {
		return again, nil
	}
	return again, f.tellConflicts(ctx, b, b.Head, clash{
		name:  plaintext.CodeSpan(b.Branch),
		own:   true,
		trial: found,
	})
}

// watchedBranch is how long a branch without a pull request is followed while nothing happens.
const watchedBranch = 30 * 24 * time.Hour

// A trial is what a merge of the base into a pushed commit comes to.
type trial struct {
	git.MergeOutcome
	onto   string // the base's commit
	gone   bool   // there is no such branch, or no such base, any more
	moved  bool   // the branch is not at the pushed commit
	merged bool   // the base has the pushed commit
}

// tryMerge merges the base into the pushed commit in the mirror, as both are now, and writes nothing.
func (f *Follower) tryMerge(ctx context.Context, b merges.Branch, head string) (t trial, err error) {
	r := f.repositoryOf(b.Repository)
	if r == nil || f.Mirrors == nil {
		t.moved = true // nothing can be said of it
		return t, nil
	}
	mirror, err := f.Mirrors.Open(ctx, r.Remote)
	if err == nil {
		err = mirror.Fetch(ctx)
	}
	if err != nil {
		return t, err
	}
	commits := mirror.Commits()
	stands, err := mirror.PushedHead(ctx, b.Branch)
	if err != nil {
		return t, err
	}
	if stands == "" || !commits.HasBranch(b.Base) {
		t.gone = true
		t.moved = true
		return t, nil
	}
	if t.onto, err = commits.Resolve(b.Base); err != nil {
		return t, err
	}
	if t.moved = stands != head; t.moved {
		return t, nil
	}
	t.MergeOutcome, err = commits.TryMerge(ctx, head, t.onto)
	t.merged = t.MergeOutcome.Base == head
	return t, err
}

// A clash is what the thread is to be told of.
type clash struct {
	trial
	name string // of the pull request, or of the branch
	own  bool   // it is of the session's own branch, and not of a backport
	// it is with another branch than the one that the session works on top of
	retargeted bool
	byHost     bool // the host says that it conflicts, and a merge in the mirror does not
}

// tellConflicts records what was found. The thread is told of conflicts once, and again only after they were
// gone. If the branch was pushed again and still conflicts, the same message offers the merge of that commit.
func (f *Follower) tellConflicts(ctx context.Context, b merges.Branch, head string, c clash) error {
	after := b
	after.Head = head
	after.Onto = c.onto
	after.Files = c.ConflictPaths()
	after.State = merges.Clear
	if len(c.Conflicts) > 0 || c.byHost {
		after.State = merges.Conflicts
	}
	same := after.State == b.State && after.Head == b.Head && after.Onto == b.Onto
	if same || b.State == "" && after.State == merges.Clear {
		return nil
	}
	var parts []store.Part
	switch {
	case after.State != merges.Conflicts:
	case b.State != merges.Conflicts || f.saysAgain:
		parts = append(parts, store.Lines{f.conflictLine(b.Base, head, c)})
	case b.Head != head && c.own && !c.retargeted:
		parts = append(parts, store.Reworded{
			ActionID: workflow.ButtonMergeBase,
			Label:    workflow.MergeLabel(b.Base),
			Line:     f.conflictLine(b.Base, head, c),
		})
	}
	if len(parts) == 0 {
		return f.merges().Change(ctx, b, after)
	}
	failpoint.Crash("conflicts_found")
	if err := f.merges().Change(ctx, b, after, parts...); err != nil {
		return err
	}
	failpoint.Crash("conflicts_told")
	return nil
}

// conflictLine says which files conflict, and offers the merge unless only a person can do it.
func (f *Follower) conflictLine(base, head string, c clash) workflow.Line {
	paths := c.ConflictPaths()
	where := fmt.Sprintf("%s conflicts with %s (%s)", c.name, plaintext.CodeSpan(base), short(c.onto))
	if c.byHost {
		where = fmt.Sprintf("%s conflicts with %s, as the host says; a merge that I tried finds no lines "+
			"that clash", c.name, plaintext.CodeSpan(base))
	} else {
		where += ": " + plaintext.Files(paths)
	}
	var buttons []workflow.Button
	if details := conflictDetails(c.Conflicts); details != "" {
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonDetails, Label: "Details", Value: store.NewToken(),
			Means: f.Secrets.Mask(details),
		})
	}
	byHand := slices.DeleteFunc(slices.Clone(c.Conflicts), func(c git.Conflict) bool { return !c.ByHand() })
	switch label := workflow.MergeLabel(base); {
	case len(byHand) > 0:
		where += fmt.Sprintf(". I cannot merge %s (%s): somebody has to merge %s by hand.",
			plaintext.CodeSpan(plaintext.SafeLine(byHand[0].Path, 120)), plaintext.OneLine(byHand[0].Why),
			plaintext.CodeSpan(base))
	case c.retargeted:
		where += fmt.Sprintf(". It was made for another branch: somebody has to merge %[1]s into it by "+
			"hand, or to begin another thread on %[1]s.", plaintext.CodeSpan(base))
	case !c.own:
		where += fmt.Sprintf(". Somebody has to merge %s into it by hand, or to close it and ask for the "+
			"backport again.", plaintext.CodeSpan(base))
	default:
		where += fmt.Sprintf(". %q makes a merge commit, rebases nothing, and proves the whole change again.",
			label)
		buttons = slices.Insert(buttons, 0, workflow.Button{
			ActionID: workflow.ButtonMergeBase, Label: label, Value: store.NewToken(), Means: head,
		})
	}
	return workflow.Line{
		Agent:   f.Agent,
		Text:    f.Secrets.Mask(where),
		Vouched: []int{0},
		Buttons: buttons,
	}
}

// conflictDetails returns the places that conflict, a line each.
func conflictDetails(conflicts []git.Conflict) string {
	var lines []string
	for _, c := range conflicts[:min(len(conflicts), 50)] {
		lines = append(lines, cmp.Or(c.Path, "?")+": "+plaintext.OneLine(c.Why))
	}
	return strings.Join(lines, "\n")
}
