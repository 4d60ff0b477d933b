package project

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

func TestNothingButTheseTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, line string
		names      []string
		want       string
	}{
		{
			"go",
			"go test -json ./...",
			[]string{"TestA/x", "FuzzB"},
			"go test -json -vet=off -count=1 -shuffle=on -run '^(TestA|FuzzB)$' './a'",
		},
		{
			"go",
			"cd 'a' && go test ./...",
			[]string{"TestA"},
			"cd 'a' && go test -vet=off -count=1 -shuffle=on -run '^(TestA)$' '.'",
		},
		{"go", "go test ./...", []string{"odd name"}, "go test -vet=off -count=1 -shuffle=on './a'"},
		{"go", "go vet ./... && go test ./...", []string{"TestA"}, ""},
		{
			"python",
			"python3 -m pytest -q",
			[]string{"test_a[1]", "test_b"},
			"python3 -m pytest -q -k 'test_a or test_b' 'a/x' 'a/y'",
		},
		{"python", "pytest", []string{"odd name"}, "pytest 'a/x' 'a/y'"},
		{
			"python",
			"python3 -m unittest discover -v",
			[]string{"test_a", "test_b"},
			"python3 -m unittest discover -v -k test_a -k test_b",
		},
		{"python", "python3 -m unittest discover -v", []string{"odd-name"}, ""},
		{
			"rust",
			"cargo test --no-fail-fast",
			[]string{"tests::a", "b"},
			"cargo test --no-fail-fast -- 'tests::a' 'b'",
		},
		{"node", "npm test -- --verbose", []string{"a > b"}, "npm test -- --verbose 'a/x' 'a/y'"},
		{
			"node",
			"npm test --" + command.MochaReport,
			[]string{"a"},
			"npm test --" + command.MochaReport + " 'a/x' 'a/y'",
		},
		{"make", "make test", []string{"a"}, ""},
	} {
		only, ok := Project{Kind: c.kind, Build: "build", Test: c.line, Written: "w"}.Only(
			[]string{"a/x", "a/y"}, c.names,
		)
		require.Equal(t, c.want != "", ok, c.line)
		if !ok {
			continue
		}
		require.Equal(t, c.want, only.Test)
		require.Empty(t, only.Written)
		require.Equal(
			t, c.kind == "python" || c.kind == "node", only.Build != "",
			"the build stays where tests may need it",
		)
	}
}
