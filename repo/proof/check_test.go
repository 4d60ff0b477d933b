package proof

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// Each run prints something different, so a result that was reused can be told from a new run.
const (
	printsOnce = "cat /proc/sys/kernel/random/uuid"
	tellsApart = `grep -q '^[0-7]' /proc/sys/kernel/random/uuid` // passes every second time
)

// TestAProofTakesOverACheckOfTheSameTree checks that a proof reuses the result of a check of exactly its
// tree with the same commands, and no other result.
func TestAProofTakesOverACheckOfTheSameTree(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.py": "a = 1\n", ".gitignore": "*.log\n"})
	c := checker(t).For(m)
	w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{"a.py": "a = 2\n"})
	p := project.Project{Kind: "python", Test: printsOnce}
	proven := func(p project.Project) string {
		shown, err := Prove(t.Context(), c, w, p, "")
		require.NoError(t, err)
		return shown.Branch.Output
	}
	checked := func(p project.Project) string {
		r, err := Check(t.Context(), c, w, p)
		require.NoError(t, err)
		require.NotEmpty(t, r.Output)
		return r.Output
	}
	before := proven(p)
	said := checked(p)
	require.NotEqual(t, before, said, "a check always runs")
	require.Equal(t, said, proven(p))

	// Controls: other commands, another turn's checker and another tree are run again.
	require.NotEqual(t, said, proven(project.Project{Kind: "python", Test: printsOnce + " "}))
	require.NotEqual(t, said, proven(project.Project{Kind: "python", Test: printsOnce, Build: "true"}))
	kept := c
	c = checker(t).For(m)
	require.NotEqual(t, said, proven(p))
	c = kept
	put := func(name, text string) { require.NoError(t, w.Root().WriteFile(name, []byte(text), 0o644)) }
	put("a.py", "a = 3\n")
	require.NotEqual(t, said, proven(p))
	put("a.py", "a = 2\n")
	require.Equal(t, said, proven(p), "the same files once more")

	// Ignored files beside the tree are no part of a check.
	put("lies.log", "about\n")
	listing := checked(project.Project{Kind: "python", Test: "ls"})
	require.NotContains(t, listing, "lies.log")
	require.Contains(t, checked(project.Project{Kind: "rust", Test: "ls"}), "lies.log",
		"where builds go on from the last one")
}

// TestAProofTakesOverNoCheckThatChanged checks that the result of a check is not reused if a second check
// had another result. Otherwise one could repeat a check until it passes.
func TestAProofTakesOverNoCheckThatChanged(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.py": "a = 1\n"})
	c := checker(t).For(m)
	w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{"a.py": "a = 2\n"})
	p := project.Project{Kind: "python", Test: tellsApart}
	codes := map[int]bool{}
	for len(codes) < 2 {
		r, err := Check(t.Context(), c, w, p)
		require.NoError(t, err)
		codes[r.ExitCode] = true
	}
	tree, err := w.Tree(t.Context())
	require.NoError(t, err)
	_, known := c.KnownTree(w.Base(), tree, p)
	require.False(t, known)
}

// TestTheTestsNearTheChangeComeFirst breaks one package of a module, then its test and another package
// together, and counts how often each package was tested.
func TestTheTestsNearTheChangeComeFirst(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, shop)
	c := goChecker(t, m)
	p := project.Find(repotest.NewWorkspace(t, m, commits[0], nil).FS())
	base, err := c.Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.True(t, base.OK())
	check := func(changed repotest.Files) func() result.Result {
		w := repotest.NewWorkspace(t, m, commits[0], changed)
		return func() result.Result {
			r, err := Check(t.Context(), c, w, p)
			require.NoError(t, err)
			return r
		}
	}
	names := func(r result.Result) (out []string) {
		for _, x := range r.Tests {
			out = append(out, x.Group[strings.LastIndex(x.Group, "/")+1:]+" "+x.Name)
		}
		return out
	}
	wrong := strings.Replace(shop["money/money.go"], "make([]int, n)", "make([]int, n+1)", 1)

	near := check(repotest.Files{"money/money.go": wrong})
	r := near()
	require.Equal(t, result.StoppedNear, r.Stopped)
	require.Equal(t,
		"go test ./...: 2 passed, 1 failed (TestSplitCount), the rest was not run, build clean", r.String())
	require.NotContains(t, strings.Join(names(r), ", "), "cart")
	r = near()
	require.Empty(t, r.Stopped, "the same files once more")
	require.Equal(t, result.Counts{Passed: 4, Failed: 1}, r.Counts)

	// The near tests pass: all tests are run, the near ones first, and each test once.
	r = check(repotest.Files{"money/money.go": shop["money/money.go"] + "\n// Split is exact.\n"})()
	require.Equal(t, base.Counts, r.Counts)
	require.True(t, r.OK() && r.EveryTestNamed() && r.Stopped == "")
	require.Equal(t, "money TestSplitEven", strings.Split(names(r)[0], "/")[0])
	require.ElementsMatch(t, names(base), names(r))

	// A package that does not compile counts as near, too. A change outside any package has no near tests.
	require.Equal(t, result.StoppedNear,
		check(repotest.Files{"money/money.go": "package money\n\nfunc Split() {}\n"})().Stopped)
	require.Equal(t, base.Counts, check(repotest.Files{"notes.txt": "x"})().Counts)

	// With a single package there are no other tests to run.
	single := shop.With(nil)
	delete(single, "cart/cart.go")
	delete(single, "cart/cart_test.go")
	m, commits = repotest.NewMirror(t, single)
	c = goChecker(t, m)
	_, err = c.Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	r = check(repotest.Files{"money/money.go": wrong})()
	require.Empty(t, r.Stopped)
	require.Equal(t, result.Counts{Passed: 2, Failed: 1}, r.Counts)
}

// What a build leaves in a folder of its own stays for the next build, and is no part of the change. A folder
// that the base has is the project's.
func TestWhatACheckBuildsIsNoPartOfTheChange(t *testing.T) {
	t.Parallel()
	for base, want := range map[string][]string{
		"a.txt":       {"a.c"},
		"build/a.txt": {"a.c", "build/CMakeCache.txt", "build/a.o"},
	} {
		m, commits := repotest.NewMirror(t, repotest.Files{base: "x\n"})
		w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{"a.c": "int a;\n"})
		c := checker(t).For(m)
		require.NoError(t, c.Caches.Sandbox.Own(w.Files()))
		build := "ls build/a.o; mkdir -p build; touch build/CMakeCache.txt build/a.o"
		p := project.Project{Kind: "cmake", Build: build}
		for _, said := range []string{"No such file", "build/a.o\n"} {
			r, err := Check(t.Context(), c, w, p)
			require.NoError(t, err)
			require.Contains(t, r.BuildOutput, said)
		}
		changes, err := w.Changes(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, changedPaths(changes))
	}
}
