package check

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
)

// written is a token as one writes it in a file of a dialect.
func (k *token) written(dialect string) string {
	text := k.name
	switch {
	case k.dialect == "css" && k.bare:
		text = "hsl(var(" + k.name + "))"
	case k.dialect == "css":
		text = "var(" + k.name + ")"
	}
	if !k.usable(dialect) {
		return text + " of " + k.path
	}
	return text
}

func (k *token) usable(dialect string) bool { return k.dialect == "css" || k.dialect == dialect }

// better orders two tokens that are as far from what is wanted.
func better(a, b *token, dialect string) int {
	last := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(last(!a.usable(dialect)), last(!b.usable(dialect))),
		cmp.Compare(last(!a.alias), last(!b.alias)),
		cmp.Compare(len(a.name), len(b.name)),
		cmp.Compare(a.name, b.name),
	)
}

// nearest picks the token at the smallest distance; of several the one that says most.
// One that the dialect understands goes before one that it does not, unless only that has
// the very value.
func nearest(list []*token, dialect string, distance func(*token) float64) (best *token, exact bool) {
	far := func(k *token) float64 {
		d := distance(k)
		if d > 0 && !k.usable(dialect) {
			d += 1e9
		}
		return d
	}
	at := math.Inf(1)
	for _, k := range list {
		d := far(k)
		if math.IsInf(d, 1) {
			continue
		}
		if best == nil || d < at || d == at && better(k, best, dialect) < 0 {
			best, at = k, d
		}
	}
	return best, best != nil && at == 0
}

// colour is the token with a colour, or with the nearest one.
func (t *tokens) colour(c colour, dialect string) (k *token, exact bool) {
	return nearest(t.colours, dialect, func(k *token) float64 {
		if k.colour.String() == c.String() { // written in another way
			return 0
		}
		return max(k.colour.distance(c), 1e-9)
	})
}

// length is the token with a length for a purpose, or with the nearest one.
func (t *tokens) length(px float64, purpose int, dialect string) (k *token, exact bool) {
	return nearest(t.lengths, dialect, func(k *token) float64 {
		if k.purpose&purpose == 0 {
			return math.Inf(1)
		}
		return math.Abs(k.px - px)
	})
}

func (t *tokens) colourCure(c colour, dialect string) string {
	k, exact := t.colour(c, dialect)
	switch {
	case k == nil:
		return "use one of the project's colour tokens"
	case exact:
		return "use " + k.written(dialect)
	}
	return fmt.Sprintf("no token has this value: use the nearest, %s (%s), or define a token for it", k.written(dialect), k.colour)
}

func (t *tokens) lengthCure(px float64, purpose int, dialect string) string {
	k, exact := t.length(math.Abs(px), purpose, dialect)
	switch {
	case k == nil:
		return "use one of the project's tokens"
	case exact && px < 0:
		return "use calc(-1 * " + k.written(dialect) + ")"
	case exact:
		return "use " + k.written(dialect)
	}
	return fmt.Sprintf("no token has this value: use the nearest, %s (%spx), or define a token for it",
		k.written(dialect), strconv.FormatFloat(k.px, 'f', -1, 64))
}
