package githubapp_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host/githubapp/githubtest"
)

var (
	opens = map[string]string{"pull_requests": "write", "contents": "read"}
	looks = map[string]string{"pull_requests": "read", "checks": "read"}
)

// A token has only the permissions that were asked for. A kept token is reused for ten seconds, and not
// after that.
func TestTokensForPullRequests(t *testing.T) {
	t.Parallel()
	h := openHub(t, githubtest.Config{})
	address := h.remote().URL
	now := time.Now()
	h.app.Now = func() time.Time { return now }
	_, err := h.app.Token(t.Context(), address, opens)
	require.NoError(t, err)
	kept := h.app.CachedTokens(10 * time.Second)
	first, err := kept.Token(t.Context(), address, looks)
	require.NoError(t, err)
	again, err := kept.Token(t.Context(), address, looks)
	require.NoError(t, err)
	require.Equal(t, first, again)
	now = now.Add(11 * time.Second)
	later, err := kept.Token(t.Context(), address, looks)
	require.NoError(t, err)
	require.NotEqual(t, first, later)
	var made []map[string]string
	for _, token := range h.Tokens() {
		made = append(made, token.Permissions)
	}
	require.Equal(t, []map[string]string{opens, looks, looks}, made)
}

func TestWhatAnAppLacksIsNamed(t *testing.T) {
	t.Parallel()
	h := openHub(t, githubtest.Config{
		Permissions: map[string]string{"contents": "write", "pull_requests": "read"},
	})
	missing, err := h.app.MissingPermissions(t.Context(), h.remote().URL, opens, looks)
	require.NoError(t, err)
	require.Equal(t, []string{"Checks: read", "Pull requests: write"}, missing)
	_, err = h.app.Token(t.Context(), h.remote().URL, opens)
	require.ErrorContains(t, err, "may not write")
	_, err = h.app.Token(t.Context(), h.remote().URL, map[string]string{"issues": "read"})
	require.ErrorContains(t, err, "may not read this of shop. Give it Issues: read, and let an owner")
}
