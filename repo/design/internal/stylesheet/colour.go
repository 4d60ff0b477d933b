package stylesheet

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/image/colornames"
)

// Colour is a colour in sRGB, each component from 0 to 1.
type Colour struct{ r, g, b, A float64 }

// ParseColour parses a literal CSS colour: hexadecimal, a function or a name.
func ParseColour(text string) (Colour, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if hex, ok := strings.CutPrefix(text, "#"); ok {
		return hexColour(hex)
	}
	if name, args, ok := strings.Cut(text, "("); ok && strings.HasSuffix(args, ")") {
		return colourFunction(name, strings.TrimSuffix(args, ")"))
	}
	return namedColour(text)
}

func namedColour(text string) (Colour, bool) {
	if text == "rebeccapurple" { // newer than the list
		return hexColour("663399")
	}
	c, ok := colornames.Map[text]
	return Colour{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255, 1}, ok
}

func hexColour(hex string) (Colour, bool) {
	if len(hex) == 3 || len(hex) == 4 {
		double := ""
		for _, d := range hex {
			double += string(d) + string(d)
		}
		hex = double
	}
	if len(hex) == 6 {
		hex += "ff"
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 8 {
		return Colour{}, false
	}
	part := func(shift int) float64 { return float64(n>>shift&0xff) / 255 }
	return Colour{part(24), part(16), part(8), part(0)}, true
}

// IsColourFunction reports whether ParseColour knows a function of that name.
func IsColourFunction(name string) bool {
	switch name {
	case "rgb", "rgba", "hsl", "hsla", "hwb", "oklab", "oklch":
		return true
	}
	return false
}

func colourFunction(name, args string) (Colour, bool) {
	if !IsColourFunction(name) {
		return Colour{}, false
	}
	parts := strings.FieldsFunc(args, func(r rune) bool { return r == ',' || r == '/' || r == ' ' || r == '\t' || r == '\n' || r == '\r' })
	if len(parts) != 3 && len(parts) != 4 {
		return Colour{}, false
	}
	n := [4]float64{3: 1}
	for i, part := range parts {
		v, ok := colourPart(part, percentScale(name, i))
		if !ok {
			return Colour{}, false
		}
		n[i] = v
	}
	c := toRGB(name, n[0], n[1], n[2])
	c.A = min(max(n[3], 0), 1)
	return c, true
}

// percentScale returns the number that 100% of an argument means.
func percentScale(name string, i int) float64 {
	switch {
	case i == 3 || name == "oklab" && i == 0 || name == "oklch" && i == 0:
		return 1
	case name == "oklab" || name == "oklch":
		return 0.4
	case name == "rgb" || name == "rgba":
		return 255
	}
	return 100
}

func colourPart(text string, percent float64) (float64, bool) {
	if text == "none" {
		return 0, true
	}
	scale, per := 1.0, 1.0
	for _, unit := range []struct {
		name       string
		scale, per float64
	}{{"%", percent, 100}, {"deg", 1, 1}, {"grad", 9, 10}, {"rad", 180, math.Pi}, {"turn", 360, 1}} {
		if cut, ok := strings.CutSuffix(text, unit.name); ok {
			text, scale, per = cut, unit.scale, unit.per
			break
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v * scale / per, true
}

func toRGB(name string, x, y, z float64) Colour {
	switch name {
	case "hsl", "hsla":
		return hslRGB(x, y/100, z/100)
	case "hwb":
		white, black := y/100, z/100
		if white+black >= 1 {
			grey := white / (white + black)
			return clampColour(grey, grey, grey)
		}
		c, left := hslRGB(x, 1, 0.5), 1-white-black
		return clampColour(c.r*left+white, c.g*left+white, c.b*left+white)
	case "oklab":
		return oklabRGB(x, y, z)
	case "oklch":
		sin, cos := math.Sincos(z * math.Pi / 180)
		return oklabRGB(x, y*cos, y*sin)
	}
	return clampColour(x/255, y/255, z/255)
}

func hslRGB(h, s, l float64) Colour {
	h = math.Mod(math.Mod(h, 360)+360, 360) / 360
	return clampColour(css.HSL2RGB(h, min(max(s, 0), 1), min(max(l, 0), 1)))
}

// oklabRGB converts Oklab to sRGB as in CSS Color 4, section 10: Oklab to LMS to linear sRGB.
func oklabRGB(lightness, a, b float64) Colour {
	l := math.Pow(lightness+0.3963377774*a+0.2158037573*b, 3)
	m := math.Pow(lightness-0.1055613458*a-0.0638541728*b, 3)
	s := math.Pow(lightness-0.0894841775*a-1.2914855480*b, 3)
	return clampColour(
		gammaEncode(4.0767416621*l-3.3077115913*m+0.2309699292*s),
		gammaEncode(-1.2684380046*l+2.6097574011*m-0.3413193965*s),
		gammaEncode(-0.0041960863*l-0.7034186147*m+1.7076147010*s),
	)
}

func gammaEncode(v float64) float64 {
	if v <= 0.0031308 {
		return 12.92 * v
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

func clampColour(r, g, b float64) Colour {
	return Colour{min(max(r, 0), 1), min(max(g, 0), 1), min(max(b, 0), 1), 1}
}

// String returns the colour in hexadecimal.
func (c Colour) String() string {
	b := func(v float64) int { return int(math.Round(v * 255)) }
	if c.A < 1 {
		return fmt.Sprintf("#%02x%02x%02x%02x", b(c.r), b(c.g), b(c.b), b(c.A))
	}
	return fmt.Sprintf("#%02x%02x%02x", b(c.r), b(c.g), b(c.b))
}

func (c Colour) Distance(d Colour) float64 {
	return math.Hypot(math.Hypot(c.r-d.r, c.g-d.g), math.Hypot(c.b-d.b, c.A-d.A))
}

// Over returns the colour that is visible where c lies over d.
func (c Colour) Over(d Colour) Colour {
	mix := func(a, b float64) float64 { return a*c.A + b*(1-c.A) }
	return Colour{mix(c.r, d.r), mix(c.g, d.g), mix(c.b, d.b), 1}
}

// luminance returns the relative luminance as WCAG 2.2 defines it: of linearised sRGB, 0.2126 R +
// 0.7152 G + 0.0722 B (https://www.w3.org/TR/WCAG22/#dfn-relative-luminance).
func (c Colour) luminance() float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.r) + 0.7152*linear(c.g) + 0.0722*linear(c.b)
}

// Contrast returns (L1 + 0.05) / (L2 + 0.05), where L1 is the luminance of the lighter colour
// (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
func (c Colour) Contrast(d Colour) float64 {
	a, b := c.luminance(), d.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}
