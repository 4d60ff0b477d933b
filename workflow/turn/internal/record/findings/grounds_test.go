package findings

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// A command of several lines keeps its lines, and backticks in it do not end the code block.
func TestACommandIsShownAsItWasRun(t *testing.T) {
	t.Parallel()
	require.Equal(t, "`go test ./money` (fails with exit code 1)",
		CommandWithEnding("go test ./money\n", "fails with exit code 1"))
	require.Equal(t, "this command (fails with exit code 1)\n```\ncat > a.js <<'E'\nx(`1`)\nE\nnode a.js\n"+
		"```", CommandWithEnding("cat > a.js <<'E'\nx(`1`)\nE\nnode a.js", "fails with exit code 1"))
	require.Equal(t, "this command\n```\necho `date`\n```", CommandWithEnding("echo `date`", ""))
	require.Equal(t, "this command\n````\nprintf '```\nx'\n````", CommandWithEnding("printf '```\nx'", ""))
}

func TestWorkersGetTheCommandInItsLines(t *testing.T) {
	t.Parallel()
	r := workflow.Report{
		Kind: workflow.ReportRootCause,
		Text: "Root cause.",
		Body: []byte(`{"reproduction":"cd money\ngo test .","example":"passes"}`),
	}
	require.Equal(t, "Root cause.\nThe reporter's own example does not fail here.\nShown by: this command\n"+
		"```\ncd money\ngo test .\n```", ReportWhole(r))
}

func TestWhatPeopleReportedStandsBetweenWhatWasSeenAndInferred(t *testing.T) {
	t.Parallel()
	require.Equal(t, "• observed: c\n• reported: b (message 2)\n• inferred: a", Grounds{
		Evidence: []workflow.Evidence{
			{Claim: "a", Grade: workflow.GradeInferred},
			{Claim: "b", Grade: workflow.GradeReported, Source: "message 2"},
			{Claim: "c", Grade: workflow.GradeObserved},
		},
	}.Text())
}

func TestCitedLinesStandBesideTheClaim(t *testing.T) {
	t.Parallel()
	g := Grounds{
		Evidence: []workflow.Evidence{{
			Claim: "the rest is dropped", Grade: "observed", Source: "money/split.go:13",
		}},
		Quoted: map[string]string{"money/split.go:13": "\tshares[i] = total * `w` / sum"},
	}
	require.Equal(t,
		"• observed: the rest is dropped (`money/split.go:13`: `shares[i] = total * 'w' / sum`)", g.Text())
}
