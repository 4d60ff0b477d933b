package project

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// treeOf returns a tree of the files, and of many more: "src/%d.cc: 100" is a hundred files.
func treeOf(texts files) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		var n int
		if _, err := fmt.Sscan(text, &n); err == nil && strings.Contains(name, "%d") {
			for i := range n {
				fsys[fmt.Sprintf(name, i)] = &fstest.MapFile{}
			}
			continue
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

const (
	cmakeBuild = `cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug && cmake --build build --parallel "$(nproc)"`
	ctest      = "ctest --test-dir build --output-on-failure"
)

// mixedTrees are trees with several languages, and the candidates in order: folder, command and file.
var mixedTrees = []struct {
	name  string
	files files
	want  []string
	// by the changed files: the commands that For chooses, and "-" before what none covers
	changed map[string]string
}{
	{
		name: "C++ with a Python script",
		files: files{
			"CMakeLists.txt":           "project(x)\nenable_testing()\n",
			"src/%d.cc":                "50",
			"misc/x_test.py":           "import unittest\n",
			".github/workflows/ci.yml": "jobs: {a: {steps: [{run: 'ctest --test-dir build -j4'}]}}",
		},
		want: []string{
			". " + ctest, ". python3 -m unittest discover -v -s misc -p '*_test.py'",
			". ctest --test-dir build -j4 (.github/workflows/ci.yml)",
		},
		changed: map[string]string{
			"src/1.cc README.md":      ctest,
			"misc/x_test.py":          "python3 -m unittest discover -v -s misc -p '*_test.py'",
			"src/1.cc misc/x_test.py": ctest + "; python3 -m unittest discover -v -s misc -p '*_test.py'",
			"README.md":               ctest,
			"web/x.ts":                "-web/x.ts",
		},
	},
	{
		name: "a Python script beside a Makefile for C",
		files: files{
			"Makefile": "test: all\n\t./run-tests\n", "src/%d.c": "20",
			"tools/test_gen.py": "def test_a(): pass\n",
		},
		want:    []string{". make test", ". python3 -m pytest -q"},
		changed: map[string]string{"src/1.c": "make test", "tools/test_gen.py": "python3 -m pytest -q"},
	},
	{
		name: "Go with a web folder",
		files: files{
			"go.mod": "module x", "cmd/%d.go": "10",
			"web/package.json": packageJSON("jest"), "web/src/%d.ts": "90",
			"Makefile": "test:\n\tgo test -race ./...\n",
		},
		want: []string{
			". go test ./...", ". make test", "web cd 'web' && npm test -- --verbose (package.json)",
			". go test -race ./... (Makefile)",
		},
		changed: map[string]string{
			"cmd/1.go": "go test ./...", "web/src/1.ts": "cd 'web' && npm test -- --verbose",
			"web/src/1.ts cmd/1.go": "go test ./...; cd 'web' && npm test -- --verbose",
		},
	},
	{
		name: "modules of Go that the one at the top does not test",
		files: files{
			"go.mod": "module x", "a.go": "x", "extra/otel/go.mod": "module y", "extra/otel/b.go": "x",
		},
		want: []string{". go test ./...", "extra/otel cd 'extra/otel' && go test ./..."},
		changed: map[string]string{
			"extra/otel/b.go": "cd 'extra/otel' && go test ./...", "a.go": "go test ./...",
		},
	},
	{
		name: "Python with a Makefile",
		files: files{
			"pyproject.toml": "[tool.pytest.ini_options]", "shop/%d.py": "9", "Makefile": "test:\n\ttox\n",
		},
		want:    []string{". python3 -m pytest -q (pyproject.toml)", ". make test"},
		changed: map[string]string{"shop/1.py": "python3 -m pytest -q"},
	},
	{
		name: "PHP with a package.json for its assets",
		files: files{
			"composer.json": `{"require-dev": {"phpunit/phpunit": "^11"}}`, "app/%d.php": "40",
			"package.json": packageJSON("vitest run"), "resources/js/%d.js": "5", "public/js/%d.js": "100",
		},
		want: []string{". phpunit", ". npm test -- --reporter=verbose (package.json)"},
		changed: map[string]string{
			"app/1.php": "phpunit", "resources/js/1.js": "npm test -- --reporter=verbose",
		},
	},
	{
		name: "Rails with a package.json",
		files: files{
			"Gemfile": "gem 'rails'", "Rakefile": "x", "bin/rails": "x", "app/models/%d.rb": "30",
			"test/models/%d_test.rb": "10", "package.json": packageJSON("jest"), "app/javascript/%d.js": "12",
		},
		want:    []string{". bin/rails test -v", ". npm test -- --verbose (package.json)"},
		changed: map[string]string{"app/models/1.rb": "bin/rails test -v"},
	},
	{
		name: "Rust with bindings for Python",
		files: files{
			"Cargo.toml": "[package]", "src/%d.rs": "30",
			"pyproject.toml":  "[tool.maturin]\n[tool.pytest.ini_options]",
			"tests/test_x.py": "import x",
		},
		want: []string{". cargo test --no-fail-fast", ". python3 -m pytest -q (pyproject.toml)"},
		changed: map[string]string{
			"src/1.rs": "cargo test --no-fail-fast", "tests/test_x.py": "python3 -m pytest -q",
		},
	},
	{
		name: "of two equal ones what the CI runs",
		files: files{
			"CMakeLists.txt": "enable_testing()", "meson.build": "test('a', a)", "a.c": "x",
			".gitlab-ci.yml": "t:\n  script:\n" +
				"    - meson setup build\n    - meson test -C build --print-errorlogs\n",
		},
		want: []string{". meson test -C build --print-errorlogs", ". " + ctest},
	},
	{
		name: "package.json that calls the tests of another language",
		files: files{
			"package.json":    packageJSON("bin/bats test"),
			"libexec/%d.bash": "3", "test/a.bats": "x",
		},
		want: []string{". npm test -- --tap (package.json)", ". bats --tap -r 'test'"},
	},
	{name: "no tests", files: files{"README.md": "x"}},
}

func TestCandidatesOfMixedTrees(t *testing.T) {
	t.Parallel()
	for _, c := range mixedTrees {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys := treeOf(c.files)
			list := Candidates(fsys, ".")
			var got []string
			for _, k := range list {
				line := k.Folder + " " + k.TestCommand()
				if k.From != "" {
					line += " (" + k.From + ")"
				}
				got = append(got, line)
			}
			require.Equal(t, c.want, got)
			if len(list) > 0 {
				require.Equal(t, Find(fsys), list[0].Project, "the first is the project")
			}
			for changed, want := range c.changed {
				chosen, uncovered := For(list, strings.Fields(changed))
				var commands []string
				for _, k := range chosen {
					commands = append(commands, k.TestCommand())
				}
				for _, file := range uncovered {
					commands = append(commands, "-"+file)
				}
				require.Equal(t, want, strings.Join(commands, "; "), changed)
			}
		})
	}
	require.Empty(t, Candidates(fstest.MapFS{}, "../up"))
	chosen, uncovered := For(nil, []string{"a.c"})
	require.Empty(t, chosen)
	require.Equal(t, []string{"a.c"}, uncovered)
}

// conventions are trees of one language each, without a command in any file, and what is made of them.
var conventions = []struct {
	name        string
	files       files
	kind        string
	build, test string // as people write it
}{
	{
		"CMake, with an option for the tests",
		files{
			"CMakeLists.txt": "option(SHOP_BUILD_TESTS \"x\" OFF)\n" +
				"option(SHOP_FUZZ_TESTS \"x\" OFF)\n",
			"tests/CMakeLists.txt": "add_test(NAME a COMMAND a)\n",
		},
		"cmake",
		"cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug -DSHOP_BUILD_TESTS=ON && " +
			`cmake --build build --parallel "$(nproc)"`, ctest,
	},
	{"CMake without tests", files{"CMakeLists.txt": "x"}, "cmake", cmakeBuild, ""},
	{
		"meson",
		files{"meson.build": "x", "test/meson.build": "test('a', a)"},
		"meson",
		"meson setup build && meson compile -C build", "meson test -C build --print-errorlogs",
	},
	{
		"autotools",
		files{"configure.ac": "x", "Makefile.am": "TESTS = a\n"},
		"autotools",
		`autoreconf -fi && ./configure && make -j"$(nproc)"`, "make check",
	},
	{"configure", files{"configure": "x"}, "autotools", `./configure && make -j"$(nproc)"`, ""},
	{
		"RSpec",
		files{"Gemfile": "x", "spec/a_spec.rb": "x"},
		"ruby", "",
		"bundle exec rspec --format documentation",
	},
	{
		"RSpec without bundler",
		files{".rspec": "x", "spec/a_spec.rb": "x"},
		"ruby", "", "rspec --format documentation",
	},
	{
		"minitest by rake",
		files{"Rakefile": "Rake::TestTask.new", "test/a_test.rb": "x"},
		"ruby", "",
		"rake test TESTOPTS=-v",
	},
	{
		"minitest",
		files{"a.gemspec": "x", "test/test_a.rb": "x"},
		"ruby", "",
		rubyFiles + " 'test/test_a.rb' -v",
	},
	{"PHPUnit", files{"phpunit.xml.dist": "x", "composer.json": "{}"}, "php", "", "phpunit"},
	{"Pest", files{"composer.json": `{"require-dev": {"pestphp/pest": "3"}}`}, "php", "", "pest"},
	{
		"a script of composer",
		files{"composer.json": `{"scripts": {"test": "@php vendor/bin/phpunit -c x"}}`},
		"php", "", "phpunit -c x",
	},
	{"Maven", files{"pom.xml": "x"}, "java", "mvn -o -B -q test-compile", "mvn -o -B -fae test"},
	{
		"Gradle",
		files{"settings.gradle.kts": "x"},
		"java", "gradle --offline --no-daemon -q testClasses",
		"gradle --offline --no-daemon --continue test",
	},
	{
		".NET",
		files{"Shop.sln": "x", "test/Shop.Tests.csproj": "x"},
		"dotnet", "dotnet build --nologo -v q",
		`dotnet test --nologo --no-restore --logger "console;verbosity=normal"`,
	},
	{
		"Elixir",
		files{"mix.exs": "x", "test/a_test.exs": "x"},
		"elixir", "MIX_ENV=test mix compile", "mix test --trace",
	},
	{"Perl", files{"Makefile.PL": "x", "t/a.t": "x"}, "perl", "perl Makefile.PL && make", "prove -blr t"},
	{"Perl modules", files{"cpanfile": "x", "t/a.t": "x"}, "perl", "", "prove -lr t"},
	{"bats", files{"test/a.bats": "x", "a.sh": "x"}, "shell", "", "bats --tap -r 'test'"},
	{
		"shUnit2",
		files{"test/a_test.sh": ". ./shunit2\n", "test/b_test.sh": "x"},
		"shell", "", "sh 'test/a_test.sh'",
	},
	{"Deno", files{"deno.json": "{}"}, "deno", "", "deno test -A"},
	{"Bun", files{"package.json": packageJSON("bun test"), "bun.lock": "x"}, "node", "", "bun test"},
	{
		"Swift",
		files{"Package.swift": "x", "Tests/A.swift": "x"},
		"swift", "swift build --build-tests", "swift test",
	},
	{"Dart", files{"pubspec.yaml": "x", "test/a_test.dart": "x"}, "dart", "", "dart test -r expanded"},
	{
		"cabal",
		files{"a.cabal": "x"},
		"haskell", "cabal build --offline --enable-tests all",
		"cabal test --offline --test-show-details=direct all",
	},
	{"stack", files{"stack.yaml": "x"}, "haskell", "stack build --test --no-run-tests", "stack test"},
	{"Zig", files{"build.zig": "x"}, "zig", "zig build", "zig build test --summary all"},
}

// TestLanguages checks the convention of each language.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range conventions {
		p := Find(treeOf(c.files))
		found := []string{p.Kind, p.Build, p.TestCommand()}
		require.Equal(t, []string{c.kind, c.build, c.test}, found, c.name)
	}
}
