package project

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// nodeWorkspace is a workspace in which web depends on cart, and cart on money; docs is tested by nothing.
func nodeWorkspace(test string) files {
	return files{
		"package.json":                `{"workspaces": ["packages/*"], "scripts": {"test": "` + test + `"}}`,
		"packages/money/package.json": `{"name": "@shop/money", "scripts": {"test": "jest"}}`,
		"packages/cart/package.json": `{"name": "@shop/cart", "scripts": {"test": "jest"}, ` +
			`"dependencies": {"@shop/money": "*"}}`,
		"packages/web/package.json": `{"name": "@shop/web", "scripts": {"test": "jest"}, ` +
			`"devDependencies": {"@shop/cart": "workspace:*"}}`,
		"packages/docs/package.json":  `{"name": "@shop/docs", "devDependencies": {"@shop/cart": "*"}}`,
		"packages/other/package.json": `{"name": "@shop/other", "scripts": {"test": "jest"}}`,
		"scripts/build.js":            "x",
	}
}

var (
	cargoFiles = files{
		"Cargo.toml":              "[workspace]\nmembers = [\"crates/*\"]\n",
		"crates/money/Cargo.toml": "[package]\nname = \"money\"\n",
		"crates/cart/Cargo.toml": "[package]\nname = \"cart\"\n\n" +
			"[dependencies]\nmoney = { path = \"../money\" }\n",
		"crates/web/Cargo.toml": "[package]\nname = \"web\"\n\n[dependencies]\nserde = \"1\"\n",
	}
	pythonFolders = files{
		"libs/money/pyproject.toml": "[project]\nname = \"money\"\n",
		"libs/cart/pyproject.toml":  "[project]\nname = \"cart\"\ndependencies = [\"money>=1\", \"attrs\"]\n",
		"apps/web/pyproject.toml":   "[project]\nname = \"web\"\ndependencies = [\"attrs\"]\n",
	}
)

// workspaceCases are workspaces, a changed file in each, and the parts of the tests.
var workspaceCases = []struct {
	name    string
	files   files
	project Project
	changed string
	want    Parts
}{
	{
		"npm", nodeWorkspace("npm test --workspaces"),
		Project{Kind: "node", Test: "npm test"},
		"packages/cart/src/a.ts",
		Parts{Near: "npm test --if-present -w '@shop/cart' -w '@shop/web'"},
	},
	{
		"pnpm", nodeWorkspace("pnpm -r test"),
		Project{Kind: "node", Test: "pnpm test"},
		"packages/money/a.ts",
		Parts{Near: "pnpm --filter '@shop/money' --filter '@shop/cart' --filter '@shop/web' test"},
	},
	{
		"yarn", nodeWorkspace("turbo run test"),
		Project{Kind: "node", Test: "yarn test"},
		"packages/web/a.ts",
		Parts{Near: "yarn workspace '@shop/web' run test"},
	},
	{
		"one jest for all", nodeWorkspace("jest"),
		Project{Kind: "node", Test: "npm test -- --verbose"},
		"packages/web/a.ts",
		Parts{Near: "npm test -- --verbose --bail 'packages/web'"},
	},
	{
		"a script of the top", nodeWorkspace("pnpm -r test"),
		Project{Kind: "node", Test: "pnpm test"},
		"scripts/build.js",
		Parts{},
	},
	{
		"a script that is no runner of packages", nodeWorkspace("node run.js"),
		Project{Kind: "node", Test: "npm test"},
		"packages/web/a.ts",
		Parts{},
	},
	{
		"cargo", cargoFiles,
		Project{Kind: "rust", Test: "cargo test --no-fail-fast --workspace"},
		"crates/money/src/lib.rs",
		Parts{
			Near: "cargo test --no-fail-fast -p 'money' -p 'cart'",
			Rest: "cargo test --no-fail-fast --workspace --exclude 'money' --exclude 'cart'",
		},
	},
	{
		"cargo with tests that are chosen", cargoFiles,
		Project{Kind: "rust", Test: "cargo test x"},
		"crates/money/src/lib.rs",
		Parts{},
	},
	{
		"pytest", pythonFolders,
		Project{Kind: "python", Test: "python3 -m pytest -q"},
		"libs/money/money/a.py",
		Parts{Near: "python3 -m pytest -q -x 'libs/money' 'libs/cart'"},
	},
	{
		"a pattern", nodeWorkspace("x"),
		Project{Kind: "node", Test: "npm test", NearBy: "pnpm run-tests --only {packages} -- {files}"},
		"packages/web/it's.ts",
		Parts{Near: `pnpm run-tests --only '@shop/web' -- 'packages/web/it'\''s.ts'`},
	},
	{
		"a pattern in Go",
		files{},
		Project{Kind: "go", Test: "make test", NearBy: "go test -tags x {packages}"},
		"cart/a.go",
		Parts{Near: "go test -tags x './cart'"},
	},
	{"a pattern and no code", files{}, Project{NearBy: "t {files}"}, "README.md", Parts{}},
}

// TestWorkspacesAreTestedByPackageFirst checks the tests of the package of the change, and of those that
// depend on it.
func TestWorkspacesAreTestedByPackageFirst(t *testing.T) {
	t.Parallel()
	for _, c := range workspaceCases {
		parts, ok := c.project.NearFirst(treeOf(c.files), []string{c.changed, "docs/a.md"})
		require.Equal(t, c.want, parts, c.name)
		require.Equal(t, c.want != Parts{}, ok, c.name)
	}
	near, ok := Project{Kind: "node", NearBy: "t {files}"}.Near([]string{"a.test.ts"}, nil)
	require.True(t, ok)
	require.Equal(t, "t 'a.test.ts'", near.Test)
	_, ok = Project{Kind: "node", NearBy: "t {packages}"}.Near([]string{"a.test.ts"}, nil)
	require.False(t, ok, "the packages are not known without the tree")
}
