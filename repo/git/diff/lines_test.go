package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remotetest"
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

// Long texts are compared exactly if that takes few steps, and otherwise replaced between the lines that they begin
// and end with. Steps are counted, so it is the same on a machine that is busy.
func TestLongTextsAreComparedByCountedSteps(t *testing.T) {
	t.Parallel()
	old := make([]string, 3*alwaysExact)
	for i := range old {
		old[i] = fmt.Sprintf("line %d\n", i)
	}
	changedEach := func(n int) []string {
		now := make([]string, len(old))
		for i, line := range old {
			if now[i] = line; i%n == n/2 {
				now[i] = "new " + line
			}
		}
		return now
	}
	join := func(lines []string) []byte { return []byte(strings.Join(lines, "")) }
	_, _, edits := LineEdits(join(old), join(changedEach(1000)))
	require.Len(t, edits, 24)
	require.Equal(t, LineEdit{500, 501, 500, 501}, edits[0])

	require.True(t, isCheap(old, changedEach(1000), 40_000))
	require.False(t, isCheap(old, changedEach(1000), 20_000), "not even the equal lines")
	require.False(t, isCheap(old, changedEach(10), 1_000_000))
	require.True(t, isCheap(old, old, 40_000))

	_, _, edits = LineEdits(join(old), join(changedEach(2)))
	require.Equal(t, []LineEdit{{1, len(old), 1, len(old)}}, edits)
	long := append(changedEach(2), "end\n")
	before, after, edits := LineEdits(join(append(old, "end\n")), join(append([]string{"begin\n"}, long...)))
	require.Equal(t, []LineEdit{{0, len(old), 0, len(old) + 1}}, edits)
	require.Equal(t, string(join(long)), string(undoEdits(before, after, nil))[len("begin\n"):])
}
