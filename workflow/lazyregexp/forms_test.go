package lazyregexp_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

func files(texts ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for i, text := range texts {
		all[string(rune('a'+i))] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func TestForms(t *testing.T) {
	t.Parallel()
	parts := "# who\n@somebody = (?:dora|\n  cem)\n@asks = ask {somebody}\n"
	forms := lazyregexp.ReadForms(files(parts, "\n{asks} (?:.){0,4}\n[x] = y\n"), "a", "b")
	require.Equal(t, []string{"{asks} (?:.){0,4}", "[x] = y"}, forms.Lines)
	require.Equal(t, "ask (?:dora|cem) (?:.){0,4}", forms.Fill(forms.Lines[0]))
	first := forms.Compile("^please ", "$")[0]
	require.True(t, first.MatchString("please ask cem now"))
	require.False(t, first.MatchString("ask cem now"), "the control: it stands between the words")
}

// A part that is not defined above its use, and one that is defined twice, are found out.
func TestBrokenFormsPanic(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "there is no part {b}, which a form uses: {b}",
		func() { lazyregexp.ReadForms(files("@a = {b}\n@b = x\n"), "a") })
	require.PanicsWithValue(t, "a: the part {a} is defined twice",
		func() { lazyregexp.ReadForms(files("@a = x\n@a = y\n"), "a") })
	require.Panics(t, func() { lazyregexp.ReadForms(files("{a}\n"), "a").Compile("", "") })
	require.Panics(t, func() { lazyregexp.ReadForms(files(), "a") })
	require.NotPanics(t, func() { lazyregexp.ReadForms(files("@b = x\n@a = {b}\n"), "a") }, "the control")
}
