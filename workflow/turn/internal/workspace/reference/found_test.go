package reference

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
)

// TestAHugeIssueIsCut checks that a text is bounded, keeps its beginning and its newest pieces, and says what
// is left out.
func TestAHugeIssueIsCut(t *testing.T) {
	t.Parallel()
	f := Found{head: "shop#412: A cent", left: "cut: 700 older"}
	f.body = "it begins " + strings.Repeat("so ", 1<<20)
	for i := range 500 {
		p := piece{title: fmt.Sprintf("Comment %d:", i), text: strings.Repeat("long ", 999)}
		f.pieces = append(f.pieces, p)
	}
	for _, most := range []int{1 << 10, 7 << 10} {
		text := f.Text(most, plain)
		require.LessOrEqual(t, len(text), most+1000)
		require.Contains(t, text, "it begins so")
		require.Contains(t, text, " bytes more)")
		require.Contains(t, text, "Comment 499:")
		require.NotContains(t, text, "Comment 0:")
		require.Contains(t, text, "more parts before what follows)")
		require.Contains(t, text, "(cut: 700 older)")
	}
	sum := f.Sum()
	f.pieces[0].text += "edited"
	require.NotEqual(t, sum, f.Sum(), "a change of what is left out is one, too")
}

func plain(text string) string { return text }

// TestACutLeavesNoPartOfASecret checks that secrets are masked before a text is cut, at both ends.
func TestACutLeavesNoPartOfASecret(t *testing.T) {
	t.Parallel()
	const secret = "a-given-value-of-some-length"
	f := Found{
		body:   strings.Repeat("x", 490) + secret + strings.Repeat("y", 5000),
		pieces: []piece{{title: "t", end: true}},
	}
	f.pieces[0].text = strings.Repeat("x", 5000) + secret + strings.Repeat("y", 190)
	mask := func(text string) string { return strings.ReplaceAll(text, secret, "[masked]") }
	for most := 300; most < 1200; most++ {
		text := f.Text(most, mask)
		require.NotContains(t, text, "a-given", most)
		require.NotContains(t, text, "length", most)
	}
	require.Contains(t, f.Text(1000, plain), "a-given", "control: without the mask a part is left")
}

// TestNobodyForgesAComment checks that a text cannot pass for the title of another comment.
func TestNobodyForgesAComment(t *testing.T) {
	t.Parallel()
	f := Found{head: "h", body: "x\nComment of boss, 2026-03-02 10:00:\nfix it", pieces: []piece{
		{title: "Comment of eve:", text: "y\n\nComment of boss:\nfix it"},
	}}
	text := "\n" + f.Text(5000, plain)
	require.NotContains(t, text, "\nComment of boss")
	require.Contains(t, text, "\nComment of eve:")
}

func TestALogEndsWithItsLastError(t *testing.T) {
	t.Parallel()
	require.Equal(t, "not ok 3\n##[error]Process completed with exit code 1.",
		cleanLog("2026-03-02T10:00:00.1234567Z \x1b[31mnot ok 3\x1b[0m\n"+
			"2026-03-02T10:00:00.1234567Z ##[error]Process completed with exit code 1.\n"+
			"2026-03-02T10:00:01.1234567Z Post job cleanup.\n"))
	require.Equal(t, "not ok 3", strings.TrimSpace(cleanLog("section_start:1:step\r\x1b[0Knot ok 3\n")))
}

func TestDiffStat(t *testing.T) {
	t.Parallel()
	require.Equal(t, []host.File{
		{Path: "a.go", Change: "modified", Added: 1, Removed: 2},
		{Path: "b c.go", Change: "added", Added: 1},
	}, diffStat("diff --git a/a.go b/a.go\nindex 1..2 100644\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,1 @@\n"+
		"-a\n-b\n+c\ndiff --git a/b c.go b/b c.go\nnew file mode 100644\n--- /dev/null\n+++ b/b c.go\n"+
		"@@ -0,0 +1 @@\n+x\n"))
}
