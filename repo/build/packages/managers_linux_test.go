package packages

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// integrityOf returns the integrity value of the package in the lock files of Node.
func integrityOf(t *testing.T) string {
	t.Helper()
	_, integrity := nodePackage(t, "1.0.0")
	return integrity
}

const shopManifest = `{"name":"shop","version":"1.0.0","dependencies":{"left-shop":"1.0.0"}}`

// installs fetches the packages of a tree and runs a line with them, which must print hello.
func installs(t *testing.T, tree files, line string) *Packages {
	t.Helper()
	f, j, _ := fetching(t, box(t), tree)
	p := fetch(t, f, j)
	out, err := run(t, f.Sandbox, p, tree, line)
	require.NoError(t, err, out)
	require.Equal(t, "hello\n", out)
	return p
}

func TestYarn(t *testing.T) {
	t.Parallel()
	able(t, box(t), "yarn --version")
	p := installs(t, files{
		"package.json": shopManifest,
		"yarn.lock":    "# yarn lockfile v1\n\n\nleft-shop@1.0.0:\n  version \"1.0.0\"\n  resolved \"http://" + registryHost + "/npm/left-shop/-/left-shop-1.0.0.tgz\"\n  integrity " + integrityOf(t) + "\n",
	}, `node -p 'require("left-shop")'`)
	require.False(t, ran(p))
}

func TestPnpm(t *testing.T) {
	t.Parallel()
	able(t, box(t), "pnpm --version")
	lock := "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n  excludeLinksFromLockfile: false\n\nimporters:\n\n  .:\n    dependencies:\n      left-shop:\n        specifier: 1.0.0\n        version: 1.0.0\n\npackages:\n\n" +
		"  left-shop@1.0.0:\n    resolution: {integrity: " + integrityOf(t) + "}\n\nsnapshots:\n\n  left-shop@1.0.0: {}\n"
	p := installs(t, files{"package.json": shopManifest, "pnpm-lock.yaml": lock}, `node -p 'require("left-shop")'`)
	require.False(t, ran(p))
	// A workspace without a lock file: each of its folders has its own node_modules.
	installs(t, files{
		"package.json": `{"name":"all","version":"1.0.0"}`, "pnpm-workspace.yaml": "packages: [web]\n", "web/package.json": shopManifest,
	}, `cd web && node -p 'require("left-shop")'`)
}

// The folders of npm's workspaces find the packages of the top folder.
func TestWorkspacesOfNPM(t *testing.T) {
	t.Parallel()
	able(t, box(t), "npm --version")
	installs(t, files{
		"package.json": `{"name":"all","version":"1.0.0","workspaces":["web"]}`, "web/package.json": shopManifest,
	}, `cd web && node -p 'require("left-shop")'`)
}

func TestBundler(t *testing.T) {
	t.Parallel()
	able(t, box(t), "bundle --version")
	for name, tree := range map[string]files{
		"with a lock file": {"Gemfile.lock": "GEM\n  remote: http://" + registryHost + "/gems/\n  specs:\n    left_shop (1.0.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  left_shop\n"},
		"without":          {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree["vendor/javascript/.keep"] = "" // many applications have this folder without gems in it
			tree["Gemfile"] = "source 'http://" + registryHost + "/gems/'\ngem 'left_shop'\n"
			f, j, r := fetching(t, box(t), tree)
			r.addRuby(t)
			out, err := run(t, f.Sandbox, fetch(t, f, j), tree, `bundle exec ruby -e 'require "left_shop"; puts HELLO'`)
			require.NoError(t, err, out)
			require.Equal(t, "hello\n", out)
		})
	}
}

// addRuby serves left_shop as a gem, with an index in the format of rubygems.org.
func (r registry) addRuby(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	sh := func(line string) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "lib"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lib", "left_shop.rb"), []byte("HELLO = 'hello'\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "left_shop.gemspec"), []byte("Gem::Specification.new { |s| s.name = 'left_shop'; s.version = '1.0.0'; s.summary = 'x'; s.authors = ['a']; s.files = ['lib/left_shop.rb'] }\n"), 0o644))
	sh("gem build left_shop.gemspec && mkdir -p index/gems && cp left_shop-1.0.0.gem index/gems")
	text, err := os.ReadFile(filepath.Join(dir, "left_shop-1.0.0.gem"))
	require.NoError(t, err)
	r.Give("/gems/gems/left_shop-1.0.0.gem", text)
	sh(`ruby -rzlib -e 's = Gem::Specification.load("left_shop.gemspec"); File.binwrite("quick", Zlib::Deflate.deflate(Marshal.dump(s)))
i = Marshal.dump([["left_shop", Gem::Version.new("1.0.0"), "ruby"]]); File.binwrite("specs", i); File.binwrite("none", Marshal.dump([]))'`)
	for name, file := range map[string]string{"/gems/quick/Marshal.4.8/left_shop-1.0.0.gemspec.rz": "quick", "specs": "specs", "prerelease_specs": "none"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		if file != "quick" {
			var out bytes.Buffer
			z := gzip.NewWriter(&out)
			_, _ = z.Write(text)
			require.NoError(t, z.Close())
			name, text = "/gems/"+name+".4.8.gz", out.Bytes()
		}
		r.Give(name, text)
	}
}
