package markup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScanJSX(t *testing.T) {
	t.Parallel()
	all := ScanJSX("const f = <T,>(a) => a < 2 && <label>{t}<input id=\"x\" {...rest}/></label>; /<p>/.test('<i>')")
	require.Len(t, all, 2)
	label, input := all[0], all[1]
	require.Equal(t, "label", label.Name)
	require.True(t, label.Closed && label.HasReadableContent)
	require.Equal(t, "input", input.Name)
	require.True(t, input.Wrapped && input.Spread)
	require.Equal(t, "x", input.Attr("id").Value)
}

func TestParseMarkup(t *testing.T) {
	t.Parallel()
	all, sheets := ParseMarkup(`<P Class="a {{if .X}}b{{end}}" @click.once="go">{{.Name}}</P><style>.a { color: red }</style>`, "html")
	require.Len(t, sheets, 1)
	require.Len(t, all, 2)
	p := all[0]
	require.Equal(t, "p", p.Name)
	require.True(t, p.HasReadableContent, "what a template fills in is something to read")
	require.True(t, p.Attr("class").IsDynamic())
	require.Equal(t, "go", p.Attr("onclick").Value)
}
