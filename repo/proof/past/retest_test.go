package past

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/proof"
)

func TestMain(m *testing.M) { repotest.Main(m) }

const (
	lossy = "package money\n\nfunc Split(total, n int) int { return total / n * n }\n"
	exact = "package money\n\nfunc Split(total, n int) int { return total }\n"
	tests = "package money\n\nimport \"testing\"\n\nfunc TestSplit(t *testing.T) {\n" +
		"\tif Split(10, 3) != 10 {\n\t\tt.Error()\n\t}\n}\n"
)

// history is a shop at several commits; the last one has the fix and its test.
var history = []repotest.Files{
	{
		"go.mod":         "module example.com/shop\n\ngo 1.24\n",
		"money/money.go": exact,
		"main.go": "package main\n\nimport \"example.com/shop/money\"\n\nfunc main() {\n" +
			"\tprintln(money.Split(10, 3))\n}\n",
	},
	{"money/money.go": "package money\n\nfunc Split(total, n int) int { return totl }\n"}, // does not build
	{"money/money.go": lossy},
	{"money/money.go": strings.ReplaceAll(lossy, "Split", "Divide")}, // another name
	{"money/money.go": lossy},
	{"money/money.go": exact, "money/split_test.go": tests},
}

func newChecker(t *testing.T) (*build.Checker, []string) {
	t.Helper()
	m, commits := repotest.NewMirror(t, history...)
	c := &build.Checker{Caches: build.Caches{
		Sandbox: repotest.OpenSandbox(t),
		Dir:     repotest.Shared("cache"),
		Log:     slog.New(slog.DiscardHandler),
	}}
	c = c.For(m)
	require.NoError(t, repotest.SeedGoCache(t.Context(), repotest.OpenSandbox(t),
		repotest.GoCacheDir(c.Cache.WritableMounts(""))))
	return c, commits
}

var shop = project.Project{Kind: "go", Build: "go build ./...", Test: "go test ./..."}

func TestNewTestsAreAskedOfOtherCommits(t *testing.T) {
	t.Parallel()
	c, commits := newChecker(t)
	probe, ok := Tests(shop, commits[5], []diff.Change{
		{Path: "money/money.go", Kind: "modified"},
		{Path: "money/split_test.go", Kind: "added"},
	},
		proof.Proof{Demonstrated: true, OwnTests: proof.OwnTests{RedOnBase: []string{"TestSplit"}}})
	require.True(t, ok)
	require.Equal(t, []File{{Path: "money/split_test.go"}}, probe.Files)
	var got []Verdict
	for _, commit := range commits {
		v, err := probe.Ask(t.Context(), c, commit, packages.Config{Off: true})
		require.NoError(t, err)
		v.printed = ""
		got = append(got, v)
	}
	unbuilt := unclearVerdict("the tests do not build there")
	require.Equal(t,
		[]Verdict{verdicts[false], unbuilt, verdicts[true], unbuilt, verdicts[true], verdicts[false]}, got)
}

func TestACommandIsAskedOfOtherCommits(t *testing.T) {
	t.Parallel()
	c, commits := newChecker(t)
	probe := Probe{Project: shop, Command: `out=$(go run . 2>&1); echo "$out"; test "$out" = 10`, Code: 1}
	probe, v, err := probe.Learn(t.Context(), c, commits[4], packages.Config{Off: true})
	require.NoError(t, err)
	require.Equal(t, Red, v.Answer)
	var got []Verdict
	for _, commit := range commits {
		v, err := probe.Ask(t.Context(), c, commit, packages.Config{Off: true})
		require.NoError(t, err)
		v.printed = ""
		got = append(got, v)
	}
	require.Equal(t, []Verdict{
		verdicts[false], unclearVerdict("does not build"), verdicts[true], unclearVerdict("does not build"),
		verdicts[true], verdicts[false],
	}, got)

	probe.Project.Build = "" // the command itself says that it does not build
	v, err = probe.Ask(t.Context(), c, commits[1], packages.Config{Off: true})
	require.NoError(t, err)
	require.Equal(t, unclearVerdict("the command fails there in another way"), v)

	probe.Learned = false // control: by its exit code alone it is red
	v, err = probe.Ask(t.Context(), c, commits[1], packages.Config{Off: true})
	require.NoError(t, err)
	require.Equal(t, Red, v.Answer)
}

func TestWhatARunSaysOfTheTests(t *testing.T) {
	t.Parallel()
	require.Equal(t, "go test -vet=off -run '^(TestSplit)$' './money'",
		Probe{
			Project: shop,
			Files:   []File{{Path: "money/split_test.go"}},
			Names:   []string{"TestSplit/by_three"},
		}.narrowed().Test)
	require.Equal(t, "python3 -m pytest 'tests/test_a.py'",
		Probe{
			Project: project.Project{Kind: "python", Test: "python3 -m pytest"},
			Files:   []File{{Path: "tests/test_a.py"}},
			Names:   []string{"test_a"},
		}.narrowed().Test)
	_, ok := Tests(shop, "c", []diff.Change{{Path: "money/split_test.go", Kind: "added"}}, proof.Proof{
		Demonstrated: true,
	})
	require.False(t, ok, "no test failed on the base")
}

// TestANameThatIsRedWithTheChangeIsNotAsked has names that several tests share, of which one fails anyway.
func TestANameThatIsRedWithTheChangeIsNotAsked(t *testing.T) {
	t.Parallel()
	shown := proof.Proof{
		Demonstrated: true,
		OwnTests: proof.OwnTests{
			RedOnBase: []string{"TestSplit"}, Fixed: []string{"total", "total", "rest", "rest"},
		},
	}
	for _, s := range []result.Status{result.Passed, result.Failed} {
		shown.Branch.Tests = append(
			shown.Branch.Tests, result.Test{Name: "total", Status: s},
			result.Test{Name: "rest", Status: result.Passed},
		)
	}
	probe, ok := Tests(shop, "c", []diff.Change{{Path: "money/split_test.go", Kind: "added"}}, shown)
	require.True(t, ok)
	require.Equal(t, []string{"TestSplit", "rest"}, probe.Names)

	run := func(statuses ...result.Status) Verdict {
		r := result.Result{Counted: true, Tests: []result.Test{{Name: "TestSplit", Status: result.Passed}}}
		for _, s := range statuses {
			r.Tests = append(r.Tests, result.Test{Name: "rest", Status: s})
		}
		return probe.judgeTests(r)
	}
	require.Equal(t, verdicts[false], run(result.Passed, result.Passed))
	require.Equal(t, verdicts[true], run(result.Passed, result.Failed))
	require.Equal(
		t, unclearVerdict("the tests do not run there"), run(result.Passed, result.Skipped),
		"what is skipped is not green",
	)
	require.Equal(t, unclearVerdict("the tests do not run there"), run(result.Skipped, result.Passed))
}
