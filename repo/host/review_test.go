package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// A review stands beside the lines where the host takes it so, and in one text where it does not: at GitLab,
// and for a line of a file that the pull request does not change.
func TestAReviewIsPosted(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		number := s.OpenPull(hosttest.Pull{Branch: "cleo/split", Base: "main", Title: "Split", Login: "cleo"})
		s.SetFiles(number, hosttest.File{Path: "cart.go", Change: "modified", Added: 1})
		review := host.Review{
			Commit: "c0ffee", Summary: "Nearly", Whole: "Nearly: cart.go:7 is wrong",
			Findings: []host.LineNote{{Path: "cart.go", Line: 7, Text: "it is wrong"}},
		}
		require.NoError(t, h.PostReview(t.Context(), number, review))
		review.Findings[0].Path = "other.go"
		require.NoError(t, h.PostReview(t.Context(), number, review))
		all, err := h.Comments(t.Context(), number)
		require.NoError(t, err)
		var got []string
		for _, c := range all {
			got = append(got, c.Path+": "+c.Text)
		}
		want := []string{": Nearly", "cart.go: it is wrong", ": Nearly: cart.go:7 is wrong"}
		if kind == host.GitLab {
			want = []string{": Nearly: cart.go:7 is wrong", ": Nearly: cart.go:7 is wrong"}
		}
		require.ElementsMatch(t, want, got)
	})
}
