package render

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestPlainly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Refunds are too high\nmoney.Split drops it": "Refunds are too high",
		"Reading `money/split.go`, then money/refund.go:12 and Makefile.am.": "Reading […], " +
			"then […] and […].",
		"splitCents calls split_all() of shop::money; x->y, HTTPServer": "[…] calls […]) " +
			"of […]; […], […]",
		"```\nfunc main() {}\n```":                       "[…]",
		"Pushed bobbin/refunds-ab12 (https://a.example)": "Pushed […] ([…])",
		"It costs 10.50, e.g. for 3 items.":              "It costs 10.50, […]. for 3 items.",
		"Stopped, as ann asked.":                         "Stopped, as ann asked.",
		"**Fixed and pushed:** `bobbin/refunds-ab12`":    "**Fixed and pushed:** […]",
		"": "",
	} {
		require.Equal(t, want, wordsWithoutCode(text))
	}
}

// Of a report, people without access to the code see the headline and the footer, without the repository and
// the commit.
func TestAReportWithoutCode(t *testing.T) {
	t.Parallel()
	report := workflow.Line{
		Agent: "orchestrator",
		Text: "**Refunds are too high in money.Split**\n✓ Reproduced · sure of the cause\n" +
			"money/split.go:13\n" +
			"shop@c0ffee · revision 1 · nothing is changed yet. Reply \"fix it\", or say what is wrong.",
		Vouched: []int{1, 3},
		Buttons: []workflow.Button{{ActionID: workflow.ButtonFix, Label: "Fix it", Value: "v"}},
	}
	short := PostingWithoutCode(&workflow.Posting{
		Key: "k", Session: "s1", Lines: []workflow.Line{report},
	}, "guests are here")
	require.Equal(t, "[orchestrator] *Refunds are too high in […]* […]\n(Code and paths are not shown: "+
		"guests are here. My operator can read all of it with `bobbin sessions s1`.)\n"+
		"◆ revision 1 · nothing is changed yet. Reply \"fix it\", or say what is wrong.",
		Style{}.Line(short.Lines[0]))
}
