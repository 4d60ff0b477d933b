package testcommands

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatFilesNameForTheTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{
			"tox.ini", "[tox]\nenvlist = py3\n\n[testenv]\ndeps = coverage\ncommands =\n" +
				"    python -m unittest discover -s {toxinidir}/checks {posargs:-v}\n" +
				"    py3: - coverage report\n\n[testenv:lint]\ncommands = flake8\n",
			[]string{"python -m unittest discover -s ./checks -v", "coverage report"},
		},
		{
			"noxfile.py",
			"import nox\n\n@nox.session(python=['3.11'])\ndef tests(session):\n    session.install('-e', " +
				"'.')\n    session.run('pytest', '--cov=shop', 'checks', *session.posargs, env={'A': 'b'})\n",
			[]string{"pytest --cov=shop checks"},
		},
		{
			"pyproject.toml", "[project]\nname = 'shop'\n\n[tool.hatch.envs.default.scripts]\n" +
				"test = \"python -m pytest {args:checks}\"\nlint = \"ruff\"\n\n[tool.pytest.ini_options]\n" +
				"addopts = '-q'\n\n[tool.poe.tasks]\ntest = { cmd = \"pytest -x\" }\n",
			[]string{"python -m pytest checks", "pytest", "pytest -x"},
		},
		{
			"justfile",
			"default:\n  just --list\n\n# runs them\ntest *args:\n  @npm run build\n  npx mocha {{args}}\n" +
				"\nlint:\n  eslint .\n",
			[]string{"npm run build", "npx mocha"},
		},
		{
			"Makefile",
			"PY := python\n\nbuild: x\n\tcc x\n\ntests: generate\n\tpytest\n\ntest: build\n" +
				"\t@python -m unittest discover -s checks\n\t$(PY) setup.py\n\nlint:\n\tflake8\n",
			[]string{"python -m unittest discover -s checks"},
		},
		{
			"Taskfile.yml",
			"version: '3'\ntasks:\n  lint: {cmds: [eslint .]}\n  test:\n    dir: server\n    cmds:\n" +
				"      - go test {{.CLI_ARGS}} ./...\n      - cmd: mocha\n",
			[]string{"cd 'server' && go test  ./...", "cd 'server' && mocha"},
		},
	} {
		for _, s := range Sources {
			if s.File != c.file {
				continue
			}
			var got []string
			for _, found := range s.Commands(c.text) {
				require.Equal(t, c.file, found.From)
				got = append(got, found.Line)
			}
			require.Equal(t, c.want, got, c.file)
			require.Empty(t, s.Commands("\x00[[[{: -\n\t- :"), c.file)
		}
	}
	ci := Workflow(".github/workflows/ci.yml")
	require.Equal(t, []Command{
		{"pip install -e .", ".github/workflows/ci.yml"},
		{"cd 'server' && python -m unittest discover    -s checks", ".github/workflows/ci.yml"},
	}, ci.Commands("on: push\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n" +
		"      - run: pip install -e .\n      - working-directory: server\n        run: |\n          " +
		"python -m unittest discover \\\n            -s checks\n          echo ${{ matrix.os }}\n")[:2])
}

// TestPipelinesOfOtherServices checks the commands in the files of CI services beside GitHub.
func TestPipelinesOfOtherServices(t *testing.T) {
	t.Parallel()
	for file, c := range map[string]struct {
		text string
		want []string
	}{
		".gitlab-ci.yml": {
			"test:\n  before_script: [bundle install]\n  script:\n" +
				"    - cmake -B b\n    - |\n      ctest\n      ! false\n",
			[]string{"bundle install", "cmake -B b", "ctest", "! false"},
		},
		".circleci/config.yml": {
			"jobs:\n  a:\n    steps:\n" +
				"      - run: {name: t, command: make test, working_directory: lib}\n      - run: mix test\n",
			[]string{"cd 'lib' && make test", "mix test"},
		},
		".travis.yml": {
			"script: &x\n  - make check\n" +
				"jobs:\n  include:\n    - script: *x\n", []string{"make check", "make check"},
		},
		"azure-pipelines.yml": {
			"steps:\n- bash: dotnet test\n  workingDirectory: src\n- script: echo ${{ x }}\n",
			[]string{"cd 'src' && dotnet test"},
		},
		"Jenkinsfile": {
			"stage('t') { steps { sh './mvnw verify'\n sh(\"\"\"\n make check\n make x\n\"\"\") } }",
			[]string{"./mvnw verify", "make check", "make x"},
		},
	} {
		var got []string
		for _, found := range Workflow(file).Commands(c.text) {
			require.Equal(t, file, found.From)
			got = append(got, found.Line)
		}
		require.Equal(t, c.want, got, file)
	}
}

// ciKinds has a file of each kind that the CI services have.
var ciKinds = []Source{Workflow(".github/workflows/ci.yml"), Workflow("ci.yml"), Workflow("Jenkinsfile")}

func FuzzNamed(f *testing.F) {
	f.Add("[testenv]\ncommands = pytest {posargs}")
	f.Add("jobs:\n  a:\n    steps:\n      - run: go test")
	f.Add("test:\n\tpytest")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range append(Sources[:len(Sources):len(Sources)], ciKinds...) {
			for _, c := range s.Commands(text) {
				require.NotEmpty(t, c.Line)
			}
		}
	})
}

// TestHostileFilesNameNothing checks that a hostile file is read quickly or names no command: one that is
// nested as deep as it is long, or whose YAML aliases multiply each other's lists.
func TestHostileFilesNameNothing(t *testing.T) {
	t.Parallel()
	const most = 1 << 20 // bytes of a file that are read
	aliases := "a0: &a0 [x]\n"
	for i := range 30 {
		aliases += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i)
	}
	for _, text := range []string{
		"jobs: " + strings.Repeat("[", most-6), "jobs: " + strings.Repeat("{a: ", most/4-2),
		"tasks: " + strings.Repeat("[", most/2-8) + strings.Repeat("]", most/2-8),
		strings.Repeat("- ", most/2), strings.Repeat("? ", most/2), strings.Repeat("[", most),
		"a = " + strings.Repeat("[", most-4), "[testenv]\ncommands = " + strings.Repeat("{[", most/2-20),
		aliases + "jobs: {a: {steps: *a30}}\ntasks: {test: {cmds: *a30}}\n",
	} {
		tried := map[uintptr]bool{}
		for _, s := range append(Sources[:len(Sources):len(Sources)], ciKinds...) {
			reader := reflect.ValueOf(s.read).Pointer()
			if tried[reader] { // of another name for the same kind of file
				continue
			}
			tried[reader] = true
			require.Empty(t, s.Commands(text), "%s: %.20s", s.File, text)
		}
	}
}
