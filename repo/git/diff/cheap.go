package diff

import (
	"math"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

const (
	alwaysExact = 8000    // lines of both texts together that are compared exactly, whatever they are
	maxSteps    = 1 << 26 // of the exact comparison of longer texts, a fifth of a second; beyond it the diff is coarser, but still right
)

// isCheap reports whether the shortest edit from old to now is found within a number of steps. It does not look at the
// clock: hunks are taken out by their numbers, so the same texts have the same hunks on any machine, however busy.
//
// It is Myers' greedy algorithm without the record of the way. reach holds, for each diagonal, how far d edits lead.
func isCheap(old, now []string, most int) bool {
	ids := map[string]int{}
	number := func(lines []string) []int {
		out := make([]int, len(lines))
		for i, line := range lines {
			if _, known := ids[line]; !known {
				ids[line] = len(ids)
			}
			out[i] = ids[line]
		}
		return out
	}
	a, b := number(old), number(now)
	maxEdits := int(math.Sqrt(float64(2 * most))) // so many edits take all the steps, since d of them have d+1 diagonals
	zero := maxEdits + 1
	reach := make([]int, 2*zero+1)
	for d, steps := 0, 0; d <= maxEdits; d++ {
		for k := -d; k <= d; k += 2 {
			x := reach[zero+k+1]
			if k != -d && (k == d || reach[zero+k-1] >= x) {
				x = reach[zero+k-1] + 1
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x, steps = x+1, steps+1
			}
			if reach[zero+k] = x; x >= len(a) && x-k >= len(b) {
				return true
			}
			if steps++; steps > most {
				return false
			}
		}
	}
	return false
}

// replaceMiddle returns a diff that keeps the lines at the beginning and at the end that both texts hold, and
// replaces all between them.
func replaceMiddle(old, now []string) (out []diffmatchpatch.Diff) {
	head, tail, short := 0, 0, min(len(old), len(now))
	for head < short && old[head] == now[head] {
		head++
	}
	for tail < short-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	add := func(kind diffmatchpatch.Operation, lines []string) {
		if len(lines) > 0 {
			out = append(out, diffmatchpatch.Diff{Type: kind, Text: strings.Join(lines, "")})
		}
	}
	add(diffmatchpatch.DiffEqual, old[:head])
	add(diffmatchpatch.DiffDelete, old[head:len(old)-tail])
	add(diffmatchpatch.DiffInsert, now[head:len(now)-tail])
	add(diffmatchpatch.DiffEqual, old[len(old)-tail:])
	return out
}
