package command

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const mochaFlags = MochaReport

func TestTheRunnerInsideACommand(t *testing.T) {
	t.Parallel()
	scripts := Scripts{
		"lint": "eslint . && prettier --check .", "test:types": "tsd", "test:unit": "cross-env NODE_ENV=test nyc --reporter lcov mocha 'test/**/*.js' --reporter dot",
		"build": "tsc -p .", "loop": "npm run loop", "verify": "node scripts/verify.js", "docs": "node scripts/docs.js",
	}
	for line, want := range map[string]string{
		"npm run lint && npm run test:types && npm run docs && npm run test:unit": "NODE_ENV=test mocha 'test/**/*.js'" + mochaFlags,
		"run-s lint test:*":                                    "NODE_ENV=test mocha 'test/**/*.js'" + mochaFlags,
		"npm run build && npm run verify && jest":              "tsc -p . && node scripts/verify.js && jest --verbose",
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
		"mocha unit && mocha integration":                      "mocha unit" + mochaFlags + " && mocha integration" + mochaFlags,
		"python manage.py test shop":                           "python3 manage.py test -v 2 shop",
	} {
		found, ok := Inside(line, scripts)
		require.True(t, ok, line)
		require.Equal(t, want, found.Line, line)
	}
	for _, line := range []string{"", "npm run loop", "npm run lint", "node test.js", "sh test.sh", "echo 'jest", "karma start", "echo mocha", "for f in *; do mocha $f; done"} {
		_, ok := Inside(line, scripts)
		require.False(t, ok, line)
	}
}

func TestACommandThatIsTheRunnerAlone(t *testing.T) {
	t.Parallel()
	for line, alone := range map[string]bool{"jest --ci": true, "cross-env A=b jest": true, "eslint . && jest": false, "nyc mocha": false, "jest --watch": false, "node --test": true} {
		found, ok := Inside(line, nil)
		require.True(t, ok, line)
		require.Equal(t, alone, found.Alone, line)
	}
	found, ok := InsideScript("test", Scripts{"pretest": "npm run build", "build": "babel src -d lib", "test": "mocha"})
	require.True(t, ok)
	require.Equal(t, "babel src -d lib && mocha"+mochaFlags, found.Line)
}

// TestTheCommandAsTheProjectHasIt checks Written for runners whose tests may read the added arguments.
func TestTheCommandAsTheProjectHasIt(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"eslint . && jest --ci": "jest --ci", "A=b mocha unit && mocha more": "A=b mocha unit && mocha more", "vitest": "vitest --run", "vitest run": "vitest run",
		"react-scripts test": "react-scripts test --watchAll=false", "python -m unittest discover -s checks": "python3 -m unittest discover -s checks",
		"tsc && pytest x": "", "tape test": "", "go test ./...": "", "cargo test": "", "node --test": "",
	} {
		found, ok := Inside(line, nil)
		require.True(t, ok, line)
		require.Equal(t, want, found.Written, line)
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
