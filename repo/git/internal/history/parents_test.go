package history

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzPullRequest(f *testing.F) {
	f.Add("Cart: cache totals (#123)", "")
	f.Add("Merge branch 'totals' into 'main'", "See merge request team/shop!123")
	f.Fuzz(func(t *testing.T, subject, body string) {
		require.GreaterOrEqual(t, Commit{Subject: subject, Body: body}.PullRequest(), 0)
	})
}

func TestACommitSaysWhichPullRequestItBrings(t *testing.T) {
	t.Parallel()
	for want, commits := range map[int][]Commit{
		123: {
			{Subject: "Cart: cache totals (#123)"},
			{Subject: "Merge pull request #123 from ann/totals", Body: "Cart: cache totals"},
			{Subject: "Cart: cache totals (!123)"},
			{
				Subject: "Merge branch 'totals' into 'main'",
				Body:    "Cart: cache totals\n\nSee merge request team/shop!123",
			},
		},
		0: {
			{Subject: "Cart: cache totals"},
			{Subject: "Revert what (#123) did"},
			{Subject: "Fix #123: cache totals"},
			{Subject: "Cache", Body: "Closes (#123)"},
			{Subject: "Cart (#99999999999999999999)"},
			{},
		},
	} {
		for _, c := range commits {
			require.Equal(t, want, c.PullRequest(), "%+v", c)
		}
	}
}
