package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/repository"
)

// TestAlsoNamed checks which other repositories a text says to look in, and that these words do not choose
// the repository that the request is about.
func TestAlsoNamed(t *testing.T) {
	t.Parallel()
	api := repositoryOf("api")
	api.URL = "https://git.example/acme/api"
	all := []repository.Repository{repositoryOf("shop", "C1"), api, repositoryOf("web-ui")}
	for _, c := range []struct{ text, names, unknown, about string }{
		{"the total is wrong", "", "", "shop"},
		{"the total is wrong, also look in api", "api", "", "shop"},
		{"Also look in the API repo, please.", "api", "", "shop"},
		{"also check acme/api", "api", "", "shop"},
		{"please look also into web-ui", "web-ui", "", "shop"},
		{"look in api, too", "api", "", "shop"},
		{"look at the web-ui repository as well", "web-ui", "", "shop"},
		{"the cause may be in api", "api", "", "shop"},
		{"the bug might well lie in the api repo", "api", "", "shop"},
		{"the problem is in api", "api", "", "shop"},
		{"the problem is in the api repo", "api", "", "api"},
		{"the total is off\nalso: api, web-ui", "api web-ui", "", "shop"},
		{"also: `api`", "api", "", "shop"},
		{"also=api and web-ui.", "api web-ui", "", "shop"},
		{"also: apy", "", "apy", "shop"},
		{"also: api, secrets", "api", "secrets", "shop"},
		{"also: apy, please", "", "apy", "shop"},
		{"also: refunds, totals", "", "", "shop"},
		{"Also: the total in api is wrong", "", "", "shop"},
		{"also look in the vault repo", "", "vault", "shop"},
		{"also check the total", "", "", "shop"},
		{"also look in cart/", "", "", "shop"},
		{"the cause is not in api", "", "", "shop"},
		{"don't look in api, too", "", "", "shop"},
		{"> also look in api", "", "", "shop"},
		{"```\nalso: api\n```", "", "", "shop"},
		{"repo: api, also look in web-ui", "web-ui", "", "api"},
	} {
		named := alsoNamed(c.text, all)
		require.Equal(t, c.names, strings.Join(named.Names, " "), c.text)
		require.Equal(t, c.unknown, strings.Join(named.Unknown, " "), c.text)
		require.Equal(t, c.about, choose(c.text, "C1", nil, all), c.text)
	}
	require.Equal(t, "api", choose("the cause may be in api", "C9", nil, all), "nothing else says it")
	require.Equal(t, "api", choose("also look in the api repo", "C9", nil, all), "nothing else says it")
}

// FuzzAlsoNamed checks that no text leads to a repository that there is not, or to an empty name.
func FuzzAlsoNamed(f *testing.F) {
	for _, text := range []string{
		"also: api, web", "also look in the api repo", "the cause may be in api", "also=-",
		"also: a and b and",
	} {
		f.Add(text)
	}
	all := []repository.Repository{repositoryOf("shop", "C1"), repositoryOf("api")}
	f.Fuzz(func(t *testing.T, text string) {
		named := alsoNamed(text, all)
		for _, name := range named.Names {
			require.Contains(t, []string{"shop", "api"}, name)
		}
		require.NotContains(t, named.Unknown, "")
		_ = choose(text, "C1", nil, all)
	})
}
