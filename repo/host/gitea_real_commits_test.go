package host

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/signing"
)

func newSigningKey(t *testing.T) *signing.Key {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	key, err := signing.ParseKey(pem.EncodeToMemory(block))
	require.NoError(t, err)
	return key
}

// onlyOwn matches the branches that are fetched from a fork.
var onlyOwn = regexp.MustCompile("^bobbin/")

// workspace returns a workspace with a changed file over the test's repository, whose commits are made so,
// and whose branches are pushed to that repository.
func (rg realGitea) workspace(how remote.Commits, pushTo string) *git.Workspace {
	t := rg.t
	token, err := rg.config("write:repository").Token(t.Context(), true)
	require.NoError(t, err)
	address := strings.TrimSuffix(rg.api, "/api/v1") + "/" + rg.user.Username() + "/" + rg.name + ".git"
	r := remote.Remote{
		Name: rg.name, URL: address, Commits: how,
		Credentials: remote.Token{Value: token.Password},
	}
	if pushTo != "" {
		fork := strings.TrimSuffix(rg.api, "/api/v1") + "/" + pushTo + ".git"
		r.PushTo = &remote.Remote{Name: pushTo, URL: fork, Credentials: r.Credentials, Only: onlyOwn}
	}
	mirrors := &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { require.NoError(t, mirrors.Close()) })
	mirror, err := mirrors.Open(t.Context(), r)
	require.NoError(t, err)
	at, err := mirror.Commits().Resolve("main")
	require.NoError(t, err)
	w, err := mirror.Workspace(t.Context(), filepath.Join(t.TempDir(), "session"), at)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	require.NoError(t, os.WriteFile(filepath.Join(w.Files(), "fix.txt"), []byte("fixed\n"), 0o644))
	return w
}

// push commits the files and pushes the commit.
func (rg realGitea) push(w *git.Workspace, branch string) (commit string, err error) {
	commit, err = w.Commit(rg.t.Context(), git.CommitSpec{Message: "Fix it", When: time.Unix(1e9, 0)})
	require.NoError(rg.t, err)
	_, err = w.Push(rg.t.Context(), git.PushSpec{Commit: commit, Base: w.Base(), Branch: branch})
	return commit, err
}

// holdsSignatures checks that a branch that is protected against unsigned commits is found before the work,
// refuses such commits and those of another key, and takes ours; and that Gitea shows them as verified.
func (rg realGitea) holdsSignatures(key *signing.Key) {
	t, ctx := rg.t, rg.t.Context()
	rg.in("POST", "/branch_protections", map[string]any{
		"rule_name": "bobbin/signed-**", "enable_push": true, "require_signed_commits": true,
	}, nil)
	owner := rg.as("write:repository", "read:issue", "read:user")
	for branch, want := range map[string]bool{"bobbin/signed-1": true, "bobbin/plain-1": false} {
		rules, err := owner.Rules(ctx, branch, true)
		require.NoError(t, err)
		require.Equal(t, Rules{Signed: want}, rules, branch)
	}
	known, err := owner.KnowsKey(ctx, key.Public())
	require.NoError(t, err)
	require.False(t, known)

	how := remote.Commits{Name: "Ann", Email: "ann@example.com", SignOff: true}
	_, err = rg.push(rg.workspace(how, ""), "bobbin/signed-1")
	require.ErrorContains(t, err, "a rule of the remote refused it") // Gitea 1.26 names no rule
	how.Signer = newSigningKey(t)
	_, err = rg.push(rg.workspace(how, ""), "bobbin/signed-1")
	require.ErrorContains(t, err, "a rule of the remote refused it") // Gitea 1.26 names no rule
	how.Signer = key
	commit, err := rg.push(rg.workspace(how, ""), "bobbin/signed-1")
	require.NoError(t, err)

	var shown struct {
		Commit struct{ Verification struct{ Verified bool } }
	}
	rg.in("GET", "/git/commits/"+commit, nil, &shown)
	require.True(t, shown.Commit.Verification.Verified)

	rg.do("POST", "/user/keys", map[string]any{"title": "bobbin", "key": key.Public()}, nil)
	known, err = owner.KnowsKey(ctx, key.Public()+" bobbin")
	require.NoError(t, err)
	require.True(t, known)
}

// holdsForks checks that a fork is told apart from other repositories, takes what the repository refuses to
// have, also if it lags behind, and gets a pull request into the repository.
func (rg realGitea) holdsForks() {
	t, ctx := rg.t, rg.t.Context()
	bots := "bots-" + rg.name
	rg.do("POST", "/orgs", map[string]any{"username": bots, "visibility": "private"}, nil)
	defer rg.do("DELETE", "/orgs/"+bots, nil, nil)
	rg.in("POST", "/forks", map[string]any{"organization": bots}, nil)
	defer rg.do("DELETE", "/repos/"+bots+"/"+rg.name, nil, nil)
	rg.branch("later")
	rg.in("POST", "/contents/later.txt", map[string]any{
		"content": "aGkK", "branch": "main", "message": "Go on", // the fork lacks it
	}, nil)

	h := rg.withFork(bots, rg.name)
	fork, err := h.Fork(ctx)
	require.NoError(t, err)
	reason, _ := fork.Why(rg.name)
	require.Empty(t, reason)

	commit, err := rg.push(rg.workspace(remote.Commits{}, bots+"/"+rg.name), "bobbin/forked")
	require.NoError(t, err)
	none, err := h.Find(ctx, "bobbin/forked")
	require.NoError(t, err)
	require.Nil(t, none)
	opened := Opening{Branch: "bobbin/forked", Base: "main", Title: "Fix it", Body: "Why", Draft: true}
	p, err := h.Open(ctx, opened)
	require.NoError(t, err)
	require.Equal(t, commit, p.Head)
	require.Contains(t, p.URL, "/"+rg.user.Username()+"/"+rg.name+"/pulls/")
	found, err := h.Find(ctx, "bobbin/forked")
	require.NoError(t, err)
	require.Equal(t, &p, found)
	read, err := h.Issue(ctx, p.Number, true)
	require.NoError(t, err)
	require.True(t, read.Fork)
	_, err = h.Open(ctx, opened)
	require.ErrorIs(t, err, ErrExists)

	rg.do("POST", "/orgs/"+bots+"/repos",
		map[string]any{"name": "other", "auto_init": true, "default_branch": "main", "private": true}, nil)
	defer rg.do("DELETE", "/repos/"+bots+"/other", nil, nil)
	fork, err = rg.withFork(bots, "other").Fork(ctx)
	require.NoError(t, err)
	reason, _ = fork.Why(rg.name)
	require.Equal(t, bots+"/other is no fork of "+rg.name, reason)
	_, err = rg.push(rg.workspace(remote.Commits{}, bots+"/other"), "bobbin/forked")
	require.ErrorContains(t, err, "has no commit of the repository on any branch")
}

// withFork returns the test's repository with a fork to which branches are pushed.
func (rg realGitea) withFork(owner, name string) *GiteaRepository {
	own := rg.config("write:repository", "read:issue", "read:organization")
	own.ForkOwner = owner
	own.ForkName = name
	return NewGitea(own)
}
