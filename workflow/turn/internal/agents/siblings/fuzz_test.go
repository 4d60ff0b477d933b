package siblings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/tool"
)

// FuzzPlaces checks that lines are read in order or not at all, whatever a model names as a place, and
// that a place that the text of the change does not name is not in the fix.
func FuzzPlaces(f *testing.F) {
	for _, seed := range []string{
		"cart/total.go:40", "`a.go:1-3`", "a.go:3-1", ":1", "a.go:99999999", "a:b:2", "x a.go, ./b.go:2.",
		"new\nline:1", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		if at, ok := linesAt(words); ok {
			require.LessOrEqual(t, at.first, at.last)
			require.NotEmpty(t, at.path)
		}
		judged, err := readPlaces([]workflow.Sibling{{At: words}})
		require.Equal(t, err != nil, len(judged) == 0)
		if !strings.Contains(words, "b.go") {
			require.False(t, inScope(words, tool.Hit{Path: "b.go", Line: 2}, "a.go", nil))
		}
	})
}
