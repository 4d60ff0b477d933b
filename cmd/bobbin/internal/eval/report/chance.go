package report

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	exactUpTo = 20 // number of pairs up to which every combination of signs is counted
	samples   = 200_000
)

// chance returns the p-value of the two-sided sign-flip test: the probability that pairs which differ by
// chance alone differ at least as much in sum. For wins and losses it is McNemar's exact test. It is exact up
// to exactUpTo pairs; above that it takes a random sample of sign combinations with a fixed seed, so every
// call returns the same value.
func chance(differences []float64) float64 {
	pairs := slices.DeleteFunc(slices.Clone(differences), func(d float64) bool { return d == 0 })
	seen, scale := 0.0, 0.0
	for _, d := range pairs {
		seen = seen + d
		scale = scale + math.Abs(d)
	}
	asMuch := func(sum float64) bool { return math.Abs(sum) >= math.Abs(seen)-1e-9*scale }
	if len(pairs) <= exactUpTo {
		return float64(countExchanges(pairs, 0, asMuch)) / math.Exp2(float64(len(pairs)))
	}
	random := rand.New(rand.NewPCG(1, 2))
	hits := 1 // the observed combination counts as one hit
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

// countExchanges returns how many ways of giving each pair either sign have a sum that wanted accepts.
func countExchanges(pairs []float64, sum float64, wanted func(float64) bool) int {
	if len(pairs) == 0 {
		if wanted(sum) {
			return 1
		}
		return 0
	}
	return countExchanges(pairs[1:], sum+pairs[0], wanted) + countExchanges(pairs[1:], sum-pairs[0], wanted)
}
