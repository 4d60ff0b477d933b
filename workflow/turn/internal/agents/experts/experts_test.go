package experts

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/owners"
	"github.com/bobbinhq/bobbin/workflow"
)

// Names and subjects come from the repository. They mention nobody, link nothing, and show no address.
func TestAnswersOfAHostileHistory(t *testing.T) {
	t.Parallel()
	at := owners.Location{Path: "a`b.go", Line: 3}
	newest := git.Commit{
		Subject: "fix `it` <!channel> \x1b\u202e",
		When:    time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC),
	}
	a := Answer{
		Places: []owners.Location{at, {Path: "a`b.go"}},
		Owners: []string{"@org/team", "ceo@example.com", "ann@example.com"},
		People: []owners.Person{
			{
				Name:    "*[Ann](http://x)* <@U1>",
				Email:   "Ann@example.com",
				Lines:   []owners.Location{at},
				Commits: 1,
				Newest:  newest,
			},
			{Name: "bea@example.com", Email: "bea@example.com", Commits: 2, Newest: newest},
			{Name: "@here", Commits: 2, Newest: newest},
			{Name: "Dan", Commits: 2, Newest: newest},
		},
	}
	text := a.Text()
	require.Equal(t, "Who may know `a'b.go`: Annhttpx, bea, somebody without a name; "+
		"CODEOWNERS names `@org/team`, somebody by an address, Annhttpx.\n"+
		"• Annhttpx: wrote `a'b.go:3`, 1 of the newest commits, "+
		"the last on 2025-05-01 (`fix 'it' <!channel>`)\n"+
		"• bea: 2 of the newest commits, the last on 2025-05-01 (`fix 'it' <!channel>`)\n"+
		"• somebody without a name: 2 of the newest commits, the last on 2025-05-01 (`fix 'it' <!channel>`)",
		text)
	require.NotContains(t, text, "example.com")
	require.Equal(t, []string{"ceo@example.com", "ann@example.com", "bea@example.com"}, a.addresses())
	require.Contains(t, Answer{Places: []owners.Location{at}}.Text(), "Nobody can be named")
}

func TestPlacesOfAReport(t *testing.T) {
	t.Parallel()
	r := workflow.Report{
		Kind: workflow.ReportRootCause,
		Text: "in cart/total.go:40 and money/split.go:13",
		Body: []byte(`{"evidence": [{"source": "money/split.go:13-15"}, {"source": "go test ./..."}]}`),
	}
	require.Equal(t,
		[]owners.Location{{Path: "money/split.go", Line: 13}, {Path: "cart/total.go", Line: 40}}, InReport(r))
}
