package workflow

import (
	"fmt"
	"math"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// MinEstimate is the number of finished sessions below which nothing is estimated.
const MinEstimate = 3

// An Estimate is what work will probably take: the median of what the same kind of work took in the same
// repository, from its approval on.
type Estimate struct {
	Sessions int // finished sessions that it is made of
	Cost     Cost
	Worked   time.Duration
}

// String returns the estimate for people, as "about $0.40, 6 minutes", or an empty string if too few sessions
// are finished. Where no price is known it has tokens in place of money.
func (e Estimate) String() string {
	if e.Sessions < MinEstimate {
		return ""
	}
	return "about " + e.amount() + ", " + e.minutes()
}

func (e Estimate) amount() string {
	switch {
	case e.Cost.USD >= 0.01:
		return Money(e.Cost.USD)
	case e.Cost.USD > 0:
		return "$0.01"
	}
	return tokens(rounded(e.Cost.Tokens))
}

// rounded returns n with two significant digits, since an estimate knows no more.
func rounded(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

func (e Estimate) minutes() string {
	n := int(math.Max(1, math.Round(e.Worked.Minutes())))
	return plaintext.CountNoun(n, "minute")
}

// Line returns the line of the program about work of this kind that waits for an approval, or an empty
// string. work is what it is, in the plural: fixes.
func (e Estimate) Line(work string) string {
	if e.String() == "" {
		return ""
	}
	return fmt.Sprintf("Expected: %s (median of the last %d %s here).", e, e.Sessions, work)
}
