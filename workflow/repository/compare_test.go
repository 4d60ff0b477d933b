package repository

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompareURL(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"https://github.com/acme/shop/blob/{commit}/{path}#L{line}":         "https://github.com/acme/shop/compare/a...b",
		"https://gitlab.com/acme/shop/-/blob/{commit}/{path}#L{line}":       "https://gitlab.com/acme/shop/-/compare/a...b",
		"https://bitbucket.org/acme/shop/src/{commit}/{path}#lines-{line}":  "https://bitbucket.org/acme/shop/branches/compare/b%0Da",
		"https://codeberg.org/acme/shop/src/commit/{commit}/{path}#L{line}": "https://codeberg.org/acme/shop/compare/a...b",
		"https://git.acme.com/code?at={commit}&file={path}":                 "",
		"": "",
	} {
		require.Equal(t, want, Repository{Display: Display{CodeURL: code}}.CompareURL("a", "b"), code)
	}
}
