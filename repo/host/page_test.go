package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
)

// Pages that name a branch say so, whatever kind they are of. The package reference tests the others.
func TestWhichPagesNameABranch(t *testing.T) {
	t.Parallel()
	const shop = "https://git.example/acme/shop"
	for address, want := range map[string]string{
		"/tree/release/1.4/cart":      "release/1.4/cart",
		"/-/tree/release%2F1.4":       "release/1.4",
		"/tree/main":                  "main",
		"/src/branch/main":            "main",
		"/src/branch/main/cart/a.go":  "main/cart/a.go",
		"/commits/branch/release/1.4": "release/1.4",
		"/-/commits/release/1.4":      "release/1.4",
		"/releases/tag/v1.4.0":        "v1.4.0",
		"/src/tag/v1.4.0":             "v1.4.0",
		"/compare/v1...v2":            "v1...v2",
		"/blob/main/a.go":             "",
		"/commit/0a1b2c3d":            "",
		"/issues/new":                 "",
	} {
		path, fragment, ok := host.BelowPage(shop, shop+address)
		require.True(t, ok, address)
		p, _ := host.ReadPage(path, fragment)
		require.Equal(t, want, p.Ref, address)
	}
	for _, address := range []string{
		shop, shop + "ping/tree/main", "http://git.example/acme/shop/tree/main",
		"https://x@git.example/acme/shop/tree/main", "https://git.example.evil/acme/shop/tree/main", "%zz",
	} {
		path, _, _ := host.BelowPage(shop, address)
		require.Empty(t, path, address)
	}
	_, _, ok := host.BelowPage("https://git.example/", "https://git.example/acme")
	require.False(t, ok, "a host's own page is no repository's")
}
