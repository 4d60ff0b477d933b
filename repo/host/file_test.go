package host_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

const mark = "<!-- bobbin: 7f3a -->"

// An issue is filed, and found again by its mark, also on a later page and behind a pull request.
func TestAnIssueIsFiledAndFound(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind, PageSize: 2}, token)
		since := time.Now()
		none, err := h.FindIssue(t.Context(), mark, since)
		require.NoError(t, err)
		require.Nil(t, none)
		made, err := h.FileIssue(t.Context(), "A cent is lost", "Why\n\n"+mark)
		require.NoError(t, err)
		page := map[string]string{host.GitLab: "/-/issues/1"}[kind]
		if page == "" {
			page = "/issues/1"
		}
		require.Equal(t, host.FiledIssue{Number: 1, URL: s.URL + "/acme/shop" + page}, made)
		require.Equal(t, []hosttest.Issue{{
			Number: 1, Title: "A cent is lost", Body: "Why\n\n" + mark, Login: "bobbin", State: "open",
		}}, s.Issues())
		for i := range 4 {
			_, err := h.FileIssue(t.Context(), fmt.Sprint("another ", i), "")
			require.NoError(t, err)
		}
		found, err := h.FindIssue(t.Context(), mark, since)
		require.NoError(t, err)
		require.Equal(t, &made, found)
		_, err = h.Open(t.Context(), opening)
		require.NoError(t, err)
		read, err := h.Issue(t.Context(), 1, false)
		require.NoError(t, err)
		require.Equal(t, "A cent is lost", read.Title)
	})
}

// A missing right is named, in the refusal and before it, and nothing is filed to find it out.
func TestRightsToFileAreNamed(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		missing, err := h.Unfilable(t.Context())
		require.NoError(t, err)
		require.Empty(t, missing)
		require.Empty(t, s.Issues())
		_, without := open(t, hosttest.Config{Kind: kind, NoFiling: true}, token)
		missing, err = without.Unfilable(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{host.RightsToFile(kind)}, missing)
		_, err = without.FileIssue(t.Context(), "A cent is lost", "")
		var refused *remote.Error
		require.ErrorAs(t, err, &refused)
		require.False(t, refused.Retry)
		require.Equal(t, "To file issues it needs "+host.RightsToFile(kind), refused.Cure)
	})
}

// An issue whose answer is lost is found by its mark. The page of an answer that leads elsewhere is dropped.
func TestAnIssueWithoutAnAnswerIsFound(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		s.Lose(http.MethodPost)
		_, err := h.FileIssue(t.Context(), "A cent is lost", mark)
		var lost *remote.Error
		require.ErrorAs(t, err, &lost)
		require.True(t, lost.Retry)
		found, err := h.FindIssue(t.Context(), mark, time.Now())
		require.NoError(t, err)
		require.Equal(t, int64(1), found.Number)
		s.Instead("/issues", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprint(w, `{"number": 9, "html_url": "https://evil.example/acme/shop/issues/9"}`)
		})
		made, err := h.FileIssue(t.Context(), "A cent is lost", mark)
		require.NoError(t, err)
		require.Empty(t, made.URL)
	})
}

// GitHub's issues are filed with the credential for issues, which is asked for a right to write.
func TestIssuesHaveTheirOwnCredential(t *testing.T) {
	t.Parallel()
	s, _ := open(t, hosttest.Config{Kind: host.GitHub}, token)
	var asked []bool
	h := host.NewGitHub(host.GitHubConfig{
		API: s.API, Web: s.URL + "/acme/shop", Owner: "acme", Name: "shop",
		Token: func(context.Context, bool) (remote.Credential, error) { return remote.Credential{}, nil },
		IssueToken: func(_ context.Context, write bool) (remote.Credential, error) {
			asked = append(asked, write)
			return remote.Credential{Password: token}, nil
		},
	})
	_, err := h.FindIssue(t.Context(), mark, time.Now())
	require.NoError(t, err)
	_, err = h.FileIssue(t.Context(), "A cent is lost", mark)
	require.NoError(t, err)
	require.Equal(t, []bool{false, true}, asked)
}
