package worktree

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSplitLocation checks that SplitLocation returns both a path and a number or neither, and that the path
// is a relative part of the source.
func FuzzSplitLocation(f *testing.F) {
	for _, seed := range []string{
		"src/a.go:12", "`src/a.go:12-20`", "./a/b.c:1–2", "go test ./...", "a/b", "../../etc/passwd:1",
		"/etc/passwd:1", "a/b.go:99999999999999999999", "x.go", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		path, line := SplitLocation(source)
		require.Equal(t, path == "", line == "")
		if path == "" {
			return
		}
		require.Contains(t, source, path)
		require.False(t, strings.HasPrefix(path, "/"))
		require.NotContains(t, path, "\n")
		_, err := strconv.ParseUint(line, 10, 64)
		require.True(t, err == nil || len(line) > 18, line)
	})
}
