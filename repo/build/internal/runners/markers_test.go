package runners

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// TestNoMarkerOfASkippedTestIsReadAsPassed has each marker of each runner for a test that was not run, or
// whose result does not count. In two a runner says no more than that the test passed: a test of jest or
// vitest that is expected to fail and does, and in pytest's JUnit XML a test that passes against its
// expectation.
func TestNoMarkerOfASkippedTestIsReadAsPassed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, test string
		want       []result.Status
	}{
		{"go-json-count", "TestCoupon/total#02", skipped(2)},
		{"go-text-count", "TestCoupon/total#02", skipped(2)},
		{"pytest-same-v", "test_known", skipped(1)},    // xfail
		{"pytest-same-v", "test_surprise", skipped(1)}, // xpass
		{"junit-pytest", "test_later", skipped(1)},
		{"unittest-same-v", "test_expected", skipped(1)}, // expectedFailure
		{"unittest-same-v", "test_surprise", []result.Status{result.Failed}},
		{"unittest-same-v", "test_skipped", skipped(1)},
		{"unittest-same-v", "test_parts (i=1)", skipped(3)},
		{"unittest-same-v310", "test_expected", skipped(1)},
		{"node-spec-same", "later", skipped(3)}, // todo, todo with a reason, skip with a reason
		{"node-tap-same", "later", skipped(3)},
		{"tap-same", "test 4", skipped(1)},                                                                          // skip
		{"tap-same", "coupon total", []result.Status{result.Passed, result.Failed, result.Skipped, result.Skipped}}, // the last two are todo
		{"jest-same-verbose", "status > skipped", skipped(1)},
		{"jest-same-verbose", "status > later", skipped(1)},
		{"jest-same-verbose", "status > surprise", []result.Status{result.Failed}},
		{"vitest-same-verbose", "status > skipped", skipped(1)},
		{"vitest-same-verbose", "status > later", skipped(1)},
		{"vitest-same-verbose", "status > in it", skipped(1)},
		{"vitest-same-verbose", "status > surprise", []result.Status{result.Failed}},
		{"mocha-same", "status > later", skipped(1)},
		{"mocha-same", "status > in it", skipped(1)},
		{"cargo-same", "tests::ignored", skipped(2)},
		{"junit-same", "test_total[a]", []result.Status{result.Passed, result.Failed, result.Skipped}},
		{"junit-gtest", "DISABLED_Later", skipped(1)},
		{"junit-gtest", "NoDB", skipped(1)},
	} {
		text, err := os.ReadFile("testdata/" + c.file + ".txt")
		require.NoError(t, err)
		r, ok := Read(string(text))
		require.True(t, ok, c.file)
		var got []result.Status
		for _, test := range r.Tests {
			if test.Name == c.test {
				got = append(got, test.Status)
			}
		}
		require.Equal(t, c.want, got, "%s: %s", c.file, c.test)
	}
}

func skipped(n int) (all []result.Status) {
	for range n {
		all = append(all, result.Skipped)
	}
	return all
}

// TestNoTestIsLostSilently reads a run of 1,254 tests that share 1,045 names, and one whose summary counts
// more than was read.
func TestNoTestIsLostSilently(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 1254 { // a class is made twice and has 209 tests, which the last 209 lines repeat
		fmt.Fprintf(&text, "test_%[1]d (test_price.PriceTest.test_%[1]d) ... ok\n", i%1045)
	}
	text.WriteString(
		"\n----------------------------------------------------------------------\nRan 1254 tests in 0.249s\n\nOK\n",
	)
	r, _ := Read(text.String())
	require.Len(t, r.Tests, 1254)
	require.Len(t, result.CountByName(r.Tests), 1045)
	require.Equal(t, 1254, r.Stated)
	run := result.Result{TestsRan: true, Counted: true, Tests: r.Tests, Counts: r.Counts, Stated: r.Stated}
	require.True(t, run.EveryTestNamed())
	unread, _ := run.Unread()
	require.Zero(t, unread)

	run.Tests = run.Tests[:1045] // the control
	unread, stated := run.Unread()
	require.Equal(t, []int{209, 1254}, []int{unread, stated})

	r, ok := Read("TAP version 13\n1..0\n# tests 5\n# pass 5\n")
	require.True(t, ok)
	require.True(t, r.Uncounted, "five tests ran, and none is named: this is no run without tests")
}
