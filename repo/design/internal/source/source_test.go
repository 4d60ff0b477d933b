package source

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestOffsetsBehind(t *testing.T) {
	t.Parallel()
	require.Equal(t, 5, AfterString(`"a\"" b`, 0))
	require.Equal(t, 2, AfterString("'a\nb'", 0), "a string ends with its line")
	require.Equal(t, 6, After("/*a */b", 2, "*/"))
	require.Equal(t, 3, After("abc", 0, "never"))
	end, ok := AfterBraces(`{a: "}", /* } */ b: {}} c`, 0)
	require.True(t, ok)
	require.Equal(t, 23, end)
	_, ok = AfterBraces("{a", 0)
	require.False(t, ok)
}

func TestOnlyTextIsRead(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"a.css": {Data: []byte("a{}")}, "b.css": {Data: []byte("a\x00")}, "c.css": {Data: []byte("\xff\xfe")}, "big.css": {Data: make([]byte, 2<<20)}}
	text, ok, err := ReadText(tree, "a.css")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "a{}", text)
	for _, name := range []string{"b.css", "c.css", "big.css", "none.css"} {
		_, ok, err := ReadText(tree, name)
		require.NoError(t, err)
		require.False(t, ok, name)
	}
}
