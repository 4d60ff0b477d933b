package remotetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// ScribbleLines makes up to edits random edits: it changes, removes and inserts lines.
func ScribbleLines(rnd *rand.Rand, base []string, who string, edits int) string {
	out := append([]string{}, base...)
	for n := range rnd.IntN(edits + 1) {
		at := rnd.IntN(len(out) + 1)
		line := fmt.Sprintf("%s %d\n", who, n)
		switch {
		case rnd.IntN(3) == 0 && !(at == len(out) && at > 0 && !strings.HasSuffix(out[at-1], "\n")):
			out = append(out[:at], append([]string{line}, out[at:]...)...)
		case at == len(out):
		case rnd.IntN(2) == 0:
			out = append(out[:at], out[at+1:]...)
		default:
			out[at] = line
		}
	}
	return strings.Join(out, "")
}
