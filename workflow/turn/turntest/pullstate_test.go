package turntest_test

import (
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

const hers = "cleo/split"

// A pullThread is a thread about cleo's pull request #1, from cleo/split into main.
type pullThread struct {
	pushedThread
	host *hosttest.Server
}

// openPull opens a thread in which agents do what the script says. Without a sandbox nothing is proven, so a
// push waits for "push it unproven".
func openPull(t *testing.T, script string) pullThread {
	t.Helper()
	th := turntest.Open(t, turntest.Settings{Script: script})
	th.Runner.Repositories[0].Unreviewed = true
	th.Runner.Repositories[0].Base = "main"
	th.Runner.SandboxOff = "commands are off here"
	p := pullThread{
		pushedThread: pushedThread{th, t, th.Runner.Repositories[0].Remote.URL},
		host:         putAtHost(t, th),
	}
	p.branch(hers)
	p.commit(hers, repotest.Files{"hers.txt": "by cleo\n"})
	p.host.OpenPull(hosttest.Pull{Branch: hers, Base: "main", Title: "Split", Login: "cleo"})
	return p
}

// branch makes a branch at main.
func (p pullThread) branch(name string) {
	p.t.Helper()
	r, err := git.PlainOpen(p.origin)
	require.NoError(p.t, err)
	main, err := r.Reference(plumbing.NewBranchReferenceName("main"), true)
	require.NoError(p.t, err)
	require.NoError(p.t, r.Storer.SetReference(
		plumbing.NewHashReference(plumbing.NewBranchReferenceName(name), main.Hash())))
}

// merge merges cleo's pull request, as its author does at the host.
func (p pullThread) merge() {
	p.t.Helper()
	p.commit("main", repotest.Files{"hers.txt": "by cleo\n", "NEWS": "more\n"})
	p.host.SetState(1, "merged")
}

// branches returns how many branches of the bot's own the remote has.
func (p pullThread) branches() (n int) {
	p.t.Helper()
	r, err := git.PlainOpen(p.origin)
	require.NoError(p.t, err)
	all, err := r.Branches()
	require.NoError(p.t, err)
	require.NoError(p.t, all.ForEach(func(ref *plumbing.Reference) error {
		if strings.HasPrefix(ref.Name().Short(), "bobbin/") {
			n++
		}
		return nil
	}))
	return n
}

// pullInto returns the branch into which a pull request is to be opened.
func (p pullThread) pullInto() (base string) {
	p.t.Helper()
	require.NoError(p.t, p.Runner.Store.Pool.QueryRow(p.t.Context(),
		`select coalesce(max(base), '') from pull_requests`).Scan(&base))
	return base
}

const (
	asksForFix = "@bobbin PR #1 of cleo is wrong, please fix it there"

	worksUnproven = `
---
expect user "was approved by bea"
call delegate {"tasks": [{"description": "the number becomes right", "category": "deep"}]}
---
call finish {"summary": "It is 4 cents."}
---
expect user "push"
call finish {"summary": "It is 4 cents."}
`
	worksOn = `
== gpt-5 when user "the number becomes right"
call read_file {"path": "README.md"}
---
call edit_file {"path": "README.md", "old": "3 cents", "new": "4 cents"}
---
call blocked {"reason": "nothing can be run here"}
`
	reportsOnMain = `
---
expect user "bea chose the branch main of shop"
call read_file {"path": "NEWS"}
` + reportsREADME
)

// The control: while her pull request is open, the fix goes into its branch.
func TestAFixForAnOpenPullRequestGoesIntoIt(t *testing.T) {
	t.Parallel()
	p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+worksOn)
	p.Say("ann", asksForFix)
	p.Say("bea", "fix it")
	p.Say("bea", "push it unproven")
	require.Contains(t, p.Text(), "and pushed")
	require.Equal(t, hers, p.pullInto())
}

// Her pull request is merged before the approval, before the work, or before the push.
// Nothing is pushed for it, and the button has the work begin again on main, with an approval of its own.
func TestAFixForAMergedPullRequestIsMadeForMain(t *testing.T) {
	t.Parallel()
	const refused = "#1 was merged into `main` already. Nothing is pushed for its branch any more."
	onMain := func(t *testing.T, p pullThread) {
		t.Helper()
		require.Contains(t, p.Text(), refused)
		require.Zero(t, p.branches())
		p.Press("bea", workflow.ButtonOnBase)
		require.Contains(t, p.Text(), "bea chose the branch `main`.")
		require.Zero(t, p.Session().Pull)
		p.Say("bea", "fix it")
		require.Zero(t, p.branches(), "it takes an approval of its own, and its proof")
		p.Say("bea", "push it unproven")
		require.Contains(t, p.Text(), "and pushed")
		require.Equal(t, "main", p.pullInto())
		r, err := git.PlainOpen(p.origin)
		require.NoError(t, err)
		pushed, err := r.CommitObject(plumbing.NewHash(p.head(p.Session().Branch)))
		require.NoError(t, err)
		require.Equal(t, []plumbing.Hash{plumbing.NewHash(p.head("main"))}, pushed.ParentHashes)
		changed, err := pushed.Stats()
		require.NoError(t, err)
		require.Len(t, changed, 1, "nothing of main is taken back: %v", changed)
	}
	t.Run("before the approval", func(t *testing.T) {
		t.Parallel()
		p := openPull(t, "== gpt-5"+reportsTotal+reportsOnMain+worksUnproven+worksOn)
		p.Say("ann", asksForFix)
		p.merge()
		p.Say("bea", "fix it")
		require.Zero(t, count(t, p.Thread, "approvals"))
		require.Equal(t, workflow.PhaseReported, p.Session().Phase)
		onMain(t, p)
	})
	t.Run("before the push", func(t *testing.T) {
		t.Parallel()
		p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+reportsOnMain+worksUnproven+worksOn+worksOn)
		p.Say("ann", asksForFix)
		p.Say("bea", "fix it")
		p.merge()
		p.Say("bea", "push it unproven")
		require.Equal(t, workflow.PhasePaused, p.Session().Phase)
		onMain(t, p)
	})
	t.Run("before the work", func(t *testing.T) {
		t.Parallel()
		p := openPull(t, "== gpt-5"+reportsTotal+`
---
expect user "was approved by bea"
wait approved
call delegate {"tasks": [{"description": "the number becomes right", "category": "deep"}]}
`+reportsOnMain+worksUnproven+worksOn)
		p.Say("ann", asksForFix)
		go func() {
			<-p.Model.Reached("approved")
			p.merge()
			p.Model.Release("approved")
		}()
		p.Say("bea", "fix it")
		require.Equal(t, workflow.PhasePaused, p.Session().Phase)
		require.Zero(t, count(t, p.Thread, "tasks"))
		onMain(t, p)
	})
}

// A pull request that was closed, or whose branch was deleted, takes no fix, and there is no other branch to
// offer. If it is there again, the same word permits it.
func TestAFixForAClosedPullRequestWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends, returns func(p pullThread)
		want          string
	}{
		"closed": {
			func(p pullThread) { p.host.SetState(1, "closed") },
			func(p pullThread) { p.host.SetState(1, "open") },
			"#1 is closed already.",
		},
		"its branch is deleted": {
			func(p pullThread) { p.moveHers("") },
			func(p pullThread) { p.moveHers(p.Session().BaseCommit) },
			"The branch of #1 is not there any more.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+worksOn)
			p.Say("ann", asksForFix)
			c.ends(p)
			p.Say("bea", "fix it")
			require.Contains(t, p.Text(), c.want+" Nothing is pushed for its branch any more. "+
				"If it is there again, write \"fix it\" once more; for another branch, reply `branch: NAME`.")
			require.NotContains(t, p.Text(), "Make it for")
			c.returns(p)
			p.Say("bea", "fix it")
			c.ends(p)
			p.Say("bea", "push it unproven")
			require.Zero(t, p.branches())
			require.Equal(t, 2, strings.Count(p.Text(), c.want), p.Text())
		})
	}
}

// moveHers moves cleo's branch to a commit; empty: it is deleted.
func (p pullThread) moveHers(commit string) {
	p.t.Helper()
	p.move(hers, commit)
}

// move does the same with any branch.
func (p pullThread) move(branch, commit string) {
	p.t.Helper()
	r, err := git.PlainOpen(p.origin)
	require.NoError(p.t, err)
	name := plumbing.NewBranchReferenceName(branch)
	if commit == "" {
		require.NoError(p.t, r.Storer.RemoveReference(name))
		return
	}
	require.NoError(p.t, r.Storer.SetReference(plumbing.NewHashReference(name, plumbing.NewHash(commit))))
}
