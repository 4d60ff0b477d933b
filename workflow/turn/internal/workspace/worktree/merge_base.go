package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// A baseMerger merges new commits of the base branch into the session's branch.
type baseMerger struct{ *Snapshots }

// mergeBase merges the commits that the base branch got since the session began into the session's
// branch, when people go on with work that was pushed. It makes a merge commit and says so in the
// thread. On a conflict it asks the thread and merges nothing. The branch is never rebased.
func (b baseMerger) mergeBase(ctx context.Context, p *Checkout, tip string) error {
	s := b.Session()
	if tip == s.BaseCommit {
		return nil
	}
	common, err := p.Work.MergeBase(ctx, s.Head, tip)
	if err != nil || common == tip {
		return err
	}
	if common == "" {
		common = s.BaseCommit
	}
	conflicts, err := p.Work.Merge(ctx, nil, common, tip)
	if err != nil {
		return fmt.Errorf("merge %s: %w", p.BaseBranch(), err)
	}
	if len(conflicts) > 0 {
		return b.tellAboutBase(ctx, p, tip, conflicts)
	}
	// From here the files that the new base records count, also if a .gitignore matches them. If the program
	// dies before the merge is recorded, openWorkspace sets the old base again.
	if err := p.Work.SetBase(ctx, tip); err != nil {
		return fmt.Errorf("merge %s: %w", p.BaseBranch(), err)
	}
	commit, err := b.mergeCommit(ctx, p, tip)
	if err != nil {
		return err
	}
	tree, err := p.Work.Tree(ctx)
	if err != nil {
		return fmt.Errorf("merge %s: %w", p.BaseBranch(), err)
	}
	merged, err := b.Pack(ctx, p.Work, 0, tree, commit)
	if err != nil {
		return err
	}
	return b.Record(ctx, append(Some(merged),
		store.Update{Change: func(s *workflow.Session) {
			s.BaseCommit = tip
			s.Head = commit
		}},
		store.Lines(b.ProgramLine(fmt.Sprintf(
			"%s moved from %s to %s since; I merged it into `%s` (nothing was rebased).", p.BaseBranch(),
			prompt.ShortHash(s.BaseCommit), prompt.ShortHash(tip), s.Branch,
		))))...)
}

func mergeOp(branch string) string { return "merge " + branch }

// fetchTip returns the commit that the base branch has at the remote now.
func (co *Checkout) fetchTip(ctx context.Context) (string, error) {
	if err := co.Mirror.Fetch(ctx); err != nil {
		return "", err
	}
	tip, err := co.Mirror.Commits().Resolve(co.BaseBranch())
	if err != nil { // it was renamed or deleted, and a person has to say what counts now
		return "", &remote.Error{
			Op:     mergeOp(co.BaseBranch()),
			Reason: strings.TrimPrefix(err.Error(), "git: "),
			Cure:   "My operator can correct `base` of that repository",
		}
	}
	return tip, nil
}

// fetchForkTip returns the commit that the pull request of the session is at now, whose branch is in a fork.
func (t *Trees) fetchForkTip(ctx context.Context, p *Checkout) (string, error) {
	base, err := t.Catalog.PullBase(ctx, p.Repository, p.Mirror.Commits(), t.Session().Pull)
	if err != nil {
		return "", err
	}
	if base.Commit == "" { // it was merged or closed: what it was at counts on
		return t.Session().BaseCommit, nil
	}
	return p.fetchBase(ctx, base)
}

// updateWords returns the words that merge the base into what was pushed. The branch of a fork has no name
// here, and "merge #77" would ask for something else.
func updateWords(p *Checkout) string {
	if strings.HasPrefix(p.BaseBranch(), p.Repository.Pulls.Words().Mark) {
		return "update the branch"
	}
	return "merge " + p.BaseBranch()
}

// mergeCommit makes the merge commit. It depends only on the commits that are merged, so that a repeated
// merge gets the same hash.
func (b baseMerger) mergeCommit(ctx context.Context, p *Checkout, tip string) (string, error) {
	s := b.Session()
	history, err := p.Mirror.Commits().Log(ctx, tip, "", 1)
	if err != nil || len(history) == 0 {
		return "", fmt.Errorf("merge %s: %w", p.BaseBranch(), err)
	}
	commit, err := p.Work.Commit(ctx, git.CommitSpec{
		Parent: s.Head, Parents: []string{tip}, When: history[0].When.UTC().Truncate(time.Second),
		Message:  fmt.Sprintf("Merge %s into %s", p.BaseBranch(), s.Branch),
		Trailers: [][2]string{{"Session", s.ID}},
	})
	if err != nil {
		return "", fmt.Errorf("merge %s: %w", p.BaseBranch(), err)
	}
	return commit, nil
}

// tellAboutBase tells the thread that the base branch conflicts with the session's branch, and how it
// goes on, once for each commit of the base branch.
func (b baseMerger) tellAboutBase(
	ctx context.Context, p *Checkout, tip string, conflicts []git.Conflict,
) error {
	s := b.Session()
	var where, files []string
	for _, c := range conflicts {
		if !slices.Contains(files, c.Path) {
			files = append(files, c.Path)
		}
		where = append(where, fmt.Sprintf("  • `%s`: %s", c.Path, prompt.FirstLine(c.Why)))
	}
	key := "base:" + tip
	told, err := b.Store.Inquiries(ctx, s.ID)
	if err != nil {
		return err
	}
	for _, q := range told {
		if q.Key == key {
			return nil
		}
	}
	q := &workflow.Inquiry{Kind: workflow.InquiryBaseConflict, Key: key, Question: tip}
	text := fmt.Sprintf("%s moved to %s since, and it conflicts with `%s`:\n%s\nI go on from "+
		"the old base (%s). When this is pushed, \"%s\" brings both together; say \"stop\" to "+
		"merge first.",
		p.BaseBranch(), prompt.ShortHash(tip), s.Branch, strings.Join(where, "\n"),
		prompt.ShortHash(s.BaseCommit), updateWords(p))
	return b.Record(ctx,
		progress.Inquiry(*q),
		merges.Told{
			Repository: p.Repository.Name,
			Branch:     s.Branch,
			Base:       p.BaseBranch(),
			Head:       s.Head,
			Onto:       tip,
			Files:      files,
		},
		inbox.AgentNote{Key: key, Text: fmt.Sprintf(
			"The base branch moved to %s and conflicts with the session's branch; the thread was told. "+
				"The old base counts.\n%s", prompt.ShortHash(tip), strings.Join(where, "\n"))},
		store.Lines(b.ProgramLine(text)),
	)
}
