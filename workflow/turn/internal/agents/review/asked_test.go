package review

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// A test that shows nothing is a finding, one without an answer is named, and neither is said to be fine.
func TestTheAnswersAboutTests(t *testing.T) {
	t.Parallel()
	files, hunks := work()
	files["money/split_test.go"] = files["cmd/main.go"]
	files["money/split_test.go"].Data = []byte(
		"package money\n\nfunc TestWord(t *testing.T) {\n\tif Word != \"x\" {\n\t}\n}\n",
	)
	hunks = append(hunks, diff.Hunk{
		Number: 3, Path: "money/split_test.go", Kind: "added", NewStart: 1, NewLines: 6,
		Text: "@@ -0,0 +1,6 @@\n+package money\n+\n+func TestWord(t *testing.T) {\n+\tif Word != \"x\" {\n" +
			"+\t}\n+}\n",
	})
	asked := NewAsked([]string{"TestSplit", "TestWord", "TestLost", "cart > is <empty>"}, nil)
	answer := decision.Review{Tests: []decision.TestVerdict{
		{Name: "`TestSplit`", Shows: "yes", Why: "it calls Split"},
		{Name: "TestWord", Shows: "no", Why: "it compares a constant."},
		{Name: "TestLost", Shows: "perhaps"},
		{Name: "cart > is <empty>", Shows: "no", Why: "it asserts nothing"},
		{Name: "TestOther", Shows: "no"},
	}}
	require.Equal(t, "the test TestLost", asked.Unanswered(answer))
	v := Check(answer, asked, files, hunks)
	require.Len(t, v.Findings, 2)
	require.Equal(
		t, "`money/split_test.go:3`, empty test: TestWord shows nothing: it compares a constant",
		v.Findings[0].line(),
	)
	require.Equal(
		t, "`cart > is <empty>`, empty test: cart > is <empty> shows nothing: it asserts nothing",
		v.Findings[1].line(),
	)
	require.Len(t, v.Standing(files), 2, "as long as the test is the same, it is open")
	files["money/split_test.go"].Data = []byte(
		"package money\n\nfunc TestWord(t *testing.T) {\n\tif Split() != \"x\" {\n\t}\n}\n",
	)
	require.Len(t, v.Standing(files), 1)

	o := Outcome{Verdict: v, Left: v.Findings[1:]}
	require.Contains(
		t, o.Short(),
		"; 3 new tests looked at: TestSplit, TestWord, “cart > is <empty>”; not looked at: TestLost",
	)
	require.Contains(
		t, strings.Join(o.Lines(), "\n"),
		"Review, new test TestSplit: shows something (it calls Split)\n"+
			"Review, new test TestWord: shows nothing (it compares a constant)\n",
	)
	require.Contains(t, o.Lines(), "Review, new test TestLost: not looked at")
}

func TestTheAnswersAboutCriteria(t *testing.T) {
	t.Parallel()
	files, hunks := work()
	asked := NewAsked(
		nil,
		[]Criterion{
			{Text: "Half halves", Line: "✓ Half halves"},
			{Text: "it is tested", Line: "✓ it is tested"},
			{Text: "it prints", Line: "✓ it prints"},
		},
	)
	answer := decision.Review{Criteria: []decision.CriterionVerdict{
		{Number: 1, Verdict: "changed", Now: "Halve halves", Why: "renamed."},
		{Number: 2, Verdict: "met"},
		{Number: 9, Verdict: "not met"},
	}}
	require.Equal(t, "done criterion 3", asked.Unanswered(answer))
	v := Check(answer, asked, files, hunks)
	require.Len(t, v.WrongCriteria(), 1)
	require.Contains(
		t, v.ForOrchestrator(),
		"1. done criterion 1, told as `✓ Half halves`, is something else by now: Halve halves. renamed. "+
			"Give that as now.",
	)
	require.Equal(
		t, "Found before the push: done criterion 1 is something else by now: “Halve halves”", v.ForThread(),
	)
	for line, known := range map[string]bool{"✓ Half halves": true, "✓ Halve halves": false} {
		_, got := v.CriterionFor(1, line)
		require.Equal(t, known, got, "a verdict is one on that line")
	}
	_, judged := v.CriterionFor(3, "✓ it prints")
	require.False(t, judged)
}

// A result without a review says why, and what to do to have one.
func TestAMissingReviewSaysHowToHaveOne(t *testing.T) {
	t.Parallel()
	missing := Outcome{Why: "a limit was reached"}
	require.Equal(t, "Not reviewed: a limit was reached", missing.Short())
	require.Equal(t, `Reply "review it" to have it reviewed; otherwise it stays unreviewed.`,
		missing.MakeUp())
	require.Empty(t, Outcome{Verdict: Verdict{Findings: []Finding{}}}.MakeUp())
	require.Equal(t, "Reviewed: nothing found", Verdict{}.ForPerson())
}
