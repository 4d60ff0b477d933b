package pullrequests

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// Only a host that knows the secret makes the pull requests be polled, and once for each message.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	sign := func(secret, body string) string {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(body))
		return hex.EncodeToString(mac.Sum(nil))
	}
	var woken []string
	hooks := &Hooks{Log: storetest.Silent, Webhooks: map[string]host.Webhook{
		"shop": {Kind: host.GitHub, Secret: "s3cret"},
		"site": {Kind: host.GitLab, Secret: "s3cret"},
		"docs": {Kind: host.Gitea, Secret: "s3cret"},
		"open": {Kind: host.GitHub},
	}, Wake: func(_ context.Context, repository string) error {
		woken = append(woken, repository)
		return nil
	}}
	mux := http.NewServeMux()
	mux.Handle("/hooks/{repository}", hooks)
	for _, c := range []struct {
		name, path, header, value, body string
		status                          int
		wakes                           bool
	}{
		{"GitHub", "/hooks/shop", "X-Hub-Signature-256", "sha256=" + sign("s3cret", "{1}"), "{1}", 204, true},
		{
			"a replay", "/hooks/shop", "X-Hub-Signature-256", "sha256=" + sign("s3cret", "{1}"), "{1}", 204,
			false,
		},
		{
			"another message", "/hooks/shop", "X-Hub-Signature-256", "sha256=" + sign("s3cret", "{2}"), "{2}",
			204, true,
		},
		{
			"another body under that signature", "/hooks/shop", "X-Hub-Signature-256",
			"sha256=" + sign("s3cret", "{2}"), "{3}", 401, false,
		},
		{
			"another secret", "/hooks/shop", "X-Hub-Signature-256", "sha256=" + sign("guessed", "{4}"), "{4}",
			401, false,
		},
		{"no signature", "/hooks/shop", "X-GitHub-Event", "push", "{5}", 401, false},
		{
			"no secret is no key", "/hooks/open", "X-Hub-Signature-256", "sha256=" + sign("", "{6}"), "{6}",
			401, false,
		},
		{
			"a repository that is none", "/hooks/other", "X-Hub-Signature-256",
			"sha256=" + sign("s3cret", "{7}"), "{7}", 401, false,
		},
		{"GitLab", "/hooks/site", "X-Gitlab-Token", "s3cret", "{8}", 204, true},
		{"GitLab, another", "/hooks/site", "X-Gitlab-Token", "S3cret", "{9}", 401, false},
		{"Gitea", "/hooks/docs", "X-Gitea-Signature", sign("s3cret", "{10}"), "{10}", 204, true},
		{
			"GitHub's kind at a Gitea", "/hooks/docs", "X-Hub-Signature-256",
			"sha256=" + sign("s3cret", "{11}"), "{11}", 401, false,
		},
	} {
		before := len(woken)
		r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
		r.Header.Set(c.header, c.value)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		require.Equal(t, c.status, w.Code, c.name)
		require.Equal(t, c.wakes, len(woken) > before, c.name)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/hooks/shop", nil))
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
	require.Equal(t, []string{"shop", "shop", "site", "docs"}, woken)
}

// A message whose poll could not be queued counts when the host sends it again.
func TestAFailedWebhookIsNotARepeat(t *testing.T) {
	t.Parallel()
	failed := errors.New("no database")
	hooks := &Hooks{
		Log:      storetest.Silent,
		Webhooks: map[string]host.Webhook{"site": {Kind: host.GitLab, Secret: "s3cret"}},
	}
	var woken int
	hooks.Wake = func(context.Context, string) error {
		woken++
		return failed
	}
	send := func() int {
		r := httptest.NewRequest(http.MethodPost, "/hooks/site", strings.NewReader("{1}"))
		r.SetPathValue("repository", "site")
		r.Header.Set("X-Gitlab-Token", "s3cret")
		w := httptest.NewRecorder()
		hooks.ServeHTTP(w, r)
		return w.Code
	}
	require.Equal(t, http.StatusServiceUnavailable, send())
	failed = nil
	require.Equal(t, http.StatusNoContent, send())
	require.Equal(t, http.StatusNoContent, send())
	require.Equal(t, 2, woken, "the third is a repeat of the second")
}

// A webhook makes the next poll come at once.
func TestAWebhookBringsTheNextLook(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.look(t)
	pool := d.Rows.Store.Pool
	_, err := pool.Exec(t.Context(),
		`update river_job set state = 'scheduled', scheduled_at = now() + interval '6 hours'
			where kind = 'pull_request'`)
	require.NoError(t, err)
	due := func() int {
		return storetest.CountRows(t, d.Rows.Store,
			`select count(*) from river_job where kind = 'pull_request'
				and scheduled_at < now() + interval '1 minute'`)
	}
	require.NoError(t, d.Rows.Wake(t.Context(), "another"))
	require.Zero(t, due())
	require.NoError(t, d.Rows.Wake(t.Context(), "shop"))
	require.Equal(t, 1, due())
}

// Each kind of host signs in its own way. A redelivery counts once, and a webhook signed with another
// secret is refused.
func TestHostsSignTheirWebhooks(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab, host.Gitea} {
		woken := 0
		hooks := &Hooks{
			Log:      storetest.Silent,
			Webhooks: map[string]host.Webhook{"shop": {Kind: kind, Secret: "s3cret"}},
			Wake: func(context.Context, string) error {
				woken++
				return nil
			},
		}
		mux := http.NewServeMux()
		mux.Handle("/hooks/{repository}", hooks)
		ours := httptest.NewServer(mux)
		t.Cleanup(ours.Close)
		theirs := hosttest.Listen(hosttest.Config{Kind: kind, Repository: "acme/shop", Token: "t"})
		t.Cleanup(theirs.Close)
		theirs.Hook(ours.URL+"/hooks/shop", "s3cret")
		theirs.Say(hosttest.Comment{Number: 1, Login: "ann", Text: "hello"})
		theirs.SetState(1, "merged")
		sent := theirs.Deliveries()
		require.Len(t, sent, 2)
		require.Equal(t, []int{204, 204}, []int{sent[0].Status, sent[1].Status}, kind)
		require.Equal(t, 2, woken, kind)
		require.Equal(t, 204, theirs.Redeliver(sent[0]).Status)
		require.Equal(t, 2, woken, kind)
		theirs.Hook(ours.URL+"/hooks/shop", "guessed")
		theirs.SetState(1, "closed")
		require.Equal(t, 401, theirs.Deliveries()[2].Status)
		require.Equal(t, 2, woken, kind)
	}
}
