package address

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCodeIsLinkedWhereItsHostShowsIt(t *testing.T) {
	t.Parallel()
	const blob = "/blob/{commit}/{path}#L{line}"
	const lines = "/src/{commit}/{path}#lines-{line}"
	const src = "/src/commit/{commit}/{path}#L{line}"
	for remote, want := range map[string]string{
		"https://github.com/acme/shop.git":            "https://github.com/acme/shop" + blob,
		"git@github.com:acme/shop.git":                "https://github.com/acme/shop" + blob,
		"https://github.acme.com/acme/shop":           "https://github.acme.com/acme/shop" + blob,
		"ssh://git@gitlab.acme.com:2222/group/a/shop": "https://gitlab.acme.com/group/a/shop/-" + blob,
		"https://bitbucket.org/acme/shop.git":         "https://bitbucket.org/acme/shop" + lines,
		"https://codeberg.org/acme/shop.git/":         "https://codeberg.org/acme/shop" + src,
		"https://gitea.acme.com:8443/acme/shop.git":   "https://gitea.acme.com:8443/acme/shop" + src,
		"https://git.acme.com/shop.git":               "",
		"https://notgithub.com/acme/shop":             "",
		"/srv/git/github.com/acme/shop.git":           "",
		"file:///srv/git/shop.git":                    "",
		"https://github.com/":                         "",
		// such pages are not served over http
		"http://github.com/acme/shop": "",
		// the address is the operator's own remote
		"https://github.com.evil.example/acme/shop": "https://github.com.evil.example/acme/shop" + blob,
	} {
		require.Equal(t, want, CodeURL("", remote), remote)
	}
	own := "https://git.acme.com/shop/{commit}/{path}#{line}"
	require.Equal(t, own, CodeURL(own, "/srv/git/shop.git"))
}
