package proof

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A test that the project's own command leaves out runs with the command that runs it.
func TestTestsBehindABuildTagTakePart(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	base := repotest.Files{
		"go.mod":         "module example.com/shop\n\ngo 1.24\n",
		"money/money.go": "package money\n\nfunc Half(n int) int { return n / 2 }\n",
		"money/money_test.go": "package money\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n" +
			"\tif Half(4) != 2 {\n\t\tt.Error(\"not half\")\n\t}\n}\n",
	}
	tagged := func(want string) repotest.Files {
		return repotest.Files{
			"money/money.go": roundsUp["money/money.go"],
			"money/odd_test.go": "//go:build e2e_testing\n\npackage money\n\nimport \"testing\"\n\n" +
				"func TestOdd(t *testing.T) {\n\tif Half(3) != " + want +
				" {\n\t\tt.Error(\"rounded\")\n\t}\n}\n",
		}
	}
	p := prove(t, base, tagged("2"))
	require.True(t, p.Passes())
	require.Equal(t, []string{
		"New test TestOdd: fails on main (as expected), passes on the branch",
		"go test ./...: 1 passed, build clean",
		"go test -tags=e2e_testing -vet=off -count=1 -shuffle=on './money': 2 passed (1 new)",
		"Still passing: 2 of 2 that passed before",
	}, p.Lines())

	// Control: one that fails on the branch keeps the change from being proven.
	p = prove(t, base, tagged("7"))
	require.Equal(t, Failed, p.Outcome())
	require.True(t, strings.Contains(strings.Join(p.Lines(), "\n"), "TestOdd"), p.Lines())
}
