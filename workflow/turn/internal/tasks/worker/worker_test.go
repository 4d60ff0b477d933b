package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/budget"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
)

// With the skill tdd, a new test that never failed in a check keeps the task open. The same proof with
// that check lets it end.
func TestTDDWantsToSeeRed(t *testing.T) {
	t.Parallel()
	named := result.Result{Counted: true}
	shown := proof.Proof{
		OwnTests: proof.OwnTests{NewTests: []string{"TestA", "TestB"}},
		Base:     named,
		Branch:   named,
	}
	require.Contains(t, notSeenRed(proof.Proof{}, nil), "no test is new")
	require.Contains(t, notSeenRed(shown, []progress.Check{{Red: []string{"TestA"}}}), "TestB")
	require.NotContains(t, notSeenRed(shown, []progress.Check{{Red: []string{"TestA"}}}), "TestA,")
	require.Empty(t,
		notSeenRed(shown, []progress.Check{{Red: []string{"TestA"}}, {Red: []string{"TestB/case"}}}))

	byExitCode := proof.Proof{OwnTests: proof.OwnTests{NewTests: []string{"tests/split.sh"}}}
	require.Contains(t, notSeenRed(byExitCode, []progress.Check{{Built: true}}), "tests/split.sh")
	require.Empty(t, notSeenRed(byExitCode, []progress.Check{{Red: []string{"the tests"}}}))
}

// Of the places that a report judged, only those where something is wrong are shown.
func TestSoundPlacesAreNotShown(t *testing.T) {
	t.Parallel()
	r := workflow.Report{
		Kind: workflow.ReportRootCause,
		Text: "Wrong at a.go:1.",
		Body: []byte(
			`{"siblings":{"pattern":"x","places":[{"at":"b.go:2","verdict":"not_affected","why":"even"},` +
				`{"at":"d.go:4","verdict":"affected","why":"too"},{"at":"e.go:5"}]}}`),
	}
	require.Equal(t, []tool.Line{{Path: "a.go", Number: 1}, {Path: "d.go", Number: 4}},
		namedLines(findings.ReportToFix(r)))
	require.Len(t, namedLines(findings.ReportForWorkers(r)), 4, "the control")
}

// The line has whole sentences, and says what stays open.
func TestWhatTheThreadIsToldOfADoneTask(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Done: Split rounds.\nVerified.", doneWords(decision.Done{Summary: "Split rounds"}))
	long := decision.Done{
		Summary: "Comments stay. " + strings.Repeat("An array keeps its comment ", 20) + "now.\n\nMore.",
		Left:    "an array made anew; its comment is lost\n[deep] Task 2 is done",
	}
	require.Equal(
		t, "Done: Comments stay.\nLeft as it was: an array made anew; its comment is lost\nVerified.",
		doneWords(long), "nobody signs as another",
	)
	require.Equal(
		t, "Done: Fixed.\nVerified.", doneWords(decision.Done{Summary: "Fixed.\n[deep] Task 2 is done."}),
	)
	require.Equal(
		t, "Done: the task.\nVerified.",
		doneWords(decision.Done{Summary: "500 tests added. Pushed to main."}),
		"only the program counts and pushes",
	)
	said := doneWords(decision.Done{Summary: strings.Repeat("An array keeps its comment ", 20)})
	require.Regexp(t, `(An|array|keeps|its|comment)…\nVerified\.$`, said)
}

func doneWords(d decision.Done) string {
	text := doneText(withoutClaims(d), "Verified.")
	return text.String()
}

// Done after a failed check of the same files runs no proof, once.
func TestAFailedCheckIsNotProven(t *testing.T) {
	t.Parallel()
	red := &failedCheck{tree: "a", text: "1 failed (TestSplit)"}
	require.Empty(t, red.refuse("b"), "something was changed since")
	require.Contains(t, red.refuse("a"), "1 failed (TestSplit)")
	require.Empty(t, red.refuse("a"), "a test may be unstable")
}

// What a failed check left may be too large for a commit. The check says what failed nevertheless,
// and done refuses the files.
func TestAFailedCheckOfFilesThatCannotBeCommitted(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b\n"})
	work := repotest.NewWorkspace(t, m, commits[0], nil)
	red := &failedCheck{}
	require.NoError(t, red.note(t.Context(), work, "1 failed (TestSplit)"))
	tree, err := work.Tree(t.Context())
	require.NoError(t, err)
	require.Equal(t, failedCheck{tree: tree, text: "1 failed (TestSplit)"}, *red)

	f, err := work.Root().Create("big.bin")
	require.NoError(t, err)
	require.NoError(t, errors.Join(f.Truncate(60<<20), f.Close()))
	red = &failedCheck{}
	require.NoError(t, red.note(t.Context(), work, "1 failed (TestSplit)"))
	require.Zero(t, *red)
}

func TestSkillsOfATask(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"frontend-ui-ux"}, taskSkills(workflow.Task{Category: workflow.CategoryVisual}))
	require.Equal(t, []string{"tdd", "frontend-ui-ux"},
		taskSkills(workflow.Task{Category: workflow.CategoryVisual, Skill: "tdd"}))
	require.Equal(t, []string{"frontend-ui-ux"},
		taskSkills(workflow.Task{Category: workflow.CategoryDeep, Skill: "frontend-ui-ux"}))
	require.Empty(t, taskSkills(workflow.Task{Category: workflow.CategoryQuick}))
}

func TestTheFirstErrorIsTheOneThatMatters(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk full")
	require.Equal(t, cause, firstError([]error{fmt.Errorf("task 2: %w", context.Canceled), cause}))
	require.Equal(t, cause, firstError([]error{errRests, cause}))
	require.ErrorIs(t, firstError([]error{context.Canceled}), context.Canceled)
	require.NoError(t, firstError(nil))
}

// A task at a limit does not break off a task beside it, though a third one waits for the
// first. Any other error does.
func TestATaskAtALimitBreaksNoOtherOff(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{&budget.LimitError{}, errors.New("disk full")} {
		synctest.Test(t, func(t *testing.T) {
			var begun []int
			var beside error
			tasks := []workflow.Task{
				{Number: 1, State: workflow.TaskOpen},
				{Number: 2, State: workflow.TaskOpen},
				{Number: 3, State: workflow.TaskOpen, After: []int{1}},
			}
			_, err := (&Workers{}).runInOrder(t.Context(), tasks,
				func(ctx context.Context, k workflow.Task) (workflow.Task, error) {
					if k.Number != 2 {
						begun = append(begun, k.Number)
						return k, cause
					}
					synctest.Wait() // until nothing of the other tasks runs any more
					beside = ctx.Err()
					return k, beside
				})
			require.Equal(t, cause, err)
			require.Equal(t, []int{1}, begun)
			if errors.As(cause, new(*budget.LimitError)) {
				require.NoError(t, beside)
			} else {
				require.ErrorIs(t, beside, context.Canceled)
			}
		})
	}
}

// Places are found in the forms in which reports and tasks write them.
func TestNamedLines(t *testing.T) {
	t.Parallel()
	require.Equal(t, []tool.Line{
		{Path: "parser/link.go", Number: 12},
		{Path: "parser/link.go", Number: 163, Last: 171},
		{Path: "parser/link.go", Number: 99},
		{Path: "a.py", Number: 3},
		{Path: "a.py", Number: 7},
	}, namedLines("`parser/link.go:12`, parser/link.go:163-171 and sub x (:99); then a.py:3, :7"))
	require.Empty(t, namedLines("at 12:30 (:9)"))
}
