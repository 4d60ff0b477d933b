package project

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestTagged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ constraint, test, want string }{
		{
			"//go:build e2e", "go test -json ./...",
			"go test -json -tags=e2e -vet=off -count=1 -shuffle=on './a'",
		},
		{
			"//go:build e2e && linux && !short", "go test -tags=netgo ./...",
			"go test -tags=e2e,netgo -vet=off -count=1 -shuffle=on './a'",
		},
		{"//go:build e2e", "go test -tags=e2e ./...", ""},
		{"//go:build linux || e2e", "go test ./...", ""},
		{"//go:build !linux", "go test ./...", ""},
		{"//go:build (", "go test ./...", ""},
		{"// a comment", "go test ./...", ""},
	} {
		root := fstest.MapFS{"a/a_test.go": {Data: []byte(c.constraint + "\n\npackage a\n")}}
		p, ok := Project{Kind: "go", Test: c.test}.Tagged(root, []string{"a/a_test.go"})
		require.Equal(t, c.want != "", ok, c.constraint)
		if ok {
			require.Equal(t, c.want, p.Test)
		}
	}
}
