package delivery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// makeCommit returns the commit of an earlier push of the same files that did not get through, so that
// the repeated push has the same hash whatever the model says of the work now. Otherwise it makes a new
// commit: also if the remote refused the earlier one, and commits are made in another way since, such as with
// the signature that it lacked.
func (d *Delivery) makeCommit(ctx context.Context, proven provenWork) (string, error) {
	a := proven.approval
	tree := proven.tree
	s := d.Session()
	work := d.Trees.Current().Work
	pushes, err := d.Store.Pushes(ctx, s.ID)
	if err != nil {
		return "", err
	}
	spec, err := d.commitSpec(ctx, proven)
	if err != nil {
		return "", err
	}
	pushes = slices.DeleteFunc(pushes, func(p workflow.Push) bool {
		return p.Approval != a.ID || p.BaseCommit != s.BaseCommit || p.State == workflow.PushDone ||
			!work.HasCommit(p.Commit)
	})
	for _, p := range slices.Backward(pushes) {
		if p.Tree == tree && p.Unproven == proven.unproven() &&
			(p.State == workflow.PushIntended || work.MadeSo(p.Commit)) {
			return p.Commit, nil
		}
	}
	if len(pushes) > 0 {
		// The files have changed since. If an earlier push arrived without the program knowing, the new
		// commit's parent is the branch's head.
		stands, err := work.BranchHead(ctx, s.Branch)
		if err != nil {
			// the push will report the error
			d.Log.Warn("look where the branch stands", "branch", s.Branch, "err", err)
		}
		if slices.ContainsFunc(pushes, func(p workflow.Push) bool { return p.Commit == stands }) {
			spec.Parent = stands
			if spec.Parents, err = d.mergedParents(ctx, stands); err != nil {
				return "", err
			}
		}
	}
	return work.Commit(ctx, spec)
}

// commitSpec depends only on rows, so that a commit that is made again has the same hash. The names of
// people, too, are those that were stored with the report and the approval.
func (d *Delivery) commitSpec(ctx context.Context, proven provenWork) (git.CommitSpec, error) {
	s := d.Session()
	a := proven.approval
	report, err := d.Store.Report(ctx, s.ID, a.Revision)
	if err != nil {
		return git.CommitSpec{}, err
	}
	fallback, err := d.Catalog.WorkTitle(ctx)
	if err != nil {
		return git.CommitSpec{}, err
	}
	words := proven.words
	if proven.merge != nil {
		words.title = mergeTitle(*proven.merge)
	}
	message := proposal.CommitMessage(words.title, words.summary, words.discretion.WithoutPeople(fallback))
	if proven.merge == nil { // a merge is called by what it merges
		message, _ = proven.names.message(message)
	}
	trailers := append(proven.trailers(report), proposal.TicketTrailers(proven.names.tickets)...)
	spec := git.CommitSpec{
		Tree: proven.tree, Parent: cmp.Or(s.Head, s.BaseCommit), When: a.At.UTC().Truncate(time.Second),
		Message:  d.SecretFinder().Mask(message),
		Trailers: append(trailers, [2]string{"Session", s.ID}),
	}
	spec.Parents, err = d.mergedParents(ctx, spec.Parent)
	return spec, err
}

// mergedParents returns the base commit as a further parent if the files hold a merge of it that the parent
// does not have. That holds for whatever is committed on top of such a merge, too.
func (d *Delivery) mergedParents(ctx context.Context, parent string) ([]string, error) {
	base := d.Session().BaseCommit
	common, err := d.Trees.Current().Work.MergeBase(ctx, parent, base)
	if err != nil || common == base {
		return nil, err
	}
	return []string{base}, nil
}

// tellFork tells how the fix gets into a pull request whose branch is in a fork.
func (d *Delivery) tellFork(r repository.Repository, pull string) []store.Part {
	from := "the repository"
	if page := r.Page(); page != "" {
		from = plaintext.CodeSpan(page)
	}
	return []store.Part{store.Lines(d.ProgramLine(fmt.Sprintf("I cannot open a %s into %s: its branch "+
		"is in a fork. Whoever owns the fork can pull %s from %s.", r.Pulls.Words().Noun, pull,
		plaintext.CodeSpan(d.Session().Branch), from)))}
}

// pullText returns what the pull request says, and its title.
func (d *Delivery) pullText(
	ctx context.Context, work provenWork,
) (w proposal.PullRequestText, heading string, err error) {
	report, err := d.Store.Report(ctx, d.Session().ID, work.approval.Revision)
	if err != nil {
		return w, "", err
	}
	fallback, err := d.Catalog.WorkTitle(ctx)
	if err != nil {
		return w, "", err
	}
	w = proposal.PullRequestText{
		Title: proposal.CommitMessage(work.words.title, work.words.summary,
			work.words.discretion.WithoutPeople(fallback)),
		Summary:    work.words.summary,
		Report:     report,
		Proof:      work.publicProof(),
		Approval:   *work.approval,
		By:         work.reviewedBy(),
		Allowance:  work.allowance,
		Changes:    work.changes,
		Tickets:    work.names.tickets,
		Mask:       d.SecretFinder().Mask,
		Discretion: work.words.discretion,
	}
	heading = work.names.heading(w.Heading())
	if work.merge == nil {
		return w, heading, nil
	}
	// the pull request is still about the change
	pull, err := pullrequest.Register{Store: d.Store}.Of(ctx, d.Session().ID)
	if err == nil && pull != nil {
		heading = pull.Title
	}
	return w, heading, err
}

// proposedPull returns the intent to open a pull request for the pushed commit, a line if none can be opened
// since the work starts from a tag, or nothing if the repository has no git host.
func proposedPull(
	ctx context.Context, d *Delivery, work provenWork, commit string,
) ([]store.Part, error) {
	r, _, err := d.Catalog.Current(ctx)
	if err != nil || r.Pulls.Host == nil {
		return nil, err
	}
	base := d.Trees.Current().BaseBranch()
	if pull := d.Session().Pull; pull != 0 && strings.HasPrefix(base, r.Pulls.Words().Mark) {
		return d.tellFork(r, base), nil
	}
	if !d.Trees.Current().Mirror.Commits().HasBranch(base) {
		return []store.Part{store.Lines(d.ProgramLine(fmt.Sprintf("I open no %s: the work starts from %s, "+
			"and the remote has no branch of that name. What was pushed is there to be merged.",
			r.Pulls.Words().Noun, plaintext.CodeSpan(base))))}, nil
	}
	w, heading, err := d.pullText(ctx, work)
	if err != nil {
		return nil, fmt.Errorf("pull request: %w", err)
	}
	files, err := d.Trees.Current().Mirror.Commits().Files(d.Session().BaseCommit)
	if err != nil {
		return nil, fmt.Errorf("pull request: %w", err)
	}
	house := proposal.House{
		Repository: r, Base: files, Approver: work.approval.User, Requester: d.Session().Requester,
	}
	if work.words.discretion.Nameless() {
		house.Approver = ""
		house.Requester = ""
	}
	return []store.Part{pullrequest.Intent{
		Proposal: pullrequest.Proposal{
			Repository: r.Name,
			Branch:     d.Session().Branch,
			Head:       commit,
			Base:       base,
			Title:      heading,
			Body:       w.Body(),
			Files:      w.Paths(),
			Template:   house.Template(work.known()),
		},
		Papers: house.Papers(w.Paths()),
	}}, nil
}

// known returns what the program knows of the work, for the checklist of a template.
func (p provenWork) known() proposal.Known {
	if p.unproven() != "" || !p.proof.Passes() {
		return proposal.Known{}
	}
	return proposal.Known{TestsAdded: len(p.proof.RedOnBase) > 0, TestsPass: !p.proof.NoTests}
}
