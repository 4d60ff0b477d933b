package git

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/signing"
)

func signingKey(t *testing.T) *signing.Key {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	k, err := signing.ParseKey(pem.EncodeToMemory(block))
	require.NoError(t, err)
	return k
}

// verifyCommit has git verify a commit of the origin with the allowed signers, and returns what it says.
func verifyCommit(t *testing.T, o *remotetest.Origin, commit, signers string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "signers")
	require.NoError(t, os.WriteFile(file, []byte(signers), 0o600))
	out, err := exec.CommandContext(t.Context(), "git", "-C", o.Dir, "-c", "safe.directory=*",
		"-c", "gpg.ssh.allowedSignersFile="+file, "verify-commit", commit).CombinedOutput()
	return string(out), err
}

// TestGitVerifiesACommit pushes signed commits, one of them a merge, and has git itself verify them. The same
// commit has the same hash when it is made again, and another key, or no key, another one.
func TestGitVerifiesACommit(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	key := signingKey(t)
	how := remote.Commits{Name: "Shop Bot", Email: "bot@shop.example", SignOff: true, Signer: key}
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir, Commits: how})
	w := workspaceAt(t, m)
	w.write(t, "fix.txt", "fixed\n")
	spec := CommitSpec{
		Message: "Fix it", When: approvedAt, Trailers: [][2]string{{"Approved-by", "bea"}, {"Session", "s1"}},
	}
	first, err := w.Commit(t.Context(), spec)
	require.NoError(t, err)
	again, err := w.Commit(t.Context(), spec)
	require.NoError(t, err)
	require.Equal(t, first, again, "a commit that is made again has the same hash")
	tree, err := w.TreeOf(first)
	require.NoError(t, err)
	merge, err := w.Commit(t.Context(), CommitSpec{
		Tree: tree, Parent: first, Parents: []string{w.Base()}, Message: "Merge", When: approvedAt,
	})
	require.NoError(t, err)
	_, err = w.Push(t.Context(), PushSpec{Commit: merge, Base: w.Base(), Branch: "bobbin/fix"})
	require.NoError(t, err)

	for _, commit := range []string{first, merge} {
		said, err := verifyCommit(t, o, commit, "bot@shop.example "+key.Public()+"\n")
		require.NoError(t, err, said)
		require.Contains(t, said, `Good "git" signature for bot@shop.example`)
	}
	said, err := verifyCommit(t, o, first, "bot@shop.example "+signingKey(t).Public()+"\n")
	require.Error(t, err, "another key must not verify: %s", said)

	text, err := exec.CommandContext(t.Context(), "git", "-C", o.Dir, "-c", "safe.directory=*",
		"log", "-1", "--format=%an <%ae>|%cn <%ce>|%B", first).CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.Equal(t, "Shop Bot <bot@shop.example>|Shop Bot <bot@shop.example>|Fix it\n\nApproved-by: bea\n"+
		"Session: s1\nSigned-off-by: Shop Bot <bot@shop.example>", strings.TrimSpace(string(text)))
	gitIn(t, o.Dir, "fsck", "--strict")

	require.True(t, w.MadeSo(first))
	how.SignOff = false
	m.setRemote(remote.Remote{Name: "shop", URL: o.Dir, Commits: how})
	require.False(t, w.MadeSo(first), "it has a sign-off")
	how.SignOff = true
	how.Signer = signingKey(t)
	m.setRemote(remote.Remote{Name: "shop", URL: o.Dir, Commits: how})
	require.False(t, w.MadeSo(first), "it has the signature of another key")
	how.Signer = nil
	m.setRemote(remote.Remote{Name: "shop", URL: o.Dir, Commits: how})
	plain, err := w.Commit(t.Context(), spec)
	require.NoError(t, err)
	require.NotEqual(t, first, plain)
	require.True(t, w.MadeSo(plain))
	require.False(t, w.MadeSo(first), "it has a signature")
}
