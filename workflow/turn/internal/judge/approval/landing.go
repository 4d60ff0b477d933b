package approval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
)

// Land judges a request to push the newest pushed change to the branch of the pull request that the session
// is about. It is judged like an approval, and has to name that branch: nothing else is ever pushed to.
func (ap *Approvals) Land(
	ctx context.Context, m intent.Message, p workflow.Person, branch string,
) ([]store.Part, error) {
	push, no, err := ap.pushToBring(ctx, m, p)
	if no != nil || err != nil {
		return no, err
	}
	if reason, said := ap.cannotLand(branch); reason != "" {
		return ap.Refuse(m, p, workflow.DecideBackport, reason, said), nil
	}
	state, err := ap.Catalog.PullState(ctx)
	if err != nil {
		return nil, err
	}
	if gone := cmp.Or(state.Gone, state.Unread); gone != "" {
		return ap.Refuse(m, p, workflow.DecideBackport, "the pull request is not open",
			gone+" Nothing was pushed to it."), nil
	}
	files, err := ap.pushedFiles(ctx, push.Base, push.Commit)
	if err != nil {
		return nil, err
	}
	key := backports.DirectKey(push.Branch, branch)
	rows, err := backports.Register{Store: ap.Store}.Of(ctx, ap.Session().ID)
	if err != nil {
		return nil, err
	}
	asked := false
	if i := slices.IndexFunc(rows, func(r backports.Row) bool { return r.Branch == key }); i >= 0 {
		if asked, err = ap.landsOrLanded(ctx, rows[i], push.Commit); err != nil {
			return nil, err
		}
	}
	if asked {
		return ap.Refuse(m, p, workflow.DecideBackport, "asked for already",
			fmt.Sprintf("The push to %s was asked for already.", plaintext.CodeSpan(branch))), nil
	}
	e, waits, err := ap.agree(ctx, m, p, question{
		revision: push.Revision, subject: workflow.BackportSubject(key, push.Commit),
		permit: workflow.PermitBackport, decide: workflow.DecideBackport, files: files,
		what: "Push to " + plaintext.CodeSpan(branch), reason: "onto " + branch,
	})
	if waits != nil || err != nil {
		return waits, err
	}
	f := append(
		ap.Answer(m, fmt.Sprintf("Pushing it to %s, as %s asked.", plaintext.CodeSpan(branch), p.Name)),
		permission.NewPermission(m.Message, p, workflow.PermitBackport, push.Revision),
		backports.Order{
			Repository: ap.Session().Repository,
			Branch:     key,
			Wanted:     branch,
			Direct:     true,
			Pushed:     push.Commit,
			Base:       push.Base,
			Revision:   push.Revision,
			User:       p.ID,
			UserName:   p.Name,
			Credit:     p.Credit,
			MessageTS:  m.TS,
		},
		consent.Decision{
			What:      workflow.DecideBackport,
			Allowed:   true,
			Reason:    "onto " + branch,
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  push.Revision,
		})
	return append(f, e.parts...), nil
}

// landsOrLanded reports whether the push of a commit to a colleague's branch is under way, or done. A branch
// that was set back since has not the commit, so it can be asked for again.
func (ap *Approvals) landsOrLanded(ctx context.Context, row backports.Row, commit string) (bool, error) {
	switch {
	case row.State == backports.Asked || row.State == backports.Intended:
		return true, nil
	case row.State != backports.Pushed || row.Pushed != commit:
		return false, nil
	}
	mirror, err := ap.Catalog.Mirrors.Open(ctx, ap.Catalog.Configured(row.Repository).Remote)
	if err != nil {
		return false, err
	}
	commits := mirror.Commits()
	if !commits.HasBranch(row.Wanted) || !commits.Has(row.Commit) {
		return false, nil
	}
	tip, err := commits.Resolve(row.Wanted)
	if err != nil {
		return false, err
	}
	merged, err := commits.TryMerge(ctx, tip, row.Commit)
	return merged.Done, err
}

// cannotLand returns why nothing can be pushed to a branch, for the decision and for the person, or nothing.
func (ap *Approvals) cannotLand(branch string) (reason, said string) {
	s := ap.Session()
	r := ap.Catalog.Configured(s.Repository)
	hers := plaintext.CodeSpan(s.BaseBranch)
	switch {
	case s.Pull == 0:
		return "the session is about no pull request", "I push to branches of my own, and to the branch of " +
			"a " + r.Pulls.Words().Noun + " that a thread is about. This thread is about none."
	case strings.HasPrefix(s.BaseBranch, r.Pulls.Words().Mark):
		return "its branch is in a fork", "that branch is in a fork, and I cannot push there. The owner " +
			"of the fork can pull my branch."
	case r.PushTo != nil:
		return "branches are pushed to a fork", "my branches go to a fork here, and I push to nothing else."
	case s.BaseBranch == "" || r.IsBase(s.BaseBranch):
		return "its branch is a base", hers + " is a base or a release, and I never push to those."
	case branch == "":
		return "no branch is named", fmt.Sprintf("name the branch, so that nothing goes to another one: "+
			"\"push it to %s\".", plaintext.OneLine(s.BaseBranch))
	case branch != s.BaseBranch:
		return "another branch is named", fmt.Sprintf("I push to no branch of other people but %s, the one "+
			"of the %s.", hers, r.Pulls.Words().Noun)
	}
	return "", ""
}
