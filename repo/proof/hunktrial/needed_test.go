package hunktrial

import (
	"log/slog"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/proof"
)

func TestMain(m *testing.M) { repotest.Main(m) }

// shop is a repository whose money.Split loses the remainder.
var shop = repotest.Files{
	"go.mod": "module example.com/shop\n\ngo 1.24\n",
	"money/money.go": `package money

// Split divides total into n parts.
func Split(total, n int) []int {
	parts := make([]int, n)
	for i := range parts {
		parts[i] = total / n
	}
	return parts
}

// Double is twice as much.
func Double(total int) int {
	return total + total
}

// Half is half of it.
func Half(total int) int {
	return total / 2
}

// Word is a word.
func Word() string { return "money" }
`,
	"money/money_test.go": "package money\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n" +
		"\tif Double(2) != 4 {\n\t\tt.Error()\n\t}\n}\n",
	"money/text.go": "package money\n\n// Text is a text.\nfunc Text(total int) string {\n" +
		"\tif total == 0 {\n\t\treturn \"nothing\"\n\t}\n\treturn \"something\"\n}\n",
	"cart/cart.go": "package cart\n\nimport \"example.com/shop/money\"\n\nfunc Label() string {\n" +
		"\treturn money.Word()\n}\n",
	"cart/cart_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestLabel(t *testing.T) {\n" +
		"\tif Label() != \"money\" {\n\t\tt.Error()\n\t}\n}\n",
	"README.md": "# Shop\n",
}

// fixed is shop with a fix that contains more than it needs.
var fixed = repotest.Files{
	"money/money.go": strings.NewReplacer(
		"into n parts.", "into n parts that differ by one at most.",
		"\t\tparts[i] = total / n\n", "\t\tparts[i] = total/n + rest(total, n, i)\n",
		"total + total", "2 * total",
		"// Word is a word.\nfunc Word()", "// Word is a word.\nfunc Title()",
	).Replace(shop["money/money.go"]),
	"money/rest.go": "package money\n\nfunc rest(total, n, i int) int {\n\tif i < total%n {\n" +
		"\t\treturn 1\n\t}\n\treturn 0\n}\n",
	"money/spare.go":  "package money\n\n// Spare is for another day.\nfunc Spare() {}\n",
	"money/text.go":   "",
	"money/format.go": strings.ReplaceAll(shop["money/text.go"], `"something"`, `"some"`),
	"money/split_test.go": `package money

import "testing"

func TestSplitRemainder(t *testing.T) {
	sum := 0
	for _, part := range Split(10, 3) {
		sum += part
	}
	if sum != 10 {
		t.Errorf("the parts sum up to %d, want 10", sum)
	}
}
`,
	"cart/cart.go": strings.ReplaceAll(shop["cart/cart.go"], "Word", "Title"),
	"README.md":    "# Shop\n\nIt splits.\n",
}

// goShop is one repository for all tests, so that its base is built and tested once.
var goShop = sync.OnceValues(func() (*git.Mirror, error) {
	m, _, err := repotest.OpenShared("goshop", shop)
	return m, err
})

var seed sync.Once // seeds its build cache once

// openTrial proves a change of shop. Its limit only ends a trial that hangs.
func openTrial(t *testing.T, changed repotest.Files) Trial {
	t.Helper()
	repotest.NeedCommand(t, "go version")
	m, err := goShop()
	require.NoError(t, err)
	commit, err := m.Commits().Resolve("main")
	require.NoError(t, err)
	c := (&build.Checker{Caches: build.Caches{
		Sandbox: repotest.OpenBuilder(t),
		Dir:     repotest.Shared("cache"),
		Log:     slog.New(slog.DiscardHandler),
	}}).For(m)
	seed.Do(func() {
		err = repotest.SeedGoCache(t.Context(), repotest.OpenBuilder(t),
			repotest.GoCacheDir(c.Cache.WritableMounts("")))
	})
	require.NoError(t, err)
	w := repotest.NewWorkspace(t, m, commit, changed)
	p := project.Find(w.Root().FS())
	shown, err := proof.Prove(t.Context(), c, w, p, "")
	require.NoError(t, err)
	require.True(t, shown.Passes(), shown.Lines())
	return Trial{Checker: c, Work: w, Project: p, Proof: shown, Limit: time.Hour}
}

// verdicts returns one line for each hunk, and requires that the workspace did not change.
func (t Trial) verdicts(test *testing.T) []string {
	test.Helper()
	_, lines := t.try(test)
	return lines
}

// try is verdicts, and also returns the hunks.
func (t Trial) try(test *testing.T) (hunks []Hunk, lines []string) {
	test.Helper()
	before, err := t.Work.Tree(test.Context())
	require.NoError(test, err)
	hunks, err = t.Run(test.Context())
	require.NoError(test, err)
	after, err := t.Work.Tree(test.Context())
	require.NoError(test, err)
	require.Equal(test, before, after, "the workspace is only read")
	for _, h := range hunks {
		line := string(h.Verdict) + " " + h.Path
		if h.Line() > 0 {
			line += ":" + strconv.Itoa(h.Line())
		}
		lines = append(lines, strings.TrimSpace(line+": "+h.Why))
	}
	return hunks, lines
}

// TestEachHunkIsTakenOutAlone tries a change with a hunk of every kind.
func TestEachHunkIsTakenOutAlone(t *testing.T) {
	t.Parallel()
	trial := openTrial(t, fixed)
	all, lines := trial.try(t)
	require.Equal(t, []string{
		"needed cart/cart.go:6: example.com/shop/cart does not compile",
		"unneeded money/format.go:",
		"needed money/money.go:7: TestSplitRemainder fails",
		"unneeded money/money.go:14:",
		"needed money/money.go:23: example.com/shop/cart does not compile",
		"needed money/rest.go: example.com/shop/money does not compile",
		"unneeded money/spare.go:",
	}, lines)

	for _, h := range all {
		require.Equal(t, strings.HasSuffix(h.Why, "does not compile"), h.ToBuild, h.Why)
	}
	moved := all[slices.IndexFunc(all, func(h Hunk) bool { return path.Base(h.Path) == "format.go" })]
	require.Len(t, moved.Numbers, 2, "a file that moved is one hunk, and is there once without it")

	trial.Limit = time.Nanosecond
	for _, line := range trial.verdicts(t) {
		require.Regexp(t, "^untried .*: no time was left$", line)
	}
	trial.Limit = 0
	require.Empty(t, trial.verdicts(t))
}

// TestARunThatIsTooLongIsNotBegun has a hunk that can only be judged by a run of all tests.
func TestARunThatIsTooLongIsNotBegun(t *testing.T) {
	t.Parallel()
	trial := openTrial(t, repotest.Files{
		"money/money.go": strings.Replace(shop["money/money.go"], "total / n",
			"total/n + min(1, total%n/(i+1))", 1),
		"money/rates.json":    "{}\n",
		"money/split_test.go": fixed["money/split_test.go"],
	})
	runs := t.TempDir()
	trial.Checker = trial.Checker.KeptIn(build.OpenJournal(runs, "hunks"))
	require.Equal(t,
		[]string{"needed money/money.go:7: TestSplitRemainder fails", "unneeded money/rates.json:"},
		trial.verdicts(t))
	trial.Proof.Branch.Took = 2 * time.Hour
	trial.Checker = trial.Checker.KeptIn(build.OpenJournal(runs, "hunks")) // what ran needs not run again
	require.Equal(t, []string{
		"needed money/money.go:7: TestSplitRemainder fails", "untried money/rates.json: no time was left",
	}, trial.verdicts(t))
}

// A fix of one hunk was tried by the proof itself, so nothing runs for it. A fix with a second hunk
// needs a run, and here there is no sandbox for it.
func TestTheWholeFixNeedsNoRun(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, shop)
	fix := strings.Replace(fixed["money/money.go"], "+ rest(total, n, i)", "+ total%n/(i+1)/2", 1)
	fix = strings.NewReplacer("2 * total", "total + total", "Title", "Word").Replace(fix)
	alone := repotest.Files{
		"money/money.go":      fix,
		"README.md":           fixed["README.md"],
		"money/split_test.go": fixed["money/split_test.go"],
	}
	w := repotest.NewWorkspace(t, m, commits[0], alone)
	trial := Trial{
		Checker: (&build.Checker{Caches: build.Caches{Dir: t.TempDir()}}).For(m),
		Work:    w,
		Project: project.Find(w.FS()),
		Proof:   proof.Proof{Demonstrated: true},
		Limit:   time.Hour,
	}
	require.Equal(t, []string{"needed money/money.go:7: it is the whole fix"}, trial.verdicts(t))

	trial.Work = repotest.NewWorkspace(t, m, commits[0],
		alone.With(repotest.Files{"money/spare.go": fixed["money/spare.go"]}))
	_, err := trial.Run(t.Context())
	require.ErrorIs(t, err, build.ErrNoSandbox)
	trial.Work = repotest.NewWorkspace(t, m, commits[0], alone.With(repotest.Files{"go.sum": "x\n"}))
	_, err = trial.Run(t.Context())
	require.ErrorIs(t, err, build.ErrNoSandbox, "the lock file is not tried, but may be what fixes it")
	trial.Proof.Demonstrated = false
	require.Empty(t, trial.verdicts(t))
}

func TestWhatNoTestSees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a.go\n-// as it was\n+// as it is": true,
		"a.go\n+// why\n+":                  true,
		"a.go\n+":                           false,
		"a.go\n+//go:embed x":               false,
		"a.go\n+x := 1 // why":              false,
		"a.go\n-// why\n+x()":               false,
		"a.py\n+# why":                      true,
		"run.sh\n+#!/bin/sh":                false,
		"a.go\n+# why":                      false,
		"a.css\n+// x":                      false,
		"noext\n+# x":                       false,
		"a.sql\n+-- why":                    true,
	} {
		file, changed, _ := strings.Cut(text, "\n")
		require.Equal(t, want, isComment(diff.Hunk{
			Path: file,
			Kind: "modified",
			Text: "@@ -1,1 +1,1 @@\n kept\n" + changed + "\n",
		}), text)
	}
	for file, want := range map[string]bool{
		"README.md":        true,
		"docs/use.rst":     true,
		"LICENSE":          true,
		"CHANGELOG":        true,
		"web/app.scss":     true,
		"logo.svg":         true,
		"readme.txt":       true,
		"requirements.txt": false,
		"history.go":       false,
		"news/a.py":        false,
		"a.json":           false,
		"Makefile":         false,
	} {
		require.Equal(t, want, isProse(file), file)
	}
}

// TestTestsInsideASourceAreNotTheFix uses Rust, where source files hold tests.
func TestTestsInsideASourceAreNotTheFix(t *testing.T) {
	t.Parallel()
	source := "fn split() -> i32 {\n    1\n}\n\nfn other() -> i32 {\n    3\n}\n\n#[cfg(test)]\n" +
		"mod tests {\n    #[test]\n    fn one() {\n        assert!(true);\n    }\n}\n"
	m, commits := repotest.NewMirror(t, repotest.Files{"Cargo.toml": "[package]\n", "src/lib.rs": source})
	w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{
		"src/lib.rs": strings.NewReplacer("    1\n", "    2\n",
			"    3\n", "    4\n", "true", "super::split() == 2").Replace(source),
	})
	x := &trialRun{Trial: Trial{Work: w, Project: project.Project{Kind: "rust"}}}
	_, err := x.findFix(t.Context())
	require.NoError(t, err)
	require.Len(t, x.fix, 2)
	without, err := x.without(t.Context(), []int{1})
	require.NoError(t, err)
	require.Contains(t, string(without[0].Content), "    1\n")
	require.Contains(t, string(without[0].Content), "super::split() == 2")
}

// TestAHunkMayBreakOneTestOfAName has three tests of one name, of which one fails on the branch already.
func TestAHunkMayBreakOneTestOfAName(t *testing.T) {
	t.Parallel()
	run := func(statuses ...result.Status) (r result.Result) {
		for _, s := range statuses {
			r.Tests = append(r.Tests, result.Test{Name: "total", Group: "p", Status: s})
		}
		return r
	}
	const passed, failed, skipped = result.Passed, result.Failed, result.Skipped
	x := &trialRun{Trial: Trial{Proof: proof.Proof{Branch: run(passed, passed, failed)}}}
	require.Empty(t, x.worse(run(failed, passed, passed), true).why, "in another order")
	require.Empty(t, x.worse(run(passed), true).why, "fewer ran")
	require.Equal(t, "total fails", x.worse(run(failed, passed, failed), true).why)
	require.Equal(t, "total fails", x.worse(run(passed, failed, failed), true).why)
	require.Equal(t, "total is skipped", x.worse(run(skipped, passed, failed), true).why)
	require.Empty(t, x.worse(run(passed, passed, skipped), true).why, "it fails on the branch")
	uncompiled := result.Result{Tests: []result.Test{
		result.BrokenGroup("q", result.DoesNotCompile, ""),
	}}
	require.Equal(t, loss{"q does not compile", true}, x.worse(uncompiled, true))
	uncompiled.Tests = append(uncompiled.Tests, run(failed, failed, passed).Tests...)
	require.Equal(t, loss{why: "total fails"}, x.worse(uncompiled, true), "a test says more than the build")
}

// The time for hunks grows with the suite, up to a maximum that only a configured time exceeds.
func TestTheTimeForHunksGrowsWithTheSuite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ configured, suite, want time.Duration }{
		{2 * time.Minute, time.Second, 2 * time.Minute},
		{2 * time.Minute, 4 * time.Minute, 12 * time.Minute},
		{2 * time.Minute, time.Hour, MostTime},
		{2 * time.Hour, time.Hour, 2 * time.Hour},
		{0, time.Hour, 0},
	} {
		require.Equal(t, c.want, TimeFor(c.configured, result.Result{Took: c.suite}))
	}
}

// Where the whole suite takes too long for each hunk, the tests that the hunk's file can reach are run.
func TestALongSuiteIsNarrowedForEachHunk(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{
		"money.py": "a = 1\n", "test_money.py": "import money\n", "test_a.py": "\n", "test_b.py": "\n",
	})
	w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{"money.py": "a = 2\n"})
	p := project.Project{Kind: "python", Test: "pytest -v"}
	narrowed := func(took time.Duration) (string, bool) {
		shown := proof.Proof{Branch: result.Result{Took: took}}
		tr := trialRun{Trial: Trial{Work: w, Project: p, Proof: shown}, deadline: time.Now().Add(time.Hour)}
		h := Hunk{Hunk: diff.Hunk{Path: "money.py"}, Verdict: Untried}
		tr.fix = []Hunk{h, h}
		now, narrow := tr.widerTests(h, []diff.Version{{Path: "money.py"}})
		return now.Test, narrow
	}
	line, narrow := narrowed(50 * time.Minute)
	require.True(t, narrow)
	require.Equal(t, "pytest -v -x 'test_money.py'", line)
	line, narrow = narrowed(time.Minute)
	require.False(t, narrow)
	require.Equal(t, p.Test, line)
}
