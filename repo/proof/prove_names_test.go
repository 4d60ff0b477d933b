package proof

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// halves is pythonShop with a class of tests that is made three times under one name.
// The last one fails on main.
var halves = pythonShop.With(repotest.Files{
	"half.py": "def half(n):\n    return n // 2\n",
	"tests/test_half.py": `import unittest

from half import half


def make(n):
    class HalfTest(unittest.TestCase):
        def test_half(self):
            self.assertEqual(half(n) * 2, n)

        def test_whole(self):
            self.assertEqual(half(n), int(half(n)))
    return HalfTest


Four, Six, Nine = make(4), make(6), make(9)
`,
})

// restTests is a class for each number of parts. All fail on main.
const restTests = `import unittest

from shop import split


def make(n):
    class RestTest(unittest.TestCase):
        def test_rest(self):
            SKIP
            self.assertEqual(sum(split(10, n)), 10)
    return RestTest


Three, Four, Six = make(3), make(4), make(6)
`

func TestUnittestClassesOfOneName(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	fix := repotest.Files{
		"shop.py":            pythonFix,
		"tests/test_rest.py": strings.Replace(restTests, "SKIP", "pass", 1),
	}
	p := prove(t, halves, fix)
	require.True(t, p.Passes(), "the control: nothing breaks, and nothing is skipped")
	require.Equal(t, []string{
		"New test test_rest: fails on main (as expected), passes on the branch",
		"python3 -m unittest discover -v -s tests: 9 passed (3 new), 1 failed (test_half)",
		"Still passing: 6 of 6 that passed before",
		"Failing on main already, and not counted against the branch: test_half",
	}, p.Lines())
	require.Equal(t,
		"3 new tests: red before, green now; 6 still pass; 1 failed before and still does", p.Short())

	p = prove(t, halves,
		fix.With(repotest.Files{"half.py": "def half(n):\n    return 3 if n == 4 else n // 2\n"}))
	require.False(t, p.Passes(), "one more of the class fails")
	require.Equal(t, []string{
		"Fix the change or bring back what is gone. No longer passing, 1 of 6 that passed on main: 1 of " +
			"3 tests named test_half (fails)",
		"New test test_rest: fails on main (as expected), passes on the branch",
		"python3 -m unittest discover -v -s tests: 8 passed (3 new), 2 failed (test_half, test_half)",
		"Still passing: 5 of 6 that passed before",
		"Failing on main already, and not counted against the branch: test_half",
	}, p.Lines())

	p = prove(t, halves, fix.With(repotest.Files{
		"tests/test_rest.py": strings.Replace(
			restTests, "SKIP", "if n == 4 and split(10, 3)[0] == 4: self.skipTest('no need')", 1,
		),
	}))
	require.False(t, p.Passes(), "one of the class is red before and skipped after")
	require.Equal(t, []string{
		"The change's own tests do not pass on the branch: test_rest is skipped there in 1 of 3 cases",
		"New test test_rest: fails on main (as expected); on the branch 2 of 3 pass, 1 of 3 is skipped, " +
			"which proves nothing",
		"python3 -m unittest discover -v -s tests: 8 passed (2 new), 1 failed (test_half), 1 skipped",
		"Still passing: 6 of 6 that passed before",
		"Failing on main already, and not counted against the branch: test_half",
	}, p.Lines())
	require.Contains(
		t, p.Short(),
		"2 new tests: red before, green now; 1 red before, skipped now, which proves nothing; 6 still pass",
	)
}

func TestNodeTestsOfOneName(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "node --version && npm --version")
	const test = `import { describe, it } from 'node:test';
import assert from 'node:assert';
import { split } from '../split.js';
import { half } from '../half.js';
for (const n of [3, 4, 6]) {
  describe('rest', () => it('loses nothing', SKIP() => assert.equal(split(10, n).reduce((a, b) => a + b), 10)));
}
`
	half := strings.NewReplacer(
		"'rest'", "'half'", "loses nothing", "is half", "SKIP", "",
		"split(10, n).reduce((a, b) => a + b), 10", "half(n) * 2, n",
	).Replace(test)
	base := nodeShop.With(
		repotest.Files{"half.js": "export const half = n => Math.floor(n / 2);\n", "test/half.test.js": half},
	)
	fix := repotest.Files{
		"split.js": "export const split = (total, n) => Array.from({ length: n }, (_, i) " +
			"=> Math.floor(total / n) + (i < total % n));\n",
		"test/rest.test.js": strings.Replace(test, "SKIP", "", 1),
	}
	p := prove(t, base, fix)
	require.True(t, p.Passes(), "the control")
	require.Equal(t,
		"3 new tests: red before, green now; 4 still pass; 1 failed before and still does", p.Short())

	p = prove(
		t, base,
		fix.With(repotest.Files{"half.js": "export const half = n => n === 4 ? 3 : Math.floor(n / 2);\n"}),
	)
	require.Equal(t, []string{"1 of 3 tests named half > is half"}, p.Regressions)
	require.Equal(t, 3, p.StillPassing)
	require.False(t, p.Passes())

	p = prove(
		t, base,
		fix.With(
			repotest.Files{
				"test/rest.test.js": strings.Replace(
					test, "SKIP", "{ skip: n === 4 && split(10, 3)[0] === 4 && 'no need' }, ", 1,
				),
			},
		),
	)
	require.False(t, p.Passes())
	require.Equal(t, []string{
		"The change's own tests do not pass on the branch: rest > loses nothing is skipped there in 1 of 3 " +
			"cases",
		"New test rest > loses nothing: fails on main (as expected); on the branch 2 of 3 pass, 1 of 3 " +
			"is skipped, which proves nothing",
		"npm test: 6 passed (2 new), 1 failed (half > is half), 1 skipped",
		"Still passing: 4 of 4 that passed before",
		"Failing on main already, and not counted against the branch: half > is half",
	}, p.Lines())
}

// TestGoTestsThatRunTwice has a command that runs each test twice, a test of which one run fails on the
// branch, and cases of which one is red before and skipped after.
func TestGoTestsThatRunTwice(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	base := repotest.Files{
		"go.mod": "module example.com/half\n\ngo 1.24\n",
		"half.go": "package half\n\n// Half is the half of n, rounded up.\n" +
			"func Half(n int) int { return n / 2 }\n",
		"a_test.go": "package half\n\nimport \"testing\"\n\nfunc TestEven(t *testing.T) {\n" +
			"\tif Half(4) != 2 {\n\t\tt.Error()\n\t}\n}\n",
	}
	const odd = "package half\n\nimport \"testing\"\n\nfunc TestOdd(t *testing.T) {\n" +
		"\tfor _, n := range []int{3, 5, 7} {\n\t\tt.Run(\"odd\", func(t *testing.T) {\n" +
		"\t\t\tif SKIP {\n\t\t\t\tt.Skip()\n\t\t\t}\n" + // the case that is skipped, in the text of that test
		"\t\t\tif Half(n)*2 != n+1 {\n\t\t\t\tt.Error()\n\t\t\t}\n\t\t})\n\t}\n}\n"
	fix := repotest.Files{
		"half.go":   strings.Replace(base["half.go"], "n / 2", "(n + 1) / 2", 1),
		"b_test.go": strings.Replace(odd, "SKIP", "false", 1),
	}
	m, commits := repotest.NewMirror(t, base)
	c := goChecker(t, m)
	run := func(changed repotest.Files) Proof {
		w := repotest.NewWorkspace(t, m, commits[0], changed)
		p, err := Prove(
			t.Context(), c, w,
			project.Project{Kind: "go", Build: "go build ./...", Test: "go test -json -count=2 ./..."}, "",
		)
		require.NoError(t, err)
		t.Log(strings.Join(p.Lines(), "\n"))
		return p
	}
	p := run(fix)
	require.True(t, p.Passes(), "the control")
	require.Equal(t, "6 new tests: red before, green now; 2 still pass", p.Short())

	first := "\nvar asked bool\n\nfunc first(n int) bool {\n\tif n != 4 || asked {\n\t\treturn false\n\t}\n" +
		"\tasked = true\n\treturn true\n}\n"
	p = run(
		fix.With(
			repotest.Files{
				"half.go": strings.Replace(
					fix["half.go"], "{ ", "{\n\tif first(n) {\n\t\treturn 3\n\t}\n\t", 1,
				) + first,
			},
		),
	)
	require.False(t, p.Passes(), "the first of two runs fails")
	require.Equal(t, []string{"1 of 2 tests named TestEven"}, p.Regressions)
	require.Equal(t, []int{2, 1}, []int{p.PassedBefore, p.StillPassing})

	p = run(fix.With(repotest.Files{"b_test.go": strings.Replace(odd, "SKIP", "n == 5 && Half(3) == 2", 1)}))
	require.False(t, p.Passes(), "a case is red before and skipped after")
	require.Equal(t, []string{
		"The change's own tests do not pass on the branch: TestOdd is skipped there in 2 of 6 cases",
		"New test TestOdd: fails on main (as expected); on the branch 4 of 6 pass, 2 of 6 are skipped, " +
			"which proves nothing",
		"go test -count=2 ./...: 6 passed (4 new), 2 skipped, build clean",
		"Still passing: 2 of 2 that passed before",
	}, p.Lines())
	require.Contains(
		t, p.Short(),
		"4 new tests: red before, green now; 2 red before, skipped now, which proves nothing; 2 still pass",
	)
}
