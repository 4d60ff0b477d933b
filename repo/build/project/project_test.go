package project

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

// four returns a project without Written.
func four(kind, build, test, from string) Project {
	return Project{Kind: kind, Build: build, Test: test, From: from}
}

// files are the texts of a project's files by their names.
type files map[string]string

// findCase is a project's files, and what Find makes of them.
type findCase struct {
	name  string
	files files
	want  Project
}

// packageJSON returns a package.json with this script for its tests.
func packageJSON(test string) string { return `{"scripts": {"test": "` + test + `"}}` }

// notSpecified is the package.json that npm writes.
const notSpecified = `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`

// nodeProjects are projects with a package.json.
var nodeProjects = []findCase{
	{"node", files{"package.json": packageJSON("node --test")}, four("node", "", "npm test", "package.json")},
	{
		"node with a build",
		files{"package.json": `{"scripts": {"test": "mocha", "build": "tsc"}}`},
		four("node", "npm run build", "npm test --"+command.MochaReport, "package.json"),
	},
	{
		"pnpm",
		files{"package.json": packageJSON("jest"), "pnpm-lock.yaml": "x"},
		four("node", "", "pnpm test --verbose", "package.json"),
	},
	{
		"yarn",
		files{"package.json": packageJSON("tap"), "yarn.lock": "x"},
		four("node", "", "yarn test -R tap", "package.json"),
	},
	{
		"jest",
		files{"package.json": packageJSON("NODE_ENV=test jest --ci")},
		four("node", "", "npm test -- --verbose", "package.json"),
	},
	{
		"jest and more",
		files{"package.json": packageJSON("eslint . && jest")},
		four("node", "", nodePrograms+"jest --verbose", "package.json"),
	},
	{
		"jest with reporters",
		files{"package.json": packageJSON("jest --reporters=default")},
		four("node", "", nodePrograms+"jest --verbose", "package.json"),
	},
	{
		"vitest",
		files{"package.json": packageJSON("vitest")},
		four("node", "", "npm test -- --run --reporter=verbose", "package.json"),
	},
	{
		"vitest run",
		files{"package.json": packageJSON("vitest run")},
		four("node", "", "npm test -- --reporter=verbose", "package.json"),
	},
	{"no test specified", files{"package.json": notSpecified}, Project{Kind: "node"}},
	{
		"no script, but tests",
		files{"package.json": "{}", "test/a.test.js": "x"},
		four("node", "", "node --test", ""),
	},
	{"broken package.json", files{"package.json": "{"}, Project{Kind: "node"}},
	{
		"node, mocha behind a linter",
		files{"package.json": `{"scripts": {"pretest": "npm run lint", "lint": "standard", "test": ` +
			`"npm run unit", "unit": "nyc mocha --reporter dot test"}}`},
		four("node", "", nodePrograms+"mocha test"+command.MochaReport, "package.json"),
	},
	{
		"node by its CI",
		files{
			"package.json":             "{}",
			".github/workflows/ci.yml": "jobs: {a: {steps: [{run: npm ci}, {run: npx ava}]}}",
		},
		four("node", "", nodePrograms+"ava --tap", ".github/workflows/ci.yml"),
	},
}

// pythonProjects are tested by pytest or unittest.
var pythonProjects = []findCase{
	{
		"a website's package.json beside Python",
		files{"package.json": notSpecified, "pyproject.toml": "[tool.pytest.ini_options]"},
		four("python", "", "python3 -m pytest -q", "pyproject.toml"),
	},
	{
		"pytest by requirements",
		files{"requirements-dev.txt": "pytest>=8", "a.py": "x"},
		four("python", "", "python3 -m pytest -q", ""),
	},
	{
		"pytest by plain functions",
		files{"test_a.py": "def test_a():\n    pass\n"},
		four("python", "", "python3 -m pytest -q", ""),
	},
	{
		"pytest in the src layout",
		files{"pytest.ini": "x", "src/shop/__init__.py": ""},
		four("python", "", "export PYTHONPATH=src${PYTHONPATH:+:$PYTHONPATH} && python3 -m pytest -q",
			""),
	},
	{
		"unittest",
		files{"tests/test_a.py": "import unittest\n"},
		four("python", "", "python3 -m unittest discover -v -s tests", ""),
	},
	{
		"unittest in a package",
		files{"tests/__init__.py": "#", "tests/test_a.py": "import unittest\n"},
		four("python", "", "python3 -m unittest discover -v", ""),
	},
	{"Python without tests", files{"setup.py": "x"}, Project{Kind: "python"}},
	{
		"unittest by tox.ini",
		files{
			"setup.py":             "x",
			"shop/checks/money.py": "x",
			"tox.ini": "[testenv]\ncommands = python -m unittest discover -s shop/checks " +
				"-p '*.py'\n",
		},
		four("python", "", "python3 -m unittest discover -v -s shop/checks -p '*.py'", "tox.ini"),
	},
	{
		"unittest in a package's own folder",
		files{
			"setup.py":               "x",
			"shop/__init__.py":       "#",
			"shop/tests/__init__.py": "#",
			"shop/tests/test_a.py":   "import unittest\n",
		},
		four("python", "", "python3 -m unittest discover -v", ""),
	},
	{
		"unittest in folders that are no packages",
		files{
			"it's/unit/cart/test_a.py":   "import unittest\n",
			"it's/unit/cart/__init__.py": "#",
			"it's/unit/test_b.py":        "#",
			"it's/more/test_c.py":        "#",
		},
		four("python", "", `python3 -m unittest discover -v -s 'it'\''s/unit'`, ""),
	},
	{
		"unittest below tests",
		files{"tests/unit/test_a.py": "import unittest\n"},
		four("python", "", "python3 -m unittest discover -v -s tests/unit", ""),
	},
	{
		"unittest with names that discovery does not look for",
		files{"cart_test.py": "import unittest\n", "tests/__init__.py": "#", "tests/price_test.py": "#"},
		four("python", "", "python3 -m unittest discover -v -p '*_test.py'", ""),
	},
}

// otherProjects are built by Go, Cargo, make or just.
var otherProjects = []findCase{
	{"nothing", files{"README": "x"}, Project{}},
	{"go", files{"go.mod": "module x"}, four("go", "go build ./...", "go test -json ./...", "")},
	{
		"go with a Makefile",
		files{"go.mod": "module x", "Makefile": "test:\n"},
		four("go", "go build ./...", "go test -json ./...", ""),
	},
	{
		"go workspace",
		files{"go.work": "go 1.24"},
		four("go", "go build $(go list -m -f '{{.Dir}}/...')",
			"go test -json $(go list -m -f '{{.Dir}}/...')", ""),
	},
	{"rust", files{"Cargo.toml": "x"}, four("rust", "cargo build", "cargo test --no-fail-fast", "")},
	{
		"rust, a package with members",
		files{"Cargo.toml": "[package]\nname = \"a\"\n\n[workspace]\nmembers = [\"b\"]\n"},
		four("rust", "cargo build --workspace", "cargo test --no-fail-fast --workspace", ""),
	},
	{
		"rust, a member",
		files{"Cargo.toml": "[package]\nworkspace = \"..\"\n"},
		four("rust", "cargo build", "cargo test --no-fail-fast", ""),
	},
	{
		"rust, members that are not for every build",
		files{"Cargo.toml": "[workspace]\nmembers = [\"a\", \"b\"]\ndefault-members = [\"a\"]\n"},
		four("rust", "cargo build", "cargo test --no-fail-fast", ""),
	},
	{
		"make",
		files{"Makefile": "CC := gcc\nall: a\nx y test: a\n\tbuild: no\n"},
		four("make", "make all", "make test", ""),
	},
	{
		"make check",
		files{"GNUmakefile": "check:\n", "Makefile": "test:\n"},
		four("make", "", "make check", ""),
	},
	{"make without targets", files{"Makefile": "a.o: a.c\n"}, Project{Kind: "make"}},
	{
		"a Makefile that calls a runner",
		files{"Makefile": "build:\n\tcc x\n\ntest: build\n\tgo test ./...\n"},
		four("go", "make build", "go test -json ./...", "Makefile"),
	},
	{
		"a justfile",
		files{"justfile": "test:\n  cargo test --workspace\n"},
		four("rust", "", "cargo test --no-fail-fast --workspace", "justfile"),
	},
}

// nestedProjects have their code in a folder, or seem to.
var nestedProjects = []findCase{
	{
		"in the only folder",
		files{"README": "x", "it's here/go.mod": "module x", "docs/a.md": "x"},
		four("go", `cd 'it'\''s here' && go build ./...`, `cd 'it'\''s here' && go test -json ./...`, ""),
	},
	{
		"below a Makefile for other things",
		files{"Makefile": "up:\n\tdocker compose up\n", "api/go.mod": "module x"},
		four("go", "cd 'api' && go build ./...", "cd 'api' && go test -json ./...", ""),
	},
	{
		"below a Makefile that builds",
		files{"Makefile": "build:\n\tcc a.c\n", "api/go.mod": "module x"},
		four("make", "make build", "", ""),
	},
	{
		"below a server without tests",
		files{"package.json": "{}", "server.js": "x", "client/package.json": packageJSON("node --test")},
		Project{Kind: "node"},
	},
	{
		"below a package.json for tools",
		files{
			"package.json":         "{}",
			".eslintrc.js":         "x",
			"commitlint.config.js": "x",
			"web/package.json":     "{}",
			"web/app.js":           "x",
			"api/go.mod":           "module x",
		},
		four("go", "cd 'api' && go build ./...", "cd 'api' && go test -json ./...", ""),
	},
	{
		"below requirements for tools",
		files{"requirements.txt": "pre-commit", "api/go.mod": "module x"},
		four("go", "cd 'api' && go build ./...", "cd 'api' && go test -json ./...", ""),
	},
	{
		"below a server of another kind without tests",
		files{"package.json": "{}", "server.js": "x", "api/go.mod": "module x"},
		Project{Kind: "node"},
	},
	{
		"below a package whose code is in a folder",
		files{"pyproject.toml": "x", "shop/__init__.py": "#", "api/go.mod": "module x"},
		Project{Kind: "python"},
	},
	{
		"below one whose packages are fetched instead",
		files{"package.json": "{}", "client/package.json": packageJSON("node --test")},
		Project{Kind: "node"},
	},
	{"in two folders", files{"a/go.mod": "module x", "b/go.mod": "module y"}, Project{}},
	{
		"not in vendored folders",
		files{"node_modules/go.mod": "x", "vendor/go.mod": "x", ".a/go.mod": "x"},
		Project{},
	},
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(nodeProjects, pythonProjects, otherProjects, nestedProjects) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{}
			for name, text := range c.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			found := Find(fsys)
			found.Written = ""
			require.Equal(t, c.want, found)
		})
	}
}

func TestACommandThatSomebodyNames(t *testing.T) {
	t.Parallel()
	p, ok := Project{Build: "make build"}.Named("cd checks && python -m unittest discover", "README.md")
	require.True(t, ok)
	require.Equal(t, "cd checks && python3 -m unittest discover", p.Written)
	p.Written = ""
	require.Equal(t,
		four("python", "make build", "cd checks && python3 -m unittest discover -v", "README.md"), p)
	for _, line := range []string{
		"true", "sh test.sh", "sh prepare.sh && pytest", "echo ok; exit 0", "pytest || true", "pytest | cat",
		"$(pytest)", "(cd x; pytest)",
	} {
		_, ok := Project{}.Named(line, "x")
		require.False(t, ok, line)
	}
}

// TestTheTestCommandAsTheProjectHasIt checks the test command with the flags for a reporter and the
// project's own command.
func TestTheTestCommandAsTheProjectHasIt(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][2]string{
		"jest":               {"npm test -- --verbose", "npm test"},
		"jest && eslint .":   {"jest --verbose", "jest"},
		"tsc && mocha test":  {"tsc && mocha test", "tsc && mocha test"},
		"node --test":        {"npm test", "npm test"},
		"sh a-script-of-its": {"npm test", "npm test"},
	} {
		p := Find(fstest.MapFS{"package.json": {Data: []byte(`{"scripts": {"test": "` + script + `"}}`)}})
		require.Equal(t, want, [2]string{p.TestCommand(), p.WrittenCommand()}, script)
		require.Equal(t, want[1], p.AsWritten().TestCommand(), script)
	}
}

func TestACommandAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"go test -json ./...":                                    "go test ./...",
		"npm test --" + command.MochaReport:                      "npm test",
		nodePrograms + "tsc && mocha test" + command.MochaReport: "tsc && mocha test",
	} {
		require.Equal(t, want, Project{Test: line}.TestCommand())
	}
}

func TestTestFilesOfTheFolderThatIsTested(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{}
	for _, name := range []string{
		"a/b/cart_test.py", "a/b/cart.py", "a/test_up.py", "web/cart.spec.ts", "web/test/help.ts",
		"web/node_modules/x/x.test.js",
	} {
		fsys[name] = &fstest.MapFile{}
	}
	files := func(kind, test string) []string { return Project{Kind: kind, Test: test}.TestFiles(fsys) }
	require.Equal(t, []string{"a/test_up.py", "a/b/cart_test.py"}, files("python", "python3 -m pytest -q"))
	require.Equal(t, []string{"a/b/cart_test.py"},
		files("python", "cd 'a' && cd 'b' && python3 -m pytest -q"))
	require.Equal(t, []string{"web/cart.spec.ts"}, files("node", nodePrograms+"cd web && mocha"))
	for _, test := range []string{"cd 'it'\\''s' && pytest", "cd ../x && pytest", "cd none && pytest"} {
		require.Empty(t, files("python", test), test)
	}
	require.Empty(t, files("make", "make test"))
}

func TestTestsThatAreNear(t *testing.T) {
	t.Parallel()
	files := []string{"svc/a/a_test.go", "svc/a/b_test.go", "svc/c/c_test.go"}
	names := []string{"TestA", "TestB"}
	for line, want := range map[string]string{
		"go test -json ./...": "go test -json -vet=off -failfast -run '^(TestA|" +
			"TestB)$' './svc/a' './svc/c'",
		"cd 'svc' && go test -race ./...": "cd 'svc' && go test -race -vet=off -failfast -run " +
			"'^(TestA|TestB)$' './a' './c'",
		"go test $(go list -m -f '{{.Dir}}/...')": "go test -vet=off -failfast -run '^(TestA|TestB)$' " +
			"'./svc/a' './svc/c'",
		"cd svc && go test ./... && go test -race .": "",
		"go test ./svc":                 "",
		"cd 'web' && go test ./...":     "",
		"make test":                     "",
		"go vet ./... && go test ./...": "",
	} {
		near, ok := Project{Kind: "go", Build: "go build ./...", Test: line}.Near(files, names)
		require.Equal(t, want != "", ok, line)
		if ok {
			require.Equal(t, Project{Kind: "go", Test: want}, near)
		}
	}
	for line, want := range map[string]string{
		"export PYTHONPATH=src${PYTHONPATH:+:$PYTHONPATH} && python3 -m pytest -q": " -x 'it'\\''s.py'",
		"npm test -- --verbose":                          " --bail 'it'\\''s.py'",
		nodePrograms + "vitest --run --reporter=verbose": " --bail=1 'it'\\''s.py'",
		"npm test --" + command.MochaReport:              " --bail 'it'\\''s.py'",
		"node --test":                                    " 'it'\\''s.py'",
		"npm test":                                       "",
		"python3 -m unittest discover -v":                "",
		"cargo test --no-fail-fast":                      "",
		"pytest; true":                                   "",
		"pytest | tee log":                               "",
		"pytest && cd b && pytest":                       "",
	} {
		near, ok := Project{Test: line}.Near([]string{"it's.py"}, nil)
		require.Equal(t, want != "", ok, line)
		if ok {
			require.Equal(t, line+want, near.Test)
		}
	}
}

// TestPartsThatAreNear checks the near parts of a change in two languages.
func TestPartsThatAreNear(t *testing.T) {
	t.Parallel()
	goParts := func(line string, changed ...string) Parts {
		parts, _ := Project{Kind: "go", Test: line}.NearFirst(fstest.MapFS{}, changed)
		return parts
	}
	require.Equal(t, Parts{
		Near: `cd 'svc' && near=$(go list -e -tags=x ./... 2>/dev/null | grep -xF -e "$(go list -e -tags=x ` +
			`'./a' './c' 2>/dev/null)"); [ -z "$near" ] || go test -json -tags=x -count=1 $near`,
		Rest: `cd 'svc' && if all=$(go list -e -tags=x ./... 2>/dev/null); then rest=$(printf '%s\n' ` +
			`"$all" | grep -vxF -e "$(go list -e -tags=x './a' './c' 2>/dev/null)"); [ -z "$rest" ] || go ` +
			`test -json -tags=x -count=1 $rest; else go test -json -tags=x -count=1 ./...; fi`,
	}, goParts("cd 'svc' && go test -json -tags=x -count=1 ./...", "svc/a/a.go",
		"svc/a/testdata/deep/in.json", "svc/c/c_test.go", "other/x.go", "svcs/y.go"))
	for _, line := range []string{
		"go test ./svc", "go test -exec=x ./...", "go vet ./... && go test ./...", "go test ./... -args x",
		"make test",
	} {
		require.Empty(t, goParts(line, "a/a.go"), line)
	}
	require.Empty(t, goParts("cd 'svc' && go test ./...", "other/x.go"))

	files := fstest.MapFS{}
	for _, name := range []string{
		"src/cart.ts", "src/cart.test.ts", "src/tax.test.ts", "src/sum.test.ts", "test/order.js",
		"test/fixtures/cart.js",
	} {
		files[name] = &fstest.MapFile{}
	}
	jest := Project{Kind: "node", Test: "npm test -- --verbose"}
	parts, ok := jest.NearFirst(files, []string{"src/cart.ts", "test/order.js"})
	require.True(t, ok)
	require.Equal(t, Parts{Near: "npm test -- --verbose --bail 'src/cart.test.ts' 'test/order.js'"}, parts)
	for _, changed := range [][]string{
		nil, {"README.md"}, {"src/cart.test.ts", "src/tax.test.ts", "src/sum.test.ts"},
	} {
		_, ok = jest.NearFirst(files, changed)
		require.False(t, ok, changed)
	}
}

// TestFindIn checks that a folder of a large repository is tested by the nearest project.
func TestFindIn(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"go.mod":                     "module x",
		"services/shop/go.mod":       "module shop",
		"services/shop/cart/cart.go": "package cart",
		"web/package.json":           `{"scripts": {"build": "tsc"}}`,
		"web/app/index.ts":           "x",
		"docs/a.md":                  "x",
		"py/lib/pyproject.toml":      "[tool.pytest.ini_options]",
		"py/lib/it's/x.py":           "x",
		"alone/only/Cargo.toml":      "x",
		"alone/notes/a.md":           "x",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	whole := four("go", "go build ./...", "go test -json ./...", "")
	for folder, want := range map[string]Project{
		"": whole, ".": whole, "docs": whole, "no/such/folder": whole, "../up": whole, "alone/notes": whole,
		"services/shop": four("go", "cd 'services/shop' && go build ./...",
			"cd 'services/shop' && go test -json ./...", ""),
		"services/shop/cart": four("go", "cd 'services/shop' && go build ./...",
			"cd 'services/shop' && go test -json ./...", ""),
		"web/app":      whole, // this project has tests
		"py/lib/it's/": four("python", "", "cd 'py/lib' && python3 -m pytest -q", "pyproject.toml"),
		"alone": four("rust", "cd 'alone' && cd 'only' && cargo build",
			"cd 'alone' && cd 'only' && cargo test --no-fail-fast", ""),
	} {
		require.Equal(t, want, FindIn(fsys, folder), folder)
	}
	delete(fsys, "go.mod")
	require.Equal(t, Project{Kind: "node", Build: "cd 'web' && npm run build"}, FindIn(fsys, "web/app"))
}

// TestFindIsNotHeldUp puts pipes, folders, links and a large file in the place of manifests, as a hostile
// repository may.
func TestFindIsNotHeldUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(dir+"/package.json", 0o644))
	require.NoError(t, os.Mkdir(dir+"/go.mod", 0o755))
	require.NoError(t, os.Symlink("/etc/passwd", dir+"/Cargo.toml"))
	require.NoError(t, os.Symlink("Makefile", dir+"/Makefile"))
	require.NoError(t, os.WriteFile(dir+"/pyproject.toml", []byte(strings.Repeat("pytest\n", 1<<20)), 0o644))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	require.Equal(t, Project{Kind: "python", Test: "python3 -m pytest -q"}, Find(root.FS()))
}

func TestWhatBelongsToTheTests(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct{ yes, no []string }{
		"go": {
			[]string{"a_test.go", "x/y_test.go", "x/testdata/in.txt"},
			[]string{"a.go", "test/helper.go", "testing.go", "tests/a.py"},
		},
		"node": {
			[]string{
				"a.test.js", "src/a.spec.tsx", "test/setup.js", "src/__tests__/a.js",
				"src/__snapshots__/a.snap", "test.mjs",
			},
			[]string{"src/a.js", "src/contest.js", "latest.js", "testing/a.js"},
		},
		"python": {
			[]string{"test_a.py", "a/b_test.py", "conftest.py", "tests/data.json"},
			[]string{"a.py", "contest.py", "attest_a.py"},
		},
		"rust": {
			[]string{"tests/it.rs", "src/cart/tests.rs"},
			[]string{"src/lib.rs", "src/tests_of_time.rs"},
		},
		"make": {
			[]string{"tests/a.sh", "test_a.c", "a_test.c", "t/a.t", "FooTest.java", "a.bats", "x_test.go"},
			[]string{"a.c", "contest.c", "Makefile", "latest.txt"},
		},
	} {
		for _, file := range c.yes {
			require.True(t, IsTest(kind, file), "%s %s", kind, file)
		}
		for _, file := range c.no {
			require.False(t, IsTest(kind, file), "%s %s", kind, file)
		}
	}
}

func TestRustTestsAreTakenOutOfTheirFile(t *testing.T) {
	t.Parallel()
	const module = "#[cfg(test)]\n#[allow(dead_code)]\nmod tests {\n    // a } in a comment\n" +
		"    /* } /* } */ } */\n    fn f<'a>(s: &'a str) -> char { let _ = \"} \\\" }\"; " +
		"let _ = r#\"}\"}\"#; let _ = '}'; let _ = '\\''; let _ = 'é'; '{' }\n    fn for_r() {}\n}"
	base := "fn old() {}\n\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n\nfn after() {}\n"
	other := "fn new() {}\n\n" + module + "\n\nfn more() {}\n"
	require.Equal(t, "fn old() {}\n\n"+module+"\n\nfn after() {}\n", spliceRustTests(base, other))
	require.Equal(t, "fn old() {}\n\n"+module+"\n", spliceRustTests("fn old() {}\n", other))
	require.Equal(t, base, spliceRustTests(base, "fn new() {}\n"))
	require.Equal(t, base, spliceRustTests(base, "#[cfg(test)]\nmod tests {"), "never closed")
}

func FuzzRust(f *testing.F) {
	f.Add("fn a() {}", "#[cfg(test)]\nmod tests { fn f<'a>() { r#\"x\"# } }")
	f.Add("#[cfg(test)] mod a { '", "#[cfg(test)] mod a { /* ")
	f.Fuzz(func(t *testing.T, base, other string) { spliceRustTests(base, other) })
}
