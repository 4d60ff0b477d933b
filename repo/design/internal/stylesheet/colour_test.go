package stylesheet

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseColour(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#0AF": "#00aaff", "#0af8": "#00aaff88", "#00aaff80": "#00aaff80", "Tomato": "#ff6347", "rebeccapurple": "#663399",
		"rgb(255 0 0)": "#ff0000", "rgba(255,0,0,.5)": "#ff000080", "rgb(100% 0% 50% / 25%)": "#ff008040",
		"hsl(120 100% 25%)": "#008000", "hsla(0.5turn, 100%, 50%, 1)": "#00ffff", "hsl(-240deg 100% 50%)": "#00ff00",
		"hwb(194 0% 0%)": "#00c3ff", "hwb(0 60% 60%)": "#808080",
		"oklch(62.796% 0.25768 29.234)": "#ff0000", "oklab(1 0 0)": "#ffffff", "rgb(none 300 0)": "#00ff00",
	} {
		c, ok := ParseColour(text)
		require.True(t, ok, text)
		require.Equal(t, want, c.String(), text)
	}
	for _, text := range []string{"", "#", "#12345", "#ggg", "rgb(", "rgb()", "rgb(1 2)", "rgb(a b c)", "rgb(var(--x))", "url(#fff)", "transparent", "hsl(nan 0 0)", "rgb(inf 0 0)"} {
		_, ok := ParseColour(text)
		require.False(t, ok, text)
	}
}

// The expected ratios are those that WCAG's own material and its checkers give.
func TestContrast(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]string{
		{"black", "white"}: "21.00", {"white", "white"}: "1.00", {"#777", "#fff"}: "4.48", {"#767676", "#fff"}: "4.54",
		{"#f00", "#fff"}: "4.00", {"#00f", "#fff"}: "8.59",
	} {
		a, _ := ParseColour(pair[0])
		b, _ := ParseColour(pair[1])
		require.Equal(t, want, fmt.Sprintf("%.2f", a.Contrast(b)), pair)
		require.InDelta(t, a.Contrast(b), b.Contrast(a), 0)
	}
}
