package report

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	exactUpTo = 20 // pairs, whose every exchange is looked at
	samples   = 200_000
)

// chance is how likely pairs that differ by chance alone differ at least as much in sum: the exact
// sign-flip test, two-sided. Of wins and losses it is McNemar's exact test. With more than
// exactUpTo pairs it looks at a sample of the exchanges, the same at every call.
func chance(differences []float64) float64 {
	pairs := slices.DeleteFunc(slices.Clone(differences), func(d float64) bool { return d == 0 })
	seen, scale := 0.0, 0.0
	for _, d := range pairs {
		seen, scale = seen+d, scale+math.Abs(d)
	}
	asMuch := func(sum float64) bool { return math.Abs(sum) >= math.Abs(seen)-1e-9*scale }
	if len(pairs) <= exactUpTo {
		return float64(countExchanges(pairs, 0, asMuch)) / math.Exp2(float64(len(pairs)))
	}
	random := rand.New(rand.NewPCG(1, 2))
	hits := 1 // what was seen is one of them
	for range samples {
		sum := 0.0
		for _, d := range pairs {
			if random.Uint64()&1 == 0 {
				d = -d
			}
			sum += d
		}
		if asMuch(sum) {
			hits++
		}
	}
	return float64(hits) / (samples + 1)
}

// countExchanges counts the ways to give each pair either sign for which the sum is as wanted.
func countExchanges(pairs []float64, sum float64, wanted func(float64) bool) int {
	if len(pairs) == 0 {
		if wanted(sum) {
			return 1
		}
		return 0
	}
	return countExchanges(pairs[1:], sum+pairs[0], wanted) + countExchanges(pairs[1:], sum-pairs[0], wanted)
}
