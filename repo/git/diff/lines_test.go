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
		before := strings.Join(base, "")
		after := remotetest.ScribbleLines(rnd, base, "x", 9)
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

// Long texts are compared exactly if that takes few steps, and otherwise replaced between the lines that they
// begin and end with. Steps are counted, so it is the same on a machine that is busy.
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

// A line is found in the earlier text, and the other way round; if no line is repeated, as by a diff of the
// whole texts.
func TestLinesAreFollowed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 9))
	for n := range 400 {
		var before, after []string
		unique := n%2 == 0
		for i := range r.IntN(40) {
			line := fmt.Sprintf("line %d\n", i)
			if !unique {
				line = fmt.Sprintf("line %d\n", r.IntN(9))
			}
			before = append(before, line)
			switch r.IntN(12) {
			case 0:
			case 1:
				after = append(after, fmt.Sprintf("new %d\n", i), line)
			case 2:
				after = append(after, fmt.Sprintf("other %d\n", i))
			default:
				after = append(after, line)
			}
		}
		if r.IntN(3) == 0 {
			after = append(after, "no end")
		}
		old := []byte(strings.Join(before, ""))
		now := []byte(strings.Join(after, ""))
		for i, text := range after {
			was := LineBefore(old, now, i+1)
			if was > 0 {
				require.Equal(t, text, before[was-1])
			}
			if unique {
				require.Equal(t, lineBefore(old, now, i+1), was, "%q %q %d", old, now, i+1)
				require.True(t, was == 0 || LineAfter(old, now, was) == i+1)
			}
		}
		for i := range before {
			at := LineAfter(old, now, i+1)
			require.Positive(t, at)
			require.LessOrEqual(t, at, max(1, len(after)))
		}
	}
}
