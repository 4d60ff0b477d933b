package turntest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
)

// intoFork puts cleo's branch into a fork: the remote has its commits, and no branch.
func (p pullThread) intoFork() (head string) {
	p.t.Helper()
	head = p.head(hers)
	r, err := git.PlainOpen(p.origin)
	require.NoError(p.t, err)
	require.NoError(p.t, r.Storer.SetReference(plumbing.NewHashReference("refs/pull/1/head",
		plumbing.NewHash(head))))
	p.moveHers("")
	p.host.SetHead(1, head)
	return head
}

// "Update the branch" merges the newest commit of the pull request, also if its branch is in a fork, where
// the repository has no branch to compare with.
func TestTheBranchOfAForkIsMergedIntoWhatWasPushed(t *testing.T) {
	t.Parallel()
	p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+`
---
expect user "Nothing conflicts"
call finish {"summary": "Merged."}
`+worksOn)
	was := p.intoFork()
	p.Say("ann", asksForFix)
	require.Contains(t, p.Text(), "from a fork")
	p.Say("bea", "fix it")
	p.Say("bea", "push it unproven")
	branch := p.Session().Branch
	p.Say("bea", "update the branch")
	require.Contains(t, p.Text(), "has all of `#1` (", "nothing moved")
	p.Say("bea", "merge main")
	require.Contains(t, p.Text(), "What was pushed is for `#1`, and whoever owns that merges `main` "+
		"into it. Write \"update the branch\" then, and I bring what was pushed up to date.")
	p.moveHers(was)
	p.commit(hers, repotest.Files{"more.txt": "more\n"})
	p.intoFork()
	p.Say("bea", "update the branch")
	require.Contains(t, p.Text(), "Merge `#1` (")
	p.Say("bea", "push it unproven")
	r, err := git.PlainOpen(p.origin)
	require.NoError(t, err)
	merged, err := r.CommitObject(plumbing.NewHash(p.head(branch)))
	require.NoError(t, err)
	_, err = merged.File("more.txt")
	require.NoError(t, err, p.Text())
	require.Len(t, merged.ParentHashes, 2)
	p.host.SetState(1, "merged")
	p.Say("bea", "update the branch")
	require.Contains(t, p.Text(), "#1 was merged into `main` already. So there is nothing to merge.")
}

// Agents that could not resolve conflicts after a push, or only answered, say so in true words, and the words
// that do it are still taken.
func TestConflictsAfterAPush(t *testing.T) {
	t.Parallel()
	for answer, phase := range map[string]workflow.Phase{
		`call blocked {"reason": "only people merge her branch"}`: workflow.PhasePaused,
		`call reply {"text": "only people merge her branch"}`:     workflow.PhaseDone,
	} {
		t.Run(string(phase), func(t *testing.T) {
			t.Parallel()
			p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+`
---
expect user "does it conflict"
`+answer+`
---
expect user "Nothing conflicts"
call finish {"summary": "Merged."}
`+worksOn)
			p.Say("ann", asksForFix)
			p.Say("bea", "fix it")
			p.Say("bea", "push it unproven")
			pushed := p.head(p.Session().Branch)
			p.commit(hers, repotest.Files{"more.txt": "more\n"})
			p.Say("bea", "does it conflict with hers by now? then bring both together somehow")
			require.Contains(t, p.Text(), "only people merge her branch")
			require.NotContains(t, p.Text(), "nothing was pushed")
			p.Say("bea", "merge cleo/split")
			require.NotContains(t, p.Text(), "something newer is under way")
			require.Contains(t, p.Text(), "Merge `cleo/split` (")
			p.Say("bea", "push it unproven")
			require.Contains(t, p.Text(), "in, by a merge commit; nothing conflicted. *Merged and pushed")
			r, err := git.PlainOpen(p.origin)
			require.NoError(t, err)
			merged, err := r.CommitObject(plumbing.NewHash(p.head(p.Session().Branch)))
			require.NoError(t, err)
			require.Equal(t, []plumbing.Hash{plumbing.NewHash(pushed), plumbing.NewHash(p.head(hers))},
				merged.ParentHashes)
		})
	}
}

// The same for a branch that was pushed to a fork: it is looked for there, and not in the repository.
func TestTheBaseIsMergedIntoABranchOfTheFork(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+`
---
expect user "Nothing conflicts"
call finish {"summary": "Merged."}
`+worksOn)
	fork := filepath.Join(t.TempDir(), "fork")
	remotetest.RunGit(t, t.TempDir(), "clone", "-q", "--bare", p.origin, fork)
	p.Runner.Repositories[0].PushTo = &remote.Remote{Name: "fork", URL: fork}
	p.Say("ann", "@bobbin the total is wrong")
	p.Say("bea", "fix it")
	p.Say("bea", "push it unproven")
	p.Say("bea", "update the branch")
	require.Contains(t, p.Text(), "has all of `main` (")
	p.commit("main", repotest.Files{"more.txt": "more\n"})
	p.Say("bea", "update the branch")
	require.Contains(t, p.Text(), "Merge `main` (")
	p.Say("bea", "push it unproven")
	parents := remotetest.RunGit(t, fork, "log", "-1", "--format=%P", p.Session().Branch)
	require.Len(t, strings.Fields(parents), 2, p.Text())
}
