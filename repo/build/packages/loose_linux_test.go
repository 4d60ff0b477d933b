package packages

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// resolvedOnce checks that versions without a lock file are resolved once. A session keeps them whatever is
// published later, even if the packages are removed in the meantime. A session that begins in a later week
// gets the newer versions.
func resolvedOnce(t *testing.T, tree files, line string, publish func(registry)) {
	t.Helper()
	f, j, r := fetching(t, box(t), tree)
	j.Config.Began = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	var resolved []string
	says := func(want string, fresh bool) {
		t.Helper()
		p := fetch(t, f, j)
		require.Equal(t, fresh, p.Fetched)
		out, err := run(t, f.Sandbox, p, tree, line)
		require.NoError(t, err, out)
		require.Equal(t, want+"\n", out)
		resolved = p.Resolved()
		p.Close()
	}
	says("hello", true)
	publish(r)
	says("hello", false)
	for _, k := range List(j.Dir) {
		gone, err := k.Remove()
		require.NoError(t, err)
		require.True(t, gone)
	}
	says("hello", true)
	j.Config.Began = j.Config.Began.Add(freshFor)
	old, err := filepath.Glob(filepath.Join(j.Dir, "*"+pinsSuffix))
	require.NoError(t, err)
	require.Len(t, old, 1)
	require.NoError(t, os.Chtimes(old[0], time.Time{}, time.Now().Add(-2*oldPins)))
	says("hello1.1.0", true)
	require.NoDirExists(t, old[0], "nothing was fetched by it for long")
	require.Len(t, resolved, 1, "what its tools would write")
}

func TestNodePackagesWithoutALockFile(t *testing.T) {
	t.Parallel()
	able(t, box(t), "node --version && npm --version")
	resolvedOnce(t,
		files{"package.json": `{"name":"shop","version":"1.0.0","devDependencies":{"left-shop":"^1.0.0"}}`},
		`node -p 'require("left-shop")' && test ! -e package-lock.json`,
		func(r registry) { r.addNode(t, "1.0.0", "1.1.0") })
}

func TestPythonPackagesWithoutALockFile(t *testing.T) {
	t.Parallel()
	able(t, box(t), "python3 -m pip --version")
	resolvedOnce(t,
		files{"pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\ndependencies = ['left-shop>=1']\n"},
		`python3 -c 'import left_shop; print(left_shop.HELLO)' && test ! -e bobbin-exact.txt`,
		func(r registry) { r.addPython(t, "1.0.0", "1.1.0") })
}

// pip uses the lock file of another manager, and a requirements file may name the project itself, whose
// version and commands are found as if it were installed.
func TestPythonLockFiles(t *testing.T) {
	t.Parallel()
	able(t, box(t), "python3 -m pip --version")
	for name, text := range map[string]string{
		"poetry.lock": "[[package]]\nname = \"left-shop\"\nversion = \"1.0.0\"\n",
		"uv.lock": "version = 1\n[[package]]\nname = \"shop\"\nversion = \"9\"\n" +
			"source = { editable = \".\" }\n[[package]]\nname = \"left-shop\"\nversion = \"1.0.0\"\n" +
			"source = { registry = \"https://pypi.org/simple\" }\n",
	} {
		tree := files{
			name:                   text,
			"requirements-dev.txt": "-e .[dev]\n",
			"pyproject.toml": "[project]\nname = 'shop'\nversion = '9'\nscripts = {hello = 'a:hello'}\n" +
				"[project.optional-dependencies]\ndev = ['left-shop']\n",
			"a.py": "def hello():\n  import left_shop; print(left_shop.HELLO)\n",
		}
		f, j, r := fetching(t, box(t), tree)
		r.addPython(t, "1.0.0", "1.1.0")
		out, err := run(t, f.Sandbox, fetch(t, f, j), tree,
			`PYTHONPATH=.:$PYTHONPATH hello &&
			python3 -c 'import importlib.metadata as m; print(m.version("shop"))'`)
		require.NoError(t, err, out)
		require.Equal(t, "hello\n9\n", out)
	}
}

// If packages for development cannot be fetched, the other packages still are.
func TestPythonPackagesForTestsAlone(t *testing.T) {
	t.Parallel()
	able(t, box(t), "python3 -m pip --version")
	installs(t, files{
		"setup.cfg":            "[options]\ninstall_requires = left-shop\n",
		"requirements-dev.txt": "old-shop\n",
	}, `python3 -c 'import left_shop; print(left_shop.HELLO)'`)
}

func TestGoModulesWithoutSums(t *testing.T) {
	t.Parallel()
	tree := goFiles()
	delete(tree, "go.sum")
	f, j, _ := fetching(t, box(t), tree)
	out, err := run(t, f.Sandbox, fetch(t, f, j), tree, "go build ./... && test ! -e go.sum && echo built")
	require.NoError(t, err, out)
	require.Equal(t, "built\n", out)
}
