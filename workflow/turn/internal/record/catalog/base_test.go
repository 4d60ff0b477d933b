package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
)

// TestBaseIn checks which branch or tag a text is about, and what is said of one that does not count.
func TestBaseIn(t *testing.T) {
	t.Parallel()
	shop := repositoryOf("shop")
	shop.Base = "main"
	shop.URL = "https://git.example/acme/shop.git"
	shop.Releases = []string{"release/*", "v*"}
	shop.Bases = []string{"feature/*"}
	all := []git.ReleaseBranch{
		{Name: "main", Branch: true},
		{Name: "release/1.4", Branch: true},
		{Name: "release/1.3", Branch: true},
		{Name: "feature/checkout-v2", Branch: true},
		{Name: "wip/x", Branch: true},
		{Name: "search", Branch: true},
		{Name: "bobbin/fix-7", Branch: true},
		{Name: "v1.4.3"},
		{Name: "v2"},
	}
	list := func(wanted func(string) bool) (some []git.ReleaseBranch) {
		for _, b := range all {
			if wanted(b.Name) {
				some = append(some, b)
			}
		}
		return some
	}
	const choose = " Reply `branch: NAME` for another one."
	for _, c := range []struct{ text, name, said string }{
		{text: "the total is wrong"},
		{"on release/1.4 the total is wrong", "release/1.4", ""},
		{"on branch feature/checkout-v2: no total", "feature/checkout-v2", ""},
		{"branch:release/1.4 no total", "release/1.4", ""},
		{"base = `release/1.4`, please", "release/1.4", ""},
		{"customers on 1.4.3 see no total", "v1.4.3", ""},
		{"customers on version 1.3 see no total.", "release/1.3", ""},
		{"since we run v2", "", ""},
		{"we are running v2", "v2", ""},
		{"see https://git.example/acme/shop/tree/release/1.4/cart", "release/1.4", ""},
		{"see <https://git.example/acme/shop/-/tree/release/1.3|the branch>", "release/1.3", ""},
		{"branch: main", "main", ""},
		{
			text: "on branch search it fails",
			said: "`search` may not be the base here: my operator can allow it, under `bases` of shop.",
		},
		{text: "wrong in search results"},
		{text: "it fails in 3 of 4 carts, 1.4 percent"},
		{text: "on 9.9 it fails"},
		{"it works on 1.3, and fails on 1.4", "release/1.4", ""},
		{text: "it worked in 1.3"},
		{text: "not on release/1.4"},
		{
			text: "on 1.3 and on 1.4",
			said: "Several branches are named (`release/1.3`, `release/1.4`)." + choose,
		},
		{text: "branch: release/9", said: "There is no branch or tag `release/9`." + choose},
		{text: "branch: bobbin/fix-7", said: "`bobbin/fix-7` is a branch of my own, and no base."},
		{
			text: "branch: release/1.5",
			said: "There is no branch or tag `release/1.5`. Did you mean `release/1.4` or " +
				"`release/1.3`?" + choose,
		},
		{
			text: "it fails on wip/x",
			said: "`wip/x` may not be the base here: my operator can allow it, under `bases` of shop.",
		},
		{text: "> on release/1.4"},
		{"release/1.4: the total is wrong", "release/1.4", ""},
		{"on *release/1.4* it fails", "release/1.4", ""},
		{"the branch release/1.4 is red", "release/1.4", ""},
		{"on the checkout-v2 branch it fails", "feature/checkout-v2", ""},
		{"branch: origin/release/1.4", "release/1.4", ""},
		{"see https://git.example/acme/shop/tree/release%2F1.4", "release/1.4", ""},
		{text: "https://git.example/other/lib/tree/release/1.4"},
		{text: "https://git.example/acme/shop/tree/0a1b2c3d/x"},
		{text: "on release/1.4 it works but not on main"},
		{text: "it doesn't happen on 1.4"},
		{text: "we can't reproduce it on 1.4"},
		{text: "the fix is in 1.4 already, main lacks it"},
		{text: "unlike on 1.3, compared with 1.3; the upgrade from 1.3 to 1.4 fails"},
		{text: "it fails in 1.4 seconds at 1.4 GHz; latency is 1.3 to 1.4 s"},
		{text: "the client uses TLS version 1.3"},
		{text: "wrong in search/index.go and in feature/checkout-v2.go"},
		{text: "on the branch that cleo made; the branch: it fails; price tag: 5 EUR; int(x, base=10)"},
		{text: "tax base: net, switch off branch protection, in the branch page, base: 2, tag: bug"},
		{text: "`on release/1.4` ```branch: release/1.3```", name: "release/1.4"},
	} {
		require.Equal(t, Base{Name: c.name, Said: c.said}, baseIn(withoutQuotes(c.text), shop, list), c.text)
	}
}
