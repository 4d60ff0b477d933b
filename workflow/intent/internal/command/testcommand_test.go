package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/command"
)

func TestReadTestCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"test it with `make test262`":                        "make test262",
		"Yes, test it with make test262.":                    "make test262",
		"please run the tests with `npm run -w core test`":   "npm run -w core test",
		"The tests are run with ctest --test-dir build":      "ctest --test-dir build",
		"this repository is tested by `./scripts/test`":      "./scripts/test",
		"the right command is `go test -tags e2e ./...`":     "go test -tags e2e ./...",
		"use `CI=1 pytest -q tests` for the tests, please":   "CI=1 pytest -q tests",
		"no, the test command is: tox -e py312":              "tox -e py312",
		"use `make check` as the test command from now on":   "make check",
		"test this with `cmake --build b &amp;&amp; ctest`.": "cmake --build b && ctest",
	} {
		got, ok := command.ReadTestCommand(text)
		require.True(t, ok, text)
		require.Equal(t, command.TestCommand{Line: want}, got, text)
	}
	for _, text := range []string{
		"Yes: use that command", "Yes, use that command.", "use that command", "ok, take this command please",
		"yes, use that for the tests", "test it with that command", "Use the command",
	} {
		got, ok := command.ReadTestCommand(text)
		require.True(t, ok, text)
		require.Equal(t, command.TestCommand{Above: true}, got, text)
	}
	for _, text := range []string{
		"", "test it with real orders", "test this with the coupon SUMMER", "use `money.Split` for the tests",
		"> test it with `make check`", "<@U2> test it with `make check`", "run the tests with care",
		"use that", "the tests are run with every push", "don't test it with `make check`",
		"should we test it with `make check`?", "use that command line parser", "the command is wrong",
		"test it with `make check`\nand push it", "I think the test command is `make check` but ask bea",
	} {
		_, ok := command.ReadTestCommand(text)
		require.False(t, ok, text)
	}
}
