package packages

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/proxy"
)

// written writes files into a folder.
func written(t *testing.T, tree files) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tree {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// A bumpCase is a change of a version, and what comes of it.
type bumpCase struct {
	tool          string // says whether the package manager is installed
	tree          files
	bump          Bump
	changed       []string
	versions      string
	line          string // prints before with the old package, and after with the new one
	before, after string
}

func bumpCases(t *testing.T) map[string]bumpCase {
	crates := "sparse+https://" + registryHost + "/crates/index/"
	return map[string]bumpCase{
		"go": {
			"go version",
			goFiles(),
			Bump{Package: "example.com/greet", Version: "1.1.0"},
			[]string{"go.mod", "go.sum"},
			"example.com/greet v1.0.0 → v1.1.0",
			"cat $GOMODCACHE/example.com/greet@*/greet.go | grep Hello",
			`"hello"`, `"hello from v1.1.0"`,
		},
		"npm": {
			"npm --version",
			nodeFiles(t, "web/"),
			Bump{Package: "left-shop", Version: "1.1.0"},
			[]string{"web/package-lock.json", "web/package.json"},
			"left-shop 1.0.0 → 1.1.0",
			`cd web && node -p 'require("left-shop")'`,
			"hello", "hello1.1.0",
		},
		"requirements": {
			"python3 -m pip --version",
			files{"requirements.txt": "# ours\nLeft_Shop==1.0.0  # fixed\n"},
			Bump{Package: "left-shop", Version: "1.1.0"},
			[]string{"requirements.txt"},
			"Left_Shop 1.0.0 → 1.1.0",
			"python3 -c 'import left_shop; print(left_shop.HELLO)'",
			"hello", "hello1.1.0",
		},
		"cargo": {
			"cargo --version && rustc --version",
			files{
				".cargo/config.toml": "[registries.acme]\nindex = \"" + crates + "\"\n",
				"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"1.0.0\"\nedition = \"2021\"\n" +
					"[dependencies]\nleft-shop = { version = \"1\", registry = \"acme\" }\n",
				"Cargo.lock": "version = 3\n\n[[package]]\nname = \"left-shop\"\nversion = \"1.0.0\"\n" +
					"source = \"" + crates + "\"\nchecksum = \"" +
					fmt.Sprintf("%x", sha256.Sum256(crateOf(t, "1.0.0"))) + "\"\n\n[[package]]\n" +
					"name = \"shop\"\nversion = \"1.0.0\"\ndependencies = [\n \"left-shop\",\n]\n",
				"src/main.rs": "fn main() { println!(\"{}\", left_shop::HELLO) }\n",
			},
			Bump{Package: "left-shop", Version: "1.1.0"},
			[]string{"Cargo.lock"},
			"left-shop 1.0.0 → 1.1.0",
			"cargo run -q --offline --target-dir /tmp/t",
			"hello", "hello1.1.0",
		},
		"bundler": {
			"bundle --version",
			files{
				"Gemfile": "source 'http://" + registryHost + "/gems/'\ngem 'left_shop', '~> 1.0'\n",
				"Gemfile.lock": "GEM\n  remote: http://" + registryHost + "/gems/\n  specs:\n" +
					"    left_shop (1.0.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  left_shop (~> 1.0)\n",
			},
			Bump{Package: "left_shop", Version: "1.1.0"},
			[]string{"Gemfile", "Gemfile.lock"},
			"left_shop 1.0.0 → 1.1.0",
			`bundle exec ruby -e 'require "left_shop"; puts HELLO'`,
			"hello", "hello1.1.0",
		},
	}
}

// The package manager writes another version into manifest and lock file; the packages of the new lock file
// are mounted for trees that have it, and those of the base for all others.
func TestBump(t *testing.T) {
	t.Parallel()
	for name, c := range bumpCases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			able(t, box(t), c.tool)
			f, j, r := fetching(t, box(t), c.tree)
			r.addNode(t, "1.0.0", "1.1.0")
			r.addPython(t, "1.0.0", "1.1.0")
			require.NoError(t, r.AddVersion("v1.1.0"))
			switch name {
			case "cargo":
				r.addCrates(t, "1.0.0", "1.1.0")
				f.Roots = r.Roots()
				j.Config.Logins = []proxy.Login{{Host: registryHost, Token: token}}
			case "bundler":
				r.addRuby(t, "1.0.0", "1.1.0")
			}
			p := fetch(t, f, j)
			next := bumped(t, f, j, p, c, name != "cargo") // Cargo.lock does not say what is direct
			for want, tree := range map[string]files{c.before: c.tree, c.after: next} {
				out, err := run(t, f.Sandbox, p, tree, c.line)
				require.NoError(t, err, out)
				require.Contains(t, out, want+"\n")
			}
			asked := len(r.Asked())
			reopened(t, f, j, c, next)
			require.Len(t, r.Asked(), asked)
		})
	}
}

// bumped changes the version, and returns the tree as it is then.
func bumped(t *testing.T, f *Fetcher, j Job, p *Packages, c bumpCase, direct bool) files {
	t.Helper()
	b, err := f.Bump(t.Context(), j, os.DirFS(written(t, c.tree)), c.bump, p)
	var told *BumpError
	if errors.As(err, &told) {
		t.Log(told.Output)
	}
	require.NoError(t, err)
	require.Empty(t, b.Missing)
	var changed, versions []string
	next := maps.Clone(c.tree)
	for file, text := range b.Files {
		changed = append(changed, file)
		next[file] = string(text)
	}
	require.ElementsMatch(t, c.changed, changed)
	for _, v := range b.Versions {
		require.Equal(t, direct, v.Direct)
		versions = append(versions, v.String())
	}
	require.Equal(t, c.versions, strings.Join(versions, ", "))
	return next
}

// reopened looks for the packages as the next turn does: they are there again without the network. The
// control is the base's files, for which nothing is added.
func reopened(t *testing.T, f *Fetcher, j Job, c bumpCase, next files) {
	t.Helper()
	later, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	defer later.Close()
	require.NoError(t, f.Reopen(t.Context(), j, os.DirFS(written(t, c.tree)), later))
	require.Empty(t, later.changed)
	require.NoError(t, f.Reopen(t.Context(), j, os.DirFS(written(t, next)), later))
	out, err := run(t, f.Sandbox, later, next, c.line)
	require.NoError(t, err, out)
	require.Contains(t, out, c.after+"\n")
}

// What cannot be changed gets one line, and nothing runs for it.
func TestBumpsThatCannotBe(t *testing.T) {
	t.Parallel()
	tree := goFiles()
	tree["web/package.json"] = nodeFiles(t, "")["package.json"]
	tree["web/package-lock.json"] = nodeFiles(t, "")["package-lock.json"]
	tree["shop/Gemfile.lock"] = "GEM\n  specs:\n    rake (13.0.0)\n"
	f, j, _ := fetching(t, box(t), tree)
	p := &Packages{}
	for want, b := range map[string]Bump{
		`"left-shop" is no name of a package of a go project`: {
			Package: "left-shop", Version: "1.1.0", Folder: "/",
		},
		`"$(id)" is no name of a package of a`:    {Package: "$(id)", Version: "1.0.0"},
		`"--global" is no name of a package of a`: {Package: "--global", Version: "1.0.0"},
		`"1.0.0; id" is no exact version, such as 4.17.21`: {
			Package: "left-shop", Version: "1.0.0; id", Folder: "web",
		},
		`"latest" is no exact version`: {
			Package: "left-shop", Version: "latest", Folder: "web",
		},
		"no lock file or manifest that can be changed here names lodash": {
			Package: "lodash", Version: "4.17.21",
		},
	} {
		_, err := f.Bump(t.Context(), j, os.DirFS(written(t, tree)), b, p)
		var told *BumpError
		require.ErrorAs(t, err, &told, want)
		require.Contains(t, told.Why, want)
	}
	_, err := f.Bump(t.Context(), j, os.DirFS(t.TempDir()), Bump{Package: "a", Version: "1"}, nil)
	require.ErrorContains(t, err, "no packages are fetched")
}

// A request names a package and a version only if they stand there as words.
func TestMentions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, name string
		want       bool
	}{
		{"Please bump lodash to 4.17.21.", "lodash", true},
		{"Please bump lodash to 4.17.21.", "4.17.21", true},
		{"Please bump lodash to v4.17.21", "4.17.21", true},
		{"bump lodash to 4.17.210", "4.17.21", false},
		{"bump lodash to 14.17.21", "4.17.21", false},
		{"bump lodash to 4.17.21.1", "4.17.21", false},
		{"bump lodash to 2.4.17", "4.17", false},
		{"bump lodash-es", "lodash", false},
		{"bump @types/lodash", "lodash", false},
		{"bump `@types/lodash`", "@types/lodash", true},
		{"bump example.com/greet/v2", "example.com/greet", false},
		{"", "lodash", false},
		{"lodash", "", false},
	} {
		require.Equal(t, c.want, Mentions(c.text, c.name), c.text)
	}
}
