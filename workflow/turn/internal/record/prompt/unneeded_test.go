package prompt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// The text for the orchestrator says what to do next, word for word.
func TestHunksThatNothingNeedsAreNamed(t *testing.T) {
	t.Parallel()
	all := workflow.HunkResults{
		{
			Sum:     "0a1b2c3d",
			Path:    "money/split.go",
			Line:    9,
			Verdict: workflow.HunkNeeded,
			Why:     "TestSplit fails",
		},
		{
			Sum:     "5e2fcb00",
			Path:    "cart/cart.go",
			Line:    56,
			Verdict: workflow.HunkUnneeded,
			Text:    "@@ -56,1 +56,1 @@\n-a\n+b\n",
		},
	}
	require.Equal(t,
		"Not pushed yet. The proof holds, but of the 2 hunks of the fix, each taken out alone, "+
			`nothing fails without this one:
Hunk 5e2fcb, cart/cart.go:56
<diff>
@@ -56,1 +56,1 @@
-a
+b
</diff>
It is one of three:
- Not needed: call finish again, the same, with hunks [{"id": "5e2fcb"}]. The program takes it out and proves the rest.
- It fixes something: delegate a test that fails without it, then finish.
- It has to stay, and no test can show why: call finish again, the same, `+
			`with hunks [{"id": "5e2fcb", "keep": "the reason"}]. People read the reason.`,
		UnneededHunks(all))
	require.Contains(t, UnneededHunks(all, "5e2fcb", "0a1b2c", "bb\nbb"),
		"There is no hunk \"bb bb\".\nNot pushed")
	all = append(all, workflow.HunkResult{Sum: "77aa00ff", Path: "a\nb.go", Verdict: workflow.HunkUnneeded})
	text := UnneededHunks(all)
	require.Contains(t, text, "nothing fails without these:\n")
	require.Contains(t, text, "Hunk 77aa00, a\\nb.go\n")
	require.Contains(t, text, "Each is one of three:\n")

	require.NotContains(t, text, "come back")
	all[len(all)-1].Text = "@@ -79,3 +79,1 @@\n-\tch := make(chan int)\n-\tch <- 1\n \treturn f\n"
	require.Contains(t, UnneededHunks(all),
		"</diff>\nIt only takes lines out: if it is not needed, they come back.\nEach is one of three:\n")
}
