package turntest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

// A pushedThread is a thread whose fix was pushed, and the remote.
type pushedThread struct {
	*turntest.Thread
	t      *testing.T
	origin string
}

// pushFix opens a thread, and has a fix of README.md pushed, unproven, as no commands run here.
func pushFix(t *testing.T, files map[string]string, more string) pushedThread {
	t.Helper()
	th := turntest.Open(t, turntest.Settings{
		Files: files,
		Script: `
== gpt-5
call read_file {"path": "README.md"}
` + reportsREADME + `
---
expect user "was approved by bea"
call delegate {"tasks": [{"description": "the number becomes right", "category": "deep"}]}
---
call finish {"summary": "It is 4 cents."}
---
expect user "push"
call finish {"summary": "It is 4 cents."}
` + more + `
== gpt-5 when user "the number becomes right"
call read_file {"path": "README.md"}
---
call edit_file {"path": "README.md", "old": "3 cents", "new": "4 cents"}
call write_file {"path": "docs/new.md", "content": "new\n"}
---
call blocked {"reason": "nothing can be run here"}
`,
	})
	th.Runner.Repositories[0].Unreviewed = true
	th.Runner.SandboxOff = "commands are off here"
	th.Say("ann", "@bobbin the total is wrong")
	th.Press("bea", workflow.ButtonFix)
	th.Say("bea", "push it unproven")
	require.Contains(t, th.Text(), "and pushed")
	return pushedThread{th, t, th.Runner.Repositories[0].Remote.URL}
}

// commit commits the files to a branch of the remote, as somebody else does.
func (p pushedThread) commit(branch string, files repotest.Files) {
	p.t.Helper()
	r, err := git.PlainOpen(p.origin)
	require.NoError(p.t, err)
	w, err := r.Worktree()
	require.NoError(p.t, err)
	at := plumbing.NewBranchReferenceName(branch)
	require.NoError(p.t, w.Checkout(&git.CheckoutOptions{Branch: at, Force: true}))
	require.NoError(p.t, repotest.CommitAt(p.origin, time.Now(), "go on", files))
	require.NoError(p.t, w.Checkout(&git.CheckoutOptions{
		Branch: plumbing.NewBranchReferenceName("main"),
		Force:  true,
	}))
}

// rewriteMain gives main another history.
func (p pushedThread) rewriteMain() {
	p.t.Helper()
	r, err := git.PlainOpen(p.origin)
	require.NoError(p.t, err)
	w, err := r.Worktree()
	require.NoError(p.t, err)
	require.NoError(p.t, r.Storer.SetReference(plumbing.NewSymbolicReference("HEAD", "refs/heads/orphan")))
	require.NoError(p.t, repotest.Files{"README.md": "new\n"}.Write(p.origin))
	_, err = w.Add("README.md")
	require.NoError(p.t, err)
	require.NoError(p.t, repotest.CommitAt(p.origin, time.Now(), "anew", repotest.Files{"b.txt": "b\n"}))
	ref, err := r.Reference("refs/heads/orphan", true)
	require.NoError(p.t, err)
	require.NoError(p.t, r.Storer.SetReference(plumbing.NewHashReference("refs/heads/main", ref.Hash())))
}

// openPull stores an open pull request of the branch into base.
func (p pushedThread) openPull(branch, base string) {
	p.t.Helper()
	_, err := p.Runner.Store.Pool.Exec(p.t.Context(), `insert into pull_requests
		(repository, branch, session_id, head, base, title, body, files, template, state, number)
		select repository, branch, id, head, $2, 'Fix', '', '{}', '', 'open', 1 from sessions
		where branch = $1`, branch, base)
	require.NoError(p.t, err)
}

// head returns the commit of a branch of the remote.
func (p pushedThread) head(branch string) string {
	p.t.Helper()
	r, err := git.PlainOpen(p.origin)
	require.NoError(p.t, err)
	ref, err := r.Reference(plumbing.NewBranchReferenceName(branch), true)
	require.NoError(p.t, err)
	return ref.Hash().String()
}

// TestAMergeThatIsNotTheProgramsIsRefused checks that each such merge is refused in one line, that the branch
// stays, and that the session can go on.
func TestAMergeThatIsNotTheProgramsIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  map[string]string
		change func(p pushedThread, branch string)
		says   string
		want   string
	}{
		"nothing to merge": {
			change: func(pushedThread, string) {},
			want:   "so there is nothing to merge.",
		},
		"another branch": {
			change: func(pushedThread, string) {},
			says:   "merge develop",
			want:   "and I merge no other branch into it. Write \"merge main\" for that one.",
		},
		"somebody else pushed": {
			change: func(p pushedThread, branch string) {
				p.commit("main", repotest.Files{"a.txt": "a\n"})
				p.commit(branch, repotest.Files{"theirs.txt": "mine\n"})
			},
			want: "I leave that as it is; merge `main` into it by hand.",
		},
		"the branch is gone": {
			change: func(p pushedThread, branch string) {
				r, err := git.PlainOpen(p.origin)
				require.NoError(p.t, err)
				require.NoError(p.t, r.Storer.RemoveReference(plumbing.NewBranchReferenceName(branch)))
			},
			want: "is not there any more.",
		},
		"main was rewritten": {
			change: func(p pushedThread, _ string) { p.rewriteMain() },
			want:   "have no commit in common: somebody rewrote one of them. Merge them by hand.",
		},
		"another base at the host": {
			change: func(p pushedThread, branch string) {
				p.commit("main", repotest.Files{"a.txt": "a\n"})
				p.openPull(branch, "release/1.4")
			},
			want: "What was pushed was made for `main`, and goes into `release/1.4` now, as the host says. " +
				"I merge neither into it; begin another thread on the branch that it is meant for.",
		},
		"main has all of it": {
			change: func(p pushedThread, _ string) {
				p.commit("main", repotest.Files{
					"README.md":   "# Shop\nThe total of an order is 4 cents.\n",
					"docs/new.md": "new\n", "more.txt": "more\n",
				})
			},
			want: "has all that was pushed, so there is nothing to merge.",
		},
		"a binary file": {
			change: func(p pushedThread, _ string) {
				p.commit("main", repotest.Files{"docs/new.md": "\x00\x01"})
			},
			want: "I cannot merge `docs/new.md` (binary: both added it, with different content). Somebody " +
				"has to merge `main` by hand; nothing was changed.",
		},
		"a file against a folder": {
			change: func(p pushedThread, _ string) {
				p.commit("main", repotest.Files{"docs": "a file\n"})
			},
			want: "file and folder",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pushFix(t, c.files, "---\nexpect user \"and now?\"\ncall reply {\"text\": \"It goes on.\"}")
			branch := p.Session().Branch
			before := p.Session()
			c.change(p, branch)
			says := c.says
			if says == "" {
				says = "please resolve the conflicts"
			}
			p.Say("bea", says)
			require.Contains(t, p.Text(), c.want)
			after := p.Session()
			require.Equal(t, before.Revision, after.Revision)
			require.Equal(t, before.BaseCommit, after.BaseCommit)
			require.Equal(t, workflow.PhaseDone, after.Phase)
			p.commit("main", repotest.Files{"last.txt": "x\n"})
			p.Say("ann", "and now?")
			require.Contains(t, p.Text(), "It goes on.")
		})
	}
}

// TestAMergeIsOfTheTwoCommitsThatWereApproved merges without conflicts where no commands run: the program
// asks, and the push that is allowed then is the merge of these two commits, whatever became of main
// meanwhile. What somebody pushed to the branch stays.
func TestAMergeIsOfTheTwoCommitsThatWereApproved(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(p pushedThread, branch string){
		"nothing": func(pushedThread, string) {},
		"main moves on": func(p pushedThread, _ string) {
			p.commit("main", repotest.Files{"README.md": "other\n"})
		},
		"main is rewritten": func(p pushedThread, _ string) { p.rewriteMain() },
		"somebody else pushes": func(p pushedThread, branch string) {
			p.commit(branch, repotest.Files{"theirs.txt": "mine\n"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pushFix(t, nil, `---
expect user "Nothing conflicts"
call finish {"summary": "Merged."}`)
			branch := p.Session().Branch
			old := p.head(branch)
			p.commit("main", repotest.Files{"a.txt": "a\n"})
			tip := p.head("main")
			p.Say("bea", "update the branch")
			require.Contains(t, p.Text(), "reply \"push it unproven\" to have exactly these files")
			require.Equal(t, old, p.head(branch))
			meanwhile(p, branch)
			if now := p.head(branch); now != old {
				p.Say("bea", "push it unproven")
				require.Contains(t, p.Text(), "could not be pushed")
				require.Equal(t, now, p.head(branch), "what somebody else pushed stays")
				return
			}
			p.Say("bea", "push it unproven")
			require.Contains(t, p.Text(), "in, by a merge commit; nothing conflicted. *Merged and pushed:*")
			r, err := git.PlainOpen(p.origin)
			require.NoError(t, err)
			merged, err := r.CommitObject(plumbing.NewHash(p.head(branch)))
			require.NoError(t, err)
			require.Equal(t, []plumbing.Hash{plumbing.NewHash(old), plumbing.NewHash(tip)},
				merged.ParentHashes)
			require.Regexp(t, `^Merge main into bobbin/`, merged.Message)
			require.Contains(t, merged.Message, "Approved-by: bea")
			for _, file := range []string{"a.txt", "docs/new.md"} {
				_, err = merged.File(file)
				require.NoError(t, err, file)
			}
		})
	}
}

// TestAnEarlierMergeIsWhatTheNextWorkBuildsOn stops a merge in the middle and goes on with other work: the
// files hold the merge, so the next commit has both parents, and takes nothing of main back.
func TestAnEarlierMergeIsWhatTheNextWorkBuildsOn(t *testing.T) {
	t.Parallel()
	p := pushFix(t, nil, `---
expect user "README.md: both changed line 2"
call report_root_cause
  summary: another cause
  cause: README.md:2 is wrong.
  evidence: [{"claim": "it has a number", "grade": "inferred", "source": "README.md:2"}]
  confidence: low
  remains: nothing
  changed: all of it
---
expect user "Revision 3 was approved"
call delegate {"tasks": [{"description": "now the other way", "category": "deep"}]}
---
call finish {"summary": "It is 5 cents."}
---
expect user "push"
call finish {"summary": "It is 5 cents."}
== gpt-5 when user "now the other way"
call read_file {"path": "README.md"}
---
expect tool read_file "<<<<<<< bobbin/"
call write_file {"path": "README.md", "content": "# Shop\nThe total of an order is 5 cents.\n"}
---
call blocked {"reason": "nothing can be run here"}`)
	branch := p.Session().Branch
	old := p.head(branch)
	p.commit("main", repotest.Files{
		"README.md": "# Shop\nThe total of an order is 7 cents.\n",
		"a.txt":     "a\n",
	})
	p.Say("bea", "resolve the conflicts")
	p.Say("bea", "fix it")
	p.Say("bea", "push it unproven")
	r, err := git.PlainOpen(p.origin)
	require.NoError(t, err)
	merged, err := r.CommitObject(plumbing.NewHash(p.head(branch)))
	require.NoError(t, err)
	require.Equal(t, []plumbing.Hash{plumbing.NewHash(old), plumbing.NewHash(p.head("main"))},
		merged.ParentHashes, p.Text())
	_, err = merged.File("a.txt")
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(p.origin, "a.txt"))
	require.NoError(t, err)
}

// TestAFollowUpMergesNoBaseThatThePullRequestDoesNotGoInto has a follow-up to pushed work look at that work.
// main's new commits are merged into it, unless somebody has the pull request go into another branch.
func TestAFollowUpMergesNoBaseThatThePullRequestDoesNotGoInto(t *testing.T) {
	t.Parallel()
	for base, merges := range map[string]bool{"main": true, "release/1.4": false} {
		p := pushFix(t, nil, "---\nexpect user \"still wrong\"\ncall reply {\"text\": \"I look.\"}")
		before := p.Session()
		p.openPull(before.Branch, base)
		p.commit("main", repotest.Files{"last.txt": "x\n"})
		p.Say("ann", "the total is still wrong for me")
		require.Contains(t, p.Text(), "I look.")
		require.Equal(t, merges, p.Session().BaseCommit != before.BaseCommit, base)
	}
}
