package approval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A BaseMerge is a person's request to merge the base branch into what was pushed.
type BaseMerge struct {
	Commit string // pushed commit that the pressed button is for; empty: the request is in words
	Named  string // the branch that the words name; empty: they name none
}

// usualBases are names of a base that people use whatever it is called.
var usualBases = []string{"main", "master", "trunk", "develop", "base"}

// MeansBase reports whether a message that names this branch may mean the session's base: it names the base,
// a usual name of one, or nothing.
func (ap *Approvals) MeansBase(ctx context.Context, name string) bool {
	return name == "" || slices.Contains(usualBases, strings.ToLower(name)) || ap.Catalog.IsBaseNow(ctx, name)
}

// A mergePlan is a merge that can be made.
type mergePlan struct {
	merges.Request
	outcome git.MergeOutcome
}

// A mergeRefusal says why a merge is not made.
type mergeRefusal struct{ reason, said string }

func (r *mergeRefusal) Error() string { return r.reason }

func refuseMerge(reason, format string, args ...any) error {
	return &mergeRefusal{reason, fmt.Sprintf(format, args...)}
}

// MergeBase judges a request to merge the newest commit of the base branch into what was pushed. It is judged
// like an approval: it makes and approves a new revision, which is that merge of these two commits and
// nothing else. A message has to be written below the line that announces the push, and a press has to be of
// a button for that push.
func (ap *Approvals) MergeBase(
	ctx context.Context, m intent.Message, p workflow.Person, want BaseMerge,
) ([]store.Part, error) {
	refused := func(reason, said string) ([]store.Part, error) {
		return ap.Refuse(m, p, workflow.DecideMergeBase, reason, said), nil
	}
	s := ap.Session()
	register := backports.Register{Store: ap.Store}
	push, err := register.NewestPush(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	refusal, may, err := ap.mayDecide(ctx, m, p, pushedRevision(s, push), workflow.DecideMergeBase)
	if err != nil || !may {
		return refusal, err
	}
	standing, err := ap.StandingApproval(ctx)
	if err != nil {
		return nil, err
	}
	rests, err := ap.restsAfterPush(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case push == nil:
		return refused("nothing was pushed", "nothing was pushed in this thread yet.")
	case s.Halted != "":
		return refused("the work is stopped", "the work is stopped. Let it go on first, then ask again.")
	case standing != nil || !rests:
		return refused("something newer is under way",
			"something newer is under way in this thread. Ask again when it is done.")
	case want.Commit != "" && want.Commit != push.Commit:
		return refused("something newer was pushed",
			"something newer was pushed since. Write \"update the branch\".")
	}
	if unread, err := ap.WrittenBeforeShown(ctx, m,
		func() (string, bool, error) { return register.PushTS(ctx, s.ID, *push) }); err != nil {
		return nil, err
	} else if unread {
		return refused("written before the push was shown",
			"that was written before I told of the newest push. Please read it, and ask again.")
	}
	if f, err := ap.refuseEdited(ctx, m, p, workflow.DecideMergeBase); f != nil || err != nil {
		return f, err
	}
	plan, err := ap.planMerge(ctx, *push, want)
	var no *mergeRefusal
	if errors.As(err, &no) {
		return refused(no.reason, no.said)
	}
	if err != nil {
		return nil, err
	}
	return ap.mergeParts(ctx, m, p, *push, plan)
}

// restsAfterPush reports whether nothing newer than what was pushed is under way: also where agents could not
// do what was asked for since, and said so.
func (ap *Approvals) restsAfterPush(ctx context.Context) (bool, error) {
	s := ap.Session()
	switch s.Phase {
	case workflow.PhaseDone, workflow.PhaseAnswered:
		return true, nil
	case workflow.PhasePaused:
		q, err := ap.Store.Waiting(ctx, s.ID)
		return !s.Open && q == nil && s.PreviousPhase == workflow.PhaseExploring, err
	}
	return false, nil
}

// planMerge fetches the repository and returns the merge of the base's newest commit into the pushed one. It
// returns a *mergeRefusal if that cannot be merged, or need not be.
func (ap *Approvals) planMerge(
	ctx context.Context, push backports.Push, want BaseMerge,
) (plan mergePlan, err error) {
	s := ap.Session()
	pull, err := pullrequest.Register{Store: ap.Store}.Of(ctx, s.ID)
	if err != nil {
		return plan, err
	}
	if pull != nil && (pull.State == pullrequest.Merged || pull.State == pullrequest.Reverted) {
		return plan, refuseMerge("it was merged", "what was pushed was merged already.")
	}
	mirror, base, err := ap.fetched(ctx)
	if err != nil {
		return plan, err
	}
	commits := mirror.Commits()
	span := plaintext.CodeSpan(base)
	update := "merge " + base
	inFork := s.Pull != 0 && strings.HasPrefix(base, ap.Catalog.Configured(s.Repository).Pulls.Words().Mark)
	if inFork { // "merge #77" would ask for something else
		update = "update the branch"
	}
	other := want.Named != "" && want.Named != base && !strings.EqualFold(want.Named, "base")
	if other && s.Pull != 0 {
		return plan, refuseMerge("another branch", "what was pushed is for %s, and whoever owns that merges "+
			"%s into it. Write %q then, and I bring what was pushed up to date.", span,
			plaintext.CodeSpan(want.Named), update)
	}
	if other {
		return plan, refuseMerge("another branch", "what was pushed is for %s, and I merge no "+
			"other branch into it. Write %q for that one.", span, update)
	}
	if pull != nil && pull.State == pullrequest.Open && pull.Base != base {
		return plan, refuseMerge("another base at the host", "what was pushed was made for %s, and "+
			"goes into %s now, as the host says. I merge neither into it; begin another thread on the "+
			"branch that it is meant for.", span, plaintext.CodeSpan(pull.Base))
	}
	tip, err := ap.baseTip(ctx, mirror, base, inFork)
	if err != nil {
		return plan, err
	}
	stands, err := mirror.PushedHead(ctx, push.Branch)
	switch {
	case err != nil:
		return plan, refuseUnread(ctx, err)
	case stands == "":
		return plan, refuseMerge("the branch is gone", "the branch %s is not there any more.",
			plaintext.CodeSpan(push.Branch))
	case stands != push.Commit:
		return plan, refuseMerge("somebody else pushed", "somebody moved %s to %s since I "+
			"pushed %s. I leave that as it is; merge %s into it by hand.", plaintext.CodeSpan(push.Branch),
			prompt.ShortHash(stands), prompt.ShortHash(push.Commit), span)
	}
	plan.outcome, err = commits.TryMerge(ctx, push.Commit, tip)
	if err != nil {
		return plan, err
	}
	plan.Request = merges.Request{
		Revision:   s.Revision + 1,
		Repository: s.Repository,
		Branch:     push.Branch,
		Ours:       push.Commit,
		Base:       base,
		Theirs:     tip,
		Common:     plan.outcome.Base,
	}
	if err := plan.refuse(); err != nil {
		return plan, err
	}
	return plan, plan.setFiles(ctx, commits)
}

// fetched fetches the session's repository, and returns its mirror and the name of the session's base.
func (ap *Approvals) fetched(ctx context.Context) (mirror *git.Mirror, base string, err error) {
	r, ok, err := ap.Catalog.Current(ctx)
	if err != nil {
		return nil, "", err
	}
	if !ok {
		return nil, "", refuseMerge("not configured",
			"the configuration does not name the repository any more.")
	}
	if mirror, err = ap.Catalog.Mirrors.Open(ctx, r.Remote); err == nil {
		err = mirror.Fetch(ctx)
	}
	if err != nil {
		return nil, "", refuseUnread(ctx, err)
	}
	return mirror, cmp.Or(r.Base, mirror.Commits().DefaultBranch()), nil
}

// refuseUnread returns the *mergeRefusal for an error of the remote, and every other error unchanged.
func refuseUnread(ctx context.Context, err error) error {
	var failed *remote.Error
	if !errors.As(err, &failed) || ctx.Err() != nil {
		return err
	}
	return refuseMerge("the remote failed", "the repository cannot be fetched now: %s. %s. Nothing was "+
		"changed; ask again then.", failed.Reason, strings.TrimSuffix(failed.Cure, "."))
}

// baseTip returns the newest commit of the base: of a branch, or of a pull request whose branch is in a fork.
func (ap *Approvals) baseTip(
	ctx context.Context, mirror *git.Mirror, base string, inFork bool,
) (tip string, err error) {
	s := ap.Session()
	commits := mirror.Commits()
	if inFork {
		pull, err := ap.Catalog.PullBase(ctx, ap.Catalog.Configured(s.Repository), commits, s.Pull)
		switch {
		case err != nil:
			return "", err
		case pull.Commit == "":
			return "", refuseMerge("the pull request is not open", "%s So there is nothing to merge.",
				pull.Said)
		}
		if err := mirror.FetchCommit(ctx, pull.Commit); err != nil {
			return "", refuseUnread(ctx, err)
		}
		return pull.Commit, nil
	}
	if !commits.HasBranch(base) {
		return "", refuseMerge("the base is gone", "there is no branch %s in %s any more, so "+
			"there is nothing to merge.", plaintext.CodeSpan(base), s.Repository)
	}
	return commits.Resolve(base)
}

// refuse returns a *mergeRefusal if the merge is not for the program to make.
func (p mergePlan) refuse() error {
	base := plaintext.CodeSpan(p.Base)
	switch {
	case p.outcome.Done:
		return refuseMerge("nothing to merge", "%s has all of %s (%s), so there is nothing to "+
			"merge.", plaintext.CodeSpan(p.Branch), base, prompt.ShortHash(p.Theirs))
	case p.outcome.Base == "":
		return refuseMerge("no common history", "%s and %s have no commit in common: somebody "+
			"rewrote one of them. Merge them by hand.", plaintext.CodeSpan(p.Branch), base)
	case p.outcome.Base == p.Ours || p.outcome.Contained:
		return refuseMerge("all of it is there", "%s (%s) has all that was pushed, so there is "+
			"nothing to merge.", base, prompt.ShortHash(p.Theirs))
	}
	for _, c := range p.outcome.Conflicts {
		if c.ByHand() {
			return refuseMerge("by hand", "I cannot merge %s (%s). Somebody has to merge %s by "+
				"hand; nothing was changed.", plaintext.CodeSpan(plaintext.SafeLine(c.Path, 120)),
				plaintext.OneLine(c.Why), base)
		}
	}
	return nil
}

// setFiles sets the paths that conflict, and those that may be changed to resolve that: these and the files
// of the pushed change.
func (p *mergePlan) setFiles(ctx context.Context, commits git.Commits) error {
	changed, err := commits.ChangedPaths(ctx, p.Common, p.Ours)
	if err != nil {
		return err
	}
	p.Clashes = p.outcome.ConflictPaths()
	for _, c := range p.outcome.Conflicts {
		changed = append(append(changed, c.Path), c.Renamed...)
	}
	slices.Sort(p.Clashes)
	slices.Sort(changed)
	p.Files = slices.Compact(changed)
	return nil
}

// mergeParts returns the new revision, its approval, and the order of the merge. The people who asked for the
// pushed change count as those who asked for the merge, so the message only approves.
func (ap *Approvals) mergeParts(
	ctx context.Context, m intent.Message, p workflow.Person, push backports.Push, plan mergePlan,
) ([]store.Part, error) {
	s := ap.Session()
	pushed, err := ap.Store.Report(ctx, s.ID, push.Revision)
	if err != nil {
		return nil, fmt.Errorf("merge the base: who asked for revision %d: %w", push.Revision, err)
	}
	body, err := json.Marshal(workflow.Request{
		SurfaceArea: plaintext.OneLine(strings.Join(plan.Files, ", ")),
		Files:       plan.Files,
	})
	if err != nil {
		return nil, fmt.Errorf("merge the base: %w", err)
	}
	report := workflow.Report{
		Session:    s.ID,
		Revision:   plan.Revision,
		Kind:       workflow.ReportRequest,
		Body:       body,
		BaseCommit: plan.Theirs,
		AskedBy:    pushed.AskedBy,
		Credits:    pushed.Credits,
		Text:       fmt.Sprintf("Revision %d, as %s asked. %s", plan.Revision, p.Name, plan.text()),
	}
	f := append(ap.Ignore(m), store.Update{
		Open:   ledger.Wake,
		Events: []workflow.Event{workflow.EventRequest, workflow.EventResume},
		Change: func(s *workflow.Session) {
			s.BaseCommit = plan.Theirs
			s.Head = plan.Ours // a later request may have merged the base, and that is not pushed
		},
	})
	f = append(f,
		consent.Report(report),
		merges.Order(plan.Request),
		store.Lines(ap.ProgramLine(report.Text)),
		consent.Decision{
			What:      workflow.DecideMergeBase,
			Allowed:   true,
			Reason:    plan.Base + " " + prompt.ShortHash(plan.Theirs),
			User:      p.ID,
			MessageTS: m.TS,
			Revision:  plan.Revision,
		})
	// One word begins the merge, which changes nothing before its push. That asks for all who are needed.
	by := permission.Asker{Message: m.Message, Person: p}
	approved, err := ap.Permissions.ApprovalParts(ctx, by, report, permission.Terms{
		What: ap.Permissions.PermissionKind(report.Kind), Needed: 1, By: []string{p.Name},
	})
	return append(f, approved...), err
}

// text says what is merged, and what is to be resolved.
func (p mergePlan) text() string {
	text := fmt.Sprintf("Merge %s (%s) into %s (%s): a merge commit, nothing is rebased.",
		plaintext.CodeSpan(p.Base), prompt.ShortHash(p.Theirs), plaintext.CodeSpan(p.Branch),
		prompt.ShortHash(p.Ours))
	if len(p.Clashes) == 0 {
		return text + " Nothing conflicts; the whole change is proven again on top of it."
	}
	return text + fmt.Sprintf(" To resolve: %s. Only these files and those of the pushed change may change; "+
		"then the whole change is proven again.", plaintext.Files(p.Clashes))
}
