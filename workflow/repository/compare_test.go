package repository

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompareURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ shop, code, compare string }{
		{"https://github.com/acme/shop", "/blob/{commit}/{path}#L{line}", "/compare/a...b"},
		{"https://gitlab.com/acme/shop", "/-/blob/{commit}/{path}#L{line}", "/-/compare/a...b"},
		{"https://bitbucket.org/acme/shop", "/src/{commit}/{path}#lines-{line}", "/branches/compare/b%0Da"},
		{"https://codeberg.org/acme/shop", "/src/commit/{commit}/{path}#L{line}", "/compare/a...b"},
	} {
		require.Equal(t, c.shop+c.compare, compareURL(c.shop+c.code), c.shop)
	}
	for _, code := range []string{"https://git.acme.com/code?at={commit}&file={path}", ""} {
		require.Empty(t, compareURL(code), code)
	}
}

// compareURL returns the address of a comparison of a and b, in a repository whose code is shown at code.
func compareURL(code string) string {
	return Repository{Display: Display{CodeURL: code}}.CompareURL("a", "b")
}
