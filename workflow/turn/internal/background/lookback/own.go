package lookback

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/proof/past"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// ownBase returns the name of the repository's own base.
func (l *look) ownBase() string {
	return cmp.Or(l.repository.Base, l.mirror.Commits().DefaultBranch())
}

// mayComeToOwn reports whether what was pushed may have to come to the repository's own base, too: it was
// pushed for a release.
func (l *look) mayComeToOwn() bool {
	return l.pushed != "" && !l.ofPull && l.base != "" && l.repository.IsRelease(l.base) &&
		l.base != l.ownBase()
}

// compareOwn compares the repository's own base with what was pushed, line by line, unless a run showed
// whether it has the bug. It returns nil then, and if there is no such branch.
func (l *look) compareOwn(
	ctx context.Context, releases []workflow.ReleaseVerdict,
) (*workflow.OwnVerdict, error) {
	own := l.ownBase()
	if slices.ContainsFunc(releases, func(r workflow.ReleaseVerdict) bool {
		return r.Name == own && r.Answer != string(past.Unclear)
	}) {
		return nil, nil
	}
	commits := l.mirror.Commits()
	if !commits.HasBranch(own) {
		return nil, nil
	}
	tip, err := commits.Resolve(own)
	if err != nil {
		return nil, err
	}
	if shown, err := l.shownBefore(ctx, own, tip); shown != nil || err != nil {
		return shown, err
	}
	tried, err := commits.TryChange(ctx, l.row.Base, l.pushed, tip)
	if err != nil {
		return nil, fmt.Errorf("compare %s with what was pushed: %w", own, err)
	}
	v := &workflow.OwnVerdict{Name: own, Answer: workflow.OwnFits, Files: tried.ConflictPaths()}
	switch {
	case tried.Contained:
		v.Answer = workflow.OwnHasIt
	case len(tried.Conflicts) > 0 && !slices.ContainsFunc(tried.Conflicts,
		func(c git.Conflict) bool { return !strings.HasPrefix(c.Why, "deleted on one side") }):
		v.Answer = workflow.OwnLacksFiles
	case len(tried.Conflicts) > 0:
		v.Answer = workflow.OwnDiffers
	}
	return v, nil
}

// shownBefore returns what the command of the report showed on that commit of the repository's own base,
// while the report waited, or nil.
func (l *look) shownBefore(ctx context.Context, own, tip string) (*workflow.OwnVerdict, error) {
	done, err := l.Store.LookbacksDone(ctx, l.row.Session)
	for _, b := range slices.Backward(done) {
		if b.Repository != l.row.Repository || b.Base != l.row.Base || b.Found == nil {
			continue
		}
		for _, r := range b.Found.Releases {
			if r.Name == own && r.Commit == tip && r.Answer != string(past.Unclear) {
				return &workflow.OwnVerdict{Name: own, Answer: r.Answer}, err
			}
		}
	}
	return nil, err
}

// ownText returns the sentence about the repository's own base, or an empty string.
func (l *look) ownText(v *workflow.OwnVerdict) string {
	if v == nil {
		return ""
	}
	name := quoted(v.Name, 60)
	switch v.Answer {
	case workflow.OwnGreen:
		return fmt.Sprintf("By the command of the report, %s does not have the bug.", name)
	case workflow.OwnRed:
		return fmt.Sprintf("By the command of the report, %s has the bug, too.", name)
	case workflow.OwnHasIt:
		return name + " has this change already."
	case workflow.OwnLacksFiles:
		return fmt.Sprintf("%s does not have the code that was fixed: %s.", name, plaintext.Files(v.Files))
	case workflow.OwnDiffers:
		return fmt.Sprintf("%s has other lines where the fix is: %s. The fix does not fit there as it is.",
			name, plaintext.Files(v.Files))
	}
	if l.unproven {
		return name + " has the same lines where the fix is. Nothing was proven, so I cannot bring it there."
	}
	return name + " has the same lines where the fix is."
}
