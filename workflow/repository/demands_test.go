package repository

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// aKey is a signer with a public key that a host may know.
type aKey string

func (k aKey) Public() string { return string(k) }

func (k aKey) Sign([]byte) (string, error) { return "", nil }

// demanding returns a repository at a host of that kind with those rules.
func demanding(t *testing.T, kind string, rules ...hosttest.Rules) (*hosttest.Server, Repository) {
	t.Helper()
	s := hosttest.Listen(hosttest.Config{Kind: kind, Repository: "acme/shop", Token: "tok"})
	t.Cleanup(s.Close)
	s.SetRules(rules...)
	token := func(context.Context, bool) (remote.Credential, error) {
		return remote.Credential{Password: "tok", Name: "the token"}, nil
	}
	r := Repository{Pulls: PullRequests{Kind: kind}}
	switch kind {
	case host.GitHub:
		cfg := host.GitHubConfig{API: s.API, Owner: "acme", Name: "shop", Token: token}
		r.Pulls.Host = host.NewGitHub(cfg)
	case host.GitLab:
		r.Pulls.Host = host.NewGitLab(host.GitLabConfig{API: s.API, Path: "acme/shop", Token: token})
	case host.Gitea:
		r.Pulls.Host = host.NewGitea(host.GiteaConfig{API: s.API, Owner: "acme", Name: "shop", Token: token})
	}
	return s, r
}

func unmet(t *testing.T, r Repository) (list []string) {
	t.Helper()
	found, err := r.FindDemands(t.Context(), "main")
	require.NoError(t, err)
	for _, d := range found.Unmet {
		list = append(list, d.Refused+" | "+d.Cure)
	}
	return list
}

// TestSignaturesAreDemanded checks that a host of each kind that demands signatures is satisfied by a key
// that it knows, and by nothing less.
func TestSignaturesAreDemanded(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab, host.Gitea} {
		s, r := demanding(t, kind)
		require.Empty(t, unmet(t, r), kind)
		s.SetRules(hosttest.Rules{Signed: true})
		require.Contains(t, unmet(t, r)[0], "The host demands signed commits of branches like "+
			"`bobbin/refunds-are-too-high-0a1b2c3d`, and commits here are not signed | set `commits: "+
			"{sign_key_file: FILE}`")
		r.Commits.Signer = aKey("ssh-ed25519 AAAA")
		require.Contains(t, unmet(t, r)[0], "does not know the key that commits here are signed with | add "+
			"its public key to the bot's account at the host, for signatures: `ssh-ed25519 AAAA`")
		s.SetKeys("ssh-ed25519 AAAA bobbin")
		require.Empty(t, unmet(t, r), kind)
	}
	_, r := demanding(t, host.GitHub, hosttest.Rules{Prefix: "main", Signed: true})
	require.Contains(t, unmet(t, r)[0], "signed commits of what is merged into `main`")
	require.Contains(t, unmet(t, r)[0], "`commits: {sign: host}`")
	r.Commits.Host, _ = r.Pulls.Host.(remote.CommitHost)
	require.Empty(t, unmet(t, r))
}

// TestOtherDemands checks each rule once as it is not met, and once as it is.
func TestOtherDemands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules hosttest.Rules
		meet  func(r *Repository)
		want  string
	}{
		{
			hosttest.Rules{SignOff: true},
			func(r *Repository) { r.Commits.SignOff = true },
			"demands a Signed-off-by in each message of branches like",
		},
		{
			hosttest.Rules{Name: "^(fix|feat)/"},
			func(r *Repository) { r.BranchPrefix = "fix/" },
			`names of branches match "^(fix|feat)/", and those here are like`,
		},
		{
			hosttest.Rules{Email: `@acme\.com$`},
			func(r *Repository) { r.Commits.Email = "bot@acme.com" },
			`addresses of authors match "@acme\\.com$", and commits here are of bobbin@localhost`,
		},
		{hosttest.Rules{Message: "^PAY-"}, nil, `that messages match "^PAY-"`},
		{hosttest.Rules{Prefix: "bobbin/", Linear: true}, nil, "takes no merge commits on branches like"},
		{hosttest.Rules{Prefix: "bobbin/", Closed: true}, nil, "nobody without a special right push"},
	} {
		_, r := demanding(t, host.GitHub, c.rules)
		list := unmet(t, r)
		require.Len(t, list, 1, "%v", list)
		require.Contains(t, list[0], c.want)
		if c.meet != nil {
			c.meet(&r)
			require.Empty(t, unmet(t, r))
		}
	}
	_, r := demanding(t, host.GitHub, hosttest.Rules{Prefix: "main", Linear: true})
	found, err := r.FindDemands(t.Context(), "main")
	require.NoError(t, err)
	require.Empty(t, found.Unmet, "a merge commit in a branch can still be squashed")
	require.Contains(t, found.Notes[0], "`main` takes no merge commits")
}

// TestDemandsOfAnotherBase has the demands of a release and of a named branch, and says only those that no
// line named before.
func TestDemandsOfAnotherBase(t *testing.T) {
	t.Parallel()
	_, r := demanding(t, host.GitHub,
		hosttest.Rules{Prefix: "main", Signed: true}, hosttest.Rules{Prefix: "release/", Signed: true},
		hosttest.Rules{Prefix: "bobbin/", Name: "^bobbin/[a-z-]+$", Linear: true})
	mask := func(text string) string { return text }
	ofMain, err := r.FindDemands(t.Context(), "main")
	require.NoError(t, err)
	said := ofMain.Text(nil, mask)
	require.Contains(t, said, "signed commits of what is merged into `main`")
	require.Contains(t, said, "takes no merge commits on branches like")
	require.Empty(t, ofMain.Text([]string{"Looking into shop.", said}, mask))

	ofRelease, err := r.FindDemandsOf(t.Context(), "bobbin/x-backport-1.4", "release/1.4")
	require.NoError(t, err)
	said = ofRelease.Text([]string{said}, mask)
	require.Contains(t, said, "signed commits of what is merged into `release/1.4`")
	require.Contains(t, said, "those here are like `bobbin/x-backport-1.4`")
	require.NotContains(t, said, "merge commits", "one commit is pushed")

	ofRelease.Unmet[0].Refused += " hunter2"
	hide := func(text string) string { return strings.ReplaceAll(text, "hunter2", "…") }
	require.NotContains(t, ofRelease.Text(nil, hide), "hunter2")
}
