package pagestyle

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const aDiff = `diff --git a/cart.go b/cart.go
index 1..2 100644
--- a/cart.go
+++ b/cart.go
@@ -1,3 +1,3 @@ package cart
 package cart
-func Total() int { return 0 }
+func Total() string { return "<b>&" }
 // end
@@ -9 +9,2 @@
-x
+y
+z
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/a.bin b/b.bin
Binary files differ
`

var tags = regexp.MustCompile(`<[^>]*>`)

// TestSplitDiff checks that the lines of a diff are shown completely, highlighted or plain.
func TestSplitDiff(t *testing.T) {
	t.Parallel()
	files := SplitDiff(aDiff)
	require.Len(t, files, 3)
	require.Equal(t, []string{"cart.go", "old.txt", "b.bin"},
		[]string{files[0].Name, files[1].Name, files[2].Name})
	require.Equal(t, []int{3, 2, 0, 1},
		[]int{files[0].Added, files[0].Removed, files[1].Added, files[1].Removed})
	require.Empty(t, files[2].Hunks)
	require.Equal(t, []int{1, 3, 9, 10},
		[]int{files[0].Hunks[0].From, files[0].Hunks[0].To, files[0].Hunks[1].From, files[0].Hunks[1].To})
	var shown []string
	for _, h := range files[0].Hunks {
		shown = append(shown, h.Head)
		for _, l := range h.Lines {
			shown = append(shown, l.Sign+html.UnescapeString(tags.ReplaceAllString(string(l.Code), "")))
		}
	}
	require.Equal(t, []string{
		"@@ -1,3 +1,3 @@ package cart", " package cart", "−func Total() int { return 0 }",
		`+func Total() string { return "<b>&" }`, " // end", "@@ -9 +9,2 @@", "−x", "+y", "+z",
	}, shown)
	var numbers [][2]int
	for _, h := range files[0].Hunks {
		for _, l := range h.Lines {
			numbers = append(numbers, [2]int{l.Old, l.New})
		}
	}
	require.Equal(t, [][2]int{{1, 1}, {2, 0}, {0, 2}, {3, 3}, {9, 0}, {0, 9}, {0, 10}}, numbers)
	require.Equal(t, "package cart", files[0].Hunks[0].Within)
	require.Contains(t, string(files[0].Hunks[0].Lines[0].Code), `<span class="kn">package</span>`)
	require.NotContains(t, string(files[0].Hunks[0].Lines[2].Code), "<b>")
}

func FuzzSplitDiff(f *testing.F) {
	f.Add(aDiff)
	f.Add("diff --git ")
	f.Add("diff --git a/x.go b/x.go\n@@ \n<script>\n\n+`")
	f.Fuzz(func(t *testing.T, diff string) {
		for _, file := range SplitDiff(diff) {
			for _, h := range file.Hunks {
				for _, l := range h.Lines {
					if strings.Contains(tags.ReplaceAllString(string(l.Code), ""), "<") {
						t.Fatalf("%q", l.Code)
					}
				}
			}
		}
	})
}
