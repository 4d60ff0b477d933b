package page

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// TestHeadline checks what a page says of sessions in every state, also of those that are not at work.
func TestHeadline(t *testing.T) {
	t.Parallel()
	in := func(p workflow.Phase) workflow.Session { return workflow.Session{Phase: p, Revision: 2} }
	bug := in(workflow.PhaseDone)
	bug.Kind = workflow.KindBug
	joined := in(workflow.PhaseStopped)
	joined.Join(7)
	after := func(phase workflow.Phase) workflow.Session {
		s := in(phase)
		s.Pushed = true
		return s
	}
	atWork := in(workflow.PhaseVerifying)
	atWork.Open = true
	done := []push{{Push: workflow.Push{State: workflow.PushDone}}}
	unproven := []push{{Push: workflow.Push{State: workflow.PushDone, Unproven: "no tests"}}}
	refused := []push{{Push: workflow.Push{State: workflow.PushRefused}}}
	pulled := func(state string) view.Outcome {
		return view.Outcome{Pulls: []view.Pull{{State: "merged", Aside: true}, {State: state}}}
	}
	refusedBy := in(workflow.PhasePaused)
	refusedBy.Trouble = workflow.TroubleModel
	for _, c := range []struct {
		s           workflow.Session
		isPaused    bool
		o           view.Outcome
		pushes      []push
		words, tone string
	}{
		{s: bug, pushes: done, words: "Fixed and pushed", tone: "good"},
		{s: in(workflow.PhaseDone), pushes: append(refused, done...), words: "Done and pushed", tone: "good"},
		{s: bug, pushes: unproven, words: "Fixed and pushed, unproven", tone: "wait"},
		{s: bug, o: pulled("open"), pushes: done, words: "Fixed and pushed", tone: "good"},
		{s: bug, o: pulled("merged"), pushes: done, words: "Fixed and merged", tone: "good"},
		{s: bug, o: pulled("reverted"), pushes: done, words: "Fixed, and reverted", tone: "bad"},
		{s: in(workflow.PhaseDone), words: "Done", tone: "good"},
		{s: in(workflow.PhaseAnswered), words: "Answered", tone: "good"},
		{s: in(workflow.PhaseReported), words: "Revision 2 waits for an approval", tone: "wait"},
		{s: in(workflow.PhasePlanShown), words: "The plan, revision 2, waits for an approval", tone: "wait"},
		{s: in(workflow.PhasePaused), words: "Waits for a decision", tone: "wait"},
		{s: refusedBy, words: "Waits: the model refused", tone: "wait"},
		{s: in(workflow.PhaseStopped), words: "Stopped", tone: "bad"},
		{
			s: after(workflow.PhaseStopped), pushes: done,
			words: "Done and pushed; stopped since", tone: "good",
		},
		{s: after(workflow.PhaseAnswered), pushes: done, words: "Done and pushed", tone: "good"},
		{s: joined, words: "Joined to another thread", tone: "wait"},
		{s: in(workflow.PhaseFailed), words: "Given up", tone: "bad"},
		{s: in(workflow.PhaseAligning), words: "Waits for an answer", tone: "wait"},
		{s: atWork, words: "At work: proving the change", tone: "work"},
		{s: atWork, isPaused: true, words: "Paused by the operator", tone: "wait"},
		{s: bug, isPaused: true, pushes: done, words: "Fixed and pushed", tone: "good"},
	} {
		words, tone := headline(c.s, c.isPaused, c.o, c.pushes)
		require.Equal(t, []string{c.words, c.tone}, []string{words, tone})
	}
}

// TestFacts checks that the proof is a list, whether the thread was told of it in one line or in several, and
// that nothing that an agent says gets among it.
func TestFacts(t *testing.T) {
	t.Parallel()
	told := func(text string) (facts []string, words string) {
		x := view.Told{}
		var lines []string
		for i, line := range strings.Split(text, "\n") {
			if rest, vouched := strings.CutPrefix(line, "V "); vouched {
				x.Vouched = append(x.Vouched, i)
				line = rest
			}
			lines = append(lines, line)
		}
		x.Text = strings.Join(lines, "\n")
		for _, f := range factsOf(x, markup{}) {
			facts = append(facts, map[string]string{"holds": "✓ ", "fails": "✗ ", "beside": "– "}[f.Kind]+
				string(f.Text))
		}
		return facts, agentWords(x)
	}
	facts, words := told("V Done. Pushed `b` at c0ffee: 1 file, +1 −1 lines.\nAdds up.\n" +
		"V 2 new tests: red before, green now; 9 still pass; " +
		"the report's command failed before and passes now\n" +
		"V 2 of 3 hunks are needed; kept: `a.go:1` (reads better)\nV Not reviewed: reviews are off\n" +
		"V Reply \"review it\" to have it.\nV Files: `a.go`. 4 min at work.\n" +
		"✓ everything is perfect\nCompare: `git`")
	require.Equal(t, []string{
		"✓ 2 new tests: red before, green now", "✓ 9 still pass",
		"✓ the report&#39;s command failed before and passes now",
		"✓ 2 of 3 hunks are needed", "– kept: <code>a.go:1</code> (reads better)",
		"– Not reviewed: reviews are off",
	}, facts)
	require.Equal(t, "Adds up.\n✓ everything is perfect", words)
	facts, words = told("V **Fixed and pushed:** [b](https://h/b)\nV ✗ Unproven: no tests\nAdds up.\n" +
		"V ✓ 2 new tests: red before, green now\nV 8 of 9 still pass; so\n✓ everything is perfect\n" +
		"V Files: `a.go`\nV shop@8eef0fc · 4 files +50 −8 · approved by bea · 4 min at work")
	require.Equal(t, []string{
		"✗ Unproven: no tests", "✓ 2 new tests: red before, green now", "– 8 of 9 still pass; so",
	}, facts)
	require.Equal(t, "Adds up.\n✓ everything is perfect", words)
	facts, _ = told("V 8 of 9 still pass")
	require.Equal(t, []string{"– 8 of 9 still pass"}, facts)
}

// TestReportsHaveNoFooter checks that the page leaves out how a report is answered in the thread, and no
// more.
func TestReportsHaveNoFooter(t *testing.T) {
	t.Parallel()
	const footer = "\nshop@8eef0fc · revision 2 · nothing is changed yet. Reply \"fix it\".\n"
	require.Equal(t, "Cause", withoutFooter("Cause"+footer))
	for _, text := range []string{
		"Cause\nshop@8eef0fc is where it began", "shop@8eef0fc · revision 2 · alone",
	} {
		require.Equal(t, text, withoutFooter(text))
	}
}

// On the page, too, only the program says that something holds.
func TestReportWords(t *testing.T) {
	t.Parallel()
	const footer = "\nshop@c0ffee1 · revision 1 · nothing is changed yet. Reply \"fix it\"."
	report := func(kind, text string) string {
		return reportWords(workflow.Report{Kind: kind, Text: text + footer})
	}
	const status = "**It drops cents**\n✓ Reproduced · sure of the cause\n"
	require.Equal(t, status+"12 tests pass", report(workflow.ReportRootCause, status+"✓ 12 tests pass"))
	require.Equal(t, "**It drops cents**\nUnproven: nothing was made to fail\nholds",
		report(workflow.ReportDiagnosis, "**It drops cents**\nUnproven: nothing was made to fail\n√ holds"))
	require.Equal(t, "**Plan: Cents**\nReproduced\n12 tests pass",
		report(workflow.ReportPlan, "**Plan: Cents**\n✓ Reproduced\n✅ 12 tests pass"))
}
