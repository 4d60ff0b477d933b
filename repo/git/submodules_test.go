package git

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// Addresses of submodules lead to the host of the repository, or nowhere.
func TestAddressesOfSubmodules(t *testing.T) {
	t.Parallel()
	const https = "https://git.example/acme/shop.git"
	for _, c := range []struct{ of, address, want, refused string }{
		{https, "../lib.git", "https://git.example/acme/lib.git", ""},
		{https, "./lib.git", "https://git.example/acme/shop.git/lib.git", ""},
		{https, "../../other/lib", "https://git.example/other/lib", ""},
		{https, "https://git.example/acme/lib.git", "https://git.example/acme/lib.git", ""},
		{https, "https://me:pw@GIT.example:443/lib", "https://git.example/lib", ""},
		{https, "http://git.example/acme/lib.git", "https://git.example/acme/lib.git", ""},
		{https, "git@git.example:acme/lib.git", "https://git.example/acme/lib.git", ""},
		{https, "ssh://git@git.example/acme/lib.git?a=b#c", "https://git.example/acme/lib.git", ""},
		{"https://u:pw@git.example/a/b", "../lib", "https://u:pw@git.example/a/lib", ""},
		{"git@git.example:acme/shop.git", "../lib.git", "ssh://git@git.example/acme/lib.git", ""},
		{"git@git.example:acme/shop.git", "https://git.example/lib.git", "ssh://git@git.example/lib.git", ""},

		{https, "../../../lib.git", "", "its address leads out of the host"},
		{https, "../x/../../../../lib", "", "its address has .. in it"},
		{https, "https://git.example/a/../b", "", "its address has .. in it"},
		{https, "https://git.example/a/%2e%2e/b", "", "its address has .. in it"},
		{https, "ext::sh -c touch% /tmp/x", "", "its address is not of https or ssh"},
		{https, "file:///etc", "", "its address is a folder of the machine that I run on"},
		{https, "/srv/lib.git", "", "its address is a folder of the machine that I run on"},
		{https, "lib.git", "", "its address is a folder of the machine that I run on"},
		{https, "--upload-pack=touch x", "", "its address is a folder of the machine that I run on"},
		{https, "git://git.example/lib", "", "its address is not of https or ssh"},
		{https, "https:///lib", "", "its address is not of https or ssh"},
		{https, "https://git.example/a\nb", "", "its address has characters that no address has"},
		{
			https, "https://evil.example/lib.git", "",
			"it is at another host than the repository, and only those at git.example are fetched",
		},
		{
			https, "https://git.example@evil.example/lib.git", "",
			"it is at another host than the repository, and only those at git.example are fetched",
		},
		{
			https, "https://git.example:8443/lib.git", "",
			"it is at another host than the repository, and only those at git.example are fetched",
		},
		{
			https, "ssh://git@git.example:2222/lib.git", "",
			"it is at another host than the repository, and only those at git.example are fetched",
		},
		{"/srv/shop.git", "../lib.git", "", "only submodules of a repository at a host are fetched"},
	} {
		token := remote.Token{Value: "x"}
		r, _, refused := resolveSubmodule(remote.Remote{URL: c.of, Credentials: token}, c.address)
		require.Equal(t, c.refused, refused, c.address)
		require.Equal(t, c.want, r.URL, c.address)
		if refused == "" {
			require.Equal(t, token, r.Credentials)
		}
	}
}
