package turntest_test

import (
	"context"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

// putAtHost gives the repository of a thread a GitHub host, which knows the branches of the remote.
func putAtHost(t *testing.T, th *turntest.Thread) *hosttest.Server {
	t.Helper()
	r := &th.Runner.Repositories[0]
	origin := r.Remote.URL
	s := hosttest.Listen(hosttest.Config{
		Kind: host.GitHub, Repository: "acme/shop", Token: "tok",
		Branch: func(name string) (string, error) { return branchOf(origin, name), nil },
	})
	t.Cleanup(s.Close)
	r.Pulls.Kind = host.GitHub
	r.Pulls.Web = s.URL + "/acme/shop"
	r.Pulls.Host = host.NewGitHub(host.GitHubConfig{
		API: s.API, Web: r.Pulls.Web, Owner: "acme", Name: "shop",
		Token: func(context.Context, bool) (remote.Credential, error) {
			return remote.Credential{Password: "tok"}, nil
		},
	})
	return s
}

// branchOf returns the commit of a branch of the remote, or an empty string.
func branchOf(origin, name string) string {
	r, err := git.PlainOpen(origin)
	if err != nil {
		return ""
	}
	ref, err := r.Reference(plumbing.NewBranchReferenceName(name), true)
	if err != nil {
		return ""
	}
	return ref.Hash().String()
}

// count returns how many rows a table has.
func count(t *testing.T, th *turntest.Thread, table string) (n int) {
	t.Helper()
	require.NoError(t, th.Runner.Store.Pool.QueryRow(t.Context(),
		`select count(*) from `+table).Scan(&n))
	return n
}

const reportsTotal = `
call read_file {"path": "README.md"}
` + reportsREADME

// "No, file it" refuses the fix and asks for an issue. That takes an approver, and approves nothing.
func TestNoFileItFilesAndApprovesNothing(t *testing.T) {
	t.Parallel()
	th := turntest.Open(t, turntest.Settings{Script: reportsTotal + `
---
expect user "no need to file it"
call reply {"text": "I file nothing."}
---
expect user "don't file it"
call reply {"text": "Nothing is filed."}`})
	putAtHost(t, th)
	th.Say("ann", "@bobbin the total is wrong")
	th.Say("gus", "no, file it")
	require.Contains(t, th.Alone(), "gus: [orchestrator] ◆ Guests cannot approve.")
	th.Say("bea", "no need to file it")
	th.Say("bea", "no, don't file it")
	require.Zero(t, count(t, th, "tickets"))
	th.Say("bea", "no, file it")
	require.Contains(t, th.Text(), "with the report of revision 1, as bea asked.")
	require.Equal(t, 1, count(t, th, "tickets"))
	require.Zero(t, count(t, th, "approvals"))
	require.Zero(t, count(t, th, "endorsements"))
	require.Equal(t, workflow.PhaseReported, th.Session().Phase)
}

// Where two people have to approve and one has, "no, file it" of another one is an objection, too. The
// control is "file it", which is none.
func TestNoFileItObjectsToWhatOthersApproved(t *testing.T) {
	t.Parallel()
	for text, objections := range map[string]int{"no, file it": 1, "file it": 0} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			th := turntest.Open(t, turntest.Settings{Script: reportsTotal})
			putAtHost(t, th)
			th.Runner.Repositories[0].Approvers.Needed = 2
			th.Say("ann", "@bobbin the total is wrong")
			th.Say("ann", "fix it")
			th.Say("bea", text)
			require.Contains(t, th.Text(), "with the report of revision 1, as bea asked.")
			require.Equal(t, 1, count(t, th, "tickets"))
			require.Equal(t, objections, count(t, th, "objections"), th.Text())
			if objections > 0 {
				require.Contains(t, th.Text(), "Noted, bea: nothing is pushed before an approver")
			}
			require.Zero(t, count(t, th, "approvals"))
		})
	}
}
