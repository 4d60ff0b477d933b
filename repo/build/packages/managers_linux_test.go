package packages

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
		"yarn.lock": "# yarn lockfile v1\n\n\nleft-shop@1.0.0:\n  version \"1.0.0\"\n" +
			"  resolved \"http://" + registryHost +
			"/npm/left-shop/-/left-shop-1.0.0.tgz\"\n  integrity " + integrityOf(t) + "\n",
	}, `node -p 'require("left-shop")'`)
	require.False(t, ran(p))
}

func TestPnpm(t *testing.T) {
	t.Parallel()
	able(t, box(t), "pnpm --version")
	lock := "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n" +
		"  excludeLinksFromLockfile: false\n\nimporters:\n\n  .:\n    dependencies:\n      left-shop:\n" +
		"        specifier: 1.0.0\n        version: 1.0.0\n\npackages:\n\n" +
		"  left-shop@1.0.0:\n    resolution: {integrity: " + integrityOf(t) +
		"}\n\nsnapshots:\n\n  left-shop@1.0.0: {}\n"
	// pnpm 10 would first fetch the version that packageManager names, which the registry does not have.
	manifest := strings.Replace(shopManifest, "{", `{"packageManager":"pnpm@9.0.1",`, 1)
	p := installs(t, files{"package.json": manifest, "pnpm-lock.yaml": lock},
		`node -p 'require("left-shop")'`)
	require.False(t, ran(p))
	tree := files{"package.json": manifest}
	tree["package.json"] = strings.Replace(manifest, "{", `{"scripts":{"inner":"pnpm --version"},`, 1)
	_, err := run(t, box(t), p, tree, InstalledPnpm+" pnpm run inner")
	require.NoError(t, err)
	_, err = run(t, box(t), p, tree, "npm_config_manage_package_manager_versions=false pnpm run inner")
	require.Error(t, err, "the control")
	// A workspace without a lock file: each of its folders has its own node_modules.
	installs(t, files{
		"package.json":        `{"name":"all","version":"1.0.0"}`,
		"pnpm-workspace.yaml": "packages: [web]\n",
		"web/package.json":    shopManifest,
	}, `cd web && node -p 'require("left-shop")'`)
}

// The folders of npm's workspaces find the packages of the top folder.
func TestWorkspacesOfNPM(t *testing.T) {
	t.Parallel()
	able(t, box(t), "npm --version")
	installs(t, files{
		"package.json":     `{"name":"all","version":"1.0.0","workspaces":["web"]}`,
		"web/package.json": shopManifest,
	}, `cd web && node -p 'require("left-shop")'`)
}

func TestBundler(t *testing.T) {
	t.Parallel()
	able(t, box(t), "bundle --version")
	for name, tree := range map[string]files{
		"with a lock file": {"Gemfile.lock": "GEM\n  remote: http://" + registryHost +
			"/gems/\n  specs:\n    left_shop (1.0.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  left_shop\n"},
		"without": {},
		"of a gem, whose version is in a file": {
			"VERSION": "1.2\n",
			"shop.gemspec": "Gem::Specification.new('shop', " +
				"File.read(File.expand_path('VERSION', __dir__)).strip) " +
				"{ |s| s.summary = 'x'; s.authors = ['a']; s.add_dependency 'left_shop' }\n",
			"Gemfile":    "source 'http://" + registryHost + "/gems/'\ngemspec\neval_gemfile 'Gemfile.ci'\n",
			"Gemfile.ci": "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree["vendor/javascript/.keep"] = "" // many applications have this folder without gems in it
			if _, ok := tree["Gemfile"]; !ok {
				tree["Gemfile"] = "source 'http://" + registryHost + "/gems/'\ngem 'left_shop'\n"
			}
			f, j, r := fetching(t, box(t), tree)
			r.addRuby(t, "1.0.0")
			out, err := run(t, f.Sandbox, fetch(t, f, j), tree,
				`bundle exec ruby -e 'require "left_shop"; puts HELLO'`)
			require.NoError(t, err, out)
			require.Equal(t, "hello\n", out)
		})
	}
}

// TestComposer has a project whose own code is loaded by the autoloader that composer writes, one with a
// class map of folders that are not there when packages are fetched, and one that wants another PHP.
func TestComposer(t *testing.T) {
	t.Parallel()
	able(t, box(t), "php --version && composer --version")
	const settings = `"repositories": [{"type": "composer", "url": "http://` + registryHost +
		`/composer"}, ` + `{"packagist.org": false}], "config": {"secure-http": false}, `
	for name, manifest := range map[string]string{
		"psr-4": `"require": {"acme/left-shop": "^1"}, "autoload": {"psr-4": {"App\\": "src/"}}`,
		"class map": `"require": {"acme/left-shop": "^1"}, ` +
			`"autoload": {"classmap": ["lib/", "one/Two.php"], "psr-4": {"App\\": "src"}}`,
		"another PHP": `"require": {"php": ">=99", "acme/left-shop": "1.0.0"}, ` +
			`"autoload-dev": {"psr-4": {"App\\": "src/"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := files{
				"composer.json": "{" + settings + manifest + "}",
				"src/Shop.php":  "<?php namespace App; class Shop { const NAME = 'shop'; }\n",
			}
			f, j, r := fetching(t, box(t), tree)
			r.addPHP(t)
			out, err := run(t, f.Sandbox, fetch(t, f, j), tree,
				`php -r 'require "vendor/autoload.php"; echo left_shop(), " ", App\Shop::NAME;'`)
			require.NoError(t, err, out)
			require.Equal(t, "hello shop", out)
		})
	}
}

// TestComposerFromAFolder has packages in a folder of the repository, to which composer links.
func TestComposerFromAFolder(t *testing.T) {
	t.Parallel()
	able(t, box(t), "composer --version && php --version")
	tree := files{
		"composer.json": `{"name": "acme/shop", "require": {"acme/money": "*"},
			"repositories": [{"type": "path", "url": "libs/money"}, {"packagist.org": false}],
			"autoload": {"psr-4": {"Shop\\": "src/"}}}`,
		"libs/money/composer.json": `{"name": "acme/money", "version": "1.2.0",
			"autoload": {"psr-4": {"Money\\": "src/"}}}`,
		"libs/money/src/Cent.php": "<?php namespace Money; class Cent { const NAME = 'cent'; }\n",
		"src/Cart.php":            "<?php namespace Shop; class Cart { const UNIT = \\Money\\Cent::NAME; }\n",
		"test.php":                "<?php require 'vendor/autoload.php'; echo Shop\\Cart::UNIT, \"\\n\";\n",
	}
	f, j, _ := fetching(t, box(t), tree)
	out, err := run(t, f.Sandbox, fetch(t, f, j), tree, "php test.php")
	require.NoError(t, err, out)
	require.Equal(t, "cent\n", out)
	out, err = run(t, f.Sandbox, nil, tree, "php test.php")
	require.Error(t, err, "the control: %s", out)
}

// addPHP serves acme/left-shop 1.0.0 as a repository of composer.
func (r registry) addPHP(t *testing.T) {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("left-shop-1/hello.php")
	require.NoError(t, err)
	_, err = w.Write([]byte("<?php function left_shop() { return 'hello'; }\n"))
	require.NoError(t, errors.Join(err, z.Close()))
	r.Give("/composer/left-shop.zip", archive.Bytes())
	r.Give("/composer/packages.json", []byte(`{"packages": {"acme/left-shop": {"1.0.0": {
		"name": "acme/left-shop", "version": "1.0.0", "autoload": {"files": ["hello.php"]},
		"dist": {"type": "zip", "url": "http://`+registryHost+`/composer/left-shop.zip"}
	}}}}`))
}

// addRuby serves these versions of left_shop as gems, with an index in the format of rubygems.org.
func (r registry) addRuby(t *testing.T, versions ...string) {
	t.Helper()
	dir := t.TempDir()
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return text
	}
	sh := func(line string) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "lib"), 0o755))
	var specs []string
	for _, v := range versions {
		hello := "HELLO = 'hello" + strings.TrimPrefix(v, "1.0.0") + "'\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "lib", "left_shop.rb"), []byte(hello), 0o644))
		spec := "Gem::Specification.new { |s| s.name = 'left_shop'; s.version = '" + v + "'; " +
			"s.summary = 'x'; s.authors = ['a']; s.files = ['lib/left_shop.rb'] }\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "left_shop.gemspec"), []byte(spec), 0o644))
		sh(`gem build left_shop.gemspec && ruby -rzlib -e 's = Gem::Specification.load("left_shop.gemspec")
File.binwrite("quick", Zlib::Deflate.deflate(Marshal.dump(s)))'`)
		r.Give("/gems/gems/left_shop-"+v+".gem", read("left_shop-"+v+".gem"))
		r.Give("/gems/quick/Marshal.4.8/left_shop-"+v+".gemspec.rz", read("quick"))
		specs = append(specs, `["left_shop", Gem::Version.new("`+v+`"), "ruby"]`)
	}
	sh(`ruby -e 'File.binwrite("specs", Marshal.dump([` + strings.Join(specs, ", ") +
		`])); File.binwrite("none", Marshal.dump([]))'`)
	for name, file := range map[string]string{"specs": "specs", "prerelease_specs": "none"} {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, _ = z.Write(read(file))
		require.NoError(t, z.Close())
		r.Give("/gems/"+name+".4.8.gz", out.Bytes())
	}
}
