package findings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

func found(n int, verdict string, inFix bool) (places []workflow.Sibling) {
	for i := range n {
		places = append(places, workflow.Sibling{
			At:      fmt.Sprintf("%s/f%d.go:%d", verdict, i, i+1),
			Verdict: verdict,
			Why:     "so",
			InFix:   inFix,
		})
	}
	return places
}

func join(lists ...[]workflow.Sibling) *workflow.Siblings {
	s := &workflow.Siblings{Pattern: "a`b"}
	for _, l := range lists {
		s.Places = append(s.Places, l...)
	}
	return s
}

func TestElsewhereIsOneLine(t *testing.T) {
	t.Parallel()
	require.Empty(t, elsewhereText(nil))
	partly := join(found(1, "not_affected", false))
	partly.Partly = true
	for want, s := range map[string]*workflow.Siblings{
		"Elsewhere: nothing of this shape.": join(),
		"Elsewhere: 1 affected (affected/f0.go:1), 2 not affected, " +
			"1 not looked at (not_looked_at/f0.go:1).": join(found(1, "affected", true),
			found(2, "not_affected", false), found(1, "not_looked_at", false)),
		"Elsewhere: 1 affected, " +
			"not part of this fix (affected/f0.go:1).": join(found(1, "affected", false)),
		"Elsewhere: 1 affected (affected/f0.go:1), 1 affected, not part of this fix " +
			"(affected/f0.go:1).": join(found(1, "affected", true), found(1, "affected", false)),
		"Elsewhere: 6 affected (affected/f0.go:1, affected/f1.go:2, affected/f2.go:3, " +
			"affected/f3.go:4 and 2 more).": join(found(6, "affected", true)),
		"Elsewhere: 12 not affected; " +
			"12 of 40 looked at.": join(found(12, "not_affected", false), found(28, "not_looked_at", false)),
		"Elsewhere: 40 places of this shape, " +
			"none of them looked at.": join(found(40, "not_looked_at", false)),
		"Elsewhere: 1 not affected; " +
			"not every file was searched.": partly,
	} {
		require.Equal(t, want, elsewhereText(s))
	}
	hostile := join([]workflow.Sibling{{
		At: strings.Repeat("x", 5000) + "\n\x1b[31m<!channel>.go:1", Verdict: "affected",
	}})
	require.Len(t, strings.Split(elsewhereText(hostile), "\n"), 1)
	require.Less(t, len(elsewhereText(hostile)), 200)
}

// The report stays at ten lines, and agents that work from it know which places are outside of it.
func TestAReportWithSiblings(t *testing.T) {
	t.Parallel()
	c := decision.RootCause{
		Summary:    "Refunds are too high",
		Cause:      strings.Repeat("and so on\n", 30),
		Change:     "Split",
		Confidence: "high",
		Siblings:   join(found(1, "affected", false), found(13, "not_looked_at", false)),
	}
	text := ReportText(c, edition(1, StatusShown))
	require.Contains(t, text, "\n**What will change:** Split\n**Elsewhere:** 1 affected, "+
		"not part of this fix (affected/f0.go:1); 1 of 14 looked at.\nshop@c0ffee1 · revision 1 · nothing")
	require.Len(t, strings.Split(text, "\n"), 10)

	d := workflow.DiagnosisReport{AffectedScope: []string{"three orders"}, Siblings: c.Siblings}
	require.Contains(t, DiagnosisText(d, edition(1, StatusShown)),
		"Affected scope:\n- three orders\n- Elsewhere: 1 affected, not part of this fix")
	require.Equal(t, []string{"three orders"}, d.AffectedScope)

	r := workflow.Report{
		Kind: workflow.ReportRootCause,
		Text: text,
		Body: []byte(
			`{"siblings":{"pattern":"x","places":[{"at":"a.go:1","verdict":"affected","why":"the\nsame"},` +
				`{"at":"b.go:1","verdict":"affected","why":"too","in_fix":true},{"at":"c.go:2",` +
				`"verdict":"not_affected","why":"even"},{"at":"d.go:3","verdict":"not_looked_at"}]}}`),
	}
	require.Contains(t, ReportForWorkers(r), "**Elsewhere:** 1 affected, not part of this fix")
	require.Contains(t, ReportForWorkers(r),
		"Elsewhere, where `x` matches:\n• b.go:1, affected: too\n• a.go:1, affected, not part of this fix: "+
			"the same\n• c.go:2, not affected: even\n• not looked at: d.go:3")
	require.Contains(t, Grounds{Siblings: join()}.Text(),
		"Elsewhere, where `a'b` matches:\n• nowhere but in the cause")
}
