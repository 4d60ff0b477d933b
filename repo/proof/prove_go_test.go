package proof

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// shop is a Go module with a bug: money.Split loses the remainder.
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
`,
	"money/money_test.go": `package money

import "testing"

func TestSplitEven(t *testing.T) {
	for _, c := range []struct {
		name     string
		total, n int
	}{{"two", 4, 2}, {"three", 9, 3}} {
		t.Run(c.name, func(t *testing.T) {
			if got := Split(c.total, c.n); got[0] != c.total/c.n {
				t.Errorf("Split(%d, %d) = %v", c.total, c.n, got)
			}
		})
	}
}

func TestSplitCount(t *testing.T) {
	if got := len(Split(10, 3)); got != 3 {
		t.Errorf("%d parts", got)
	}
}
`,
	"cart/cart.go": `package cart

import "strings"

// Label is how a cart is shown.
func Label(items []string) string { return strings.Join(items, ", ") }
`,
	"cart/cart_test.go": `package cart

import "testing"

func TestLabel(t *testing.T) {
	if got := Label([]string{"a", "b"}); got != "a, b" {
		t.Error(got)
	}
}

func TestLabelEmpty(t *testing.T) {
	if got := Label(nil); got != "" {
		t.Error(got)
	}
}
`,
}

// flawed is shop with additional tests that fail.
var flawed = shop.With(repotest.Files{
	"cart/flawed_test.go": `package cart

import "testing"

func TestBrokenForYears(t *testing.T) { t.Error("nobody knows why") }

func TestAlready(t *testing.T) {
	if Label([]string{"a"}) != "A" {
		t.Error("not in capitals")
	}
}
`,
})

// fix is the change of a good session: the fix and its test.
var fix = repotest.Files{
	"money/money.go": `package money

// Split divides total into n parts that differ by one at most.
func Split(total, n int) []int {
	parts := make([]int, n)
	for i := range parts {
		parts[i] = total / n
		if i < total%n {
			parts[i]++
		}
	}
	return parts
}
`,
	"money/remainder_test.go": remainderTest,
}

const remainderTest = `package money

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
`

// goShop is one repository for all tests, so that its build cache is filled only once.
var goShop = sync.OnceValues(func() (goRepository, error) {
	m, commits, err := repotest.OpenShared("goshop", shop, flawed)
	return goRepository{m, commits}, err
})

var seed sync.Once // seeds the build cache once

type goRepository struct {
	mirror  *git.Mirror
	commits []string // the commits of shop and of flawed
}

// proveGo proves a change of shop (base 0) or of flawed (base 1).
func proveGo(t *testing.T, base int, changed repotest.Files) Proof {
	t.Helper()
	repotest.NeedCommand(t, "go version")
	g, err := goShop()
	require.NoError(t, err)
	// Several tests prove with the same runs, which are made once.
	c := checker(t).For(g.mirror).KeptIn(build.OpenJournal(repotest.Shared("runs"), "go"))
	seed.Do(func() {
		err = repotest.SeedGoCache(t.Context(), c.Caches.Sandbox,
			repotest.GoCacheDir(c.Cache.WritableMounts("")))
	})
	require.NoError(t, err)
	w := repotest.NewWorkspace(t, g.mirror, g.commits[base], changed)
	p, err := Prove(t.Context(), c, w, project.Find(w.Root().FS()), "")
	require.NoError(t, err)
	t.Logf("holds: %v\n%s", p.Passes(), strings.Join(p.Lines(), "\n"))
	return p
}

func TestAGoodFixHolds(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, fix)
	require.True(t, p.Passes())
	require.Empty(t, p.Alone)
	require.Equal(t, []string{
		"New test TestSplitRemainder: fails on main (as expected), passes on the branch",
		"go test ./...: 6 passed (1 new), build clean",
		"Still passing: 5 of 5 that passed before",
	}, p.Lines())
}

func TestAFixWithoutATestDoesNotHold(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, repotest.Files{"money/money.go": fix["money/money.go"]})
	require.False(t, p.Passes())
	require.False(t, p.Demonstrated)
	require.True(t, p.GreenOnBranch)
	require.Equal(t, []string{
		"No test was added or changed, so nothing was seen to fail on main: " +
			"add one that fails there and passes with the change",
		"go test ./...: 5 passed, build clean",
		"Still passing: 5 of 5 that passed before",
	}, p.Lines())
}

// TestWhatNoTestCanShowIsToldApart checks that Alone is set for a change of documents, tests or files of CI
// alone, unless it breaks something or touches what a program may read. By itself it proves a change with and
// one without it, and looks at the files of the others; BOBBIN_EVERY proves all.
func TestWhatNoTestCanShowIsToldApart(t *testing.T) {
	t.Parallel()
	corrected := repotest.Files{
		"cart/flawed_test.go": strings.Replace(flawed["cart/flawed_test.go"], `!= "A"`, `!= "a"`, 1),
	}
	ci := repotest.Files{".github/workflows/ci.yml": "on: push\n"}
	for _, c := range []struct {
		base    int
		changed repotest.Files
		alone   string
		whole   bool // the proof is what tells
	}{
		{0, repotest.Files{"AGENTS.md": "# Learned\n"}, "documents", false},
		{
			0,
			repotest.Files{"README.md": "a shop\n", "docs/how/to.rst": "so\n", "cart/README.md": "a cart\n"},
			"documents", false,
		},
		{1, corrected, "tests", false},
		{0, ci, "files that affect more than the code", false},
		{1, corrected.With(ci), "files that affect more than the code and tests", true},
		{0, repotest.Files{"money/money.go": fix["money/money.go"], "README.md": "fixed\n"}, "", false},
		{0, repotest.Files{"cart/label.md": "the label\n"}, "", false},
		{
			0,
			repotest.Files{
				"README.md":    "a shop\n",
				"cart/cart.go": strings.Replace(shop["cart/cart.go"], "\", \"", "\"; \"", 1),
			},
			"", false,
		},
		{
			0,
			repotest.Files{"cart/cart_test.go": strings.Replace(shop["cart/cart_test.go"],
				"TestLabelEmpty(t *testing.T) {", "TestLabelEmpty(t *testing.T) {\n\tt.Skip()", 1)},
			"", true,
		},
		{1, corrected.With(repotest.Files{"cart/label.md": "the label\n"}), "", false},
		{0, fix, "", false},
	} {
		if !c.whole && os.Getenv("BOBBIN_EVERY") == "" {
			g, err := goShop()
			require.NoError(t, err)
			w := repotest.NewWorkspace(t, g.mirror, g.commits[c.base], c.changed)
			changes, err := w.Changes(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.alone, whatAlone("go", changes), c.changed)
			continue
		}
		p := proveGo(t, c.base, c.changed)
		require.Equal(t, c.alone, p.Alone, c.changed)
		require.False(t, p.Alone != "" && p.Passes())
		require.Equal(t, c.alone != "", p.MayGoUnproven(false), c.changed)
	}

	guard := proveGo(t, 0, repotest.Files{"money/weak_test.go": "package money\n\nimport \"testing\"\n\n" +
		"func TestSplitRuns(t *testing.T) { Split(10, 3) }\n"})
	require.True(t, guard.MayGoUnproven(true), "a feature may be to have tests")
	require.False(t, guard.MayGoUnproven(false), "a test that passes with the bug shows nothing of it")
}

func TestATestThatPassesOnTheBaseDoesNotHold(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, repotest.Files{
		"money/money.go": fix["money/money.go"],
		"money/weak_test.go": `package money

import "testing"

func TestSplitRuns(t *testing.T) { Split(10, 3) }
`,
	})
	require.False(t, p.Passes())
	require.Equal(t, Failed, p.Outcome())
	require.Equal(t, []string{
		"No new test fails on main: TestSplitRuns passes there already. It may stay as a guard; " +
			"add one that fails there and passes with the change",
		"Guard TestSplitRuns: passes on main, passes on the branch",
		"go test ./...: 6 passed (1 new), build clean",
		"Still passing: 5 of 5 that passed before",
	}, p.Lines())
}

// TestAGuardBesideATestThatFailsOnTheBase has a guard beside the test that shows the bug, and in that test
// a case that passes on the base, too.
func TestAGuardBesideATestThatFailsOnTheBase(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, fix.With(repotest.Files{
		"cart/guard_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n" +
			"\tif Label([]string{\"a\"}) != \"a\" {\n\t\tt.Error()\n\t}\n}\n",
		"money/remainder_test.go": strings.NewReplacer(
			"\tsum := 0", "\tfor _, total := range []int{9, 10} {\n\tt.Run(strconv.Itoa(total), "+
				"func(t *testing.T) {\n\tsum := 0", "Split(10, 3)", "Split(total, 3)",
			"sum != 10", "sum != total", "want 10\", sum)\n\t}", "want more\", sum)\n\t}})}",
			`import "testing"`, "import (\n\t\"strconv\"\n\t\"testing\"\n)").Replace(remainderTest),
	}))
	require.True(t, p.Passes())
	require.Equal(t, Passed, p.Outcome())
	require.Equal(t, []string{
		"New test TestSplitRemainder: fails on main (as expected), passes on the branch",
		"Guard TestOne: passes on main, passes on the branch",
		"go test ./...: 8 passed (3 new), build clean",
		"Still passing: 5 of 5 that passed before",
	}, p.Lines())
	require.Equal(t,
		"1 new test: red before, green now; 2 guards: green before and now; 5 still pass", p.Short())

	// Control: a guard that fails on the branch is no guard.
	p = proveGo(t, 0, fix.With(repotest.Files{
		"cart/cart.go": "package cart\n\nimport \"strings\"\n\nfunc Label(items []string) string {\n" +
			"\tif len(items) == 1 {\n\t\treturn \"one\"\n\t}\n\treturn strings.Join(items, \", \")\n}\n",
		"cart/guard_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n" +
			"\tif Label([]string{\"a\"}) != \"a\" {\n\t\tt.Error()\n\t}\n}\n",
	}))
	require.False(t, p.Passes())
	require.Equal(t, "The change's own tests do not pass on the branch: TestOne fails there", p.Lines()[0])
}

func TestATestWithoutItsFixDoesNotHold(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, repotest.Files{"money/remainder_test.go": remainderTest})
	require.False(t, p.Passes())
	require.Equal(t, []string{
		"The change's own tests do not pass on the branch: TestSplitRemainder fails there",
		"New test TestSplitRemainder: fails on main (as expected), and fails on the branch, too",
	}, p.Lines()[:2])
}

func TestARegressionIsFound(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, fix.With(repotest.Files{"cart/cart.go": "package cart\n\n// Label is how a cart is " +
		"shown.\nfunc Label(items []string) string { return \"\" }\n"}))
	require.False(t, p.Passes())
	require.Equal(t, []string{"TestLabel"}, p.Regressions)
	require.Equal(t, "Fix the change or bring back what is gone. No longer passing, "+
		"1 of 5 that passed on main: TestLabel (fails)", p.Lines()[0])
	require.Contains(t, p.Lines(), "go test ./...: 5 passed (1 new), 1 failed (TestLabel), build clean")
	require.Contains(t, p.Lines(), "Still passing: 4 of 5 that passed before")
}

func TestADeletedOrSkippedTestIsNamed(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, fix.With(repotest.Files{
		"cart/cart_test.go": "package cart\n\nimport \"testing\"\n\n" +
			"func TestLabel(t *testing.T) { t.Skip() }\n",
		"money/money_test.go": strings.Replace(shop["money/money_test.go"], `, {"three", 9, 3}`, "", 1),
	}))
	require.False(t, p.Passes())
	require.Equal(t, []string{"TestLabel", "TestLabelEmpty", "TestSplitEven/three"}, p.Regressions)
	require.Equal(
		t,
		"Fix the change or bring back what is gone. No longer passing, 3 of 5 that passed on main: "+
			"TestLabel (is skipped, and would still pass), TestLabelEmpty, TestSplitEven/three (each is "+
			"gone, and would still pass)",
		p.Lines()[0],
	)
}

func TestACaseUnderANewNameIsNotGone(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, fix.With(repotest.Files{
		"money/money_test.go": strings.Replace(shop["money/money_test.go"], `{"three", 9, 3}`,
			`{"nine by three", 9, 3}`, 1),
	}))
	require.True(t, p.Passes())
	require.Equal(t, 5, p.StillPassing)
}

func TestAMovedTestIsNotGone(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, fix.With(repotest.Files{
		"cart/cart_test.go": "",
		"cart/check/cart_test.go": strings.NewReplacer("package cart", "package check",
			`import "testing"`, "import (\n\t\"testing\"\n\n\t\"example.com/shop/cart\"\n)",
			" Label(", " cart.Label(").Replace(shop["cart/cart_test.go"]),
	}))
	require.True(t, p.Passes())
	require.Equal(t, []string{"TestSplitRemainder"}, p.NewTests)
}

func TestATestOfSomethingNewDoesNotCompileOnTheBase(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, repotest.Files{
		"money/share.go": "package money\n\n// Share is the first part.\n" +
			"func Share(total, n int) int { return Split(total, n)[0] }\n",
		"money/share_test.go": "package money\n\nimport \"testing\"\n\nfunc TestShare(t *testing.T) {\n" +
			"\tif Share(4, 2) != 2 {\n\t\tt.Error()\n\t}\n}\n",
	})
	require.True(t, p.Passes())
	require.Equal(t, "New test TestShare: fails on main with an empty Share, which it lacks (as expected), "+
		"passes on the branch", p.Lines()[0])

	// Control: a function that exists in another shape cannot be replaced by a stand-in, and the line says
	// so.
	p = proveGo(t, 0, repotest.Files{
		"money/money.go": strings.Replace(fix["money/money.go"], "total, n int",
			"total, n int, more ...int", 1) + "\nfunc other() {}\n",
		"money/share_test.go": "package money\n\nimport \"testing\"\n\nfunc TestShare(t *testing.T) {\n" +
			"\tif Split(4, 2, 1)[0] != 2 {\n\t\tt.Error()\n\t}\n}\n",
	})
	require.True(t, p.Passes())
	require.Equal(t, "New test TestShare: does not compile on main, not even with an empty other, "+
		"so it was not run there (counts as failing), passes on the branch", p.Lines()[0])
}

func TestNewCasesOfATestThatWasThere(t *testing.T) {
	t.Parallel()
	table := strings.Replace(shop["money/money_test.go"], "got[0] != c.total/c.n",
		"got[0]+got[1] != c.total-c.total/c.n*(c.n-2)", 1)
	table = strings.Replace(table, `{"three", 9, 3}`, `{"three", 9, 3}, {"rest", 5, 2}`, 1)
	p := proveGo(t, 0, repotest.Files{"money/money.go": fix["money/money.go"], "money/money_test.go": table})
	require.True(t, p.Passes())
	require.Equal(t, []string{"TestSplitEven/rest"}, p.RedOnBase)
	require.Equal(t, []string{
		"Extended test TestSplitEven/rest: fails on main (as expected), passes on the branch",
		"go test ./...: 6 passed (1 new), build clean",
	}, p.Lines()[:2])
	require.Equal(t, "1 extended test: red before, green now; 5 still pass", p.Short())
}

// A test that was skipped shows the bug as soon as it is run. The skip is in the shop's own test: it is the
// case.
func TestATestThatIsSkippedNoMoreTellsTheBaseFromTheBranch(t *testing.T) {
	t.Parallel()
	const half = "package names\n\nfunc Half(n int) int { return n %s 2 }\n"
	const test = "package names\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n%s" +
		"\tif Half(8) != 4 {\n\t\tt.Error(Half(8))\n\t}\n}\n"
	p := prove(t, repotest.Files{
		"go.mod":       "module example.com/names\n\ngo 1.24\n",
		"half.go":      fmt.Sprintf(half, "-"),
		"half_test.go": fmt.Sprintf(test, "\tt.Skip()\n"),
	}, repotest.Files{"half.go": fmt.Sprintf(half, "/"), "half_test.go": fmt.Sprintf(test, "")})
	require.True(t, p.Passes(), p.Why)
	require.Equal(t, []string{"TestHalf"}, p.Extended)
}

func TestAnExtendedTestTellsTheBaseFromTheBranch(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, repotest.Files{
		"money/money.go": fix["money/money.go"],
		"money/money_test.go": strings.Replace(shop["money/money_test.go"],
			"if got := len(Split(10, 3)); got != 3 {",
			"if got := Split(10, 3)[0] + len(Split(10, 3)); got != 7 {", 1),
	})
	require.True(t, p.Passes())
	require.Equal(t, []string{"TestSplitCount"}, p.Extended)
	require.Equal(t,
		"Extended test TestSplitCount: fails on main (as expected), passes on the branch", p.Lines()[0])
	require.Equal(t, "go test ./...: 5 passed, build clean", p.Lines()[1])
}

func TestABuildThatFailsIsSaid(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 0, fix.With(repotest.Files{"cart/extra.go": "package cart\n\nvar x int = \"no\"\n"}))
	require.False(t, p.Passes())
	require.Contains(t, p.Lines(), "go test ./...: 4 passed (1 new), 1 failed (example.com/shop/cart does "+
		"not compile), build fails (go build ./...): it does not fail on main")
	require.Equal(t, "The build fails on the branch, and does not fail on main: fix it", p.Lines()[0])
	require.Contains(t, p.Lines(), "No longer passing: TestLabel, TestLabelEmpty (each did not run: "+
		"example.com/shop/cart does not compile)")
	require.Contains(t, p.Branch.BuildOutput, "cannot use")
}

func TestWhatFailedBeforeIsNotHeldAgainstTheBranch(t *testing.T) {
	t.Parallel()
	p := proveGo(t, 1, fix)
	require.True(t, p.Passes())
	require.Equal(t, []string{"TestBrokenForYears", "TestAlready"}, p.AlreadyFailing)
	require.Contains(t, p.Lines(),
		"Failing on main already, and not counted against the branch: TestBrokenForYears, TestAlready")
}

func TestFixingATestThatWasThere(t *testing.T) {
	t.Parallel()
	capitals := strings.Replace(strings.Replace(shop["cart/cart.go"], "strings.Join(items, \", \")",
		"up(strings.Join(items, \", \"))", 1),
		"// Label",
		"func up(s string) string {\n\tif s == \"a\" {\n\t\treturn \"A\"\n\t}\n\treturn s\n}\n\n// Label", 1)
	p := proveGo(t, 1, repotest.Files{"cart/cart.go": capitals})
	require.True(t, p.Passes())
	require.Equal(t, []string{"TestAlready"}, p.Fixed)
	require.Equal(t,
		"Test TestAlready was there: fails on main (as expected), passes on the branch", p.Lines()[0])

	// Control: the test is softened instead.
	p = proveGo(t, 1, repotest.Files{
		"cart/flawed_test.go": strings.Replace(flawed["cart/flawed_test.go"], `!= "A"`, `!= "a"`, 1),
	})
	require.False(t, p.Passes())
	require.Empty(t, p.Fixed)
}

func TestAnUnstableTestIsNoRegression(t *testing.T) {
	t.Parallel()
	ended := func(s result.Status) result.Result {
		return result.Result{Tests: []result.Test{{Name: "TestLuck", Status: s}}}
	}
	for _, again := range []result.Status{result.Passed, result.Failed} {
		v := &proving{}
		rerun := func() (result.Result, error) { return ended(again), nil }
		require.NoError(t,
			v.findRegressions(newIndex(ended(result.Passed)), newIndex(ended(result.Failed)), rerun))
		if again == result.Passed {
			require.Empty(t, v.Regressions)
			require.Equal(t, []string{"TestLuck"}, v.Unstable)
		} else {
			require.Equal(t, []string{"TestLuck"}, v.Regressions)
		}
	}
}

// TestATestThatFailedOnTheBaseByChanceIsNoExcuse has a test that fails on the base and on the branch, and
// passes on the base with the change's test files. The control fails there, too.
func TestATestThatFailedOnTheBaseByChanceIsNoExcuse(t *testing.T) {
	t.Parallel()
	ended := func(s result.Status) result.Result {
		return result.Result{Tests: []result.Test{{Name: "TestLuck", Status: s}}}
	}
	judged := func(onBase, again result.Status) *proving {
		v := &proving{Proof: Proof{BaseName: "main", OnBase: ended(onBase)}}
		rerun := func() (result.Result, error) { return ended(again), nil }
		require.NoError(t,
			v.findRegressions(newIndex(ended(result.Failed)), newIndex(ended(result.Failed)), rerun))
		return v
	}
	v := judged(result.Passed, result.Failed)
	require.Equal(t, []string{"TestLuck"}, v.Regressions)
	require.Equal(t, map[string]string{"TestLuck": "fails; on main it failed once and passed once"}, v.Notes)
	require.Equal(t, []string{"TestLuck"}, judged(result.Passed, result.Passed).Unstable)
	v = judged(result.Failed, result.Failed)
	require.Empty(t, v.Regressions)
	require.Equal(t, []string{"TestLuck"}, v.AlreadyFailing)
}

// TestCasesInFilesThatTestsRead checks that the cases in a file that a test reads count as cases of that
// test.
func TestCasesInFilesThatTestsRead(t *testing.T) {
	t.Parallel()
	base := repotest.Files{
		"go.mod": "module cases\n\ngo 1.22\n",
		"upper.go": "package cases\n\nimport \"strings\"\n\n" +
			"func Upper(s string) string { return strings.TrimSpace(s) }\n",
		"_test/cases.txt": "A=A\n",
		"upper_test.go": `package cases

import (
	"os"
	"strings"
	"testing"
)

func TestUpper(t *testing.T) {
	text, err := os.ReadFile("_test/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if in, out, _ := strings.Cut(line, "="); Upper(in) != out {
			t.Errorf("%s is %s", in, Upper(in))
		}
	}
}
`,
	}
	p := prove(t, base, repotest.Files{
		"upper.go": "package cases\n\nimport \"strings\"\n\n" +
			"func Upper(s string) string { return strings.ToUpper(s) }\n",
		"_test/cases.txt": "A=A\nb=B\n",
	})
	require.True(t, p.Passes(), p.Why)
	require.Equal(t, []string{"TestUpper"}, p.Extended)
	p = prove(t, base, repotest.Files{
		"upper.go": "package cases\n\nimport \"strings\"\n\n" +
			"func Upper(s string) string { return strings.ToUpper(s) }\n",
		"_test/cases.txt": "A=A\nB=B\n",
	})
	require.False(t, p.Passes(), "a case that passes on the base shows nothing")
}

// TestNamesThatDifferFromRunToRun checks that a test whose name holds the time does not count as a new
// test.
func TestNamesThatDifferFromRunToRun(t *testing.T) {
	t.Parallel()
	base := repotest.Files{
		"go.mod":  "module names\n\ngo 1.22\n",
		"half.go": "package names\n\nfunc Half(n int) int { return n }\n",
		"half_test.go": `package names

import (
	"fmt"
	"testing"
	"time"
)

func TestNow(t *testing.T) {
	t.Run(fmt.Sprint("at ", time.Now().UnixNano()), func(t *testing.T) {})
}
`,
	}
	p := prove(t, base, repotest.Files{
		"half.go": "package names\n\nfunc Half(n int) int { return n / 2 }\n",
		"more_test.go": "package names\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n" +
			"\tif Half(4) != 2 {\n\t\tt.Error(Half(4))\n\t}\n}\n",
	})
	require.True(t, p.Passes(), p.Why)
	require.Equal(t, []string{"TestHalf"}, p.NewTests)
}

// A parallel test that waits while a new test panics on the base has not failed there. It is no extended
// test.
func TestATestThatWaitedForAPanicIsNotExtended(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	m, commits := repotest.NewMirror(t, repotest.Files{
		"go.mod": "module example.com/first\n\ngo 1.24\n",
		"first.go": "package first\n\n// First returns the first item.\n" +
			"func First(items []int) int { return items[0] }\n",
		"first_test.go": `package first

import "testing"

func TestSideBySide(t *testing.T) {
	t.Parallel()
	if First([]int{1}) != 1 {
		t.Error()
	}
}
`,
	})
	w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{
		"first.go": `package first

// First returns the first item, or 0.
func First(items []int) int {
	if len(items) == 0 {
		return 0
	}
	return items[0]
}
`,
		"none_test.go": `package first

import "testing"

func TestNone(t *testing.T) {
	if First(nil) != 0 {
		t.Error()
	}
}
`,
	})
	p, err := Prove(t.Context(), checker(t).For(m), w, project.Find(w.Root().FS()), "")
	require.NoError(t, err)
	require.True(t, p.Passes(), p.Lines())
	require.Equal(t, []string{"TestNone"}, p.RedOnBase)
	require.Empty(t, p.Extended)
	require.Equal(t, "1 new test: red before, green now; 1 still pass", p.Short())
}
