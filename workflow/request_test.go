package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestARequestIsShownInOneLineEach(t *testing.T) {
	t.Parallel()
	r := workflow.Request{
		SurfaceArea: "cart\nand order", Constraints: []string{"no new\ndependency", "Go 1.26"}, DoneCriteria: []string{"totals add up", "a page shows them"},
		Decisions: []workflow.Decided{{Question: "Round?", Answer: "down"}},
	}
	require.Empty(t, r.Missing())
	require.Equal(t, `Surface area: cart and order
Constraints: no new dependency; Go 1.26
Done when: (1) totals add up; (2) a page shows them
Decided: Round? → down`, r.Text())
	require.Contains(t, workflow.Request{}.Missing(), "surface_area")
	require.Contains(t, workflow.Request{SurfaceArea: "cart", DoneCriteria: []string{" "}}.Missing(), "done_criteria")
	require.Equal(t, "Surface area: cart\nDone when: (1) it adds up", workflow.Request{SurfaceArea: "cart", DoneCriteria: []string{"it adds up"}}.Text(), "what is empty is left out")
}

// Five or more files across several packages, or a whole subsystem, are much at once.
func TestLarge(t *testing.T) {
	t.Parallel()
	for files, want := range map[string]bool{
		"a/a.go b/b.go c/c.go d/d.go e/e.go": true,
		"a/a.go a/b.go a/c.go a/d.go b/e.go": true,
		"a/a.go b/b.go c/c.go d/d.go":        false,
		"a/a.go a/b.go a/c.go a/d.go a/e.go": false,
		"":                                   false,
	} {
		require.Equal(t, want, workflow.Request{Files: strings.Fields(files)}.Large(), files)
	}
	require.True(t, workflow.Request{Subsystem: true}.Large())
}

func plan() workflow.Plan {
	return workflow.Plan{
		Title: "Sessions in Redis", Summary: "Sessions move.", OutOfScope: []string{"login"}, Risks: []string{"two stores for a day"}, Verification: "make test",
		Tasks: []workflow.PlanTask{
			{Description: "add a store", Category: "quick", Files: []string{"store.go"}, Acceptance: "it compiles", Check: "go build ./..."},
			{Description: "use it", Category: "deep", Skill: "tdd", Acceptance: "tests pass", Check: "go test ./...", After: []int{1}},
		},
	}
}

func TestAPlanIsReadableAndAFile(t *testing.T) {
	t.Parallel()
	p := plan()
	require.Empty(t, p.Missing())
	require.Equal(t, `Plan: Sessions in Redis
Sessions move.
Out of scope: login
Tasks:
  [ ] 1. [quick] add a store: it compiles (`+"`go build ./...`"+`)
  [ ] 2. [deep + tdd skill] use it (after 1): tests pass (`+"`go test ./...`"+`)
Risk: two stores for a day
Verification: make test`, p.Text())
	require.Contains(t, p.Text(2), "  [ ] 1. [quick] add a store: it")
	require.Contains(t, p.Text(2), "  [x] 2. [deep + tdd skill] use it (after 1): tests")
	require.Equal(t, "# Sessions in Redis\n\nSessions move.\n\n## Out of scope\n\n- login\n\n## Tasks\n\n"+
		"- [ ] 1. [quick] add a store\n  - Files: `store.go`\n  - Acceptance: it compiles\n  - Check: `go build ./...`\n\n"+
		"- [ ] 2. [deep + tdd skill] use it (after 1)\n  - Acceptance: tests pass\n  - Check: `go test ./...`\n\n"+
		"## Risks\n\n- two stores for a day\n\n## Verification\n\nmake test\n", p.Markdown())
}

func TestAHeadingHasTenWordsAtMost(t *testing.T) {
	t.Parallel()
	for want, task := range map[string]workflow.PlanTask{
		"Round the total": {Title: " Round\nthe total ", Description: "In money/split.go round the running total."},
		"Round it.":       {Description: "Round it.\nNever touch receipts, and read the whole file first."},
		"one two three four five six seven eight nine ten…": {Title: "one two three four five six seven eight nine ten eleven"},
	} {
		require.Equal(t, want, task.Heading())
	}
}

func TestAPlanThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for words, spoil := range map[string]func(*workflow.Plan){
		"without tasks":   func(p *workflow.Plan) { p.Tasks = nil },
		"title":           func(p *workflow.Plan) { p.Title = " " },
		"verification":    func(p *workflow.Plan) { p.Verification = "" },
		"acceptance":      func(p *workflow.Plan) { p.Tasks[1].Acceptance = "" },
		"earlier tasks":   func(p *workflow.Plan) { p.Tasks[0].After = []int{2} },
		"anybody reviews": func(p *workflow.Plan) { p.Tasks = make([]workflow.PlanTask, 31) },
	} {
		p := plan()
		spoil(&p)
		require.Contains(t, p.Missing(), words)
	}
}

func diagnosis() workflow.Diagnosis {
	h := workflow.Hypothesis{Claim: "c", Probe: "p", Outcome: "ruled_out"}
	return workflow.Diagnosis{
		Bug: "Refunds are too high", RootCause: "Split drops the rest (money/split.go:13)", AffectedScope: []string{"orders with three lines", "about 40 a day"},
		ProposedFix: []string{"hand out every cent", "a test of Split"}, Risk: workflow.Risk{Level: "LOW", Reason: "one function"},
		Hypotheses: []workflow.Hypothesis{{Claim: "c", Probe: "p", Outcome: "confirmed"}, h, h}, Evidence: []workflow.Evidence{{Claim: "x", Grade: "observed"}},
	}
}

func TestTheDiagnosisReportHasItsShape(t *testing.T) {
	t.Parallel()
	require.Equal(t, `=== Diagnosis Report ===
Bug: Refunds are too high
Root cause: Split drops the rest (money/split.go:13)
Affected scope:
- orders with three lines
- about 40 a day
Proposed fix:
1. hand out every cent
2. a test of Split
Risk: LOW - one function
=== Diagnosis Report ===`, diagnosis().Text())
	require.Empty(t, diagnosis().Missing())
	for words, spoil := range map[string]func(*workflow.Diagnosis){
		"three to five":      func(d *workflow.Diagnosis) { d.Hypotheses = d.Hypotheses[:2] },
		"hypothesis 2":       func(d *workflow.Diagnosis) { d.Hypotheses[1].Probe = "" },
		"more than one":      func(d *workflow.Diagnosis) { d.Hypotheses[1].Outcome = "confirmed" },
		"affected_scope":     func(d *workflow.Diagnosis) { d.AffectedScope = nil },
		"proposed_fix":       func(d *workflow.Diagnosis) { d.ProposedFix = []string{""} },
		"evidence":           func(d *workflow.Diagnosis) { d.Evidence = nil },
		"risk":               func(d *workflow.Diagnosis) { d.Risk.Reason = "" },
		"bug and root_cause": func(d *workflow.Diagnosis) { d.RootCause = "" },
	} {
		d := diagnosis()
		spoil(&d)
		require.Contains(t, d.Missing(), words)
	}
}

func TestAdviceIsShort(t *testing.T) {
	t.Parallel()
	a := workflow.Advice{BottomLine: "Set MaxConnIdleTime below 60 s.", Steps: []string{"edit pool.go"}, Effort: "quick", Confidence: "high", Risks: []string{"more connects"}}
	require.Empty(t, a.Missing())
	require.Equal(t, "Recommendation: Set MaxConnIdleTime below 60 s.\n1. edit pool.go\nEffort: quick. Confidence: high.\nRisk: more connects", a.Text())
	a.Steps = make([]string, 8)
	require.Contains(t, a.Missing(), "seven")
	require.Contains(t, workflow.Advice{}.Missing(), "bottom_line")
}

func TestDefaultsAreSaid(t *testing.T) {
	t.Parallel()
	q := workflow.Question{Text: "Round?", Recommended: "down", Open: []workflow.OpenDecision{{Question: "Per line?", Recommended: "yes"}}}
	require.Equal(t, " Round? → down; Per line? → yes", q.Defaults())
}
