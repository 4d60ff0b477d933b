package gitea

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
)

// A realGitea is a running Gitea, with an account that may create repositories.
type realGitea struct {
	t    *testing.T
	api  string
	user *url.Userinfo
	name string // the name of the test's repository
}

// do sends a request that the package gitea does not have, and reads the response into out.
func (g realGitea) do(method, path string, body, out any) {
	text, err := json.Marshal(body)
	require.NoError(g.t, err)
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.api+path, bytes.NewReader(text))
	require.NoError(g.t, err)
	r.Header.Set("Content-Type", "application/json")
	password, _ := g.user.Password()
	r.SetBasicAuth(g.user.Username(), password)
	res, err := http.DefaultClient.Do(r)
	require.NoError(g.t, err)
	defer res.Body.Close()
	require.Equal(g.t, 2, res.StatusCode/100, "%s %s: %s", method, path, res.Status)
	if out != nil {
		require.NoError(g.t, json.NewDecoder(res.Body).Decode(out))
	}
}

func (g realGitea) in(method, path string, body, out any) {
	g.do(method, "/repos/"+g.user.Username()+"/"+g.name+path, body, out)
}

// as returns the test's repository with a new token of these scopes.
func (g realGitea) as(scopes ...string) *Repository {
	var made struct {
		Value string `json:"sha1"`
	}
	g.do("POST", "/users/"+g.user.Username()+"/tokens", map[string]any{"name": fmt.Sprint("t", time.Now().UnixNano()), "scopes": scopes}, &made)
	return New(Config{
		API: g.api, Web: strings.TrimSuffix(g.api, "/api/v1") + "/" + g.user.Username() + "/" + g.name, Owner: g.user.Username(), Name: g.name,
		Token: func(context.Context, bool) (remote.Credential, error) {
			return remote.Credential{Password: remote.Secret(made.Value)}, nil
		},
	})
}

// branch creates a branch with one commit, and returns that commit.
func (g realGitea) branch(name string) (commit string) {
	var made struct{ Commit struct{ SHA string } }
	g.in("POST", "/contents/"+strings.ReplaceAll(name, "/", "-")+".txt", map[string]any{"content": "aGkK", "branch": "main", "new_branch": name, "message": "Add " + name}, &made)
	return made.Commit.SHA
}

// TestARealGitea tests the client, and the responses that hosttest imitates, against a real server.
// BOBBIN_TEST_GITEA names a Gitea program to start (make gitea builds it); otherwise
// BOBBIN_GITEA_URL=http://USER:PASSWORD@HOST is a running Gitea or Forgejo with an account that may create
// repositories.
func TestARealGitea(t *testing.T) {
	at, err := url.Parse(os.Getenv("BOBBIN_GITEA_URL"))
	require.NoError(t, err)
	if program := os.Getenv("BOBBIN_TEST_GITEA"); program != "" {
		at = startGitea(t, program)
	}
	if at.Host == "" {
		t.Skip("make gitea runs this: to build one takes minutes")
	}
	g := realGitea{t: t, api: at.Scheme + "://" + at.Host + "/api/v1", user: at.User, name: fmt.Sprint("shop-", time.Now().UnixNano())}
	g.do("POST", "/user/repos", map[string]any{"name": g.name, "auto_init": true, "default_branch": "main", "private": true}, nil)
	defer func() { g.in("DELETE", "", nil, nil) }()
	h := g.as("write:repository", "read:issue")
	g.holdsRights(g.as("write:repository", "read:issue"))
	commit := g.branch("bobbin/fix-1")
	g.holdsDrafts(h, commit)
	g.holdsReports(h, commit)
	g.holdsEnds(h)
}

// holdsRights checks that the rights named in the configuration's documentation are enough, and that a
// missing one is reported.
func (g realGitea) holdsRights(h *Repository) {
	t, ctx := g.t, g.t.Context()
	missing, err := h.Missing(ctx)
	require.NoError(t, err)
	require.Empty(t, missing)
	missing, err = g.as("read:repository", "read:issue").Missing(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"the scope write:repository"}, missing)
	_, err = g.as("read:user").Missing(ctx)
	require.ErrorContains(t, err, "read")
	h.client.Root += "-no-such"
	_, err = h.Find(ctx, "main")
	require.ErrorIs(t, err, host.ErrNotFound)
}

// holdsDrafts checks that a draft can be opened, found and reworded, and not opened twice.
func (g realGitea) holdsDrafts(h *Repository, commit string) {
	t, ctx := g.t, g.t.Context()
	g.branch("bobbin/fix-2")
	none, err := h.Find(ctx, "bobbin/fix-1")
	require.NoError(t, err)
	require.Nil(t, none)
	opened := host.Opening{Branch: "bobbin/fix-1", Base: "main", Title: "Mend it", Body: "Why", Draft: true}
	p, err := h.Open(ctx, opened)
	require.NoError(t, err)
	require.Equal(t, host.PullRequest{Number: 1, URL: h.client.Web + "/pulls/1", State: host.Open, Draft: true, Body: "Why", Head: commit}, p)
	_, err = h.Open(ctx, opened)
	require.ErrorIs(t, err, host.ErrExists)
	second, err := h.Open(ctx, host.Opening{Branch: "bobbin/fix-2", Base: "main", Title: "Another"})
	require.NoError(t, err)
	require.False(t, second.Draft)
	found, err := h.Find(ctx, "bobbin/fix-1")
	require.NoError(t, err)
	require.Equal(t, &p, found)
	require.NoError(t, h.Reword(ctx, 1, "Why, and why then"))
	p, err = h.Look(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, "Why, and why then", p.Body)
	require.True(t, p.Draft)
	_, err = h.Look(ctx, 99)
	require.ErrorIs(t, err, host.ErrNotFound)
}

// holdsReports checks that the newest status of each name counts, and that comments of every kind are read
// over several pages.
func (g realGitea) holdsReports(h *Repository, commit string) {
	t, ctx := g.t, g.t.Context()
	for _, s := range [][2]string{{"test", "pending"}, {"lint", "success"}, {"test", "failure"}, {"docs", "pending"}} {
		g.in("POST", "/statuses/"+commit, map[string]any{"context": s[0], "state": s[1], "description": s[0] + " says so"}, nil)
	}
	checks, err := h.Checks(ctx, commit)
	require.NoError(t, err)
	states := map[string]host.CheckState{}
	for _, c := range checks {
		states[c.Name] = c.State
	}
	require.Equal(t, map[string]host.CheckState{"test": host.Failed, "lint": host.Passed, "docs": host.Pending}, states)

	// Comments of every kind, over more than one page.
	for n := range 60 {
		g.in("POST", "/issues/1/comments", map[string]any{"body": fmt.Sprint("comment ", n)}, nil)
	}
	g.in("POST", "/pulls/1/reviews", map[string]any{"event": "COMMENT", "body": "as a whole", "comments": []any{map[string]any{"path": "bobbin-fix-1.txt", "body": "beside", "new_position": 1}}}, nil)
	comments, err := h.Comments(ctx, 1)
	require.NoError(t, err)
	require.Len(t, comments, 62)
	var beside host.Comment
	for _, c := range comments {
		require.Equal(t, g.user.Username(), c.Login)
		require.False(t, c.At.IsZero(), c.Text)
		if c.Path != "" {
			beside = c
		}
	}
	require.Equal(t, host.Comment{ID: beside.ID, Login: beside.Login, Text: "beside", Path: "bobbin-fix-1.txt", Line: 1, At: beside.At}, beside)
}

// holdsEnds checks the states of a closed and of a merged pull request.
func (g realGitea) holdsEnds(h *Repository) {
	t, ctx := g.t, g.t.Context()
	g.in("PATCH", "/pulls/2", map[string]any{"state": "closed"}, nil)
	p, err := h.Look(ctx, 2)
	require.NoError(t, err)
	require.Equal(t, host.Closed, p.State)
	g.in("PATCH", "/pulls/1", map[string]any{"title": "Mend it"}, nil)
	for deadline := time.Now().Add(20 * time.Second); ; { // the server checks for conflicts in the background
		var state struct{ Mergeable bool }
		if g.in("GET", "/pulls/1", nil, &state); state.Mergeable || time.Now().After(deadline) {
			break
		}
	}
	g.in("POST", "/pulls/1/merge", map[string]any{"Do": "merge"}, nil)
	p, err = h.Look(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, host.Merged, p.State)
	require.False(t, p.Draft)
	commits, err := h.Commits(ctx, "main", time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, p.Merged, commits[0].Hash)
	require.Contains(t, commits[0].Message, "Mend it")
}
