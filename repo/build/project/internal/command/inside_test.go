package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const mochaFlags = MochaReport

func TestTheRunnerInsideACommand(t *testing.T) {
	t.Parallel()
	scripts := Scripts{
		"lint":       "eslint . && prettier --check .",
		"test:types": "tsd",
		"test:unit":  "cross-env NODE_ENV=test nyc --reporter lcov mocha 'test/**/*.js' --reporter dot",
		"build":      "tsc -p .",
		"loop":       "npm run loop",
		"verify":     "node scripts/verify.js",
		"docs":       "node scripts/docs.js",
	}
	for line, want := range map[string]string{
		"npm run lint && npm run test:types && npm run docs && npm run test:unit": "NODE_ENV=test mocha " +
			"'test/**/*.js'" + mochaFlags,
		"run-s lint test:*": "NODE_ENV=test mocha 'test/**/*.js'" +
			mochaFlags,
		"npm run build && npm run verify && jest": "tsc -p . && node scripts/verify.js && " +
			"jest --verbose",
		"tsc --noEmit && vitest":                               "vitest --run --reporter=verbose",
		"standard && tape test/*.js | tap-spec":                "tape test/*.js",
		"xo && c8 ava":                                         "ava --tap",
		"jest --coverage --watchAll=false unit":                "jest unit --verbose",
		"coverage run -m unittest discover -s check":           "python3 -m unittest discover -v -s check",
		"poetry run pytest --cov=shop tests -x":                "python3 -m pytest -q tests -x",
		"python -m pytest -n auto":                             "python3 -m pytest -q",
		"flake8 && python -m unittest -q shop.tests":           "python3 -m unittest -v shop.tests",
		"go vet ./... && CGO_ENABLED=0 go test -v -race ./...": "CGO_ENABLED=0 go test -json -race ./...",
		"cargo clippy && cargo test --workspace":               "cargo test --no-fail-fast --workspace",
		"node --import tsx --test":                             "node --import tsx --test",
		"mocha unit && mocha integration": "mocha unit" + mochaFlags +
			" && mocha integration" + mochaFlags,
		"python manage.py test shop":                       "python3 manage.py test -v 2 shop",
		"mocha unit && npm run lint -w client && npm pack": "mocha unit" + mochaFlags,
		"cd a && pytest && cd ../b && pytest x": "cd a && python3 -m pytest -q && cd ../b " +
			"&& python3 -m pytest -q x",
		"npm run test:unit -- --prefix x && cd .. && jest": "NODE_ENV=test mocha 'test/**/*.js'" +
			mochaFlags + " && cd .. && jest --verbose",
		"npm run unit --prefix client && jest": "npm run unit --prefix client && jest " +
			"--verbose",
	} {
		found, ok := Inside(line, scripts)
		require.True(t, ok, line)
		require.Equal(t, want, found.Line, line)
	}
	for _, line := range []string{
		"", "npm run loop", "npm run lint", "node test.js", "sh test.sh", "echo 'jest", "karma start",
		"echo mocha", "for f in *; do mocha $f; done",
	} {
		_, ok := Inside(line, scripts)
		require.False(t, ok, line)
	}
}

// TestScriptsOfOtherFoldersAreNotTheRoots checks that a call of the scripts of another folder is not read as
// a call of the root's scripts with the same names, and that no tests are left out for it.
func TestScriptsOfOtherFoldersAreNotTheRoots(t *testing.T) {
	t.Parallel()
	for _, test := range []string{
		"mocha server && cd client && npm test", "mocha server && (cd client && npm test)", "mocha && npm " +
			"--prefix client run test", "mocha && CI=1 npm test -w client", "mocha && npm test --workspaces",
		"mocha && yarn workspace client test", "mocha && run-s test:*", "mocha && npm test",
		"npm run client && mocha server", "npm test --prefix a && npm test --prefix=b",
		strings.Repeat("npm test --prefix x && ", 30) + "true", "npm run wide",
	} {
		wide := strings.Repeat("npm run wider && ", 1000) + "jest"
		found, ok := InsideScript("test", Scripts{
			"test":   test,
			"client": "cd client && mocha",
			"wide":   wide,
			"wider":  strings.ReplaceAll(wide, "wider", "widest"),
			"widest": "# nothing",
		})
		require.False(t, ok, "%s: %s", test, found.Line)
	}
	found, ok := InsideScript("test", Scripts{
		"test":   "npm run lint && npm run client",
		"lint":   "cd client && eslint .",
		"client": "cd client && mocha",
	})
	require.True(t, ok)
	require.Equal(t, "cd client && mocha"+mochaFlags, found.Line)
}

func TestACommandThatIsTheRunnerAlone(t *testing.T) {
	t.Parallel()
	for line, alone := range map[string]bool{
		"jest --ci":          true,
		"cross-env A=b jest": true,
		"eslint . && jest":   false,
		"nyc mocha":          false,
		"jest --watch":       false,
		"node --test":        true,
	} {
		found, ok := Inside(line, nil)
		require.True(t, ok, line)
		require.Equal(t, alone, found.Alone, line)
	}
	found, ok := InsideScript("test",
		Scripts{"pretest": "npm run build", "build": "babel src -d lib", "test": "mocha"})
	require.True(t, ok)
	require.Equal(t, "babel src -d lib && mocha"+mochaFlags, found.Line)
}

// TestTheCommandAsTheProjectHasIt checks Written for runners whose tests may read the added arguments.
func TestTheCommandAsTheProjectHasIt(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"eslint . && jest --ci":                 "jest --ci",
		"A=b mocha unit && mocha more":          "A=b mocha unit && mocha more",
		"vitest":                                "vitest --run",
		"vitest run":                            "vitest run",
		"react-scripts test":                    "react-scripts test --watchAll=false",
		"python -m unittest discover -s checks": "python3 -m unittest discover -s checks",
		"tsc && pytest x":                       "",
		"tape test":                             "",
		"go test ./...":                         "",
		"cargo test":                            "",
		"node --test":                           "",
	} {
		found, ok := Inside(line, nil)
		require.True(t, ok, line)
		require.Equal(t, want, found.Written, line)
	}
}

// TestRunnersOfFurtherLanguages checks the calls with the flags for a report, and which calls run no tests.
func TestRunnersOfFurtherLanguages(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"bundle exec rspec -f p spec/cart": "bundle exec rspec spec/cart --format documentation",
		"bundle exec rake": "" +
			"bundle exec rake TESTOPTS=-v SPEC_OPTS='--format documentation'",
		"bin/rails test test/models":          "bin/rails test test/models -v",
		"ruby -Itest test/test_a.rb":          "ruby -Itest test/test_a.rb -v",
		"vendor/bin/phpunit --testsuite unit": "vendor/bin/phpunit --testsuite unit " + PHPReport,
		"php vendor/bin/phpunit":              "php vendor/bin/phpunit " + PHPReport,
		"./mvnw -B -ntp verify -pl core":      JavaReports + "mvn verify -pl core -o -B -fae",
		"./gradlew :core:test --no-daemon": "" +
			JavaReports + "gradle :core:test --offline --no-daemon --continue",
		"dotnet test src":               "dotnet test src",
		"MIX_ENV=test mix test --cover": "MIX_ENV=test mix test --trace",
		"prove -l t":                    "prove -l t",
		"bin/bats test":                 "bin/bats test --tap",
		"cmake -B b && cmake --build b && cd b && ctest -j 4": "" +
			"cmake -B b && cmake --build b && cd b && ctest -j 4 " +
			CTestReport,
		"meson test -C b":                 "meson test -C b",
		"make -j4 -C lib check VERBOSE=1": "make -j4 -C lib check VERBOSE=1",
		"CC=clang make test":              "CC=clang make test",
		"deno task lint && deno test -A":  "deno task lint && deno test -A " + DenoReport,
		"swift test":                      "swift test",
	} {
		found, ok := Inside(line, nil)
		require.True(t, ok, line)
		require.Equal(t, want, found.Line, line)
	}
	for _, line := range []string{
		"mvn -DskipTests install", "mvn compile", "gradle assemble", "rake release", "make all",
		"make check-format", "make -C test", "dotnet build", "! bats test/failing.bats", "zig fmt",
		"ruby bin/x.rb", "ctest --version",
		"jest && make test", "pytest && bundle exec rspec",
	} {
		found, ok := Inside(line, nil)
		require.False(t, ok, "%s: %s", line, found.Line)
	}
	for line, plain := range map[string]bool{
		"cmake -S . -B b -DX=ON && cmake --build b -j4 && ctest --test-dir b": true,
		"./configure --prefix=/x && make -j4 && make check":                   true,
		"cmake -B b; cp x y && ctest":                                         false,
		"sh build.sh && ctest":                                                false,
		"cmake -E env X=1 ./run && ctest":                                     false,
	} {
		found, _ := Inside(line, nil)
		require.Equal(t, plain, found.Plain, line)
	}
}

func FuzzInside(f *testing.F) {
	f.Add("npm run lint && A=b mocha 'x' | tap-spec")
	f.Add("coverage run -m pytest --cov")
	f.Fuzz(func(t *testing.T, line string) {
		found, ok := InsideScript("test", Scripts{"test": line, "pretest": "npm test"})
		require.Equal(t, ok, found.Line != "")
	})
}
