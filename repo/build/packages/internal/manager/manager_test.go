package manager

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// find calls FindIn for a folder with these files.
func find(t testing.TB, kind string, tree map[string]string) (Find, bool) {
	t.Helper()
	var bases []string
	for base := range tree {
		bases = append(bases, base)
	}
	f, is, err := FindIn(kind, bases, func(base string) (string, error) { return tree[base], nil })
	require.NoError(t, err)
	return f, is
}

func TestFindIn(t *testing.T) {
	t.Parallel()
	const deps = `{"devDependencies":{"a":"1"}}`
	for _, c := range []struct {
		kind  string
		tree  map[string]string
		want  string // the manager and its files; empty: no packages
		exact bool
		is    bool
	}{
		{"node", map[string]string{"package.json": deps}, "npm package.json", false, true},
		{"node", map[string]string{"package.json": `{"workspaces":["a"]}`}, "npm package.json", false, true},
		{
			"node",
			map[string]string{"package.json": `{"scripts":{"test":"cd web && npm test"}}`},
			"", false,
			false,
		},
		{"node", map[string]string{"package.json": "{"}, "", false, false},
		{
			"node",
			map[string]string{"package.json": deps, "package-lock.json": "{}"},
			"npm package-lock.json", true, true,
		},
		{"node", map[string]string{"package.json": deps, "yarn.lock": ""}, "yarn yarn.lock", true, true},
		{
			"node",
			map[string]string{"package.json": deps, "pnpm-lock.yaml": ""},
			"pnpm pnpm-lock.yaml",
			true, true,
		},
		{
			"node",
			map[string]string{"package.json": deps, "pnpm-workspace.yaml": ""},
			"pnpm pnpm-workspace.yaml", false, true,
		},
		{"go", map[string]string{"go.mod": "module x\n"}, "", false, true},
		{"go", map[string]string{"go.mod": "module x\nrequire a v1\n"}, "go go.mod", false, true},
		{
			"python",
			map[string]string{"pyproject.toml": "[tool.black]\n", "requirements.txt": ""},
			"",
			false, false,
		},
		{
			"python",
			map[string]string{"pyproject.toml": "[project]\ndependencies = []\n", "setup.py": "setup()"},
			"pip pyproject.toml",
			false,
			true,
		},
		{
			"python",
			map[string]string{"requirements.txt": "# all\na==1\nb==2 \\\n  --hash=x\n"},
			"pip requirements.txt", true, true,
		},
		{
			"python",
			map[string]string{"requirements.txt": "a==1\n", "test-requirements.txt": "b\n"},
			"pip requirements.txt test-requirements.txt", false, true,
		},
		{
			"python",
			map[string]string{"uv.lock": "", "pyproject.toml": "dependencies"},
			"pip uv.lock", true,
			true,
		},
		{"rust", map[string]string{"Cargo.toml": "[dependencies]\n"}, "cargo Cargo.toml", false, true},
		{"ruby", map[string]string{"Gemfile": "", "Gemfile.lock": ""}, "bundler Gemfile.lock", true, true},
		{"java", map[string]string{"pom.xml": ""}, "maven pom.xml", true, true},
		{"java", map[string]string{"build.gradle.kts": ""}, "gradle build.gradle.kts", true, true},
	} {
		f, is := find(t, c.kind, c.tree)
		require.Equal(t, c.is, is, c.tree)
		if c.want == "" {
			require.Empty(t, f.Files, c.tree)
			continue
		}
		require.Equal(t, c.want, strings.Join(append([]string{f.Manager.Name}, f.Files...), " "), c.tree)
		require.Equal(t, c.exact, f.Exact, c.tree)
	}
}

// FuzzFindIn checks that manifests with any content are read the same way twice, and that no part of them
// gets into the command line.
func FuzzFindIn(f *testing.F) {
	f.Add("package.json", `{"dependencies":{"a":"1"}}`)
	f.Add("requirements.txt", "a==1\n")
	f.Add("composer.json", `{"require":{"a/b":"1"},"autoload":{}}`)
	f.Fuzz(func(t *testing.T, base, text string) {
		for _, kind := range Kinds() {
			one, is := find(t, kind, map[string]string{base: text})
			two, same := find(t, kind, map[string]string{base: text})
			require.Equal(t, is, same)
			require.Equal(t, one.Files, two.Files)
			if len(one.Files) > 0 {
				require.Equal(t, one.Manager.Fetch(nil, one.Exact), one.Manager.Fetch(one.Files, one.Exact))
			}
		}
	})
}

func TestGitHostsOfTheGoCommand(t *testing.T) {
	t.Parallel()
	require.Contains(t, Environment(nil), "GOVCS=*:off")
	require.Contains(t, Environment([]string{"git.example", "npm.example:4873"}),
		"GOVCS=git.example:git,*:off")
}

func TestFoldersAside(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"docs", "_examples/tls", "a/Examples/b", "website", "test/fixtures/x"} {
		require.True(t, IsExampleFolder(dir), dir)
	}
	for _, dir := range []string{"", "web", "api/v1", "docserver", "cmd/demo-server"} {
		require.False(t, IsExampleFolder(dir), dir)
	}
}

// pythonTrees are the files of Python projects, the requirements that are read in them, and the versions that
// they pin.
var pythonTrees = map[string]struct {
	tree          map[string]string
	wanted, exact []string
}{
	"pyproject": {
		map[string]string{
			"pyproject.toml": "[project]\ndependencies = ['a>=1', 'b; python_version < \"4\"']\n" +
				"[project.optional-dependencies]\ntest = ['c']\ndocs = ['d']\n[dependency-groups]\n" +
				"dev = ['e', {include-group = 'lint'}]\nlint = ['f']\n[tool.pytest.ini_options]\n",
		},
		[]string{`a>=1`, `b; python_version < "4"`, "c", "e", "f", "pytest"},
		nil,
	},
	"poetry": {
		map[string]string{
			"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3.9'\na = '^1.2.3'\n" +
				"b = {version = '~2.1', extras = ['x'], optional = false}\nc = '*'\n" +
				"d = {path = '../d'}\ne = {git = 'https://git.example/e.git', rev = 'abc'}\n" +
				"z = '^0.3'\n[tool.poetry.group.dev.dependencies]\npytest = '8.1'\n" +
				"[tool.poetry.group.docs.dependencies]\nsphinx = '*'\n",
			"poetry.lock": "[[package]]\nname = \"A\"\nversion = \"1.2.9\"\n[[package]]\n" +
				"name = \"e\"\nversion = \"1\"\n[package.source]\ntype = \"git\"\nurl = \"x\"\n",
		},
		[]string{
			"a>=1.2.3,<2", "b[x]>=2.1,<2.2", "c", "e @ git+https://git.example/e.git@abc", "z>=0.3,<0.4",
			"pytest==8.1",
		},
		[]string{"a==1.2.9"},
	},
	"setup.py": {
		map[string]string{"setup.py": "import os\nfrom setuptools import setup\nos.mkdir('ran')\n" +
			"BASE = ['a>1']\nsetup(name='x', install_requires=BASE + ['b'], extras_require={'test': " +
			"['c'], 'docs': ['d']}, tests_require=open('x').read())\n"},
		[]string{"a>1", "b", "c"},
		nil,
	},
	"setup.cfg and tox.ini": {
		map[string]string{
			"setup.cfg": "[options]\ninstall_requires =\n    a\n    b>=2  # why\n" +
				"[options.extras_require]\ntesting =\n    c\n",
			"tox.ini": "[testenv]\ndeps =\n    pytest<9\n    py39: d\n" +
				"    -r{toxinidir}/requirements/test.txt\n    .[testing]\n",
			"requirements/test.txt": "g\n",
		},
		[]string{"a", "b>=2", "c", "pytest<9", "d", "-r DIR/requirements/test.txt"},
		nil,
	},
	"noxfile": {
		map[string]string{"noxfile.py": "import nox\n@nox.session\ndef tests(session):\n" +
			"    session.install('a', 'pytest<9')\n    session.install('-e', '.[test]')\n" +
			"    session.run('pytest')\ndef lint(session):\n    session.install('flake8')\n"},
		[]string{"a", "pytest<9"},
		nil,
	},
	"the project itself in its requirements": {
		map[string]string{
			"requirements-dev.txt": "-r requirements.txt\n-e .[speed]\npytest\n",
			"requirements.txt":     "a\n.\n",
			"setup.cfg":            "[options.extras_require]\nspeed = s\n",
		},
		[]string{"s", "-r DIR/requirements-dev.txt", "-r DIR/requirements.txt"},
		nil,
	},
	"with hashes": {
		map[string]string{
			"requirements.txt": "a==1 --hash=sha256:x\n",
			"pyproject.toml":   "[project]\ndependencies = ['a']\n[tool.pytest.ini_options]\n",
		},
		[]string{"-r DIR/requirements.txt"},
		nil,
	},
	"Pipfile": {
		map[string]string{
			"Pipfile": "[packages]\na = '*'\nb = {version = '>=2'}\nc = {path = '.'}\n" +
				"[dev-packages]\npytest = '*'\n",
			"Pipfile.lock": `{"default":{"a":{"version":"==1.0"}},` +
				`"develop":{"pytest":{"version":"==8.0"}}}`,
		},
		[]string{"a", "b>=2", "pytest"},
		[]string{"a==1.0", "pytest==8.0"},
	},
	"several versions of one": {
		map[string]string{
			"uv.lock": "[[package]]\nname = \"a\"\nversion = \"1\"\n[[package]]\n" +
				"name = \"a\"\nversion = \"2\"\n[[package]]\nname = \"b\"\nversion = \"3\"\n",
			"bobbin-exact.txt": "c_d==4\n",
		},
		nil,
		[]string{"b==3", "c-d==4"},
	},
	"nothing that can be read": {
		map[string]string{"pyproject.toml": "[", "setup.py": "(", "setup.cfg": "x", "Pipfile.lock": "{"},
		nil,
		nil,
	},
}

// The manifests of Python projects are read without running them.
func TestRequirementsOfPython(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		// The manifests are read by requirements.py, which runs with the Python of the fetch.
		t.Skip("python3 is not installed")
	}
	for name, c := range pythonTrees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out := t.TempDir()
			for file, text := range c.tree {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
			}
			for helper, text := range pip.Helpers {
				require.NoError(t, os.WriteFile(filepath.Join(out, helper), []byte(text), 0o644))
			}
			program := filepath.Join(out, "requirements.py")
			// -S: without installed packages
			cmd := exec.CommandContext(t.Context(), "python3", "-S", program, out)
			cmd.Dir = dir
			said, err := cmd.CombinedOutput()
			require.NoError(t, err, string(said))
			lines := func(file string) []string {
				text, err := os.ReadFile(filepath.Join(out, file))
				require.NoError(t, err)
				return slices.Collect(strings.Lines(strings.ReplaceAll(string(text), dir, "DIR")))
			}
			end := func(list []string) (out []string) {
				for _, l := range list {
					out = append(out, l+"\n")
				}
				return out
			}
			require.Equal(t, end(c.wanted), lines("wanted.txt"))
			require.Equal(t, end(c.exact), lines("exact.txt"))
			require.NoFileExists(t, filepath.Join(dir, "ran"))
		})
	}
}
