package host_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// openFork starts a host with a fork to which branches are pushed.
func openFork(t *testing.T, kind string, private bool) (*hosttest.Server, host.Host) {
	t.Helper()
	s := hosttest.Listen(hosttest.Config{
		Kind: kind, Repository: "acme/shop", Token: token, Reader: reader, Private: private,
		Branch: func(string) (string, error) { return "", nil },
		Fork: &hosttest.Fork{
			Path: "bot/shop", Branch: func(name string) (string, error) { return "fork-" + name, nil },
		},
	})
	t.Cleanup(s.Close)
	return s, forkAt(s, kind)
}

// forkAt opens the repository of a server, with the fork bot/shop.
func forkAt(s *hosttest.Server, kind string) host.Host {
	web := s.URL + "/acme/shop"
	sign := func(context.Context, bool) (remote.Credential, error) {
		return remote.Credential{Password: token, Name: "the token"}, nil
	}
	switch kind {
	case host.GitLab:
		return host.NewGitLab(host.GitLabConfig{
			API: s.API, Web: web, Path: "acme/shop", Token: sign,
			Fork: "bot/shop", ForkWeb: s.URL + "/bot/shop",
		})
	case host.Gitea:
		return host.NewGitea(host.GiteaConfig{
			API: s.API, Web: web, Owner: "acme", Name: "shop", Token: sign,
			ForkOwner: "bot", ForkName: "shop", ForkWeb: s.URL + "/bot/shop",
		})
	}
	return host.NewGitHub(host.GitHubConfig{
		API: s.API, Web: web, Owner: "acme", Name: "shop", Token: sign,
		ForkOwner: "bot", ForkName: "shop", ForkWeb: s.URL + "/bot/shop",
	})
}

// TestRightsBesideAFork checks that the right to push to the repository is not missed if branches are pushed
// to a fork. It is without one.
func TestRightsBesideAFork(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s := hosttest.Listen(hosttest.Config{
			Kind: kind, Repository: "acme/shop", Token: token, NoPush: true,
			Fork: &hosttest.Fork{Path: "bot/shop", Of: "acme/shop"},
		})
		t.Cleanup(s.Close)
		missing, err := forkAt(s, kind).Missing(t.Context())
		require.NoError(t, err)
		require.Empty(t, missing)
		_, h := open(t, hosttest.Config{Kind: kind, NoPush: true}, token)
		missing, err = h.Missing(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string][]string{
			host.GitLab: {"the role Developer in the project"},
			host.Gitea:  {"the right to write to the repository"},
		}[kind], missing)
	})
}

// TestAPullRequestComesFromTheFork checks that it leads from the fork to the repository, is found again, and
// is not confused with one of a branch of the same name in the fork of somebody else.
func TestAPullRequestComesFromTheFork(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := openFork(t, kind, false)
		s.OpenFork(opening.Branch) // of somebody else
		none, err := h.Find(t.Context(), opening.Branch)
		require.NoError(t, err)
		require.Nil(t, none)
		p, err := h.Open(t.Context(), opening)
		require.NoError(t, err)
		require.Equal(t, int64(2), p.Number)
		require.Equal(t, "fork-"+opening.Branch, p.Head)
		require.True(t, s.Pulls()[1].Ours)
		require.Equal(t, opening.Branch, s.Pulls()[1].Branch)
		found, err := h.Find(t.Context(), opening.Branch)
		require.NoError(t, err)
		require.Equal(t, &p, found)
		_, err = h.Open(t.Context(), opening)
		require.ErrorIs(t, err, host.ErrExists)

		s.Report("fork-"+opening.Branch, hosttest.Check{Name: "test", State: "failure", Log: "it fails"})
		checks, err := h.Checks(t.Context(), "fork-"+opening.Branch)
		require.NoError(t, err)
		require.NotEmpty(t, checks)
		log, err := h.Log(t.Context(), checks[0])
		require.NoError(t, err)
		require.Equal(t, "it fails", log)
	})
}

// TestAForkIsLookedAt checks what is said of a fork that is not ours, or to which we may not push.
func TestAForkIsLookedAt(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := openFork(t, kind, false)
		why := func(change func(f *hosttest.Fork)) string {
			s.SetFork(change)
			f, err := h.Fork(t.Context())
			require.NoError(t, err)
			reason, cure := f.Why("acme/shop")
			require.Equal(t, reason == "", cure == "")
			return reason
		}
		require.Empty(t, why(func(*hosttest.Fork) {}))
		require.Equal(t, "the credential may not push to bot/shop",
			why(func(f *hosttest.Fork) { f.ReadOnly = true }))
		require.Contains(t, why(func(f *hosttest.Fork) { f.Archived = true }), "is archived")
		require.Equal(t, "bot/shop is a fork of mallory/shop, not of acme/shop",
			why(func(f *hosttest.Fork) { f.Of = "mallory/shop" }))
		require.Equal(t, "bot/shop is no fork of acme/shop", why(func(f *hosttest.Fork) { f.Of = "-" }))

		_, h = openFork(t, kind, true)
		f, err := h.Fork(t.Context())
		require.NoError(t, err)
		reason, _ := f.Why("acme/shop")
		require.Equal(t, "bot/shop can be read by people who may not read acme/shop", reason)
	})
}

// TestRulesAreRead checks what each kind of host tells of its rules, and that a token that may not read them
// gets the name of the right.
func TestRulesAreRead(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		none, err := h.Rules(t.Context(), "main", false)
		require.NoError(t, err)
		none.Unread = ""
		require.Equal(t, host.Rules{}, none)
		s.SetRules(hosttest.Rules{
			Signed: true, SignOff: true, Linear: true, Closed: true,
			Name: "^fix/", Message: "^PAY-", Email: "@acme\\.com$",
		})
		got, err := h.Rules(t.Context(), "bobbin/fix-1", true)
		require.NoError(t, err)
		require.True(t, got.Signed)
		require.Equal(t, kind != host.Gitea, got.SignedOff)
		require.Equal(t, kind == host.GitHub, got.Linear)
		require.Equal(t, kind != host.GitLab, got.Closed)
		if kind != host.Gitea {
			matches, known := got.Names[0].Matches("bobbin/fix-1")
			require.True(t, known)
			require.False(t, matches)
			matches, _ = got.Messages[0].Matches("PAY-12: fix it")
			require.True(t, matches)
			matches, _ = got.Emails[0].Matches("bot@evil.com")
			require.False(t, matches)
		}
		known, err := h.KnowsKey(t.Context(), "ssh-ed25519 AAAA bobbin")
		require.NoError(t, err)
		require.False(t, known)
		s.SetKeys("ssh-ed25519 BBBB", "ssh-ed25519 AAAA")
		known, err = h.KnowsKey(t.Context(), "ssh-ed25519 AAAA bobbin")
		require.NoError(t, err)
		require.True(t, known)
	})
}

// TestARuleThatIsBypassedIsNone checks that a ruleset which the credential may bypass demands nothing of it.
func TestARuleThatIsBypassedIsNone(t *testing.T) {
	t.Parallel()
	s, h := open(t, hosttest.Config{Kind: host.GitHub}, token)
	s.SetRules(hosttest.Rules{Signed: true, Bypass: true}, hosttest.Rules{Linear: true})
	got, err := h.Rules(t.Context(), "bobbin/fix-1", true)
	require.NoError(t, err)
	require.Equal(t, host.Rules{Linear: true}, got)
}

// TestRulesOfABranchAlone checks that a rule for another branch is none for this one.
func TestRulesOfABranchAlone(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.Gitea} {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		s.SetRules(hosttest.Rules{Prefix: "main", Signed: true})
		for branch, want := range map[string]bool{"main": true, "bobbin/fix-1": false} {
			got, err := h.Rules(t.Context(), branch, false)
			require.NoError(t, err)
			require.Equal(t, want, got.Signed, "%s %s", kind, branch)
		}
	}
}
