package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestMarksTellFilesApart(t *testing.T) {
	t.Parallel()
	posting := workflow.Posting{
		Key:   "a",
		Lines: []workflow.Line{{Files: []workflow.File{{Name: "plan.md"}, {Name: "plan.md"}}}},
	}
	first := filesOf(&posting)
	require.NotEqual(t, first[0].MarkedName(), first[1].MarkedName())
	require.Equal(t, first, filesOf(&posting), "the next try makes the same")
	require.Regexp(t, `^plan-[0-9a-f]{10}\.md$`, first[0].MarkedName())
	posting.Key = "b"
	require.NotEqual(t, first[0].MarkedName(), filesOf(&posting)[0].MarkedName())
}

// FuzzFileName checks that a file's name is one line without slashes, and holds the mark by which the file is
// recognised.
func FuzzFileName(f *testing.F) {
	for _, seed := range []string{
		"plan.md", "../../etc/passwd", `a\b.txt`, "", ".md", "a\nb", strings.Repeat("x", 5000) + ".md",
		"x." + strings.Repeat("y", 300), "\u202emd.exe",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		c := filesOf(&workflow.Posting{
			Key:   "k1",
			Lines: []workflow.Line{{Files: []workflow.File{{Name: name}}}},
		})[0]
		for _, got := range []string{c.DisplayName(), c.MarkedName()} {
			require.NotEmpty(t, got)
			require.False(t, strings.ContainsAny(got, "/\\\n\r`"), "%q", got)
			require.LessOrEqual(t, utf8.RuneCountInString(got), 120)
		}
		require.Contains(t, c.MarkedName(), c.Mark)
	})
}
