package proposal

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
)

func TestNobodyIsNamed(t *testing.T) {
	t.Parallel()
	d := Discretion{Anonymous: true, People: []string{"ann", "Bea Lee <bea@shop.example>", "Al"}}
	for text, want := range map[string]string{
		"Ann and @bea say so: Lee, Bea Lee":                  "somebody and @bea say so: somebody, somebody",
		"announce the annual plan":                           "announce the annual plan",
		"<@U123ABC> says, joe.d@globex.co.uk, mailto:x@y.io": "somebody says, [address], [address]",
		"see https://acme.slack.com/archives/C1/p2?x=1).":    "see [link]).",
		"https://example.com/slack.com":                      "https://example.com/slack.com",
		"Al runs":                                            "Al runs",
	} {
		require.Equal(t, want, d.WithoutPeople(text))
		require.Equal(t, text, Discretion{People: d.People}.WithoutPeople(text))
	}
}

func TestAddressesOfSomebody(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"joe@globex.com", "a.b@shop.io"}, Addresses(
		`"joe@globex.com", JOE@globex.com, ann@example.com, x@a.example.org, t@shop.test, git@github.com, `+
			`mailto:a.b@shop.io, v1@main`))
	require.Empty(t, Addresses("npm i @types/node@20.1.2; a@b"))
}

func TestNeutralTitle(t *testing.T) {
	t.Parallel()
	const long = "there/is/a/very-long-path/and/a-long-folder/of/more/split.go"
	for want, changes := range map[string][][2]string{
		"Change money/split.go and 1 more file":     {{"added", "a_test.go"}, {"modified", "money/split.go"}},
		"Add notes.txt":                             {{"added", "notes.txt"}},
		"Remove a_test.go and 1 more file":          {{"deleted", "a_test.go"}, {"deleted", "b_test"}},
		"Change and/a-long-folder/of/more/split.go": {{"modified", long}},
		"Change nothing":                            nil,
	} {
		var list []diff.Change
		for _, c := range changes {
			list = append(list, diff.Change{Kind: c[0], Path: c[1]})
		}
		require.Equal(t, want, NeutralTitle(list))
	}
}

// A neutral pull request has nothing of the report, of what people said, or of who they are.
func TestANeutralPullRequest(t *testing.T) {
	t.Parallel()
	w := PullRequestText{
		Title:    "Change a.go",
		Report:   workflow.Report{Revision: 1, Text: "Globex lost a cent"},
		Proof:    []string{"1 new test: red before, green now"},
		Approval: workflow.Approval{Revision: 1, UserName: "bea", Scope: "only for Globex"},
		By:       "Reviewed by bea; cleo disagrees: “not for Globex”",
		Allowance: &workflow.Allowance{
			UserName: "bea", Names: "somebody objected: “not for Globex”",
		},
		Changes:    []diff.Change{{Kind: "modified", Path: "a.go"}},
		Tickets:    []TicketLine{{Name: "#1", By: "bea"}},
		Mask:       func(s string) string { return s },
		Discretion: Discretion{Neutral: true, People: []string{"bea"}},
	}
	require.Equal(t, "### Proof\n\n- 1 new test: red before, green now\n\n### Tickets\n\n- For #1\n\n"+
		"### Approvals\n\n- Revision 1 approved\n\n### Files\n\n`a.go`", w.Body())
	w.Discretion = Discretion{Anonymous: true, People: []string{"bea"}}
	require.NotContains(t, w.Body(), "bea")
	require.Contains(t, w.Body(), "Globex lost a cent")
	w.Discretion = Discretion{}
	require.Contains(t, w.Body(), "approved by bea")
}
