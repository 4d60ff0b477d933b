package runners

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// TestWhatEndedBeforeACutCounts cuts each sample before its end, as a limit does: a test that passed before
// the cut is one of the whole output, and none is added.
func TestWhatEndedBeforeACutCounts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	named := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		whole, ok := Read(string(text))
		if !ok || strings.HasPrefix(filepath.Base(file), "junit") {
			continue // a report is written at the end, or not at all
		}
		lines := strings.SplitAfter(string(text), "\n")
		for part := 1; part < 8; part += 2 {
			cut, found := ReadCut(strings.Join(lines[:len(lines)*part/8], ""))
			if !found {
				continue
			}
			of := result.CountByName(whole.Tests)
			for _, test := range cut.Tests {
				if test.Status != result.Passed || whole.format != cut.format {
					continue
				}
				named++
				if name := (result.Name{Group: test.Group, Name: test.Name}); test.Group != "" {
					require.NotZero(t, of[name].Sum(), "%s, %d/8: %v", file, part, name)
				}
			}
			require.LessOrEqual(t, cut.Passed, whole.Passed+whole.Failed, "%s, %d/8", file, part)
		}
	}
	require.Greater(t, named, 300)
}

// TestCutOutputIsCounted names runners whose summary comes at the end: without it their tests count only in
// output that was cut.
func TestCutOutputIsCounted(t *testing.T) {
	t.Parallel()
	for sample, end := range map[string]string{
		"jest-verbose":        "\nTest Suites:",
		"vitest-same-verbose": " Test Files",
		"mocha":               " passing",
		"node-spec":           "ℹ tests",
		"unittest-v":          "\n======",
		"prove":               "\nTest Summary",
		"automake":            "\n# TOTAL",
		"go-json":             "",
		"suites/minitest-v":   "\nFinished",
		"suites/gtest":        "[----------] Global test environment tear-down",
		"suites/ctest":        "% tests passed",
	} {
		text, err := os.ReadFile("testdata/" + sample + ".txt")
		require.NoError(t, err)
		head, _, _ := strings.Cut(string(text), end)
		if end == "" {
			head = string(text[:len(text)*3/4])
		} else {
			whole, ok := Read(head)
			require.False(t, ok, "%s: %s", sample, whole.format)
		}
		cut, ok := ReadCut(head)
		require.True(t, ok, sample)
		require.NotZero(t, cut.Passed, sample)
		require.Equal(t, cut.Sum(), len(cut.Tests), sample)
	}
}

// TestTheOuterRunnerIsRead has tests that print what another runner says.
func TestTheOuterRunnerIsRead(t *testing.T) {
	t.Parallel()
	inner := "=== 1 passed in 0.01s ===\n" +
		"<testsuite name=\"s\" tests=\"1\"><testcase name=\"a\"/></testsuite>\n"
	for name, outer := range map[string]string{
		"unittest": strings.Repeat(".", 44) + "\nRan 44 tests in 0.5s\n\nOK\n",
		"jest":     "PASS src/a.test.js\n\nTest Suites: 1 passed, 1 total\nTests: 44 passed, 44 total\n",
		"mocha":    "\n  44 passing (20ms)\n",
	} {
		r, ok := Read(inner + outer)
		require.True(t, ok)
		require.Equal(t, name, r.format)
		require.Equal(t, 44, r.Passed)
	}
	r, _ := Read(inner) // the control
	require.Equal(t, 1, r.Sum())
}
