package proof

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// roundsUp is a fix of money.Half, with and without a test.
var roundsUp = repotest.Files{
	"money/money.go": "package money\n\nfunc Half(n int) int { return (n + 1) / 2 }\n",
}

var roundsUpTested = repotest.Files{
	"money/money.go": roundsUp["money/money.go"],
	"money/odd_test.go": "package money\n\nimport \"testing\"\n\nfunc TestOdd(t *testing.T) {\n" +
		"\tif Half(3) != 2 {\n\t\tt.Error(\"rounded down\")\n\t}\n}\n",
}

// proveLimited proves a change where a command may use little memory, and print little.
func proveLimited(t *testing.T, base, changed repotest.Files) Proof {
	t.Helper()
	repotest.NeedCommand(t, "go version")
	m, commits := repotest.NewMirror(t, base)
	c := checker(t)
	c.Limits.Memory = repotest.LittleMemory
	c.Limits.Output = 1 << 20
	return proveIn(t, c, m, commits[0], changed)
}

// A test that a limit stops on the base, too, is named once, and the others prove the change.
func TestATestThatALimitStopsDoesNotVoidTheProof(t *testing.T) {
	t.Parallel()
	p := proveLimited(t, repotest.TooMuchMemory, roundsUpTested)
	require.True(t, p.Passes())
	require.Equal(t, 2, p.StillPassing)
	lines := strings.Join(p.Lines(), "\n")
	require.Contains(t, lines, "Cannot be run here, on main either, and left out: TestMuchMemory (")
	require.Contains(t, lines, "go test -skip '^(TestMuchMemory)$' ./...: 3 passed (1 new), build clean")
}

// stoppedAsAWhole has no test that could be left out: what TestMain prints stops the run.
func stoppedAsAWhole() repotest.Files {
	files := repotest.Files{}
	for name, text := range repotest.TooMuchMemory {
		files[name] = text
	}
	files["auth/main_test.go"] = "package auth\n\nimport \"testing\"\n\n" +
		"func TestMain(m *testing.M) {\n\tfor {\n\t\tprintln(\"again and again and again\")\n\t}\n}\n"
	return files
}

// Where the whole suite does not end, the new tests alone show the change.
func TestNewTestsAloneProveWhereTheSuiteDoesNotEnd(t *testing.T) {
	t.Parallel()
	p := proveLimited(t, stoppedAsAWhole(), roundsUpTested)
	require.True(t, p.Passes())
	require.Equal(t, []string{"TestOdd"}, p.RedOnBase)
	require.Contains(t, strings.Join(p.Lines(), "\n"), "Not shown: whether the other tests still pass: "+
		"the whole suite does not end on main (it printed more than it may)")

	// A fix without a test is refused, and told what would prove it.
	p = proveLimited(t, stoppedAsAWhole(), roundsUp)
	require.Equal(t, Failed, p.Outcome())
	require.Contains(t, p.Why, "only new tests can be compared, which run alone: add one that fails on main")

	// Control: a test that passes on the base, too, proves nothing.
	guard := repotest.Files{"money/money.go": roundsUp["money/money.go"]}
	guard["money/odd_test.go"] = strings.ReplaceAll(roundsUpTested["money/odd_test.go"], "Half(3)", "Half(4)")
	require.Equal(t, Failed, proveLimited(t, stoppedAsAWhole(), guard).Outcome())
}
