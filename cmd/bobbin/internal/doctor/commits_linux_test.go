package doctor

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/signing"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// said returns the findings in one line each.
func (l *List) said() (lines []string) {
	for _, f := range *l {
		lines = append(lines, f.State+": "+f.What+" | "+f.Cure)
	}
	return lines
}

// atGitLab returns a repository at a GitLab whose branches are pushed to the fork bot/shop.
func atGitLab(t *testing.T) (*hosttest.Server, repository.Repository) {
	t.Helper()
	s := hosttest.Listen(hosttest.Config{
		Kind: host.GitLab, Repository: "acme/shop", Token: "tok", Fork: &hosttest.Fork{Path: "bot/shop"},
	})
	t.Cleanup(s.Close)
	r := repository.Repository{Pulls: repository.PullRequests{Kind: host.GitLab}}
	r.Name = "shop"
	r.Pulls.Host = host.NewGitLab(host.GitLabConfig{
		API: s.API, Path: "acme/shop", Fork: "bot/shop",
		Token: func(context.Context, bool) (remote.Credential, error) {
			return remote.Credential{Password: "tok"}, nil
		},
	})
	return s, r
}

func newKey(t *testing.T) *signing.Key {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	key, err := signing.ParseKey(pem.EncodeToMemory(block))
	require.NoError(t, err)
	return key
}

// TestDoctorFindsRules checks that what the host demands is a problem until the settings meet it.
func TestDoctorFindsRules(t *testing.T) {
	t.Parallel()
	s, r := atGitLab(t)
	s.SetRules(hosttest.Rules{Signed: true, SignOff: true, Name: "^fix/"})
	var f List
	examineDemands(t.Context(), r, "main", &f)
	require.Len(t, f, 3)
	for i, want := range []string{
		"demands signed commits", "demands a Signed-off-by", "names of branches match",
	} {
		require.Contains(t, f.said()[i], want)
		require.Contains(t, f.said()[i], "problem: The host")
	}
	key := newKey(t)
	s.SetKeys(key.Public())
	r.BranchPrefix = "fix/"
	r.Commits = remote.Commits{Name: "Bot", Email: "bot@shop.example", SignOff: true, Signer: key}
	f = nil
	examineDemands(t.Context(), r, "main", &f)
	require.Equal(t, []string{
		"ok: what is pushed meets the rules of the host, as far as they can be read | ",
	}, f.said())
}

// TestDoctorNamesTheKey checks that the public key is named, whether the host knows it, and a missing
// address.
func TestDoctorNamesTheKey(t *testing.T) {
	t.Parallel()
	s, r := atGitLab(t)
	d := &Doctor{}
	d.opening.Do(func() {}) // without a sandbox
	key := newKey(t)
	r.Commits = remote.Commits{Signer: key, SignOff: true}
	var f List
	d.examineCommits(t.Context(), r, true, &f)
	require.Equal(t, []string{
		"ok: commits of Bobbin <bobbin@localhost> are signed and signed off; the public key is " +
			"" + key.Public() +
			" | ",
		"warning: the bot's account at the host does not have that key: its signatures show as unverified" +
			" | add the public key there, for signatures",
		"warning: commits are of bobbin@localhost, which no host takes for the address of an account | set " +
			"commits.name and commits.email of the repository to those of the bot's account",
	}, f.said())
	s.SetKeys(key.Public())
	r.Commits.Email = "bot@shop.example"
	f = nil
	d.examineCommits(t.Context(), r, true, &f)
	require.Equal(t, "ok: the bot's account at the host has that key | ", f.said()[1])
	require.Len(t, f, 2)
}

// TestDoctorFindsAReadableKey checks that a key that commands can read is a problem: in no sandbox, one in
// the open is. The sandbox hides it.
func TestDoctorFindsAReadableKey(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "bobbin-") // t.TempDir may lie in a folder that nobody else may enter
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o755))
	file := filepath.Join(dir, "key")
	require.NoError(t, os.WriteFile(file, []byte("a key"), 0o644))
	for kind, want := range map[string]int{sandbox.KindNone: 1, "": 0} {
		box, err := sandbox.Open(t.Context(), sandbox.Config{Kind: kind})
		require.NoError(t, err)
		d := &Doctor{config: config.Config{Repositories: []config.Repository{{
			Name: "shop", RemoteAccess: config.RemoteAccess{Commits: config.Commits{SignKeyFile: file}},
		}}}}
		d.opening.Do(func() { d.opened = box })
		var f List
		d.examineKeyFile(t.Context(), "shop", &f)
		require.Len(t, f, want, "sandbox %q: %v", kind, f.said())
	}
}

// TestDoctorLooksAtTheFork checks what is said of a fork in order, of one that is somebody else's, and of one
// that is closed to us.
func TestDoctorLooksAtTheFork(t *testing.T) {
	t.Parallel()
	s, r := atGitLab(t)
	dir := t.TempDir()
	r.URL = remotetest.NewShop(t).Dir
	r.PushTo = &remote.Remote{Name: "the fork", URL: filepath.Join(dir, "fork.git")}
	clone := exec.CommandContext(t.Context(), "git", "clone", "-q", "--bare", r.URL, r.PushTo.URL)
	out, err := clone.CombinedOutput()
	require.NoError(t, err, "%s", out)
	mirrors := &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: slog.New(slog.DiscardHandler)}
	defer mirrors.Close()
	look := func(change func(f *hosttest.Fork)) string {
		s.SetFork(change)
		var f List
		examineFork(t.Context(), mirrors, r, true, &f)
		require.Len(t, f, 1)
		return f.said()[0]
	}
	require.Contains(t, look(func(*hosttest.Fork) {}), "fork.git would accept a push (asked, not tried)")
	require.Contains(t, look(func(f *hosttest.Fork) { f.ReadOnly = true }),
		"problem: push_to: nothing can be pushed to the fork: the credential may not push to bot/shop")
	require.Contains(t, look(func(f *hosttest.Fork) { f.Of = "mallory/shop" }),
		"bot/shop is a fork of mallory/shop, not of shop | Fork shop, and name the fork under push_to")
	r.Pulls.Host = nil
	require.NoError(t, os.RemoveAll(r.PushTo.URL))
	require.Contains(t, look(func(*hosttest.Fork) {}), "problem: push_to: the fork cannot be read")
}
