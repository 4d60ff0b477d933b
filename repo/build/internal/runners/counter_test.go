package runners

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTestsAreCountedWhileTheyRun reads samples in parts that end anywhere. The last count is that of the
// whole output; before the end it is smaller.
func TestTestsAreCountedWhileTheyRun(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"go-json", "go-text-v", "pytest-v", "unittest-v", "jest-verbose", "vitest-same-verbose", "mocha",
		"node-spec", "node-tap", "tap13", "cargo", "suites/ctest-green", "suites/gtest-green",
	} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		require.NoError(t, err)
		whole, found := Read(string(text))
		require.True(t, found, name)
		for _, size := range []int{200, 1000, 1 << 20} {
			var c Counter
			before := 0
			count := 0
			for rest := string(text) + "\n"; rest != ""; rest = rest[min(size, len(rest)):] {
				before = count
				count = c.Add(rest[:min(size, len(rest))])
				require.GreaterOrEqual(t, count, before, name)
			}
			require.InDelta(t, whole.Sum(), count, float64(whole.Failed)+1, "%s in parts of %d", name, size)
		}
	}
}

// A line without an end is not kept for ever.
func TestACounterKeepsNoEndlessLine(t *testing.T) {
	t.Parallel()
	var c Counter
	require.Zero(t, c.Add(strings.Repeat("x", maxLine+1)))
	require.Empty(t, c.line)
	require.Equal(t, 1, c.Add("\nok 1 - a\nok 2 - "))
	require.Equal(t, 2, c.Add("b\n"))
}
