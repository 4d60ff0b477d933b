package reference

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// TestCommitsAndFilesAreReadFromTheMirror checks that a commit and lines of a file are shown as they were at
// the commit that a link names, also if the mirror has to fetch it first.
func TestCommitsAndFilesAreReadFromTheMirror(t *testing.T) {
	t.Parallel()
	dir, commits := repotest.NewOrigin(t,
		repotest.Files{
			"cart/cart.go": "package cart\n\nfunc old() {}\n", ".env": "TOKEN=x\n",
			"keys/id_rsa": "x\n", "keys/id_rsa.pub": "x\n", ".npmrc": "x\n", "tls/server.pem": "x\n",
			"tls/ca.pem": "x\n", "logo": "\x00png",
		},
		repotest.Files{"cart/cart.go": "package cart\n\nfunc now() {}\n\nfunc more() {}\n"})
	shop := repository.Repository{Remote: remote.Remote{Name: "shop", URL: dir}}
	shop.Pulls.Web = "https://git.example/acme/shop"
	r := &Reader{Mirrors: repotest.OpenMirrors(t)}
	remotetest.NeedGit(t)
	read := func(path string) Found {
		t.Helper()
		all := Find(shop.Pulls.Web+"/"+path, "shop", []repository.Repository{shop})
		require.Len(t, all, 1, path)
		found, err := r.ReadAll(t.Context(), all)
		require.NoError(t, err)
		return found[0]
	}
	old := read("blob/" + commits[0] + "/cart/cart.go#L3")
	require.Empty(t, old.Refused)
	require.Equal(t, "cart/cart.go:3 at "+commits[0][:7]+" of shop", strings.ReplaceAll(old.Label, `"`, ""))
	require.Contains(t, old.Text(2000, plain), "3\tfunc old() {}")
	require.Contains(t, old.Text(2000, plain), "lines 1 to 3 of 3. Meant: 3 to 3.")
	require.Contains(t, read("src/branch/main/cart/cart.go").Text(2000, plain), "3\tfunc now() {}")
	require.NotContains(t, read("blob/main/cart/cart.go#L99999").Text(2000, plain), "func")

	c := read("commit/" + commits[1][:10])
	require.Equal(t, "commit "+commits[1][:10]+" of shop with 1 file", c.Label)
	require.Contains(t, c.Text(2000, plain), `modified, +3 -1`)

	folder := read("tree/" + commits[1] + "/cart")
	require.Equal(t, "cart/ at "+commits[1][:7]+" of shop", folder.Label)
	require.Contains(t, folder.Text(2000, plain), "with 1 file.\n\n  cart/cart.go")
	require.Equal(t, "shop has no such folder", read("tree/main/gone").Refused)
	remotetest.RunGit(t, dir, "branch", "release/1.0", commits[0])
	require.Contains(t, read("tree/release/1.0").Label, " at "+commits[0][:7]+" of shop")
	require.Equal(t, "shop has no such folder", read("tree/main/car").Refused)
	require.Contains(t, read("compare/v1...main").Refused, "I do not open pages of its kind")

	for _, name := range []string{".env", "keys/id_rsa", "tls/server.pem", ".npmrc"} {
		require.Contains(t, read("blob/main/"+name).Refused, "hold secrets", name)
	}
	require.Empty(t, read("blob/main/keys/id_rsa.pub").Refused, "control: a public key")
	require.Empty(t, read("blob/main/tls/ca.pem").Refused, "control: a certificate")
	require.Equal(t, "it is no text", read("blob/main/logo").Refused)
	require.Equal(t, "shop has no such file", read("blob/main/gone.go").Refused)
	require.True(t, read("commit/0123456789abcdef").Absent)
	require.Contains(t, read("issues/4").Refused, "the configuration names no git host for shop")
}
