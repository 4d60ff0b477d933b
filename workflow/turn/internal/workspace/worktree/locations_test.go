package worktree

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Only a source of evidence that is one place in a folder is looked up.
func TestPlacesAmongSources(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"money/split.go:13":          "money/split.go 13",
		"money/split.go":             "money/split.go 1",
		"`money/split.go:3-20`":      "money/split.go 20",
		"./money/split.go:3":         "money/split.go 3",
		"build/Makefile:9":           "build/Makefile 9",
		" docs/a.b.md ":              "docs/a.b.md 1",
		"go test ./money":            " ",
		"split.go":                   " ",
		"money.Split":                " ",
		"runtime/debug.Stack":        " ",
		"TestSplit/three_parts":      " ",
		"https://example.com/a.html": " ",
		"localhost:8080":             " ",
		"ann's message":              " ",
		"":                           " ",
	} {
		path, line := SplitLocation(source)
		require.Equal(t, want, path+" "+line, source)
	}
}
