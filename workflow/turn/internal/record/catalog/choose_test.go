package catalog

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	shop := repositoryOf("shop", "C1")
	blog := repositoryOf("blog", "C2")
	both := []repository.Repository{shop, blog}
	hosted := []repository.Repository{shop, blog}
	hosted[0].URL = "git@git.example:acme/shop.git"
	hosted[1].URL = "https://git.example/acme/blog"
	for _, c := range []struct {
		text, channel string
		all           []repository.Repository
		want          string
	}{
		{"total wrong", "C9", []repository.Repository{shop}, "shop"},
		{"total wrong", "C2", both, "blog"},
		{"total wrong repo:shop", "C2", both, "shop"},
		{"the cart in shop, is off", "C2", both, "blog"},
		{"the cart in shop, is off", "C9", both, "shop"},
		{"wrong in search results", "C2", append(slices.Clone(both), repositoryOf("search")), "blog"},
		{"repo: shop", "C2", both, "shop"},
		{"repo: shpo", "C2", both, ""},
		{"repo=shop, please", "C2", both, "shop"},
		{"repository: acme/shop", "C2", hosted, "shop"},
		{"acme/shop refunds too much", "C2", hosted, "shop"},
		{"shop: refunds too much", "C2", both, "shop"},
		{"Shop: refunds too much", "C2", both, "shop"},
		{"the total is wrong in the shop repo", "C2", both, "shop"},
		{"the total is wrong in the shop", "C2", both, "blog"},
		{"sorry, in shop", "C2", both, "shop"},
		{"look at https://git.example/acme/shop/issues/412", "C2", hosted, "shop"},
		{"<https://git.example/acme/shop/blob/main/a.go#L3|a.go>", "C2", hosted, "shop"},
		{"https://git.example/acme/shopping", "C2", hosted, "blog"},
		{"https://other.example/acme/shop", "C2", hosted, "blog"},
		{"total wrong\n> forwarded from bob: repo: shop", "C2", both, "blog"},
		{"total wrong\n> preview of x:\n> https://git.example/acme/shop/pull/3", "C2", hosted, "blog"},
		{"REPO:Shop please", "C2", both, "shop"},
		{"repo: https://git.example/acme/shop", "C2", hosted, "shop"},
		{"repo: <https://git.example/acme/shop|git.example/acme/shop>.", "C2", hosted, "shop"},
		{"repo=<https://git.example/acme/shop/tree/main/cart>", "C2", hosted, "shop"},
		{"repo: git@git.example:acme/shop.git", "C2", hosted, "shop"},
		{"repo: <http://shop|shop>", "C2", both, "shop"},
		{"repo: https://git.example/acme/shpo", "C2", hosted, ""},
		{"repo: git@git.example:acme/shpo.git", "C2", append(slices.Clone(hosted), repositoryOf("git")), ""},
		{"the shop repo", "C2", both, "shop"},
		{"it fails:\n```\nshop: connection refused\nrepository: shop\n```", "C2", both, "blog"},
		{"it fails\nshop: connection refused", "C2", both, "blog"},
		{"it fails\n[attached: repo: shop]", "C2", both, "blog"},
		{"web: the total is wrong", "C2", both, "blog"},
		{"Shop: refunds\nblog: fine", "C9", both, "shop"},
		{"it fails\n> the shop repo\n> acme/shop\n> shop: refunds", "C2", hosted, "blog"},
		{"we searched acme/shopping and acme/sho", "C2", hosted, "blog"},
		{"instead of the blog repo use the shop repo", "C9", both, "shop"},
		{"ignore the blog repo; the bug is in the shop repo", "C9", both, "shop"},
		{"don't look in the shop repo", "C2", both, "blog"},
		{"it is fixed in the shop repo, but not in the blog repo", "C9", both, ""},
		{"everywhere except the shop repo", "C2", both, "blog"},
		{"in the morning it fails", "C9", both, ""},
		{"not in the shop repo", "C2", both, "blog"},
		{"not in the shop repo", "C9", both, ""},
		{"it is *not* in the shop repository.", "C2", both, "blog"},
		{"it isn't the shop repo", "C2", both, "blog"},
		{"the bug isn’t in the shop repo", "C2", both, "blog"},
		{"not in acme/shop", "C2", hosted, "blog"},
		{"not in <https://git.example/acme/shop>", "C2", hosted, "blog"},
		{"no, not in shop", "C9", both, ""},
		{"My shop repository works, but the total is wrong", "C2", both, "blog"},
		{"My shop repository works, but the total is wrong", "C9", both, ""},
		{"it works in the shop repo", "C2", both, "blog"},
		{"it works fine in shop", "C9", both, ""},
		{"the shop repo is fine", "C2", both, "blog"},
		{"it's fine in the shop repo", "C2", both, "blog"},
		{"in the shop repo it works, here it does not", "C2", both, "blog"},
		{"acme/shop works", "C2", hosted, "blog"},
		{"it works in the blog repo but not in the shop repo", "C9", both, ""},
		{"it works in the blog repo, but fails in the shop repo", "C9", both, "shop"},
		// which say that it fails there
		{"nothing works in the shop repo", "C2", both, "shop"},
		{"it no longer works in the shop repo", "C2", both, "shop"},
		{"not everything works in the shop repo", "C2", both, "shop"},
		{"nothing in the shop repo works", "C2", both, "shop"},
		{"it does not work in the shop repo", "C2", both, "shop"},
		{"why doesn't the shop repo build?", "C2", both, "shop"},
		{"the shop repo works slowly", "C2", both, "shop"},
		{"in the shop repo it works only once", "C2", both, "shop"},
		{"the total is not fine in the shop repo", "C2", both, "shop"},
		{"not only in the shop repo", "C2", both, "shop"},
		{"the total is not right in the shop repo", "C2", both, "shop"},
		{"the login is fine. In the shop repo the total is off", "C2", both, "shop"},
		{"repo: shop works, but not on Sundays", "C2", both, "shop"},
		{"repo: the shop one", "C2", both, "shop"},
		{"repo: my stuff", "C2", both, "blog"},
		{"anything", "C1", nil, ""},
	} {
		require.Equal(t, c.want, choose(c.text, c.channel, nil, c.all), c.text)
	}
}

// A repository that is named and not configured is said, with the names that are like it.
func TestUnknownRepository(t *testing.T) {
	t.Parallel()
	names := []string{"web", "web-admin", "api", "Shop"}
	var all []repository.Repository
	for _, name := range names {
		all = append(all, repositoryOf(name))
	}
	for _, c := range []struct {
		text, name string
		near       []string
	}{
		{"repo: wbe is slow", "wbe", []string{"web"}},
		{"repo=webb", "webb", []string{"web"}},
		{"repo: admin", "admin", []string{"web-admin"}},
		{"repository: acme/shpo.", "acme/shpo", []string{"Shop"}},
		{"repo: <https://git.example/acme/webs.git>", "git.example/acme/webs", []string{"web"}},
		{"repo: <https://git.example/acme/webs|acme/webs>", "acme/webs", []string{"web"}},
		{"repo: git@git.example:acme/other.git", "git.example/acme/other", nil},
		{"repo: zz", "zz", nil},
		{"repo: web", "", nil},
		{"it fails\n> repo: other", "", nil},
		{"the other repo is fine", "", nil},
		{"remember for this repository: amounts are in cents", "", nil},
		{"the sister repository: call it", "", nil},
		{"it fails in repository: zz", "zz", nil},
		{"repo: my stuff", "", nil},
		{"Repository: not sure", "", nil},
		{"repository: N/A", "", nil},
		{"repo:\nit fails", "", nil},
		{"repo: mystuff", "mystuff", nil},
	} {
		got := unknown(c.text, all)
		require.Equal(t, c.name, got, c.text)
		if got != "" {
			require.Equal(t, c.near, nearRepositories(got, names), c.text)
		}
	}
}

// The topic of a channel counts where neither the words nor the configuration name a repository, and only in
// a form that can mean nothing else.
func TestChooseByTopic(t *testing.T) {
	t.Parallel()
	shop := repositoryOf("shop", "C1")
	shop.URL = "https://git.example/acme/shop"
	both := []repository.Repository{shop, repositoryOf("blog", "C2")}
	for _, c := range []struct{ text, channel, topic, want string }{
		{"total wrong", "C9", "Bugs, repo: blog", "blog"},
		{"total wrong", "C9", "Bugs of <https://git.example/acme/shop> | on call: ann", "shop"},
		{"total wrong", "C9", "acme/shop", "shop"},
		{"wrong in shop", "C9", "repo: blog", "blog"},
		{"repo: shop is wrong", "C9", "repo: blog", "shop"},
		{"repo: shpo is wrong", "C9", "repo: blog", ""},
		{"total wrong", "C1", "repo: blog", "shop"},
		{"total wrong", "C9", "what people shop, and the blog", ""},
		{"total wrong", "C9", "repo: elsewhere", ""},
		{"total wrong", "C9", "", ""},
	} {
		require.Equal(t, c.want, choose(c.text, c.channel, func() string { return c.topic }, both), c)
	}
	choose("repo: shop", "C9", func() string { t.Error("read without need"); return "" }, both)
	choose("total wrong", "C2", func() string { t.Error("read without need"); return "" }, both)
}

// repositoryOf returns a repository of the channels.
func repositoryOf(name string, channels ...string) repository.Repository {
	return repository.Repository{Remote: remote.Remote{Name: name}, Channels: channels}
}

// FuzzChoose checks that choose returns a known name or none, that the order of the repositories does
// not matter, and that a text in a repository's channel always finds one.
func FuzzChoose(f *testing.F) {
	for _, text := range []string{
		"it fails in shop.", "repo:desk it fails", "REPO:Shop", "in", "repo:", "in ../../etc",
		"in shop, in desk", "in \xff", "works, not in shop", "my shop repo works, desk works",
	} {
		f.Add(text, "C1")
	}
	all := []repository.Repository{
		repositoryOf("shop", "C1"), repositoryOf("desk", "C2"),
		repositoryOf("a.b-c_d"),
	}
	names := []string{"", "shop", "desk", "a.b-c_d"}
	f.Fuzz(func(t *testing.T, text, channel string) {
		got := choose(text, channel, nil, all)
		require.Contains(t, names, got)
		if channel == "C1" && unknown(text, all) == "" {
			require.NotEmpty(t, got)
		}
		require.Equal(t, "desk", choose("repo:desk "+text, channel, nil, all))
		backwards := slices.Clone(all)
		slices.Reverse(backwards)
		require.Equal(t, got, choose(text, channel, nil, backwards), "the order of the file decides nothing")
	})
}
