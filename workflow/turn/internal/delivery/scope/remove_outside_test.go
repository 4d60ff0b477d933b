package scope

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
)

// The reviewer is asked once for a tree, an approval and the corrections since.
func TestWhatIsReviewedOnce(t *testing.T) {
	t.Parallel()
	key := func(approval, tree, since string) string {
		return scopeKey(&workflow.Approval{ID: approval}, tree, since)
	}
	require.Equal(t, key("a", "t", "words"), key("a", "t", "words"))
	keys := []string{
		key("a", "t", ""), key("b", "t", ""), key("a", "u", ""), key("a", "t", "words"),
		key("a", "t", "other words"),
	}
	slices.Sort(keys)
	require.Len(t, slices.Compact(keys), 5)
}

// A hunk that was put back is known again at another line, but not with other text or in another file.
func TestAHunkThatWasPutBackIsKnownAgain(t *testing.T) {
	t.Parallel()
	hunk := diff.Hunk{Path: "a.go", Kind: "modified", NewStart: 7, Text: "@@ -7,2 +7,3 @@\n a\n+b\n c\n"}
	back := sumsOf([]workflow.Removal{
		{Hunks: []workflow.RemovedHunk{{Sum: "other"}}},
		{Hunks: []workflow.RemovedHunk{{Sum: HunkSum(hunk)}}},
	})

	moved := hunk
	moved.NewStart = 30
	moved.Text = "@@ -30,2 +30,3 @@\n a\n+b\n c\n"
	require.Contains(t, back, HunkSum(moved))

	changed := hunk
	elsewhere := hunk
	changed.Text, elsewhere.Path = "@@ -7,2 +7,3 @@\n a\n+B\n c\n", "b.go"
	require.NotContains(t, back, HunkSum(changed))
	require.NotContains(t, back, HunkSum(elsewhere))
}
