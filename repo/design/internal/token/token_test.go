package token

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
)

func TestTokensNameValues(t *testing.T) {
	t.Parallel()
	tokens, err := ReadTokens(fstest.MapFS{
		"web/tokens.css":            {Data: []byte(":root { --blue: #0af; --accent: var(--blue); --space-2: 8px }\n.card { --accent: red }")},
		"node_modules/x/tokens.css": {Data: []byte(":root { --theirs: #0af }")},
		"web/theme.json":            {Data: []byte(`{"color": {"danger": {"value": "#ff0000"}}}`)},
	})
	require.NoError(t, err)
	blue, ok := stylesheet.ParseColour("#00aaff")
	require.True(t, ok)
	require.Equal(t, "use var(--accent)", tokens.ColourCure(blue, "css"), "an alias says what it is for")
	red, _ := stylesheet.ParseColour("red")
	require.Equal(t, "use color.danger of web/theme.json", tokens.ColourCure(red, "css"))
	require.Equal(t, "use var(--space-2)", tokens.LengthCure(8, ForSpace, "css"))
	require.Contains(t, tokens.LengthCure(9, ForSpace, "css"), "use the nearest, var(--space-2) (8px)")
}
