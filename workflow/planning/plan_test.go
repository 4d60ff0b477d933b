package planning_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/planning"
)

func plan() planning.Plan {
	return planning.Plan{
		Title: "Sessions in Redis", Summary: "Sessions move.", OutOfScope: []string{"login"}, Risks: []string{"two stores for a day"}, Verification: "make test",
		Tasks: []planning.Task{
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
	for want, task := range map[string]planning.Task{
		"Round the total": {Title: " Round\nthe total ", Description: "In money/split.go round the running total."},
		"Round it.":       {Description: "Round it.\nNever touch receipts, and read the whole file first."},
		"one two three four five six seven eight nine ten…": {Title: "one two three four five six seven eight nine ten eleven"},
	} {
		require.Equal(t, want, task.Heading())
	}
}

func TestAPlanThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for words, spoil := range map[string]func(*planning.Plan){
		"without tasks":   func(p *planning.Plan) { p.Tasks = nil },
		"title":           func(p *planning.Plan) { p.Title = " " },
		"verification":    func(p *planning.Plan) { p.Verification = "" },
		"acceptance":      func(p *planning.Plan) { p.Tasks[1].Acceptance = "" },
		"earlier tasks":   func(p *planning.Plan) { p.Tasks[0].After = []int{2} },
		"anybody reviews": func(p *planning.Plan) { p.Tasks = make([]planning.Task, 31) },
	} {
		p := plan()
		spoil(&p)
		require.Contains(t, p.Missing(), words)
	}
}
