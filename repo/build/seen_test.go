package build

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// TestRunsAreTheSameInAnyOrder has tests that share a name: only their counts are compared.
func TestRunsAreTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	run := func(statuses ...result.Status) (r result.Result) {
		for _, s := range statuses {
			r.Tests = append(r.Tests, result.Test{Name: "total", Group: "p", Status: s})
		}
		return r
	}
	const passed, failed = result.Passed, result.Failed
	require.True(t, sameOutcome(run(passed, failed, passed), run(failed, passed, passed)))
	require.False(
		t, sameOutcome(run(failed, failed, passed), run(failed, passed, passed)),
		"one more fails, and the last one passes in both",
	)
	require.False(t, sameOutcome(run(passed, passed), run(passed)))
}
