package workflow_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func plan() workflow.Plan {
	return workflow.Plan{
		Title:        "Sessions in Redis",
		Summary:      "Sessions move.",
		OutOfScope:   []string{"login"},
		Risks:        []string{"two stores for a day"},
		Verification: "make test",
		Tasks: []workflow.PlannedTask{
			{
				Description: "add a store",
				Category:    "quick",
				Files:       []string{"store.go"},
				Acceptance:  "it compiles",
				Check:       "go build ./...",
			},
			{
				Description: "use it",
				Category:    "deep",
				Skill:       "tdd",
				Acceptance:  "tests pass",
				Check:       "go test ./...",
				After:       []int{1},
			},
		},
	}
}

func TestAPlanIsReadableAndAFile(t *testing.T) {
	t.Parallel()
	p := plan()
	require.Empty(t, p.Missing())
	require.Equal(t, `**Plan: Sessions in Redis**
Sessions move.
**Out of scope:** login
**Tasks:**
  [ ] 1. [quick] add a store: it compiles (`+"`go build ./...`"+`)
  [ ] 2. [deep + tdd skill] use it (after 1): tests pass (`+"`go test ./...`"+`)
**Risk:** two stores for a day
**Verification:** make test`, p.Text())
	require.Contains(t, p.Text(2), "  [ ] 1. [quick] add a store: it")
	require.Contains(t, p.Text(2), "  [x] 2. [deep + tdd skill] use it (after 1): tests")
	require.Equal(t, "# Sessions in Redis\n\nSessions move.\n\n## Out of scope\n\n- login\n\n## Tasks\n\n"+
		"- [ ] 1. [quick] add a store\n  - Files: `store.go`\n  - Acceptance: it compiles\n"+
		"  - Check: `go build ./...`\n\n"+
		"- [ ] 2. [deep + tdd skill] use it (after 1)\n  - Acceptance: tests pass\n"+
		"  - Check: `go test ./...`\n\n"+
		"## Risks\n\n- two stores for a day\n\n## Verification\n\nmake test\n", p.Markdown())
}

func TestAHeadingHasTenWordsAtMost(t *testing.T) {
	t.Parallel()
	for want, task := range map[string]workflow.PlannedTask{
		"Round the total": {
			Title: " Round\nthe total ", Description: "In money/split.go round the running total.",
		},
		"Round it.": {Description: "Round it.\nNever touch receipts, and read the whole file first."},
		"one two three four five six seven eight nine ten…": {
			Title: "one two three four five six seven eight nine ten eleven",
		},
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
		"anybody reviews": func(p *workflow.Plan) { p.Tasks = make([]workflow.PlannedTask, 31) },
	} {
		p := plan()
		spoil(&p)
		require.Contains(t, p.Missing(), words)
	}
}

func TestAllThatIsMissingIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	p := plan()
	p.Title = ""
	p.Verification = " "
	p.Tasks[0].Check = ""
	require.Equal(t, "a plan needs a title and a summary; verification has to say of the whole, at the end; "+
		"task 1 needs a description, its acceptance and the command that checks it", p.Missing())
	p.Tasks = make([]workflow.PlannedTask, 31)
	require.Regexp(t, "; task 5 needs [^;]*; and 26 more$", p.Missing())
}

func TestDefaultsAreSaid(t *testing.T) {
	t.Parallel()
	q := workflow.Question{
		Text:        "Round?",
		Recommended: "down",
		Open:        []workflow.OpenDecision{{Question: "Per line?", Recommended: "yes"}},
	}
	require.Equal(t, " Round? → down; Per line? → yes", q.Defaults())
}

func TestARequestIsShownInOneLineEach(t *testing.T) {
	t.Parallel()
	r := workflow.Request{
		SurfaceArea:  "cart\nand order",
		Constraints:  []string{"no new\ndependency", "Go 1.26"},
		DoneCriteria: []string{"totals add up", "a page shows them"},
		Decisions:    []workflow.Decided{{Question: "Round?", Answer: "down"}},
	}
	require.Empty(t, r.Missing())
	require.Equal(t, `**Surface area:** cart and order
**Constraints:** no new dependency; Go 1.26
**Done when:** (1) totals add up; (2) a page shows them
**Decided:** Round? → down`, r.Text())
	require.Contains(t, workflow.Request{}.Missing(), "surface_area")
	require.Contains(t, workflow.Request{SurfaceArea: "cart", DoneCriteria: []string{" "}}.Missing(),
		"done_criteria")
	require.Equal(t, "**Surface area:** cart\n**Done when:** (1) it adds up", workflow.Request{
		SurfaceArea:  "cart",
		DoneCriteria: []string{"it adds up"},
	}.Text(), "what is empty is left out")
}

// A request with five or more files in several packages, or with a whole subsystem, is large.
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

// A later plan has tasks with the same numbers. Only those that it repeats were done for it, too.
func TestTasksOfAnEarlierPlan(t *testing.T) {
	t.Parallel()
	report := func(revision int, tasks ...string) workflow.Report {
		var p workflow.Plan
		for _, description := range tasks {
			p.Tasks = append(p.Tasks,
				workflow.PlannedTask{Description: description, Acceptance: "it works", Check: "make"})
		}
		body, err := json.Marshal(p)
		require.NoError(t, err)
		return workflow.Report{Revision: revision, Kind: workflow.ReportPlan, Body: body}
	}
	plans := workflow.PlansOf([]workflow.Report{
		report(1, "add a store", "use it"),
		{Revision: 2, Kind: workflow.ReportRequest},
		report(3, "tell the users", "add a  store", "use it everywhere"),
	})
	require.Len(t, plans, 2)
	tasks := []workflow.Task{
		{ID: 1, Plan: 1, Revision: 1},
		{ID: 2, Plan: 2, Revision: 1},
		{ID: 3, Revision: 2},
		{ID: 4, Plan: 9, Revision: 1},
		{ID: 5, Plan: 1, Revision: 3},
		{ID: 6, Plan: 1, Revision: 7},
	}
	require.Equal(t, []workflow.Task{{ID: 1, Plan: 2, Revision: 1}, {ID: 5, Plan: 1, Revision: 3}},
		workflow.DelegatedTasks(plans, nil, 3, tasks))
	require.Equal(t, []workflow.Task{{ID: 1, Plan: 1, Revision: 1}, {ID: 2, Plan: 2, Revision: 1}},
		workflow.DelegatedTasks(plans, nil, 1, tasks))
	require.Empty(t, workflow.DelegatedTasks(plans, nil, 2, tasks))

	own := []workflow.Task{{ID: 5, Plan: 1, Revision: 3}}
	require.Equal(t, own, workflow.DelegatedTasks(plans, []int{1}, 3, tasks),
		"what was pushed is no part of later work")
	require.Equal(t, own, workflow.DelegatedTasks(plans, []int{2}, 3, tasks), "nor what was done before that")
	require.Len(t, workflow.DelegatedTasks(plans, []int{3}, 3, tasks), 2, "it was pushed with this plan")
}
