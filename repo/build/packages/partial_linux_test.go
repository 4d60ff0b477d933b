package packages

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
)

// withPrivate adds a package that the registry demands a login for to a manifest and its lock file, and
// returns them.
func withPrivateNode(t *testing.T, lock bool) files {
	t.Helper()
	tree := nodeFiles(t, "")
	const dependencies = `"dependencies":{"left-shop":"1.0.0"`
	require.Contains(t, tree["package.json"], dependencies)
	tree["package.json"] = strings.Replace(tree["package.json"], dependencies,
		dependencies+`,"@acme/ui":"2.0.0"`, 1)
	var all map[string]map[string]map[string]any
	text := []byte(tree["package-lock.json"])
	_ = json.Unmarshal(text, &all) // only packages is of this form
	packages := all["packages"]
	packages[""]["dependencies"] = map[string]string{"left-shop": "1.0.0", "@acme/ui": "2.0.0"}
	packages["node_modules/@acme/ui"] = map[string]any{
		"version": "2.0.0", "resolved": "http://" + registryHost + "/private/@acme/ui/-/ui-2.0.0.tgz",
		"dependencies": map[string]string{"only-for-ui": "1.0.0"},
	}
	packages["node_modules/only-for-ui"] = map[string]any{
		"version":  "1.0.0",
		"resolved": "http://" + registryHost + "/private/only-for-ui/-/only-for-ui-1.0.0.tgz",
	}
	text, err := json.Marshal(map[string]any{
		"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": packages,
	})
	require.NoError(t, err)
	tree["package-lock.json"] = string(text)
	if !lock {
		delete(tree, "package-lock.json")
	}
	return tree
}

// One package that cannot be had does not cost the others, and is named with its host and the cure. Control:
// with nothing missing, all are there.
func TestOnePackageOfMany(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, line string
		tree       files
		lacking    []string
		cure       string
	}{
		"go": {
			"go version", "go build . && ! go build ./private && echo hello",
			files{
				"go.mod": "module example.com/shop\n\ngo 1.24\n\nrequire (\n\texample.com/greet v1.0.0\n" +
					"\tacme.example/lib v1.2.0\n)\n",
				"go.sum": goFiles()["go.sum"] +
					"acme.example/lib v1.2.0 h1:vj9j/u1bqnvCEfJOwUhtlOARqs3+rkHYY13jYWTU97c=\n" +
					"acme.example/lib v1.2.0/go.mod h1:J7Y8YcW2NihsgmVo/mv3lAwl/skON4iLHjSsI+c5H38=\n",
				"a.go":         goFiles()["a.go"],
				"private/a.go": "package private\n\nimport _ \"acme.example/lib\"\n",
			},
			[]string{"acme.example/lib v1.2.0 from packages.example: 401"},
			"write `setup: {auth: [{host: packages.example, token_env: NAME_OF_A_VARIABLE}]}` in the " +
				"configuration",
		},
		"npm": {
			"npm --version", `node -p 'require("left-shop")' && ! node -p 'require("@acme/ui")' 2>/dev/null`,
			withPrivateNode(t, true),
			[]string{
				"@acme/ui 2.0.0 from packages.example: 401",
				"only-for-ui 1.0.0 from packages.example: 401",
			},
			"write `setup: {auth: [{host: packages.example, token_env: NAME_OF_A_VARIABLE}]}` in the " +
				"configuration",
		},
		"npm without a lock file": {
			"npm --version", `node -p 'require("left-shop")' && ! node -p 'require("@acme/ui")' 2>/dev/null`,
			withPrivateNode(t, false),
			[]string{"@acme/ui 2.0.0 from packages.example: 401"},
			"write `setup: {auth: [{host: packages.example, token_env: NAME_OF_A_VARIABLE}]}` in the " +
				"configuration",
		},
		"pip": {
			"python3 -m pip --version", "python3 -c 'import left_shop; print(left_shop.HELLO)'",
			files{"requirements.txt": "left-shop==1.0.0\nacme_lib==3.1.0  # ours\n"},
			[]string{"acme-lib 3.1.0"},
			"`setup.run` in the configuration says how it is done instead, and `setup: off` that it is not",
		},
		"pip, of which nothing can be had": {
			"python3 -m pip --version",
			"python3 -c 'import importlib.metadata as m; print(m.version(\"hello\"), \"hello\")'",
			files{"pyproject.toml": "[project]\nname = 'hello'\nversion = '1.2'\n" +
				"dependencies = ['acme_lib']\n"},
			[]string{"acme-lib"},
			"`setup.run` in the configuration says how it is done instead, and `setup: off` that it is not",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(name, "without") && os.Getenv("BOBBIN_EVERY") == "" {
				// npm takes seconds of processor time; the case with a lock file always runs.
				t.Skip("set BOBBIN_EVERY to try this one, too")
			}
			able(t, box(t), c.tool)
			f, j, r := fetching(t, box(t), c.tree)
			r.Demand("/go/acme.example/", "Bearer "+token)
			r.Demand("/private/", "Bearer "+token)
			r.Demand("/npm/@acme/", "Bearer "+token)
			p, err := f.Fetch(t.Context(), j)
			require.NoError(t, err)
			defer p.Close()
			require.Len(t, p.Missing, 1)
			m := p.Missing[0]
			t.Log(m.Error() + "\n" + m.Output)
			require.Len(t, p.sets, 1, "the others are there")
			var lacking []string
			for _, l := range m.Lacking {
				lacking = append(lacking, l.String())
			}
			require.Equal(t, c.lacking, lacking)
			require.Equal(t, c.cure, m.Cure)
			out, err := run(t, f.Sandbox, p, c.tree, c.line)
			require.NoError(t, err, out)
			require.Contains(t, out, "hello\n")

			// They are not asked for again in the next hour, and then all of them are.
			asked := len(r.Asked())
			again, err := f.Fetch(t.Context(), j)
			require.NoError(t, err)
			defer again.Close()
			require.Equal(t, p.Key(), again.Key())
			require.Equal(t, p.Missing, again.Missing)
			require.Len(t, r.Asked(), asked)
		})
	}
}

// Once the missing package can be had, all packages are fetched: by the next process, or after an hour. What
// is wrong with a login is said.
func TestMissingPackageComes(t *testing.T) {
	t.Parallel()
	able(t, box(t), "npm --version")
	tree := withPrivateNode(t, true)
	f, j, r := fetching(t, box(t), tree)
	f.Roots = r.Roots()
	r.Demand("/private/", "Bearer "+token)
	tree["package-lock.json"] = strings.ReplaceAll(tree["package-lock.json"],
		"http://"+registryHost, "https://"+registryHost)
	j.Config.Env = []string{"npm_config_registry=https://" + registryHost + "/npm/"}
	j.Commits, j.Commit = mirrorOf(t, tree)
	j.Config.Logins = []proxy.Login{{
		Host: registryHost, Token: "another", Name: "the token in NPM_TOKEN",
	}}
	p, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	defer p.Close()
	require.Len(t, p.Missing, 1)
	require.Contains(t, p.Missing[0].Why,
		"@acme/ui 2.0.0 from packages.example: 401: the token in NPM_TOKEN is not accepted")
	require.Equal(t, "renew it, and check that it may read packages there", p.Missing[0].Cure)

	archive, _ := nodePackage(t, "1.0.0")
	r.Give("/private/@acme/ui/-/ui-2.0.0.tgz", archive)
	r.Give("/private/only-for-ui/-/only-for-ui-1.0.0.tgz", archive)
	r.Demand("/private/", "Bearer another")
	same, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	defer same.Close()
	require.Len(t, same.Missing, 1, "the control: within the hour it is not asked for")
	next := &Fetcher{Sandbox: f.Sandbox, Network: f.Network, Roots: f.Roots}
	all := fetch(t, next, j)
	require.NotEqual(t, p.Key(), all.Key())
	out, err := run(t, f.Sandbox, all, tree, `node -p 'require("@acme/ui")'`)
	require.NoError(t, err, out)
}

// What the commands wrote about missing packages is not trusted.
func TestLinesOfMissingPackages(t *testing.T) {
	t.Parallel()
	f := &fetchRun{}
	f.report.Refused = []proxy.Refusal{{Target: packagestest.Elsewhere + ":443"}}
	var found []string
	for _, l := range f.readLacking([]byte(
		"left-pad\t1.3.0\thttps://npm.internal.example/left-pad/-/left-pad-1.3.0.tgz\t401\n" +
			"left-pad\t1.3.0\thttps://npm.internal.example/left-pad/-/left-pad-1.3.0.tgz\t401\n" +
			"a`b\t1\t\tx\n" + "no tabs\n" + "-rf\t\t\t\n" + strings.Repeat("x", 300) + "\t\t\t\n" +
			"@acme/ui\t`1`\t\tHTTP error 403 while getting https://evil.example/x\n" +
			"c\t1.0\thttps://a b/\tE404\n")) {
		found = append(found, l.String())
	}
	require.Equal(t, []string{
		"left-pad 1.3.0 from npm.internal.example: 401",
		"@acme/ui from evil.example: that host is not allowed", "c 1.0: 404",
	}, found)
	require.Equal(t, filepath.Base(partialFolder("/a/b", nil)), filepath.Base(partialFolder("/c/b", nil)))
	require.NotEqual(t, partialFolder("/a/b", nil),
		partialFolder("/a/b", []Missing{{Lacking: []Lacking{{Name: "c"}}}}))
}

func FuzzLacking(f *testing.F) {
	f.Add("left-pad\t1.3.0\thttps://npm.internal.example/left-pad\t401\n")
	f.Add("@acme/ui\t\thttps://[::1]:99999/\tE403 https://a b")
	f.Fuzz(func(t *testing.T, text string) {
		run := &fetchRun{}
		for _, l := range run.readLacking([]byte(text)) {
			require.NotContains(t, l.String(), "`")
			require.NotContains(t, l.String(), "\n")
			require.NotEmpty(t, l.Name)
			require.True(t, l.Host == "" || proxy.CheckHost(l.Host) == nil)
		}
	})
}
