package runners

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// TestCountsAreThoseOfTheRunner reads what runners print of small suites that pass, fail, are cut short, or
// cannot be loaded, with and without colours. The table has the numbers that each runner states itself; tests
// that are expected to fail, or disabled, count as skipped. Samples named "documented" follow the runner's
// documentation; all others were recorded.
func TestCountsAreThoseOfTheRunner(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/suites/counts.table")
	require.NoError(t, err)
	samples, err := filepath.Glob("testdata/suites/*.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")
	require.Len(t, samples, len(lines))
	for _, line := range lines {
		name, want, _ := strings.Cut(line, " ")
		text, err := os.ReadFile("testdata/suites/" + name + ".txt")
		require.NoError(t, err)
		r, ok := Read(string(text))
		require.True(t, ok, name)
		got := fmt.Sprintf("%d %d %d", r.Passed, r.Failed, r.Skipped)
		if r.Uncounted {
			got += " uncounted"
		}
		require.Equal(t, want, got, "%s (%s)", name, r.format)

		run := result.Result{Counted: !r.Uncounted, Counts: r.Counts, Tests: r.Tests, Stated: r.Stated}
		_, _, wrong := run.Miscounted()
		require.False(t, wrong, name)
		run.Stated = 10*r.Sum() + 10 // the control: a summary that tells of many more
		_, _, wrong = run.Miscounted()
		require.Equal(t, run.Counted, wrong, name)
	}
}
