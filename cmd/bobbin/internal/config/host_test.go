package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

func TestWhatTheURLTells(t *testing.T) {
	t.Parallel()
	for url, want := range map[string][3]string{
		"https://github.com/acme/shop.git": {
			"github", "https://api.github.com", "https://github.com/acme/shop",
		},
		"git@github.com:acme/shop.git": {
			"github", "https://api.github.com", "https://github.com/acme/shop",
		},
		"https://github.acme.com/team/shop": {
			"github", "https://github.acme.com/api/v3", "https://github.acme.com/team/shop",
		},
		"https://gitlab.com/acme/web/shop.git": {
			"gitlab", "https://gitlab.com/api/v4", "https://gitlab.com/acme/web/shop",
		},
		"ssh://git@gitlab.acme.com:2222/a/shop.git": {
			"gitlab", "https://gitlab.acme.com/api/v4", "https://gitlab.acme.com/a/shop",
		},
		"https://codeberg.org/acme/shop": {
			"gitea", "https://codeberg.org/api/v1", "https://codeberg.org/acme/shop",
		},
		"https://git.acme.com/acme/shop": {"", "", "https://git.acme.com/acme/shop"},
		"/srv/git/shop.git":              {"", "", ""},
	} {
		h, web, ok := GitHost{on: true}.Of(url)
		require.True(t, ok)
		require.Equal(t, want, [3]string{h.Kind, h.URL, web}, url)
	}
	_, _, ok := GitHost{}.Of("https://github.com/acme/shop.git")
	require.False(t, ok, "nobody asked for pull requests")
}

func TestBadHostsAreSaid(t *testing.T) {
	t.Parallel()
	const hub = "https://github.com/acme/shop.git"
	for _, c := range []struct {
		host     GitHost
		url, say string
	}{
		{GitHost{on: true}, hub, ""},
		{GitHost{}, "/srv/git/shop.git", ""},
		{
			GitHost{on: true},
			"https://git.acme.com/a/b",
			"host.kind is missing, and https://git.acme.com/a/b does not show it; add one of github, gitlab",
		},
		{GitHost{Kind: "githib"}, hub, `unknown host kind "githib"`},
		{GitHost{Kind: "gitea", TokenEnv: "T"}, "/srv/git/shop.git", "is no repository at a host"},
		{
			GitHost{Kind: "gitea", URL: "http://git.acme.com/api/v1", TokenEnv: "T"},
			hub,
			"has to begin with https://",
		},
		{GitHost{Draft: "yes"}, hub, `unknown draft "yes"`},
		{GitHost{Template: "../x"}, hub, `template "../x" has to be on, off, or the path of a file`},
		{GitHost{Labels: []string{"a,b"}}, hub, "the name of a label, without commas"},
		{GitHost{Reviewers: []string{"@dan"}}, hub, "is not a login at the git host (without @), or one " +
			"of the words codeowners"},
		{GitHost{Assignees: []string{"codeowners"}}, hub, "write reviewers: [codeowners]"},
		{GitHost{Labels: []string{"type: bug"}, Reviewers: []string{"codeowners", "dan.d"}}, hub, ""},
		{GitHost{TokenEnv: "ghp_secret"}, hub, "token_env has to be the name of a variable"},
		{GitHost{TokenEnv: "SLACK_BOT_TOKEN"}, hub, "is a secret for something else"},
		{GitHost{SecretEnv: "HOOK_SECRET"}, hub, ""},
		{GitHost{on: true}, "git@github.com:acme/shop.git", "host.token_env is missing: a repository that " +
			"is fetched over ssh needs a token"},
	} {
		p := strictyaml.NewProblems("c", nil)
		c.host.check(p, "$.repositories[0].host", c.url)
		if c.say == "" {
			require.NoError(t, p.Err())
			continue
		}
		require.ErrorContains(t, p.Err(), c.say)
		require.NotContains(t, p.Err().Error(), "ghp_secret")
	}
}
