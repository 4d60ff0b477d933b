package token

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
)

// Written returns the token as it is written in a file of a dialect.
func (k *Token) Written(dialect string) string {
	text := k.name
	switch {
	case k.dialect == "css" && k.bare:
		text = "hsl(var(" + k.name + "))"
	case k.dialect == "css":
		text = "var(" + k.name + ")"
	}
	if !k.usableIn(dialect) {
		return text + " of " + k.path
	}
	return text
}

func (k *Token) usableIn(dialect string) bool { return k.dialect == "css" || k.dialect == dialect }

// compareTokens orders two tokens that are at the same distance from the wanted value.
func compareTokens(a, b *Token, dialect string) int {
	last := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(last(!a.usableIn(dialect)), last(!b.usableIn(dialect))),
		cmp.Compare(last(!a.alias), last(!b.alias)),
		cmp.Compare(len(a.name), len(b.name)),
		cmp.Compare(a.name, b.name),
	)
}

// nearestToken returns the token with the smallest distance, and whether that is 0. Of several it takes
// the first by compareTokens. A token that the dialect understands comes before one that it does not,
// unless only the latter has exactly the value.
func nearestToken(list []*Token, dialect string, distance func(*Token) float64) (best *Token, exact bool) {
	far := func(k *Token) float64 {
		d := distance(k)
		if d > 0 && !k.usableIn(dialect) {
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
		if best == nil || d < at || d == at && compareTokens(k, best, dialect) < 0 {
			best, at = k, d
		}
	}
	return best, best != nil && at == 0
}

// nearestColour returns the token with the nearest colour, and whether it is the same colour.
func (t *Tokens) nearestColour(c stylesheet.Colour, dialect string) (k *Token, exact bool) {
	return nearestToken(t.Colours, dialect, func(k *Token) float64 {
		if k.Colour.String() == c.String() { // the same colour, perhaps written in another way
			return 0
		}
		return max(k.Colour.Distance(c), 1e-9)
	})
}

// nearestLength returns the token with the nearest length for a purpose, and whether it is the same
// length.
func (t *Tokens) nearestLength(px float64, purpose int, dialect string) (k *Token, exact bool) {
	return nearestToken(t.lengths, dialect, func(k *Token) float64 {
		if k.purpose&purpose == 0 {
			return math.Inf(1)
		}
		return math.Abs(k.px - px)
	})
}

func (t *Tokens) ColourCure(c stylesheet.Colour, dialect string) string {
	k, exact := t.nearestColour(c, dialect)
	switch {
	case k == nil:
		return "use one of the project's colour tokens"
	case exact:
		return "use " + k.Written(dialect)
	}
	return fmt.Sprintf("no token has this value: use the nearest, %s (%s), or define a token for it", k.Written(dialect), k.Colour)
}

func (t *Tokens) LengthCure(px float64, purpose int, dialect string) string {
	k, exact := t.nearestLength(math.Abs(px), purpose, dialect)
	switch {
	case k == nil:
		return "use one of the project's tokens"
	case exact && px < 0:
		return "use calc(-1 * " + k.Written(dialect) + ")"
	case exact:
		return "use " + k.Written(dialect)
	}
	return fmt.Sprintf("no token has this value: use the nearest, %s (%spx), or define a token for it",
		k.Written(dialect), strconv.FormatFloat(k.px, 'f', -1, 64))
}

// PurposeOfProperty returns what the lengths of a property are for, or 0 if they may be literal.
func PurposeOfProperty(prop string) int {
	switch {
	case prop == "font-size" || prop == "font":
		return ForFont
	case strings.HasPrefix(prop, "border") && strings.HasSuffix(prop, "-radius"):
		return ForRadius
	case prop == "gap" || strings.HasSuffix(prop, "-gap"),
		strings.HasPrefix(prop, "margin"), strings.HasPrefix(prop, "padding"),
		strings.HasPrefix(prop, "scroll-margin"), strings.HasPrefix(prop, "scroll-padding"):
		return ForSpace
	}
	return 0
}

// ContrastCure names the colour token that is nearest to the text colour and has enough contrast with
// the background.
func (t *Tokens) ContrastCure(front, back stylesheet.Colour, need float64, dialect string) string {
	k, _ := nearestToken(t.Colours, dialect, func(k *Token) float64 {
		if k.Colour.Over(back).Contrast(back) < need {
			return math.Inf(1)
		}
		return max(k.Colour.Distance(front), 1e-9)
	})
	if k == nil {
		return fmt.Sprintf("make the text darker or the background lighter, or the other way round, to %s:1", strconv.FormatFloat(need, 'f', -1, 64))
	}
	return fmt.Sprintf("%s as the text reaches %.1f:1", k.Written(dialect), math.Floor(k.Colour.Over(back).Contrast(back)*10)/10)
}

// InClass returns the end of an advice to move a value to a class. It names the token with exactly that
// value, if there is one.
func (t *Tokens) InClass(d stylesheet.Decl) string {
	if c, ok := stylesheet.ParseColour(d.Raw); ok {
		if k, exact := t.nearestColour(c, "css"); exact {
			return ", with " + k.Written("css")
		}
	}
	use := PurposeOfProperty(d.Prop)
	if px, ok := stylesheet.ParseLength(d.Raw, false); ok && use != 0 {
		if k, exact := t.nearestLength(px, use, "css"); exact {
			return ", with " + k.Written("css")
		}
	}
	return " of a stylesheet"
}
