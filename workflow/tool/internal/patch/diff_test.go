package patch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A long addition that a model has just written is shown shortened; changed and removed lines are shown
// whole.
func TestLongAdditionsAreFolded(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for n := range 40 {
		fmt.Fprintf(&long, "line %d\n", n)
	}
	got := ShortDiff([]byte("a\nb\n"), []byte("a\n"+long.String()+"b\n"))
	require.Equal(t, "@@ -1,2 +1,42 @@\n a\n+line 0\n+line 1\n[… 36 more added lines]\n+line 38\n+line 39\n b\n", got)

	before, after := "a\n"+strings.Repeat("x\n", 12), "a\n"+strings.Repeat("y\n", 12)
	require.NotContains(t, ShortDiff([]byte(before), []byte(after)), "more added lines", "twelve lines are shown")
	require.Equal(t, 40, strings.Count(ShortDiff([]byte(after+long.String()), []byte(after)), "\n-line"), "what is taken away is shown")
}
