package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

func configured(name, url, kind string) repository.Repository {
	r := repository.Repository{Remote: remote.Remote{Name: name, URL: url}}
	r.Pulls.Kind = kind
	switch kind {
	case host.GitHub:
		r.Pulls.Host = host.NewGitHub(host.GitHubConfig{})
	case host.GitLab:
		r.Pulls.Host = host.NewGitLab(host.GitLabConfig{})
	}
	return r
}

func TestFind(t *testing.T) {
	t.Parallel()
	all := []repository.Repository{
		configured("shop", "https://github.com/acme/shop.git", host.GitHub),
		configured("desk", "git@gitlab.com:acme/web/desk.git", host.GitLab),
		configured("plain", "https://git.acme.com/plain", ""),
		configured("nested", "https://github.com/acme/shop/nested", host.GitHub),
	}
	const hub = "https://github.com/acme/shop"
	const lab = "https://gitlab.com/acme/web/desk/-"
	for text, want := range map[string][]string{
		"see <" + hub + "/issues/412>":                           {"issue shop#412"},
		"see <" + hub + "/issues/412#issuecomment-7|the issue>.": {"issue shop#412"},
		hub + "/pull/7/files and #7":                             {"pull request shop#7"},
		hub + "/pull/7/commits/0a1b2c3d4e":                       {"commit commit 0a1b2c3d4e of shop"},
		hub + "/commit/0a1b2c3d4e5f":                             {"commit commit 0a1b2c3d4e5f of shop"},
		hub + "/actions/runs/99/job/5?pr=7":                      {"run run 99 of shop"},
		hub + "/blob/main/cart/cart.go#L10-L20":                  {"file main/cart/cart.go:10 of shop"},
		hub + "/blob/0a1b2c3/a%20b.go?plain=1#L3":                {"file 0a1b2c3/a b.go:3 of shop"},
		"https://github.com/acme/shop/nested/issues/3":           {"issue nested#3"},
		lab + "/issues/412":                                      {"issue desk#412"},
		lab + "/merge_requests/7/diffs":                          {"pull request desk!7"},
		lab + "/pipelines/5, " + lab + "/jobs/6":                 {"run run 5 of desk", "run job 6 of desk"},
		lab + "/blob/main/a.go#L3-9":                             {"file main/a.go:3 of desk"},
		"acme/shop#412 and desk!7":                               {"issue shop#412", "pull request desk!7"},
		"#412 (#413)!":                                           {"issue shop#412", "issue shop#413"},
		hub + "/raw/main/a.go":                                   {"file main/a.go of shop"},
		hub + "/raw/refs/heads/main/a.go":                        {"file main/a.go of shop"},
		lab + "/raw/main/a.go":                                   {"file main/a.go of desk"},
		hub + "/tree/main/cart":                                  {"folder main/cart of shop"},
		hub + "/releases/tag/v1.4.0":                             {"commit v1.4.0 of shop"},
		lab + "/tags/v1.4.0":                                     {"commit v1.4.0 of desk"},
		hub + "/commit/0a1b2c3d4e5f.patch":                       {"commit commit 0a1b2c3d4e5f of shop"},
		hub + "/releases/tag/rel/1":                              {"commit rel/1 of shop"},
		hub + "/compare/v1...v2":                                 {"page compare/v1...v2 of shop"},
		hub + "/wiki/Cart":                                       {"page wiki/Cart of shop"},
		"https://git.acme.com/plain/src/commit/0a1b2c3/a.go":     {"file 0a1b2c3/a.go of plain"},
		"https://git.acme.com/plain/issues/4":                    {"issue plain#4"},
		"plain#4, Plain#5":                                       {"issue plain#4", "issue plain#5"},
		"> see " + hub + "/issues/412":                           {"issue shop#412"},

		hub + "/tree/main " + hub + "/commits/a/b": nil,
		"> #412":                             nil,
		"#3 #4,#5":                           {"issue shop#3", "issue shop#4", "issue shop#5"},
		"`#412` ```\n#412\n``` <#C412|#412>": nil,
		"#0, a#412b, #412px, x/y#4, #412-3":  nil,
		"!7, shop!7, plain!4":                nil, // not at GitHub; no host
		"https://github.com/acme/shopping/issues/4 https://evil.example/acme/shop/issues/4":          nil,
		"https://github.com.evil.example/acme/shop/issues/4 https://a@github.com/acme/shop/issues/4": nil,
		"http://github.com/acme/shop/issues/4 " + hub + "/wiki " + hub + " " + hub + "/issues/new":   nil,
	} {
		var got []string
		for _, r := range Find(text, "shop", all) {
			got = append(got, string(r.Kind)+" "+r.Name())
		}
		require.Equal(t, want, got, text)
	}
	lines := Find(hub+"/blob/main/cart.go#L10-L20", "shop", all)[0]
	require.Equal(t, []int{10, 20}, []int{lines.First, lines.Last})
	require.True(t, Find("#412", "shop", all)[0].Loose)
	require.False(t, Find("shop#412", "shop", all)[0].Loose)
	require.Empty(t, Find("#412", "", all))
	require.Empty(t, Find("#412", "plain", all), "without a host it may be anything")
	require.True(t, Find("plain#4", "plain", all)[0].NeedsHost())
	require.False(t, Find("shop#4", "plain", all)[0].NeedsHost())
	require.False(t, Find("https://git.acme.com/plain/commit/0a1b2c3", "plain", all)[0].NeedsHost())
}

// FuzzFind checks that nothing is found outside of the configured repositories' own pages, and no number or
// line that cannot be.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"https://github.com/acme/shop/issues/412", "https://github.com/acme/shop/blob/main/a.go#L3-L9",
		"https://github.com/acme/shop/-/jobs/6", "<https://github.com/acme/shop/pull/7|#7>", "#412 shop#4 !5",
		"> shop#4", "`#4`", "%zz",
	} {
		f.Add(seed)
	}
	all := []repository.Repository{configured("shop", "https://github.com/acme/shop.git", host.GitHub)}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Find(text, "shop", all) {
			require.Equal(t, "shop", r.Repository.Name)
			require.NotEmpty(t, r.Name())
			require.GreaterOrEqual(t, r.Number, int64(0))
			require.GreaterOrEqual(t, r.First, 0)
			require.True(t, r.Number > 0 || r.Commit+r.Run+r.Job+r.Path != "")
		}
	})
}
