package project

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		test  string
		names []string
		want  string // empty: the tests cannot be left out
	}{
		{
			"go test -json ./...",
			[]string{"TestB", "TestA/x", "TestA"},
			"go test -json -skip '^(TestA|TestB)$' ./...",
		},
		{
			"cd 'a' && go test -race ./...",
			[]string{"TestA"},
			"cd 'a' && go test -race -skip '^(TestA)$' ./...",
		},
		{"go test -json ./...", nil, ""},
		{"go test -json ./...", []string{"Test'; rm x"}, ""},
		{"go test -run X ./...", []string{"TestA"}, ""},
		{"go test ./... | tee log", []string{"TestA"}, ""},
		{"python3 -m pytest -q", []string{"test_a"}, ""},
	} {
		p, ok := Project{Kind: "go", Test: c.test}.Without(c.names)
		require.Equal(t, c.want != "", ok, c.test)
		if ok {
			require.Equal(t, c.want, p.Test)
			near, ok := p.NearFirst(nil, []string{"a/b.go"})
			require.True(t, ok, "it can still be split")
			require.Contains(t, near.Near, " -skip '")
		}
	}
}
