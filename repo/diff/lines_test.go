package diff

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/remotetest"
)

// The edits lead from one text to the other, whatever the texts are.
func TestLineEditsAreExact(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 400 {
		base := make([]string, rnd.IntN(30))
		for i := range base {
			base[i] = []string{"\n", "a\n", "b\r\n", "\xff\xfe\n", "{\n"}[rnd.IntN(5)]
		}
		before, after := strings.Join(base, ""), remotetest.ScribbleLines(rnd, base, "x", 9)
		if rnd.IntN(2) == 0 {
			after = strings.TrimSuffix(after, "\n")
		}
		old, now, edits := LineEdits([]byte(before), []byte(after))
		require.Equal(t, before, string(undoEdits(old, now, edits)))
		require.Equal(t, after, string(undoEdits(old, now, nil)))
		for i := range edits[min(1, len(edits)):] {
			require.Less(t, edits[i].Hi, edits[i+1].Lo)
		}
	}
}

// Only lines with a letter or a digit separate two hunks.
func TestABraceDoesNotPartHunks(t *testing.T) {
	t.Parallel()
	old := []string{"func a() {\n", "x()\n", "}\n", "\n", "func b() {\n", "y()\n", "}\n"}
	apart := []LineEdit{{1, 2, 1, 2}, {5, 6, 5, 6}}
	require.Len(t, findStretches(old, apart), 2)
	together := []LineEdit{{1, 2, 1, 2}, {4, 5, 4, 5}}
	require.Len(t, findStretches(old, together), 1)
}
