package pullrequests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// No pull request is opened into the branch of one that was merged or closed since the push. The control is
// one that is open. One that the host opened before the program died is found all the same.
func TestNoneIsOpenedIntoTheBranchOfOneThatEnded(t *testing.T) {
	t.Parallel()
	const said = "No pull request could be opened for `bobbin/fix-1`: #1, into which it would go, was "
	for state, want := range map[string]string{
		"merged": said + "merged since. To have it on `main`, reply \"bring it to main\". The branch stands.",
		"closed": said + "closed since. What was pushed can be merged by hand. The branch stands.",
		"open":   "Draft pull request [#2](",
	} {
		for _, tried := range []bool{false, true} {
			d := openAtHost(t, hosttest.Config{Kind: host.GitHub}, "tok_of_the_shop")
			d.host.OpenPull(hosttest.Pull{Branch: "cleo/split", Base: "main", Title: "Split", Login: "cleo"})
			require.NoError(t, d.turn.Record(t.Context(),
				store.Update{Change: func(s *workflow.Session) {
					s.Repository = "shop"
					s.BaseBranch = "cleo/split"
					s.Pull = 1
					s.PullInto = "main"
				}},
				pullrequest.Intent{Proposal: pullrequest.Proposal{
					Repository: "shop", Branch: branch, Head: "c1", Base: "cleo/split", Title: "Fix it",
				}}))
			if tried {
				d.host.OpenPull(hosttest.Pull{Branch: branch, Base: "cleo/split", Title: "Fix it"})
				d.exec(t, `update pull_requests set tried_at = now()`)
			}
			d.host.SetState(1, state)
			d.look(t)
			d.look(t)
			lines := d.said(t)
			if tried {
				require.Contains(t, lines[0], "ull request [#2](")
				continue
			}
			require.Len(t, lines, 1)
			require.Contains(t, lines[0], want)
			require.Len(t, d.host.Pulls(), map[bool]int{true: 2, false: 1}[state == "open"])
		}
	}
}
