package proof

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

func indexOf(tests ...result.Test) index {
	for i := range tests {
		tests[i].Status = result.Passed
	}
	return newIndex(result.Result{Tests: tests})
}

func labelsOf(news []newTest) (labels []string) {
	for _, n := range news {
		labels = append(labels, n.label)
	}
	return labels
}

// TestTestsThatOnlyMovedAreNotNew also checks that a test is new if the base's test of that kind is still there.
func TestTestsThatOnlyMovedAreNotNew(t *testing.T) {
	t.Parallel()
	base := indexOf(result.Test{Name: "moved", Group: "a"}, result.Test{Name: "took 12 ms", Group: "a"}, result.Test{Name: "stays", Group: "a"}, result.Test{Name: "of 2", Group: "a"}, result.Test{Name: "in 3", Group: "b"})
	branch := indexOf(result.Test{Name: "moved", Group: "b"}, result.Test{Name: "took 7 ms", Group: "a"}, result.Test{Name: "stays", Group: "a"}, result.Test{Name: "stays", Group: "b"}, result.Test{Name: "of 2", Group: "a"},
		result.Test{Name: "of 3", Group: "a"}, result.Test{Name: "in 4", Group: "a"}, result.Test{Name: "sum[1]", Group: "a", Of: "sum"}, result.Test{Name: "sum[1]", Group: "b", Of: "sum"})
	require.Equal(t, []string{"b stays", "of 3", "in 4", "a sum", "b sum"}, labelsOf(newTests(base, branch)))
	require.Equal(t, map[key]key{{"a", "moved", 0}: {"b", "moved", 0}}, movedTests(base, branch))
}

// TestManyTestsAreCompared has as many tests as would take minutes if each was compared with each.
func TestManyTestsAreCompared(t *testing.T) {
	t.Parallel()
	var before, after []result.Test
	for i := range 20_000 {
		name := string([]rune{'a' + rune(i%26), 'a' + rune(i/26%26), 'a' + rune(i/676%26), 'a' + rune(i/17576)})
		before, after = append(before, result.Test{Name: "old " + name, Group: "g"}), append(after, result.Test{Name: "new " + name, Group: "g"})
	}
	base, branch := indexOf(before...), indexOf(append(after, before...)...)
	require.Len(t, newTests(base, branch), len(after))
	require.Len(t, newTests(base, indexOf(after...)), len(after))
	require.Empty(t, movedTests(base, branch))
}

// TestASuiteThatIsBrokenAnywayIsNoReason has a suite that is broken on the base and on the branch, whatever
// the change is. The control is broken only where the other group did not run: there it may be that group.
func TestASuiteThatIsBrokenAnywayIsNoReason(t *testing.T) {
	t.Parallel()
	legacy := result.BrokenGroup("legacy", "does not compile", "")
	run := func(broken bool, names ...string) index {
		var r result.Result
		for _, name := range names {
			r.Tests = append(r.Tests, result.Test{Name: name, Group: "shop", Of: "TestSplit", Status: result.Passed})
		}
		if broken {
			r.Tests = append(r.Tests, legacy)
		}
		return newIndex(r)
	}
	both := []string{"TestSplit/even", "TestSplit/rest"}
	added := func(onBase, branch index) *proving {
		v := &proving{Proof: Proof{BaseName: "main"}}
		for _, n := range newTests(run(true, both[0]), branch) {
			v.addNewTest(n, onBase, branch)
		}
		return v
	}
	v := added(run(true, both[0]), run(true, both...))
	require.Empty(t, v.RedOnBase, "it does not run on the base for another reason")
	require.Equal(t, map[string]string{"TestSplit/rest": "does not run on main"}, v.Notes)
	v = added(run(true, both[0]), run(false, both...))
	require.Equal(t, []string{"TestSplit/rest"}, v.RedOnBase)

	lost := func(base, branch index) []string {
		v := &proving{}
		require.NoError(t, v.findRegressions(base, branch, nil))
		return v.Regressions
	}
	require.Empty(t, lost(run(true, both[0]), run(true, both[1])), "a case has a new name")
	require.Equal(t, both[:1], lost(run(false, both[0]), run(true, both[1])))
}
