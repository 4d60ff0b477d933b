package host_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// A committing is a repository whose commits a GitHub makes.
type committing struct {
	t      *testing.T
	origin *remotetest.Origin
	key    string // the file of the key that the host signs with
	mirror *git.Mirror
	host   *hosttest.Server
}

func openCommitting(t *testing.T, signs, signOff bool) *committing {
	t.Helper()
	c := &committing{t: t, origin: remotetest.NewOrigin(t), key: filepath.Join(t.TempDir(), "key")}
	c.origin.Commit("Begin", map[string]string{
		"main.go": "package main\n", "lib/old.go": "package lib\n", "lib/deep/run.sh*": "#!/bin/sh\n",
	})
	keygen := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", c.key)
	out, err := keygen.CombinedOutput()
	require.NoError(t, err, "%s", out)
	cfg := hosttest.Config{Kind: host.GitHub, Repository: "acme/shop", Token: token, Git: c.origin.Dir}
	if signs {
		cfg.SigningKey = c.key
	}
	c.host = hosttest.Listen(cfg)
	t.Cleanup(c.host.Close)
	h := host.NewGitHub(host.GitHubConfig{
		API: c.host.API, Web: c.host.URL + "/acme/shop", Owner: "acme", Name: "shop",
		Token: func(context.Context, bool) (remote.Credential, error) {
			return remote.Credential{Password: token, Name: "the token"}, nil
		},
	})
	mirrors := &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { require.NoError(t, mirrors.Close()) })
	c.mirror, err = mirrors.Open(t.Context(), remote.Remote{
		Name: "shop", URL: c.origin.Dir, Commits: remote.Commits{Host: h, SignOff: signOff},
	})
	require.NoError(t, err)
	return c
}

// changed returns a workspace with a change of every kind.
func (c *committing) changed() *git.Workspace {
	t := c.t
	t.Helper()
	w, err := c.mirror.Workspace(t.Context(), filepath.Join(t.TempDir(), "session"),
		c.origin.BranchHead("main"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	dir := w.Files()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main // ours\n"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(dir, "lib/old.go")))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "new/deep"), 0o755))
	run := filepath.Join(dir, "new/deep/run.sh")
	require.NoError(t, os.WriteFile(run, []byte("#!/bin/sh\n\x00\n"), 0o755))
	require.NoError(t, os.Symlink("main.go", filepath.Join(dir, "link")))
	return w
}

var ofCommit = git.CommitSpec{
	Message: "Fix it\n\nAs it was.", When: time.Unix(1e9, 0), Trailers: [][2]string{{"Session", "s1"}},
}

func (c *committing) git(args ...string) (string, error) {
	out, err := exec.CommandContext(c.t.Context(), "git",
		append([]string{"-C", c.origin.Dir, "-c", "safe.directory=*"}, args...)...).CombinedOutput()
	return string(out), err
}

// TestGitHubMakesACommit checks that a commit that GitHub made has our files, is pushed like any other, and
// is verified by git; and that one that was made before is read again, not made again.
func TestGitHubMakesACommit(t *testing.T) {
	t.Parallel()
	c := openCommitting(t, true, true)
	w := c.changed()
	commit, err := w.Commit(t.Context(), ofCommit)
	require.NoError(t, err)
	tree, err := w.Tree(t.Context())
	require.NoError(t, err)
	spec := git.PushSpec{Commit: commit, Tree: tree, Base: w.Base(), Branch: "bobbin/fix"}
	_, err = w.Push(t.Context(), spec)
	require.NoError(t, err)
	require.Equal(t, commit, c.origin.BranchHead("bobbin/fix"))

	public, err := os.ReadFile(c.key + ".pub")
	require.NoError(t, err)
	signers := filepath.Join(t.TempDir(), "signers")
	require.NoError(t, os.WriteFile(signers, append([]byte("noreply@github.com "), public...), 0o600))
	said, err := c.git("-c", "gpg.ssh.allowedSignersFile="+signers, "verify-commit", commit)
	require.NoError(t, err, said)
	require.Contains(t, said, `Good "git" signature for noreply@github.com`)
	said, err = c.git("log", "-1", "--format=%an <%ae>%n%B", commit)
	require.NoError(t, err)
	require.Equal(t, hosttest.Author+"\nFix it\n\nAs it was.\n\nSession: s1\nSigned-off-by: "+hosttest.Author+
		"\n\n", said)

	another, err := c.changed().Commit(t.Context(), ofCommit)
	require.NoError(t, err)
	require.NotEqual(t, commit, another, "GitHub chooses the time, so it makes another one")
	again := ofCommit
	again.Made = another
	other := c.changed()
	read, err := other.Commit(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, another, read)
	require.True(t, other.HasCommit(another), "it is kept here, though no branch leads to it")
}

// TestOddCommitsOfGitHubAreRefused checks that nothing counts that was not asked for.
func TestOddCommitsOfGitHubAreRefused(t *testing.T) {
	t.Parallel()
	_, err := openCommitting(t, false, false).changed().Commit(t.Context(), ofCommit)
	require.ErrorContains(t, err, "did not sign it (unsigned)")

	c := openCommitting(t, true, false)
	other := c.changed()
	require.NoError(t, os.WriteFile(filepath.Join(other.Files(), "more.go"), []byte("package main\n"), 0o644))
	commit, err := other.Commit(t.Context(), ofCommit)
	require.NoError(t, err)
	again := ofCommit
	again.Made = commit
	_, err = c.changed().Commit(t.Context(), again)
	require.ErrorContains(t, err, "the host made a commit with files that was not asked for")
	again.Made = strings.Repeat("01", 20)
	_, err = c.changed().Commit(t.Context(), again)
	require.ErrorIs(t, err, host.ErrNotFound)

	c.host.Limit(1, 1)
	_, err = c.changed().Commit(t.Context(), ofCommit)
	var refused *remote.Error
	require.ErrorAs(t, err, &refused)
	require.True(t, refused.Retry)
}
