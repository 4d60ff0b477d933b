package host_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

func TestAnIssueIsRead(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind, PageSize: 2}, token)
		s.SetIssue(hosttest.Issue{
			Number: 412, Title: "A cent is lost", Body: "See the cart", Login: "cem", Labels: []string{"bug"},
		})
		for i := range 9 {
			s.Say(hosttest.Comment{Number: 412, Login: "ann", Text: fmt.Sprint("comment ", i)})
		}
		got, err := h.Issue(t.Context(), 412, false)
		require.NoError(t, err)
		newest := got.Comments
		got.Comments = nil
		require.Equal(t, host.Issue{
			Number:  412,
			Title:   "A cent is lost",
			Body:    "See the cart",
			Author:  "cem",
			State:   map[string]string{host.GitHub: "open", host.GitLab: "opened", host.Gitea: "open"}[kind],
			Labels:  []string{"bug"},
			Created: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
			More:    map[string]int{host.GitHub: 3, host.Gitea: 3}[kind],
		}, got)
		require.Len(t, newest, 6)
		require.Equal(t, "ann", newest[0].Login)
		_, err = h.Issue(t.Context(), 413, false)
		require.ErrorIs(t, err, host.ErrNotFound)
	})
}

func TestAPullRequestIsRead(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		_, err := h.Open(t.Context(), opening)
		require.NoError(t, err)
		s.SetFiles(1, hosttest.File{Path: "cart.go", Change: "added", Added: 3, Removed: 0})
		s.Say(hosttest.Comment{Number: 1, Login: "ann", Text: "why?", Path: "cart.go", Line: 7})
		for _, pull := range []bool{true, false} { // "#1" does not say what it is
			if !pull && kind == host.GitLab {
				continue // which numbers the two apart
			}
			got, err := h.Issue(t.Context(), 1, pull)
			require.NoError(t, err)
			require.True(t, got.Pull)
			require.Contains(t, got.Title, "Fix it")
			require.Equal(t, "bobbin/fix-1", got.Branch)
			require.Equal(t, "main", got.Base)
			require.Equal(t, "at-bobbin/fix-1", got.Head)
			require.Equal(t, []host.File{{Path: "cart.go", Change: "added", Added: 3}}, got.Files)
			require.Equal(t, "why?", got.Comments[0].Text)
		}
	})
}

func TestARunIsRead(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind, PageSize: 1}, token)
		s.AddRun(hosttest.Run{
			ID: 77, Name: "CI", State: "failure", Branch: "main", Commit: "c1",
			Jobs: []hosttest.Check{
				{ID: 5, Name: "lint", State: "success"},
				{ID: 6, Name: "test", State: "failure", Log: "--- FAIL: TestTotal"},
			},
		})
		got, err := h.Run(t.Context(), "77", "")
		require.NoError(t, err)
		require.Equal(t, "CI", got.Name)
		require.Equal(t, "main", got.Branch)
		require.Equal(t, "c1", got.Commit)
		require.Len(t, got.Checks, 2)
		require.Equal(t, host.Passed, got.Checks[0].State)
		require.Equal(t, host.Failed, got.Checks[1].State)
		log, err := h.Log(t.Context(), got.Checks[1])
		require.NoError(t, err)
		require.Equal(t, "--- FAIL: TestTotal", log)
		one, err := h.Run(t.Context(), "77", "6")
		require.NoError(t, err)
		require.Len(t, one.Checks, 1)
		require.Equal(t, "test", one.Checks[0].Name)
		_, err = h.Run(t.Context(), "78", "")
		require.ErrorIs(t, err, host.ErrNotFound)
	})
}

// A pull request and a run say whether their branch is in a fork, whatever its name is.
func TestABranchInAForkIsKnown(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		own := s.OpenPull(hosttest.Pull{Branch: "cleo/split", Base: "main", Title: "Split", Login: "cleo"})
		s.OpenFork("main")
		got, err := h.Issue(t.Context(), own, true)
		require.NoError(t, err)
		require.Equal(t, "cleo", got.Author)
		require.Equal(t, "cleo/split", got.Branch)
		require.False(t, got.Fork)
		got, err = h.Issue(t.Context(), own+1, true)
		require.NoError(t, err)
		require.True(t, got.Fork)
		if kind == host.GitLab { // a pipeline names the merge request itself
			s.AddRun(hosttest.Run{ID: 4, State: "failure", Branch: "refs/merge-requests/2/head", Commit: "c"})
			run, err := h.Run(t.Context(), "4", "")
			require.NoError(t, err)
			require.Equal(t, int64(2), run.Pull)
			return
		}
		for _, fork := range []bool{false, true} {
			id := map[bool]int64{false: 4, true: 5}[fork]
			s.AddRun(hosttest.Run{ID: id, State: "failure", Branch: "main", Commit: "c", Fork: fork})
			run, err := h.Run(t.Context(), fmt.Sprint(id), "")
			require.NoError(t, err)
			require.Equal(t, fork, run.Fork)
		}
	})
}

func TestWhatACredentialMayNotReadIsNamed(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind, NoIssues: true}, token)
		s.SetIssue(hosttest.Issue{Number: 412, Title: "A cent is lost"})
		missing, err := h.Unreadable(t.Context())
		require.NoError(t, err)
		require.Len(t, missing, 1)
		require.Contains(t, strings.ToLower(missing[0]), "issue")
		_, err = h.Issue(t.Context(), 412, false)
		require.ErrorIs(t, err, host.ErrForbidden)
		_, may := open(t, hosttest.Config{Kind: kind}, token)
		missing, err = may.Unreadable(t.Context())
		require.NoError(t, err)
		require.Empty(t, missing, "control: with the right, none is missing")
	})
}

// TestAConfidentialIssueKeepsItsComments checks that what only some may read is told to be so, and that a
// host which answers with another issue is not believed.
func TestAConfidentialIssueKeepsItsComments(t *testing.T) {
	t.Parallel()
	s, h := open(t, hosttest.Config{Kind: host.GitLab}, token)
	s.SetIssue(hosttest.Issue{Number: 412, Title: "A hole", Confidential: true})
	s.Say(hosttest.Comment{Number: 412, Login: "ann", Text: "here is how"})
	got, err := h.Issue(t.Context(), 412, false)
	require.NoError(t, err)
	require.True(t, got.Confidential)
	require.Empty(t, got.Comments)
	s.Instead("/issues/412", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"iid": 7, "title": "Another"}`))
	})
	_, err = h.Issue(t.Context(), 412, false)
	var refused *remote.Error
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Reason, "cannot be read")
}
