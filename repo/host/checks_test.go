package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// TestWhatShowsNothingIsToldApart checks that a check which was skipped, was cancelled, is neutral or may
// fail is told apart from one that passed, in the words of each host.
func TestWhatShowsNothingIsToldApart(t *testing.T) {
	t.Parallel()
	for kind, states := range map[string]map[string]string{ // by the state at the host
		host.GitHub: {
			"success": "", "failure": "", "timed_out": "", "pending": "", "skipped": "skipped",
			"neutral": "neutral", "cancelled": "cancelled", "stale": "stale",
		},
		host.GitLab: {
			"success": "", "failure": "", "pending": "", "skipped": "skipped", "canceled": "canceled",
			"manual": "manual",
		},
		host.Gitea: {"success": "", "failure": "", "pending": "", "skipped": "skipped", "warning": "warning"},
	} {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		for state := range states {
			s.Report("c1", hosttest.Check{Name: state, State: state})
		}
		checks, err := h.Checks(t.Context(), "c1")
		require.NoError(t, err)
		found := map[string]string{}
		for _, c := range checks {
			found[c.Name] = c.Inconclusive
			if c.Inconclusive != "" {
				require.Equal(t, host.Passed, c.State, "it needs no attention")
			}
		}
		require.Equal(t, states, found, kind)
	}
	s, h := open(t, hosttest.Config{Kind: host.GitLab}, token)
	s.Report("c1", hosttest.Check{Name: "docs", State: "failure", MayFail: true})
	checks, err := h.Checks(t.Context(), "c1")
	require.NoError(t, err)
	require.Equal(t, "failed, which it may", checks[0].Inconclusive)
}

// TestChecksOfAnotherCommitDoNotCount checks that a host which answers with checks of another commit, as one
// behind a stale cache may, is not believed.
func TestChecksOfAnotherCommitDoNotCount(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab} {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		s.Report("c2", hosttest.Check{Name: "test", State: "success", Of: "c1"})
		s.Report("c2", hosttest.Check{Name: "lint", State: "success"})
		checks, err := h.Checks(t.Context(), "c2")
		require.NoError(t, err)
		require.Len(t, checks, 1, kind)
		require.Equal(t, "lint", checks[0].Name, kind)
	}
}
