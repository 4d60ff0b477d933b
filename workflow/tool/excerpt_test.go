package tool

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExcerptsCountAsRead(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 60 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	b := newEnv(t, files{"a.txt": long.String(), "b.txt": "one\ntwo\n", ".env": "KEY=1\n", "c.txt": "c\n"})
	got := b.Excerpts(t.Context(), []Line{
		{Path: "b.txt", Number: 2},
		{Path: "a.txt", Number: 40},
		{Path: "a.txt", Number: 33},
		{Path: "a.txt", Number: 3},
		{Path: "none.txt", Number: 1},
		{Path: ".env", Number: 1},
		{Path: "../x", Number: 1},
		{Path: "c.txt", Number: 9},
	})
	require.True(t, strings.HasPrefix(got,
		"b.txt, lines 1-2 of 2\n1\tone\n2\ttwo\na.txt, lines 1-8 of 60\n1\tline 1\n"), got)
	require.Contains(t, got, "a.txt, lines 28-45 of 60\n28\tline 28\n")
	require.Equal(t, 3, strings.Count(got, ", lines "))
	require.Contains(t, b.Excerpts(t.Context(), []Line{{
		Path: "a.txt", Number: 20, Last: 35,
	}}), "a.txt, lines 15-40 of 60\n", "lines that are named are shown to the last")
	require.Contains(t, b.Excerpts(t.Context(), []Line{
		{Path: "a.txt", Number: 20, Last: 3},
		{Path: "a.txt", Number: 50, Last: 99999},
	}), "a.txt, lines 15-25 of 60\n")
	require.NotContains(t, got, "KEY")
	b.ok(t, "edit_file", args{"path": "a.txt", "old": "line 40\n", "new": "line forty\n"})
	require.Contains(t, b.refused(t, "edit_file", args{"path": "c.txt", "old": "c", "new": "d"}),
		"has to be read", "the line was not there")
}

func TestExcerptsAreBounded(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": strings.Repeat(strings.Repeat("x", 900)+"\n", 200)})
	var named []Line
	for i := range 20 {
		named = append(named, Line{Path: "a.txt", Number: i*20 + 1})
	}
	require.LessOrEqual(t, len(b.Excerpts(t.Context(), named)), excerptsBytes+100)
}

// Of a line in a function the whole function is shown, once, however often and by whatever path it is named.
func TestExcerptsShowWholeFunctions(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("// a line\n", 20)
	goCode := "package cart\n\n" + filler + "func Sum(a []int) (n int) {\n" +
		strings.Repeat("\tn += len(a)\n", 30) + "\treturn n\n}\n\n" + filler
	pyCode := filler + "def split(total):\n    rest = total\n\n" +
		strings.Repeat("    rest -= 1\n", 30) + "    return rest\n\n\ndef other():\n    return 1\n"
	long := "package cart\n\nfunc Long() {\n" + strings.Repeat("\tcall()\n", 300) + "}\n"
	b := newEnv(t, files{"cart/cart.go": goCode, "cart/split.py": pyCode, "cart/long.go": long})
	got := b.Excerpts(t.Context(), []Line{
		{Path: "cart/cart.go", Number: 40},
		{Path: "cart/split.py", Number: 30},
		{Path: "./cart/cart.go", Number: 25},
		{Path: "cart/cart.go", Number: 53},
		{Path: "cart/long.go", Number: 100},
	})
	require.Contains(t, got, "cart/cart.go, lines 20-58 of 76\n")
	require.Contains(t, got, "cart/split.py, lines 21-54 of 58\n21\tdef split(")
	require.NotContains(t, got, "def other")
	require.Contains(t, got, "cart/long.go, lines 95-105 of 304\n")
	require.Equal(t, 3, strings.Count(got, ", lines "), got)
}
