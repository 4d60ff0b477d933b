package doctor

import (
	"context"
	"log/slog"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/repo/tracker/trackertest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// TestARefusedCredentialIsSaidOnce checks that a token that the host does not accept is one problem, which
// names everything that needs the host: with the right one, each of these has a finding of its own.
func TestARefusedCredentialIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := hosttest.Listen(hosttest.Config{
		Kind: host.GitHub, Repository: "acme/shop", Token: "tok",
		Fork: &hosttest.Fork{Path: "bot/shop", Of: "acme/shop"},
	})
	defer s.Close()
	dir := t.TempDir()
	r := repository.Repository{}
	r.Name = "shop"
	r.URL = remotetest.NewShop(t).Dir
	r.PushTo = &remote.Remote{Name: "the fork", URL: filepath.Join(dir, "fork.git")}
	clone := exec.CommandContext(t.Context(), "git", "clone", "-q", "--bare", r.URL, r.PushTo.URL)
	out, err := clone.CombinedOutput()
	require.NoError(t, err, "%s", out)
	r.Commits.Signer = newKey(t)
	r.Pulls.Kind = host.GitHub
	r.Pulls.Papers.Labels = []string{"bug"}
	examine := func(shown remote.Secret) (refusals, findings int, said []string) {
		r.Pulls.Host = host.NewGitHub(host.GitHubConfig{
			API: s.API, Owner: "acme", Name: "shop", ForkOwner: "bot", ForkName: "shop",
			Token: func(context.Context, bool) (remote.Credential, error) {
				return remote.Credential{Password: shown, Name: "the token SHOP_TOKEN"}, nil
			},
		})
		d := &Doctor{log: slog.New(slog.DiscardHandler)}
		d.settings.DataDir = dir
		d.opening.Do(func() {}) // without a sandbox
		var f List
		d.examineRepository(t.Context(), r, &f)
		for _, one := range f {
			if one.State == stateProblem {
				refusals++
				said = append(said, one.What)
			}
		}
		return refusals, len(f), said
	}
	refusals, fewer, said := examine("wrong")
	require.Equal(t, 1, refusals, "%q", said)
	require.Contains(t, said[0], "nothing that needs the host works (pull requests, issues that people "+
		"point at, rules for commits, labels and people, issues filed from threads (\"file it\"), what "+
		"push_to "+
		"is a fork of, whether it knows the signing key): GitHub does not accept the token")
	refusals, all, said := examine("tok")
	require.Zero(t, refusals, "%q", said)
	require.Greater(t, all, fewer+3, "the control: each has a finding")

	one, err := tracker.New(tracker.Config{
		Kind: tracker.Jira, URL: startTracker(t), Token: "wrong", Projects: []string{"SHOP", "WEB", "PAY"},
		FileIn: "SHOP",
	})
	require.NoError(t, err)
	var f List
	(&Doctor{}).examineTracker(t.Context(), one, &f)
	require.Len(t, f, 1)
	require.Contains(t, f[0].What, "issues of SHOP, WEB, PAY cannot be read: the tracker refuses the token")
}

func startTracker(t *testing.T) string {
	s := trackertest.Listen(tracker.Jira, "SHOP")
	t.Cleanup(s.Close)
	return s.URL
}
