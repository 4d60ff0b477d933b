package report

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

func repeat(d float64, n int) (all []float64) {
	for range n {
		all = append(all, d)
	}
	return all
}

// The expected values come from the binomial distribution, and from sums counted by hand.
func TestChance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		differences []float64
		want        float64
	}{
		"nothing differs":      {repeat(0, 20), 1},
		"three wins of twenty": {append(repeat(1, 3), repeat(0, 17)...), 0.25},
		"six wins":             {repeat(1, 6), 0.03125},
		// McNemar's exact test of 5 and 1
		"five wins and a loss":    {append(repeat(1, 5), -1), 0.21875},
		"ten wins and two losses": {append(repeat(1, 10), repeat(-1, 2)...), 0.03857421875},
		// ±1 ±2 ±4 comes to 1 or more in each of eight ways
		"a large loss outweighs two small wins": {[]float64{1, 2, -4}, 1},
		"1, 2 and 3":                            {[]float64{1, 2, 3}, 0.25},
		"numbers that do not add up exactly":    {[]float64{0.1, 0.2, 0.3}, 0.25},
	} {
		require.InDelta(t, c.want, chance(c.differences), 1e-12, name)
	}
	// 24 wins and 8 losses: 2·P(X ≤ 8) of Binomial(32, ½), estimated by sampling.
	require.InDelta(t, 0.0070, chance(append(repeat(1, 24), repeat(-1, 8)...)), 0.001)
	require.Equal(t, chance(repeat(1, 40)), chance(repeat(1, 40)), "the sample is the same at every call")
}

func result(task string, solved bool, steps int) Result {
	return Result{
		Task:     task,
		Attempt:  1,
		Title:    "About " + task,
		Language: "go",
		Kind:     "bug",
		Solved:   solved,
		Why:      "the hidden tests pass",
		Branch:   "bobbin/" + task,
		Size: Size{
			Added:           steps,
			Removed:         1,
			TestsAdded:      9,
			UpstreamAdded:   4,
			UpstreamRemoved: 2,
			Hunks:           "2 of 2",
		},
		Use: Use{
			Steps:       steps,
			PromptBytes: 1000 * steps,
			Input:       4000,
			Cached:      3000,
			Seconds:     float64(10 * steps),
			USD:         float64(steps) / 100,
		},
	}
}

// twoRuns returns two runs of ten common tasks. The second solves three more, and needs fewer steps for each
// task.
func twoRuns() (before, after Run) {
	for i, task := range strings.Fields("a b c d e f g h i j") {
		before.Results = append(before.Results, result(task, i < 4, 20+i))
		after.Results = append(after.Results, result(task, i < 7, 15+i/2))
	}
	before.Results = append(before.Results, result("only-before", true, 3),
		Result{Task: "needs-cargo", Attempt: 1, Skipped: true})
	after.Results = append(after.Results, result("needs-cargo", true, 3))
	return before, after
}

func TestCompareTwoKeptRuns(t *testing.T) {
	t.Parallel()
	before, after := twoRuns()
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	require.NoError(t, before.Save(dirs[0]))
	require.NoError(t, after.Save(dirs[1]))
	var kept []Run
	for _, dir := range dirs {
		r, err := Load(dir)
		require.NoError(t, err)
		kept = append(kept, r)
	}
	modeltest.Golden(t, Compare(kept[0], kept[1]), "testdata/compared")
	require.Contains(t, Compare(kept[0], kept[0]), "as many solved of 11 (5 → 5): no task differs")
	require.Equal(t, "Not in both, and left out: x, y.\n\nThe two runs have no task in common.\n",
		Compare(Run{Results: []Result{result("x", true, 1)}}, Run{Results: []Result{result("y", true, 1)}}))
}

func TestRepeatsCountByTheirShare(t *testing.T) {
	t.Parallel()
	var before, after Run
	for i := range 4 {
		x := result("a", i == 0, 10)
		x.Attempt = i + 1
		y := result("a", i < 3, 10)
		y.Attempt = i + 1
		before.Results = append(before.Results, x)
		after.Results = append(after.Results, y)
	}
	said := Compare(before, after)
	require.Contains(t, said, "1/4 → 3/4")
	require.Contains(t, said,
		"0.5 more solved of 1 (0.2 → 0.8): could be chance (p = 1); too few tasks differ to tell")
}

func TestAFolderWithoutResults(t *testing.T) {
	t.Parallel()
	_, err := Load("/no/such/run")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "/no/such/run holds no results: file does not exist")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "results.json"), []byte("[]"), 0o644))
	_, err = Load(dir)
	require.ErrorContains(t, err, "these are no results of bobbin eval")
}

// The page loads nothing from elsewhere, and shows what people wrote as escaped text.
func TestThePageStandsAlone(t *testing.T) {
	t.Parallel()
	x := result("a", false, 12)
	x.Why, x.Hidden = "pushed, but: 1 failed", "got <nil> & \"5\""
	x.Thread = "#bugs\nann: <script src=\"https://example.com/x.js\">alert(1)</script>"
	r := Run{
		Suite:   "our <suite>",
		Began:   time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		Models:  map[string]string{"deep": "gpt-5 high"},
		Results: []Result{x, {Task: "b", Attempt: 2, Skipped: true, Why: "not on this machine: cargo"}},
	}
	var page strings.Builder
	require.NoError(t, r.page(&page))
	require.NotContains(t, page.String(), "<script")
	require.NotRegexp(t, regexp.MustCompile(`(?i)(src|href)="?(https?:)?//|url\(|@import`), page.String())
	for _, want := range []string{
		"our &lt;suite&gt;", "prefers-color-scheme: dark", "&lt;script src=",
		"got &lt;nil&gt; &amp; &#34;5&#34;", `<td class="no">no</td>`, "deep: gpt-5 high",
		`href="#a-1"`, `id="a-1"`, "Skipped</span> b (2)", "0 of 1 solved, 1 skipped",
	} {
		require.Contains(t, page.String(), want)
	}
}
