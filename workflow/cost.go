package workflow

import (
	"fmt"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Cost is what models took: money, as far as their prices are known, and tokens.
type Cost struct {
	USD      float64
	Tokens   int64 // read and written
	Unpriced int64 // of Tokens: those of models whose price is not known
}

// String returns the cost for people: "$0.31", or "– (12,100 tokens)" if no price is known. It never says
// $0.00: models that cost nothing by the configuration are "free".
func (c Cost) String() string {
	switch {
	case c.USD > 0 && c.Unpriced > 0:
		return Money(c.USD) + " and " + tokens(c.Unpriced) + " without a price"
	case c.USD > 0:
		return Money(c.USD)
	case c.Unpriced > 0:
		return NoPrice + " (" + tokens(c.Tokens) + ")"
	case c.Tokens > 0:
		return "free (" + tokens(c.Tokens) + ")"
	}
	return NoPrice
}

// NoPrice stands for money where nothing was spent, or where nobody knows how much.
const NoPrice = "–"

// Money returns an amount in US dollars for people, as "$0.31", "under $0.01", or NoPrice for nothing.
func Money(usd float64) string {
	switch {
	case usd <= 0:
		return NoPrice
	case usd < 0.01:
		return "under $0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

func tokens(n int64) string {
	if n == 1 {
		return "1 token"
	}
	return plaintext.FormatCount(n) + " tokens"
}
