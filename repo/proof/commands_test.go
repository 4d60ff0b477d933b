package proof

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// twoLanguages is a repository of Python with a folder of JavaScript that has tests of its own.
func twoLanguages() repotest.Files {
	files := repotest.Files{
		"shop/money.py":       "def half(n):\n    return n // 2\n",
		"shop/__init__.py":    "\n",
		"shop/cart.py":        "def total(prices):\n    return sum(prices)\n",
		"shop/rates.py":       "RATES = {}\n",
		"tests/__init__.py":   "\n",
		"tests/test_money.py": halfTest("4"),
	}
	for name, text := range nodeShop {
		files["web/"+name] = text
	}
	return files
}

func halfTest(n string) string {
	return "import unittest\nfrom shop.money import half\n\n\nclass MoneyTest(unittest.TestCase):\n" +
		"    def test_half_of_" + n + "(self):\n        self.assertEqual(half(" + n + "), 2)\n"
}

// proveWith proves a change with all commands that the base's files tell.
func proveWith(t *testing.T, base, changed repotest.Files) Proof {
	t.Helper()
	m, commits := repotest.NewMirror(t, base)
	c := checker(t).For(m)
	w := repotest.NewWorkspace(t, m, commits[0], changed)
	files, err := m.Commits().Files(commits[0])
	require.NoError(t, err)
	commands := Commands{Project: project.Find(files), Others: project.Candidates(files, ".")}
	p, err := ProveWith(t.Context(), c, w, commands, "")
	require.NoError(t, err)
	t.Logf("%s: %s\n%s", commands.Project.Test, p.Outcome(), strings.Join(p.Lines(), "\n"))
	return p
}

// A check runs the tests that reach the change, as the proof does, and says what they do not reach.
func TestACheckRunsTheTestsThatReachTheChange(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "node --version && npm --version && python3 --version")
	base := twoLanguages()
	base["native/fast.c"] = "int fast;\n"
	m, commits := repotest.NewMirror(t, base)
	c := checker(t).For(m)
	files, err := m.Commits().Files(commits[0])
	require.NoError(t, err)
	commands := Commands{Project: project.Find(files), Others: project.Candidates(files, ".")}
	check := func(named bool, changed ...string) Checked {
		edits := repotest.Files{}
		for _, file := range changed {
			edits[file] = base[file] + "\n"
		}
		w := repotest.NewWorkspace(t, m, commits[0], edits)
		got, err := CheckWith(t.Context(), c, w, commands, named)
		require.NoError(t, err)
		return got
	}
	got := check(false, "web/split.js", "native/fast.c")
	require.Equal(t, "python3 -m unittest discover -v", got.Instead)
	require.Contains(t, got.Project.Test, "cd 'web' && npm test")
	require.True(t, got.Base.OK() && got.Base.Sum() > 0, "it is compared with the base: %s", got.Base)
	require.Equal(t, []string{"native/fast.c"}, got.Coverage.Uncovered)
	require.Equal(t, 1, got.Coverage.Reached)
	require.Empty(t, got.Coverage.By)

	got = check(false, "shop/money.py")
	require.Empty(t, got.Instead)
	require.Equal(t, Coverage{Reached: 1}, got.Coverage)

	// A command that an agent names runs in any case.
	got = check(true, "web/split.js")
	require.Empty(t, got.Instead)
	require.Equal(t, []string{"web/split.js"}, got.Coverage.Uncovered)
	require.Len(t, got.Coverage.By, 1)
}

// The tests that cover a change prove it, whatever the repository's first command is.
func TestTheCommandsThatCoverTheChangeProveIt(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "node --version && npm --version && python3 --version")
	web := repotest.Files{
		"web/split.js": "export const split = (total, n) => Array.from({ length: n }, (_, i) " +
			"=> Math.floor(total / n) + (i < total % n));\n",
		"web/test/rest.test.js": `import { test } from 'node:test';
import assert from 'node:assert';
import { split } from '../split.js';
test('loses nothing', () => assert.equal(split(10, 3).reduce((a, b) => a + b), 10));
`,
	}
	p := proveWith(t, twoLanguages(), web)
	require.True(t, p.Passes(), p.Lines())
	require.Equal(t, []string{"loses nothing"}, p.RedOnBase)
	require.Equal(t, []string{"python3 -m unittest discover -v: 1 passed"}, p.Others)

	both := maps.Clone(web)
	both["shop/money.py"] = "def half(n):\n    return (n + 1) // 2\n"
	both["tests/test_odd.py"] = halfTest("3")
	p = proveWith(t, twoLanguages(), both)
	require.True(t, p.Passes(), p.Lines())
	require.Len(t, p.RedOnBase, 2)
	require.Len(t, p.Others, 1)
	require.Equal(t, 3, p.PassedBefore, "those of both commands")

	// Control: what the second command sees broken keeps the change from being proven.
	both["web/split.js"] = "export const split = () => [];\n"
	p = proveWith(t, twoLanguages(), both)
	require.Equal(t, Failed, p.Outcome())
	require.Contains(t, strings.Join(p.Regressions, " "), "makes as many parts")
}

// What no known command covers is said, and not that no test was changed.
func TestChangesThatNoCommandCovers(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	base := twoLanguages()
	for name := range nodeShop {
		delete(base, "web/"+name)
	}
	p := proveWith(t, base, repotest.Files{
		"app/Total.kt":     "fun total() = 1\n",
		"app/TotalTest.kt": "class TotalTest\n",
	})
	require.NotContains(t, p.Why, "o test was added")
	require.Contains(t, p.Why, "app/Total")
}
