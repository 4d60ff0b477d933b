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
	b := newBench(t, files{"a.txt": long.String(), "b.txt": "one\ntwo\n", ".env": "KEY=1\n", "c.txt": "c\n"})
	got := b.Excerpts(t.Context(), []Line{{"b.txt", 2}, {"a.txt", 40}, {"a.txt", 33}, {"a.txt", 3}, {"none.txt", 1}, {".env", 1}, {"../x", 1}, {"c.txt", 9}})
	require.True(t, strings.HasPrefix(got, "b.txt, lines 1-2 of 2\n1\tone\n2\ttwo\na.txt, lines 1-8 of 60\n1\tline 1\n"), got)
	require.Contains(t, got, "a.txt, lines 28-45 of 60\n28\tline 28\n")
	require.Equal(t, 3, strings.Count(got, ", lines "))
	require.NotContains(t, got, "KEY")
	b.ok(t, "edit_file", args{"path": "a.txt", "old": "line 40\n", "new": "line forty\n"})
	require.Contains(t, b.refused(t, "edit_file", args{"path": "c.txt", "old": "c", "new": "d"}), "has to be read", "the line was not there")
}

func TestExcerptsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, files{"a.txt": strings.Repeat(strings.Repeat("x", 900)+"\n", 200)})
	var named []Line
	for i := range 20 {
		named = append(named, Line{"a.txt", i*20 + 1})
	}
	require.LessOrEqual(t, len(b.Excerpts(t.Context(), named)), excerptsBytes+100)
}
