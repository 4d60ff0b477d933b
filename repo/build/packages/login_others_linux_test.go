package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
)

// addCrates serves these versions of left-shop in a sparse registry of cargo that says that it wants a
// login.
func (r registry) addCrates(t *testing.T, versions ...string) {
	t.Helper()
	const at = "https://" + registryHost + "/crates"
	about, err := json.Marshal(map[string]any{
		"dl": at + "/dl/{crate}/{version}/download", "api": at, "auth-required": true,
	})
	require.NoError(t, err)
	r.Give("/crates/index/config.json", about)
	var index []byte
	for _, v := range versions {
		crate := crateOf(t, v)
		line, err := json.Marshal(map[string]any{
			"name": "left-shop", "vers": v, "deps": []string{}, "features": map[string]any{},
			"yanked": false, "cksum": fmt.Sprintf("%x", sha256.Sum256(crate)),
		})
		require.NoError(t, err)
		index = append(append(index, line...), '\n')
		r.Give("/crates/dl/left-shop/"+v+"/download", crate)
	}
	r.Give("/crates/index/le/ft/left-shop", index)
}

// crateOf returns the archive of a version of left-shop.
func crateOf(t *testing.T, version string) []byte {
	t.Helper()
	var crate bytes.Buffer
	z := gzip.NewWriter(&crate)
	w := tar.NewWriter(z)
	hello := "hello" + strings.TrimPrefix(version, "1.0.0")
	for _, f := range [][2]string{
		{"Cargo.toml", "[package]\nname = \"left-shop\"\nversion = \"" + version + "\"\n"},
		{"src/lib.rs", "pub const HELLO: &str = \"" + hello + "\";\n"},
	} {
		require.NoError(t, w.WriteHeader(&tar.Header{
			Name: "left-shop-" + version + "/" + f[0], Mode: 0o644, Size: int64(len(f[1])),
		}))
		_, _ = w.Write([]byte(f[1]))
	}
	require.NoError(t, errors.Join(w.Close(), z.Close()))
	return crate.Bytes()
}

// cargo and bundler get packages of registries that demand a login, and nobody but the registry sees the
// token. Control: with another token they answer 401.
func TestCratesAndGemsWithALogin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, line string
		login      proxy.Login
		header     string
		add        func(registry, *testing.T, ...string)
		tree       files
	}{
		"cargo": {
			"cargo --version && rustc --version", "cargo run -q --offline --target-dir /tmp/t",
			proxy.Login{Token: "Token " + token},
			"Token " + token,
			registry.addCrates,
			files{
				".cargo/config.toml": "[registries.acme-crates]\nindex = \"sparse+https://" + registryHost +
					"/crates/index/\"\n",
				"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"1.0.0\"\nedition = \"2021\"\n" +
					"[dependencies]\nleft-shop = { version = \"1\", registry = \"acme-crates\" }\n",
				"src/main.rs": "fn main() { println!(\"{}\", left_shop::HELLO) }\n",
			},
		},
		"bundler": {
			"bundle --version", `bundle exec ruby -e 'require "left_shop"; puts HELLO'`,
			proxy.Login{User: "ann", Token: token},
			basic("ann"),
			registry.addRuby,
			files{
				"Gemfile": "source 'https://" + registryHost + "/gems/'\ngem 'left_shop'\n",
				"Gemfile.lock": "GEM\n  remote: https://" + registryHost +
					"/gems/\n  specs:\n    left_shop (1.0.0)\n\nPLATFORMS\n  ruby\n\n" +
					"DEPENDENCIES\n  left_shop\n",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			able(t, box(t), c.tool)
			f, j, r := fetching(t, box(t), c.tree)
			c.add(r, t, "1.0.0")
			f.Roots = r.Roots()
			r.Demand("/", c.header)
			c.login.Host = registryHost
			c.login.Name = "the token in NPM_TOKEN"
			j.Config.Env = nil
			j.Config.Logins = []proxy.Login{c.login}
			out, err := run(t, f.Sandbox, fetch(t, f, j), c.tree, c.line)
			require.NoError(t, err, out)
			require.Contains(t, out, "hello\n")
			requireNowhere(t, j, r)

			j.Dir = filepath.Join(t.TempDir(), "wrong")
			j.Config.Logins[0].Token = "another"
			e := failure(t, f, j)
			require.Contains(t, e.Why, registryHost+" answered 401 for ")
			require.Contains(t, e.Why, "the token in NPM_TOKEN is not accepted")
		})
	}
}

// A registry that redirects to another host gets its answer followed without the login, and only where that
// host is allowed.
func TestRedirectsOfCratesAndGems(t *testing.T) {
	t.Parallel()
	able(t, box(t), "bundle --version")
	tree := files{
		"Gemfile": "source 'https://" + registryHost + "/gems/'\ngem 'left_shop'\n",
		"Gemfile.lock": "GEM\n  remote: https://" + registryHost +
			"/gems/\n  specs:\n    left_shop (1.0.0)\n\nPLATFORMS\n  ruby\n\n" +
			"DEPENDENCIES\n  left_shop\n",
	}
	f, j, r := fetching(t, box(t), tree)
	r.addRuby(t, "1.0.0")
	f.Roots = r.Roots()
	const gem = "/gems/gems/left_shop-1.0.0.gem"
	r.Redirect(gem, "https://"+packagestest.Elsewhere+"/store"+gem)
	r.Demand("/gems/", "Bearer "+token)
	j.Config.Env = nil
	j.Config.Logins = []proxy.Login{{Host: registryHost, Token: token}}
	e := failure(t, f, j)
	require.Contains(t, e.Why+e.Cure, packagestest.Elsewhere)
	requireNowhere(t, j, r)
	for _, address := range r.Dialled() {
		require.True(t, strings.HasPrefix(address, "198.41.0.4:"), "nothing was sent to the other host")
	}
}

// A lock file that is too large gets one line, and costs no other package.
func TestLockFileThatIsTooLarge(t *testing.T) {
	t.Parallel()
	tree := goFiles()
	tree["package-lock.json"] = `{"x": "` + strings.Repeat("0123456789abcdef", 60<<16) + `"}`
	f, j, _ := fetching(t, box(t), tree)
	p, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	defer p.Close()
	require.Len(t, p.sets, 1)
	require.Len(t, p.Missing, 1)
	require.Equal(t, "setup: the packages that package-lock.json names: package-lock.json has 60 MB, and at "+
		"most 48 MB are read; `setup.run` in the configuration says how they are fetched instead, and "+
		"`setup: off` that they are not", p.Missing[0].Error())
}
