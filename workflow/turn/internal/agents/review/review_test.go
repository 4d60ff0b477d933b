package review

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// work returns a change that prints one line for debugging and deletes one file.
func work() (fstest.MapFS, []diff.Hunk) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	files := fstest.MapFS{
		"money/split.go": file("package money\n\nfunc Split() {\n\tprintln(1)\n\tshare()\n}\n"),
		"cmd/main.go":    file("package main\n\nfunc main() { money.Split() }\n"),
		".env":           file("KEY=abc\n"),
		"logo.png":       file("\x89PNG\x00\n"),
		"empty.go":       file(""),
	}
	return files, []diff.Hunk{
		{
			Number:   1,
			Path:     "money/split.go",
			Kind:     "modified",
			OldStart: 3,
			OldLines: 4,
			NewStart: 3,
			NewLines: 4,
			Text:     "@@ -3,4 +3,4 @@\n func Split() {\n-\tdrop()\n+\tprintln(1)\n \tshare()\n }\n",
		},
		{
			Number:   2,
			Path:     "money/old.go",
			Kind:     "deleted",
			OldStart: 1,
			OldLines: 9,
			Text:     "@@ -1,9 +0,0 @@\n-package money\n" + strings.Repeat("-x\n", 8),
		},
	}
}

func TestOnlyFindingsAtTrueLinesAreKept(t *testing.T) {
	t.Parallel()
	files, hunks := work()
	for _, x := range []struct {
		place, kind string
		there       bool
	}{
		{"money/split.go:4", decision.FoundDebugOutput, true},
		{"`./money/split.go:4-6`", decision.FoundDebugOutput, true},
		{"money/split.go:1", decision.FoundDebugOutput, false}, // not in the change
		{"money/split.go:1", decision.FoundDeadCode, true},
		{"money/split.go:7", decision.FoundDeadCode, false},
		{"money/split.go:0", decision.FoundDeadCode, false},
		{"money/split.go:99999999999999999999", decision.FoundDeadCode, false},
		{"money/split.go", decision.FoundDeadCode, false},
		{"money/other.go:1", decision.FoundDeadCode, false},
		{"money/old.go:9", decision.FoundUnrelated, true}, // the line was there before the change
		{"money/old.go:10", decision.FoundUnrelated, false},
		{"cmd/main.go:3", decision.FoundMissedCaller, true},
		{"cmd/main.go:3", decision.FoundUnrelated, false},
		{".env:1", decision.FoundConvention, false},
		{"logo.png:1", decision.FoundConvention, false},
		{"empty.go:1", decision.FoundConvention, false},
		{"../money/split.go:1", decision.FoundConvention, false},
		{"/etc/passwd:1", decision.FoundConvention, false},
		{"", decision.FoundConvention, false},
	} {
		v := Check(
			decision.Review{Findings: []decision.Finding{{Place: x.place, Kind: x.kind, What: "it is so"}}},
			Asked{}, files, hunks,
		)
		require.NotNil(t, v.Findings)
		require.Equal(t, x.there, len(v.Findings) == 1, "%s, %s", x.place, x.kind)
	}
	many := decision.Review{}
	for range 50 {
		many.Findings = append(many.Findings, decision.Finding{
			Place: "money/split.go:4",
			Kind:  decision.FoundDeadCode,
			What:  strings.Repeat("long ", 1000),
		})
	}
	v := Check(many, Asked{}, files, hunks)
	require.Len(t, v.Findings, maxFindings)
	require.Less(t, len(v.ForOrchestrator()), 4000)
	require.Empty(
		t,
		Check(
			decision.Review{
				Findings: []decision.Finding{
					{Place: "money/split.go:4", Kind: decision.FoundDeadCode, What: " \n"},
				},
			},
			Asked{},
			files,
			hunks,
		).Findings,
	)
}

// A finding is open while the lines that it cites exist, even if they have moved.
func TestWhatWasFixedIsKnown(t *testing.T) {
	t.Parallel()
	files, hunks := work()
	v := Check(decision.Review{Findings: []decision.Finding{
		{Place: "money/split.go:4", Kind: decision.FoundDebugOutput, What: "prints"},
		{Place: "cmd/main.go:3", Kind: decision.FoundMissedCaller, What: "still takes one"},
		{Place: "money/old.go:9", Kind: decision.FoundUnrelated, What: "nobody asked for it"},
	}}, Asked{}, files, hunks)
	require.Len(t, v.Standing(files), 3)
	files["money/split.go"].Data = []byte("package money\n\n// Split splits.\nfunc Split() {\n" +
		"\tprintln(1)\n\tshare()\n}\n")
	require.Len(t, v.Standing(files), 3, "a line further down is the same")
	files["money/split.go"].Data = []byte("package money\n\nfunc Split() {\n\tshare()\n}\n")
	files["money/old.go"] = &fstest.MapFile{Data: []byte("package money\nx\n")}
	left := v.Standing(files)
	require.Len(t, left, 1)
	require.Equal(t, "cmd/main.go:3", left[0].Place)
	delete(files, "cmd/main.go")
	require.Empty(t, v.Standing(files))
}

func TestAnOutcomeInALine(t *testing.T) {
	t.Parallel()
	finding := func(place string) Finding {
		return Finding{Finding: decision.Finding{
			Place: place,
			Kind:  decision.FoundDebugOutput,
			What:  "prints each share",
		}}
	}
	one := []Finding{finding("a.go:1")}
	two := []Finding{finding("a.go:1"), finding("b.go:2")}
	for want, o := range map[string]Outcome{
		"Review: nothing found":                    {Verdict: Verdict{Findings: []Finding{}}},
		"Review: nothing found (under $0.01)":      {Verdict: Verdict{Findings: []Finding{}}, USD: 0.0001},
		"Review: 1 finding, fixed ($0.01)":         {Verdict: Verdict{Findings: one}, USD: 0.012},
		"Not reviewed: the model could not answer": {Why: "the model could not answer"},
		"Review: 1 of 2 findings left: “`a.go:1`, debug output: prints each share”. Kept: “people want it” " +
			"($0.50)": {Verdict: Verdict{Findings: two}, Left: one, Kept: "people want it.", USD: 0.5},
		"Review: 2 of 2 findings left: “`a.go:1`, debug output: prints each share”; " +
			"and 1 more": {Verdict: Verdict{Findings: two}, Left: two},
	} {
		require.Equal(t, want, o.Short())
	}
	require.Equal(t, []string{
		"Review, left: `a.go:1`, debug output: prints each share",
		"Review, fixed: `b.go:2`, debug output: prints each share",
	},
		Outcome{Verdict: Verdict{Findings: two}, Left: one}.Lines())
}

func TestAChangeIsShownWithTheNumbersOfItsLines(t *testing.T) {
	t.Parallel()
	_, hunks := work()
	require.Equal(t, `money/split.go (modified)
     3  func Split() {
    -4 -	drop()
     4 +	println(1)
     5  	share()
     6  }
`, strings.ReplaceAll(DiffText(hunks[:1]), `"`, ""))
	// Each of many large files is cut, and none is left out.
	var large []diff.Hunk
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		large = append(large, diff.Hunk{
			Path:     name,
			Kind:     "added",
			NewStart: 1,
			NewLines: 500,
			Text:     "@@ -0,0 +1,500 @@\n" + strings.Repeat("+one more line\n", 500),
		})
	}
	text := diffText(large, 9<<10)
	require.Less(t, len(text), 10<<10)
	require.Equal(t, 3, strings.Count(text, "more lines; read the file)"))
	require.Contains(t, text, "c.go")
}
