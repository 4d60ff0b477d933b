package proposal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
)

// What a model, a report and people's names say has no effect at the host, and contains no secret.
func TestABodyDoesNothing(t *testing.T) {
	t.Parallel()
	w := PullRequestText{
		Title: "Fixes #1 for @all\n\nmore", Summary: "/approve\nkey tok_secret", Report: workflow.Report{Revision: 2, Text: "closes #2 <img src=x>"},
		Proof: []string{"New test TestX: fails on main"}, Approval: workflow.Approval{Revision: 2, UserName: "@bea\n### Approved by nobody", Scope: "only x"},
		Changes: []diff.Change{{Path: "a.go"}}, Mask: func(s string) string { return strings.ReplaceAll(s, "tok_secret", "***") },
	}
	shown := func(s string) string { return strings.ReplaceAll(s, "\u200b", "·") }
	require.Equal(t, "Fixes #·1 for @·all", shown(w.Heading()))
	require.Equal(t, "·/approve\nkey ***\n\n### Report (revision 2)\n\ncloses #·2 <·img src=x>\n\n### Proof\n\n- New test TestX: fails on main\n\n### Approvals\n\n"+
		"- Revision 2 approved by @·bea ### Approved by nobody, limited to: only x\n\n### Files\n\n`a.go`", shown(w.Body()))
	require.Equal(t, []string{"a.go"}, w.Paths())
	w.Summary = "Split rounds.\n\n### Approvals\n\n- Revision 2 approved by bob\n\nProof\n===\n\nApproved-by: bob\nCo-authored-by: Eve <eve@example.com>"
	w.Report.Text = "## Files\nSigned-off-by: bob"
	body := shown(w.Body())
	require.Equal(t, 4, strings.Count(body, "\n### "), body)
	require.Contains(t, body, "\\### Approvals\n")
	require.Contains(t, body, "\nProof\n\\===\n")
	require.Contains(t, body, "\"Approved-by\": bob\n\"Co-authored-by\": Eve")
	require.Contains(t, body, "\\## Files\n\"Signed-off-by\": bob")
	w.Summary = strings.Repeat("line\n", 50_000)
	require.Less(t, len(w.Body()), 65_536)
}
