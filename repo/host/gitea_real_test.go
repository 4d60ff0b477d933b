package host

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
)

// A realGitea is a running Gitea, with an account that may create repositories.
type realGitea struct {
	t    *testing.T
	api  string
	user *url.Userinfo
	name string // the name of the test's repository
}

// do sends a request that the package gitea does not have, and reads the response into out.
func (rg realGitea) do(method, path string, body, out any) {
	text, err := json.Marshal(body)
	require.NoError(rg.t, err)
	r, err := http.NewRequestWithContext(rg.t.Context(), method, rg.api+path, bytes.NewReader(text))
	require.NoError(rg.t, err)
	r.Header.Set("Content-Type", "application/json")
	password, _ := rg.user.Password()
	r.SetBasicAuth(rg.user.Username(), password)
	res, err := http.DefaultClient.Do(r)
	require.NoError(rg.t, err)
	defer res.Body.Close()
	require.Equal(rg.t, 2, res.StatusCode/100, "%s %s: %s", method, path, res.Status)
	if out != nil {
		require.NoError(rg.t, json.NewDecoder(res.Body).Decode(out))
	}
}

func (rg realGitea) in(method, path string, body, out any) {
	rg.do(method, "/repos/"+rg.user.Username()+"/"+rg.name+path, body, out)
}

// as returns the test's repository with a new token of these scopes.
func (rg realGitea) as(scopes ...string) *GiteaRepository { return NewGitea(rg.config(scopes...)) }

// config returns the settings of the test's repository with a new token of these scopes.
func (rg realGitea) config(scopes ...string) GiteaConfig {
	var made struct {
		Value string `json:"sha1"`
	}
	rg.do("POST", "/users/"+rg.user.Username()+"/tokens",
		map[string]any{"name": fmt.Sprint("t", time.Now().UnixNano()), "scopes": scopes}, &made)
	return GiteaConfig{
		API:   rg.api,
		Web:   strings.TrimSuffix(rg.api, "/api/v1") + "/" + rg.user.Username() + "/" + rg.name,
		Owner: rg.user.Username(),
		Name:  rg.name,
		Token: func(context.Context, bool) (remote.Credential, error) {
			return remote.Credential{Password: remote.Secret(made.Value)}, nil
		},
	}
}

// branch creates a branch with one commit, and returns that commit.
func (rg realGitea) branch(name string) (commit string) {
	var made struct{ Commit struct{ SHA string } }
	rg.in("POST", "/contents/"+strings.ReplaceAll(name, "/", "-")+".txt", map[string]any{
		"content":    "aGkK",
		"branch":     "main",
		"new_branch": name,
		"message":    "Add " + name,
	}, &made)
	return made.Commit.SHA
}

// TestARealGitea tests the client, and the responses that hosttest imitates, against a real server.
// BOBBIN_TEST_GITEA names a Gitea program to start (make gitea builds it); otherwise
// BOBBIN_GITEA_URL=http://USER:PASSWORD@HOST is a running Gitea or Forgejo with an account that may create
// repositories.
func TestARealGitea(t *testing.T) {
	at, err := url.Parse(os.Getenv("BOBBIN_GITEA_URL"))
	require.NoError(t, err)
	key := newSigningKey(t)
	started := os.Getenv("BOBBIN_TEST_GITEA")
	if started != "" {
		at = startGitea(t, started, key.Public())
	}
	if at.Host == "" {
		t.Skip("make gitea runs this: to build one takes minutes")
	}
	g := realGitea{
		t:    t,
		api:  at.Scheme + "://" + at.Host + "/api/v1",
		user: at.User,
		name: fmt.Sprint("shop-", time.Now().UnixNano()),
	}
	g.do("POST", "/user/repos",
		map[string]any{"name": g.name, "auto_init": true, "default_branch": "main", "private": true}, nil)
	defer func() { g.in("DELETE", "", nil, nil) }()
	h := g.as("write:repository", "read:issue")
	g.holdsRights(g.as("write:repository", "read:issue"))
	commit := g.branch("bobbin/fix-1")
	g.holdsDrafts(h, commit)
	g.holdsPapers(h)
	g.holdsReports(h, commit)
	g.holdsEnds(h)
	g.holdsBlocked(h)
	g.holdsClosing(h)
	g.holdsForks()
	if started != "" { // another one does not trust the test's key
		g.holdsSignatures(key)
	}
	g.holdsIssues()
	g.holdsConflicts(h)
	g.holdsReleases(h)
}

// holdsIssues checks that an issue is filed and found by its mark, and that the right to do so is named.
func (rg realGitea) holdsIssues() {
	t, ctx := rg.t, rg.t.Context()
	missing, err := rg.as("write:repository", "read:issue").Unfilable(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{RightsToFile(Gitea)}, missing)
	h := rg.as("write:repository", "write:issue")
	missing, err = h.Unfilable(ctx)
	require.NoError(t, err)
	require.Empty(t, missing)
	const mark = "<!-- bobbin: 7f3a -->"
	since := time.Now()
	none, err := h.FindIssue(ctx, mark, since)
	require.NoError(t, err)
	require.Nil(t, none)
	made, err := h.FileIssue(ctx, "A cent is lost", "Why\n\n"+mark)
	require.NoError(t, err)
	require.NotEmpty(t, made.URL)
	_, err = h.FileIssue(ctx, "Another", "")
	require.NoError(t, err)
	found, err := h.FindIssue(ctx, mark, since)
	require.NoError(t, err)
	require.Equal(t, &made, found)
	read, err := h.Issue(ctx, made.Number, false)
	require.NoError(t, err)
	require.Equal(t, "A cent is lost", read.Title)
}

// holdsRights checks that the rights named in the configuration's documentation are enough, and that a
// missing one is reported.
func (rg realGitea) holdsRights(h *GiteaRepository) {
	t, ctx := rg.t, rg.t.Context()
	missing, err := h.Missing(ctx)
	require.NoError(t, err)
	require.Empty(t, missing)
	missing, err = rg.as("read:repository", "read:issue").Missing(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"the scope write:repository"}, missing)
	_, err = rg.as("read:user").Missing(ctx)
	require.ErrorContains(t, err, "read")
	h.client.Root += "-no-such"
	_, err = h.Find(ctx, "main")
	require.ErrorIs(t, err, ErrNotFound)
}

// holdsDrafts checks that a draft can be opened, found and reworded, and not opened twice.
func (rg realGitea) holdsDrafts(h *GiteaRepository, commit string) {
	t, ctx := rg.t, rg.t.Context()
	rg.branch("bobbin/fix-2")
	none, err := h.Find(ctx, "bobbin/fix-1")
	require.NoError(t, err)
	require.Nil(t, none)
	opened := Opening{Branch: "bobbin/fix-1", Base: "main", Title: "Fix it", Body: "Why", Draft: true}
	p, err := h.Open(ctx, opened)
	require.NoError(t, err)
	require.Equal(t, PullRequest{
		Number: 1,
		URL:    h.client.Web + "/pulls/1",
		State:  Open,
		Draft:  true,
		Body:   "Why",
		Head:   commit,
		Base:   "main",
	}, p)
	_, err = h.Open(ctx, opened)
	require.ErrorIs(t, err, ErrExists)
	second, err := h.Open(ctx, Opening{Branch: "bobbin/fix-2", Base: "main", Title: "Another"})
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
	require.Equal(t, MergeUnknown, p.Merges, "a draft is never mergeable at Gitea")
	_, err = h.Look(ctx, 99)
	require.ErrorIs(t, err, ErrNotFound)
}

// holdsPapers checks that labels and people are put on a pull request, besides those that it has, and what is
// said of those that Gitea does not know.
func (rg realGitea) holdsPapers(h *GiteaRepository) {
	t, ctx := rg.t, rg.t.Context()
	bea := fmt.Sprint("bea-", time.Now().UnixNano())
	rg.do("POST", "/admin/users", map[string]any{
		"username": bea, "email": bea + "@example.com", "password": "of-the-test",
	}, nil)
	rg.in("PUT", "/collaborators/"+bea, map[string]any{"permission": "write"}, nil)
	for _, label := range []string{"bug", "mine"} {
		rg.in("POST", "/labels", map[string]any{"name": label, "color": "#ff0000"}, nil)
	}
	lacks, err := h.LackingFor(ctx, []string{"bug", "new"}, []string{bea, "nobody"})
	require.NoError(t, err)
	require.Equal(t,
		[]string{"a label new", "somebody with the login nobody who may read the repository"}, lacks)
	for range 2 { // again it changes nothing
		left, err := h.Put(ctx, 1, Labels, []string{"mine"})
		require.NoError(t, err)
		require.Empty(t, left)
	}
	left, err := h.Put(ctx, 1, Labels, []string{"bug", "new"})
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, left)
	left, err = h.Put(ctx, 1, Assignees, []string{"nobody", bea})
	require.NoError(t, err)
	require.Equal(t, []string{"nobody"}, left)
	for range 2 {
		left, err = h.Put(ctx, 1, Reviewers, []string{bea, "nobody"})
		require.NoError(t, err)
		require.Equal(t, []string{"nobody"}, left)
	}
	p, err := h.Look(ctx, 1)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"bug", "mine"}, p.Labels)
	require.Equal(t, [][]string{{bea}, {bea}}, [][]string{p.Assignees, p.Reviewers})
	require.Equal(t, []string{"gone"}, p.Lacking(Labels, []string{"Bug", "gone"}))
	_, err = rg.as("read:repository", "read:issue").Put(ctx, 1, Labels, []string{"bug"})
	require.ErrorIs(t, err, ErrForbidden)
}

// holdsBlocked checks that a job that waits for a person is told apart, by the words that Gitea has for it.
func (rg realGitea) holdsBlocked(h *GiteaRepository) {
	t, ctx := rg.t, rg.t.Context()
	commit := rg.branch("bobbin/fix-3")
	rg.in("POST", "/statuses/"+commit,
		map[string]any{"context": "CI / test", "state": "pending", "description": giteaBlocked}, nil)
	checks, err := h.Checks(ctx, commit)
	require.NoError(t, err)
	require.Equal(t, Held, checks[0].State)
	rg.in("POST", "/statuses/"+commit, map[string]any{
		"context": "CI / build", "state": "pending", "description": "Has started running",
	}, nil)
	checks, err = h.Checks(ctx, commit)
	require.NoError(t, err)
	require.Equal(t, []CheckState{Pending, Pending}, []CheckState{checks[0].State, checks[1].State})
}

// holdsClosing checks that the line about a ticket, which the program writes into a pull request, closes the
// issue with the merge.
func (rg realGitea) holdsClosing(h *GiteaRepository) {
	t, ctx := rg.t, rg.t.Context()
	var issue struct {
		Number int64
		State  string
	}
	rg.in("POST", "/issues", map[string]any{"title": "It is wrong"}, &issue)
	rg.branch("bobbin/fix-4")
	p, err := h.Open(ctx, Opening{
		Branch: "bobbin/fix-4", Base: "main", Title: "fix: it",
		Body: fmt.Sprintf("### Tickets\n\n- Fixes #%d, as bea wrote", issue.Number),
	})
	require.NoError(t, err)
	rg.merge(p.Number)
	rg.in("GET", fmt.Sprintf("/issues/%d", issue.Number), nil, &issue)
	require.Equal(t, "closed", issue.State)
}

// merge merges a pull request as soon as the server, which looks for conflicts in the background, allows it.
func (rg realGitea) merge(number int64) {
	for deadline := time.Now().Add(20 * time.Second); ; {
		var state struct{ Mergeable bool }
		if rg.in("GET", fmt.Sprintf("/pulls/%d", number), nil, &state); state.Mergeable ||
			time.Now().After(deadline) {
			break
		}
	}
	rg.in("POST", fmt.Sprintf("/pulls/%d/merge", number), map[string]any{"Do": "merge"}, nil)
}

// holdsReports checks that the newest status of each name counts, and that comments of every kind are read
// over several pages.
func (rg realGitea) holdsReports(h *GiteaRepository, commit string) {
	t, ctx := rg.t, rg.t.Context()
	for _, s := range [][2]string{
		{"test", "pending"}, {"lint", "success"}, {"test", "failure"}, {"docs", "pending"},
	} {
		rg.in("POST", "/statuses/"+commit,
			map[string]any{"context": s[0], "state": s[1], "description": s[0] + " says so"}, nil)
	}
	checks, err := h.Checks(ctx, commit)
	require.NoError(t, err)
	states := map[string]CheckState{}
	for _, c := range checks {
		states[c.Name] = c.State
	}
	require.Equal(t,
		map[string]CheckState{"test": Failed, "lint": Passed, "docs": Pending}, states)

	// Comments of every kind, over more than one page.
	for n := range 60 {
		rg.in("POST", "/issues/1/comments", map[string]any{"body": fmt.Sprint("comment ", n)}, nil)
	}
	require.NoError(t, h.PostReview(ctx, 1, Review{
		Commit: commit, Summary: "as a whole", Whole: "in one text",
		Findings: []LineNote{{Path: "bobbin-fix-1.txt", Line: 1, Text: "beside"}},
	}))
	read, err := h.Issue(ctx, 1, false)
	require.NoError(t, err)
	require.True(t, read.Pull)
	require.False(t, read.Fork)
	require.Equal(t, []string{"bobbin/fix-1", "main", commit}, []string{read.Branch, read.Base, read.Head})
	comments, err := h.Comments(ctx, 1)
	require.NoError(t, err)
	require.Len(t, comments, 62)
	var beside Comment
	for _, c := range comments {
		require.Equal(t, rg.user.Username(), c.Login)
		require.False(t, c.At.IsZero(), c.Text)
		if c.Path != "" {
			beside = c
		}
	}
	require.Equal(t, Comment{
		ID:    beside.ID,
		Login: beside.Login,
		Text:  "beside",
		Path:  "bobbin-fix-1.txt",
		Line:  1,
		At:    beside.At,
	}, beside)
}

// holdsEnds checks the states of a closed and of a merged pull request.
func (rg realGitea) holdsEnds(h *GiteaRepository) {
	t, ctx := rg.t, rg.t.Context()
	rg.in("PATCH", "/pulls/2", map[string]any{"state": "closed"}, nil)
	p, err := h.Look(ctx, 2)
	require.NoError(t, err)
	require.Equal(t, Closed, p.State)
	rg.in("PATCH", "/pulls/1", map[string]any{"title": "Fix it"}, nil)
	for deadline := time.Now().Add(20 * time.Second); ; { // the server checks for conflicts in the background
		p, err = h.Look(ctx, 1)
		require.NoError(t, err)
		if p.Merges == MergeClean || time.Now().After(deadline) {
			break
		}
	}
	require.Equal(t, MergeClean, p.Merges)
	rg.merge(1)
	p, err = h.Look(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, Merged, p.State)
	require.False(t, p.Draft)
	commits, err := h.Commits(ctx, "main", time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, p.Merged, commits[0].Hash)
	require.Contains(t, commits[0].Message, "Fix it")
}

// holdsConflicts checks that a pull request is clean until its base gets another file of the same name. From
// then on Gitea says no more than that it cannot be merged.
func (rg realGitea) holdsConflicts(h *GiteaRepository) {
	t, ctx := rg.t, rg.t.Context()
	rg.branch("bobbin/fix-5")
	p, err := h.Open(ctx, Opening{Branch: "bobbin/fix-5", Base: "main", Title: "Clash"})
	require.NoError(t, err)
	wait := func(want Mergeability) {
		for deadline := time.Now().Add(20 * time.Second); ; { // the server looks in the background
			p, err = h.Look(ctx, p.Number)
			require.NoError(t, err)
			if p.Merges == want || time.Now().After(deadline) {
				break
			}
		}
		require.Equal(t, want, p.Merges)
	}
	wait(MergeClean)
	rg.in("POST", "/contents/bobbin-fix-5.txt",
		map[string]any{"content": "aG8K", "branch": "main", "message": "Add the same file"}, nil)
	wait(MergeUnknown)
}

// holdsReleases checks a pull request into a release branch: what is demanded there alone is read, its base
// is told, also after somebody changed it, and the merge is looked for on the release.
func (rg realGitea) holdsReleases(h *GiteaRepository) {
	t, ctx := rg.t, rg.t.Context()
	rg.branch("release/1.4")
	rg.branch("bobbin/fix-6")
	rg.in("POST", "/branch_protections", map[string]any{
		"rule_name": "release/**", "enable_push": true, "require_signed_commits": true,
	}, nil)
	owner := rg.as("write:repository", "read:issue", "read:user")
	for branch, want := range map[string]bool{"release/1.4": true, "main": false} {
		rules, err := owner.Rules(ctx, branch, false)
		require.NoError(t, err)
		require.Equal(t, want, rules.Signed, branch)
	}
	rg.in("DELETE", "/branch_protections/release%2F%2A%2A", nil, nil)
	p, err := h.Open(ctx, Opening{Branch: "bobbin/fix-6", Base: "release/1.4", Title: "Fix it there"})
	require.NoError(t, err)
	require.Equal(t, "release/1.4", p.Base)
	for _, base := range []string{"main", "release/1.4"} {
		rg.in("PATCH", fmt.Sprintf("/pulls/%d", p.Number), map[string]any{"base": base}, nil)
		p, err = h.Look(ctx, p.Number)
		require.NoError(t, err)
		require.Equal(t, base, p.Base)
	}
	rg.merge(p.Number)
	p, err = h.Look(ctx, p.Number)
	require.NoError(t, err)
	require.Equal(t, Merged, p.State)
	require.Equal(t, "release/1.4", p.Base)
	commits, err := h.Commits(ctx, "release/1.4", time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.Equal(t, p.Merged, commits[0].Hash)
	commits, err = h.Commits(ctx, "main", time.Now().Add(-time.Hour))
	require.NoError(t, err)
	require.NotEqual(t, p.Merged, commits[0].Hash)
}
