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
	s.Report("c2", hosttest.Check{Name: "deploy", State: "manual", MayFail: true})
	checks, err = h.Checks(t.Context(), "c2")
	require.NoError(t, err)
	require.Equal(t, "manual", checks[0].Inconclusive, "the pipeline goes on without it")
}

// TestWhatWaitsForAPersonIsToldApart checks that a run that somebody has to allow at the host is neither
// failed nor under way, in the words of each host.
func TestWhatWaitsForAPersonIsToldApart(t *testing.T) {
	t.Parallel()
	for kind, state := range map[string]string{
		host.GitHub: "action_required", host.GitLab: "manual", host.Gitea: "blocked",
	} {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		s.Report("c1", hosttest.Check{Name: "CI", State: state})
		s.Report("c1", hosttest.Check{Name: "lint", State: "success"})
		checks, err := h.Checks(t.Context(), "c1")
		require.NoError(t, err)
		states := map[string]host.CheckState{}
		for _, c := range checks {
			states[c.Name] = c.State
		}
		require.Equal(t, map[string]host.CheckState{"CI": host.Held, "lint": host.Passed}, states, kind)
	}
	// A job of Gitea that waits for another one is described like one that waits for a person.
	s, h := open(t, hosttest.Config{Kind: host.Gitea}, token)
	s.Report("c1", hosttest.Check{Name: "test", State: "blocked"})
	s.Report("c1", hosttest.Check{Name: "build", State: "pending"})
	checks, err := h.Checks(t.Context(), "c1")
	require.NoError(t, err)
	require.Len(t, checks, 2)
	for _, c := range checks {
		require.Equal(t, host.Pending, c.State, c.Name)
	}
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
