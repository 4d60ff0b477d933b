package proof

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// prove proves a change of a new repository with the files base.
func prove(t *testing.T, base, changed repotest.Files) Proof {
	t.Helper()
	m, commits := repotest.NewMirror(t, base)
	return proveIn(t, checker(t), m, commits[0], changed)
}

func proveIn(t *testing.T, c *build.Checker, m *git.Mirror, commit string, changed repotest.Files) Proof {
	t.Helper()
	w := repotest.NewWorkspace(t, m, commit, changed)
	project := project.Find(w.Root().FS())
	c = c.For(m)
	if project.Kind == "go" {
		require.NoError(t, repotest.SeedGoCache(t.Context(), c.Caches.Sandbox,
			repotest.GoCacheDir(c.Cache.WritableMounts(""))))
	}
	p, err := Prove(t.Context(), c, w, project, "")
	require.NoError(t, err)
	t.Logf("%+v holds: %v\n%s", project, p.Passes(), strings.Join(p.Lines(), "\n"))
	left, err := w.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, left, len(changed), "the proof leaves nothing in the workspace")
	return p
}

var nodeShop = repotest.Files{
	"package.json": `{"name": "shop", "version": "1.0.0", "type": "module", "scripts": {"test": ` +
		`"node --test"}}`,
	"split.js": "export const split = (total, n) => Array(n).fill(Math.floor(total / n));\n",
	"test/split.test.js": `import { describe, it } from 'node:test';
import assert from 'node:assert';
import { split } from '../split.js';

describe('split', () => {
  it('makes as many parts as asked for', () => assert.equal(split(10, 3).length, 3));
  it('is even where it can be', () => assert.deepEqual(split(4, 2), [2, 2]));
});
`,
}

func TestNode(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "node --version && npm --version")
	p := prove(t, nodeShop, repotest.Files{
		"split.js": "export const split = (total, n) => Array.from({ length: n }, (_, i) " +
			"=> Math.floor(total / n) + (i < total % n));\n",
		"test/rest.test.js": `import { test } from 'node:test';
import assert from 'node:assert';
import { split } from '../split.js';
test('loses nothing', () => assert.equal(split(10, 3).reduce((a, b) => a + b), 10));
`,
	})
	require.True(t, p.Passes())
	require.Equal(t, []string{
		"New test loses nothing: fails on main (as expected), passes on the branch",
		"npm test: 3 passed (1 new)",
		"Still passing: 2 of 2 that passed before",
	}, p.Lines())
}

func TestNodeTestOfAnExportThatTheBaseHasNot(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "node --version && npm --version")
	p := prove(t, nodeShop, repotest.Files{
		"share.js": "export const share = (total, n) => total / n;\n",
		"test/share.test.js": "import { test } from 'node:test';\nimport assert from 'node:assert';\n" +
			"import { share } from '../share.js';\ntest('shares', () => assert.equal(share(4, 2), 2));\n",
	})
	require.True(t, p.Passes())
	require.Contains(t, p.Lines()[0], "test/share.test.js could not be loaded on main")
}

// TestNodeTestsOfWhatTheBuildMakes checks that tests that read the build's output are not red on the base
// merely because nothing was built there.
func TestNodeTestsOfWhatTheBuildMakes(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "node --version && npm --version")
	built := repotest.Files{
		"package.json": `{"name": "shop", "version": "1.0.0", "type": "module", "scripts": {"build": ` +
			`"mkdir -p lib && cp split.js lib/", "test": "node --test test/*.test.js"}}`,
		"split.js": nodeShop["split.js"],
		"test/split.test.js": strings.ReplaceAll(nodeShop["test/split.test.js"], "../split.js",
			"../lib/split.js"),
	}
	more := func(name, want string) repotest.Files {
		return repotest.Files{
			"split.js": "export const split = (total, n) => Array.from({ length: n }, (_, i) " +
				"=> Math.floor(total / n) + (i < total % n));\n",
			"test/rest.test.js": "import { test } from 'node:test';\nimport assert from 'node:assert';\n" +
				"import { split } from '../lib/split.js';\n" +
				"test('" + name + "', () => assert.equal(split(10, 3)" + want + "));\n",
		}
	}
	p := prove(t, built, more("loses nothing", ".reduce((a, b) => a + b), 10"))
	require.True(t, p.Passes())
	require.Equal(t,
		"New test loses nothing: fails on main (as expected), passes on the branch", p.Lines()[0])
	p = prove(t, built, more("is a list", ".length, 3"))
	require.False(t, p.Passes(), "it passes on the base, once that is built")
	require.Equal(t, []string{"is a list"}, p.Guards)
}

// TestARedBaseThatTellsNoTestFromAnother checks that the outcome is NotStarted if the tests fail on the
// base and their output does not tell them apart.
func TestARedBaseThatTellsNoTestFromAnother(t *testing.T) {
	t.Parallel()
	p := prove(t, repotest.Files{
		"Makefile":      "test:\n\t@sh checks/all.sh\n",
		"checks/all.sh": "echo something is wrong\nexit 1\n",
	}, repotest.Files{
		"checks/more.sh": "exit 0\n", "checks/test_more.sh": "exit 0\n",
	})
	require.Equal(t, NotStarted, p.Outcome())
	require.Equal(t, "Nothing can be proven here: the tests fail on main already, "+
		"and their output does not tell one from another", p.Why)
}

var pythonShop = repotest.Files{
	"shop.py": "def split(total, n):\n    return [total // n] * n\n",
	"tests/test_shop.py": `import unittest

from shop import split


class ShopTest(unittest.TestCase):
    def test_count(self):
        self.assertEqual(len(split(10, 3)), 3)
`,
}

const pythonFix = "def split(total, n):\n    return [total // n + (i < total % n) for i in range(n)]\n"

func TestPythonUnittest(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	p := prove(t, pythonShop, repotest.Files{
		"shop.py": pythonFix,
		"tests/test_rest.py": `import unittest

from shop import split


class RestTest(unittest.TestCase):
    def test_rest(self):
        self.assertEqual(sum(split(10, 3)), 10)
`,
	})
	require.True(t, p.Passes())
	require.Equal(t, []string{
		"New test test_rest: fails on main (as expected), passes on the branch",
		"python3 -m unittest discover -v -s tests: 2 passed (1 new)",
		"Still passing: 1 of 1 that passed before",
	}, p.Lines())
}

// TestARunThatEndsBeforeItsTestsProvesNothing has a change that ends the process with exit code 0 when the
// first test calls it. On the base, the new test fails.
func TestARunThatEndsBeforeItsTestsProvesNothing(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	rest := strings.NewReplacer("test_count", "test_rest",
		"len(split(10, 3)), 3", "sum(split(10, 3)), 10").Replace(pythonShop["tests/test_shop.py"])
	p := prove(t, pythonShop, repotest.Files{
		"shop.py":            "import os\n\n\ndef split(total, n):\n    os._exit(0)\n",
		"tests/test_rest.py": rest,
	})
	require.True(t, p.Branch.TestsOK, "the exit code alone shows nothing wrong")
	require.Equal(t, Failed, p.Outcome())
	require.False(t, p.GreenOnBranch)
	require.Equal(t, []string{
		"The tests can be counted on main (1 pass there), and not on the branch, " +
			"where the run ends with exit code 0 all the same: it may have ended before they ran",
		"python3 -m unittest discover -v -s tests: exit code 0 (the tests could not be counted)",
	}, p.Lines())
}

func TestPythonUnittestWithOtherNames(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	tests := pythonShop["tests/test_shop.py"]
	p := prove(t, repotest.Files{"shop.py": pythonShop["shop.py"], "checks/unit/shop_test.py": tests},
		repotest.Files{
			"shop.py": pythonFix,
			"checks/unit/rest_test.py": strings.NewReplacer("test_count", "test_rest",
				"len(split(10, 3)), 3", "sum(split(10, 3)), 10").Replace(tests),
		})
	require.True(t, p.Passes())
	require.Equal(t,
		"python3 -m unittest discover -v -s checks/unit -p '*_test.py': 2 passed (1 new)", p.Lines()[1])
}

// TestTestsThatTheCommandDoesNotFind checks that a project whose tests are not found is not taken for one
// without tests, whose changes hold if the build is clean.
func TestTestsThatTheCommandDoesNotFind(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	base := repotest.Files{
		"shop.py":            pythonShop["shop.py"],
		"tox.ini":            "[testenv]\ncommands = python -m unittest discover -s checks\n",
		"checks/__init__.py": "# none\n",
	}
	p := prove(t, base.With(repotest.Files{"shop_test.py": pythonShop["tests/test_shop.py"]}), repotest.Files{
		"shop.py": pythonFix,
	})
	require.Equal(t, NotStarted, p.Outcome())
	require.Equal(t, "Nothing can be proven here: the test command (`python3 -m unittest discover -v -s "+
		"checks`) finds none of the tests, such as those of shop_test.py", p.Why)
	p = prove(t, base, repotest.Files{"shop.py": pythonFix, "shop_test.py": pythonShop["tests/test_shop.py"]})
	require.Equal(t, Failed, p.Outcome())
	require.Equal(t, "The test command (`python3 -m unittest discover -v -s checks`) "+
		"does not find the tests that were added, such as those of shop_test.py", p.Why)
	p = prove(t, base, repotest.Files{"shop.py": pythonFix})
	require.True(t, p.Passes() && p.NoTests)
}

// TestABaseThatLostItsTests has a stored result of the base that says that it has no tests, as a run on an
// overloaded machine once left one. Its old tests are not taken for new ones.
func TestABaseThatLostItsTests(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	c := checker(t)
	c.Caches.Dir = t.TempDir()
	m, commits := repotest.NewMirror(t, pythonShop)
	fix := repotest.Files{
		"shop.py": pythonFix,
		"tests/test_rest.py": strings.NewReplacer("test_count", "test_rest", "len(split(10, 3)), 3",
			"sum(split(10, 3)), 10").Replace(pythonShop["tests/test_shop.py"]),
	}
	p := proveIn(t, c, m, commits[0], fix)
	require.True(t, p.Passes())
	require.Equal(t, 1, p.PassedBefore)

	stored, err := filepath.Glob(filepath.Join(c.Caches.Dir, "*", "results", "[0-9a-f]*.json"))
	require.NoError(t, err)
	require.Len(t, stored, 1)
	lost, err := json.Marshal(result.Result{Project: p.Base.Project, TestsRan: true, Counted: true})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(stored[0], lost, 0o644))
	p = proveIn(t, c, m, commits[0], fix)
	require.True(t, p.Passes())
	require.Equal(t, 1, p.PassedBefore)
	require.Empty(t, p.Guards)
}

func TestPytest(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 -m pytest --version")
	base := pythonShop.With(repotest.Files{
		"tests/test_shop.py": "from shop import split\n\n\ndef test_count():\n" +
			"    assert len(split(10, 3)) == 3\n",
		"conftest.py": "# marks the root\n",
	})
	p := prove(t, base, repotest.Files{
		"shop.py": pythonFix,
		"tests/test_rest.py": "import pytest\n\nfrom shop import split\n\n\n@pytest.mark.parametrize('n', " +
			"[2, 3, 4])\ndef test_rest(n):\n    assert sum(split(10, n)) == 10\n",
	})
	require.True(t, p.Passes())
	require.Equal(t, []string{
		"New test test_rest: fails on main (as expected), passes on the branch",
		"python3 -m pytest -q: 4 passed (3 new)",
		"Still passing: 1 of 1 that passed before",
	}, p.Lines())
}

func TestPytestOfANameThatTheBaseHasNot(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 -m pytest --version")
	base := pythonShop.With(repotest.Files{
		"tests/test_shop.py": "from shop import split\n\n\ndef test_count():\n" +
			"    assert len(split(10, 3)) == 3\n",
		"conftest.py": "# marks the root\n",
	})
	p := prove(t, base, repotest.Files{
		"shop.py":             pythonShop["shop.py"] + "\n\ndef share(total, n):\n    return total / n\n",
		"tests/test_share.py": "from shop import share\n\n\ndef test_share():\n    assert share(4, 2) == 2\n",
	})
	require.True(t, p.Passes())
	require.Contains(t, p.Lines()[0], "tests.test_share could not be loaded on main")
	require.Equal(t, 1, p.StillPassing)
}

func TestRustWithItsTestsInside(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "cargo --version")
	const tests = "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn counts() {\n" +
		"        assert_eq!(split(10, 3).len(), 3);\n    }\n}\n"
	base := repotest.Files{
		"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		".gitignore": "target\nCargo.lock\n",
		"src/lib.rs": "pub fn split(total: u32, n: u32) -> Vec<u32> {\n    vec![total / n; n as usize]\n}\n" +
			tests,
	}
	p := prove(t, base, repotest.Files{
		"src/lib.rs": "pub fn split(total: u32, n: u32) -> Vec<u32> {\n" +
			"    (0..n).map(|i| total / n + u32::from(i < total % n)).collect()\n}\n" +
			strings.Replace(tests, "    #[test]", "    #[test]\n    fn loses_nothing() {\n"+
				"        assert_eq!(split(10, 3).iter().sum::<u32>(), 10);\n    }\n\n    #[test]", 1),
	})
	require.True(t, p.Passes())
	require.Equal(t, []string{"tests::loses_nothing"}, p.RedOnBase)
}

// makeShop is a project whose tests cannot be counted.
var makeShop = repotest.Files{
	"Makefile": "build: split\n\tcp split.sh split\n\ntest:\n" +
		"\tfor t in tests/*.sh; do sh $$t || exit 1; done\n\n.PHONY: split\nsplit:\n",
	"split.sh":     "expr $1 / $2\n",
	".gitignore":   "/split\n",
	"tests/one.sh": "test $(sh split.sh 4 2) = 2\n",
}

func TestMakeByExitCodes(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "make --version")
	p := prove(t, makeShop, repotest.Files{
		"split.sh":      "expr \\( $1 + $2 - 1 \\) / $2\n",
		"tests/rest.sh": "test $(sh split.sh 10 3) = 4\n",
	})
	require.True(t, p.Passes())
	require.Equal(t, []string{
		"New test tests/rest.sh: the tests fail on main with this file (as expected), passes on the branch",
		"make test: exit code 0 (the tests could not be counted), build clean",
	}, p.Lines())

	// Control: the new file passes on the base.
	p = prove(t, makeShop, repotest.Files{
		"split.sh":      "expr \\( $1 + $2 - 1 \\) / $2\n",
		"tests/rest.sh": "test $(sh split.sh 9 3) = 3\n",
	})
	require.False(t, p.Passes())
	require.Contains(t, p.Lines()[0], "The tests pass on main with the changed test files")
}

// TestARunThatDoesNotStartIsNeitherProofNorRefutation has a project whose tests run after a linter that is
// not installed.
func TestARunThatDoesNotStartIsNeitherProofNorRefutation(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "make --version")
	base := makeShop.With(repotest.Files{
		"Makefile": "test:\n\tno-such-linter . && for t in tests/*.sh; do sh $$t || exit 1; done\n",
	})
	fix := repotest.Files{
		"split.sh":      "expr \\( $1 + $2 - 1 \\) / $2\n",
		"tests/rest.sh": "test $(sh split.sh 10 3) = 4\n",
	}
	p := prove(t, base, fix)
	require.Equal(t, NotStarted, p.Outcome())
	require.Equal(t, "no-such-linter is not installed", p.Missing)
	require.Equal(t, []string{
		"Nothing can be proven here, since the tests do not start on main itself: " +
			"no-such-linter is not installed",
		"make test: did not start: no-such-linter is not installed",
	}, p.Lines())

	// Control: a run that starts and fails only on the branch is a failure.
	p = prove(t, makeShop, repotest.Files{
		"split.sh":      "expr $1 + $2\n",
		"tests/rest.sh": "test $(sh split.sh 10 3) = 4\n",
	})
	require.Equal(t, Failed, p.Outcome())

	// A build that does not start proves nothing in a project without tests.
	p = prove(t, repotest.Files{"Makefile": "build:\n\tno-such-builder run.sh\n", "run.sh": "echo hello\n"},
		repotest.Files{"run.sh": "echo bye\n"})
	require.Equal(t, NotStarted, p.Outcome())
	require.Equal(t, "no-such-builder is not installed", p.Missing)
}

func TestAProjectWithoutTestsHasOnlyItsBuild(t *testing.T) {
	t.Parallel()
	base := repotest.Files{"Makefile": "build:\n\tsh -n run.sh\n", "run.sh": "echo hello\n"}
	p := prove(t, base, repotest.Files{"run.sh": "echo bye\n"})
	require.True(t, p.Passes())
	require.False(t, p.Demonstrated)
	require.Equal(t, []string{
		"build clean, no test command is known",
		"Not shown: no test command is known for this project, so nothing was tested",
	}, p.Lines())

	p = prove(t, base, repotest.Files{"run.sh": "echo 'bye\n"})
	require.False(t, p.Passes(), "the build fails")

	p = prove(t, repotest.Files{"notes.txt": "one\n"}, repotest.Files{"notes.txt": "two\n"})
	require.True(t, p.Passes())
	require.Equal(t,
		[]string{"Not shown: no test command is known for this project, so nothing was tested"}, p.Lines())
}

func TestNothingIsClaimedWithoutASandbox(t *testing.T) {
	t.Parallel()
	c := checker(t)
	c.Caches.Sandbox = nil
	m, commits := repotest.NewMirror(t, pythonShop)
	p := proveIn(t, c, m, commits[0], repotest.Files{"shop.py": pythonFix})
	require.False(t, p.Passes())
	require.False(t, p.Demonstrated)
	require.Equal(t, []string{"Nothing can be proven here, since the tests do not start on main itself: " +
		"there is no sandbox to run anything in"}, p.Lines())

	_, err := c.For(m).Baseline(t.Context(), commits[0], project.Project{})
	require.ErrorIs(t, err, build.ErrNoSandbox)
	_, err = c.Run(t.Context(), t.TempDir(), project.Project{Test: "true"})
	require.ErrorIs(t, err, build.ErrNoSandbox)
}

func TestNothingChangedIsNoProof(t *testing.T) {
	t.Parallel()
	p := prove(t, pythonShop, repotest.Files{})
	require.False(t, p.Passes())
	require.Equal(t, []string{"Nothing was changed"}, p.Lines())
}

// TestFilesThatAreNotCommittedDoNotCount has a fix that needs a file that .gitignore matches: the file is
// in the agent's folder and will not be in the commit.
func TestFilesThatAreNotCommittedDoNotCount(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	base := pythonShop.With(repotest.Files{".gitignore": "secret.py\n"})
	m, commits := repotest.NewMirror(t, base)
	w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{
		"shop.py":   "from secret import split\n",
		"secret.py": pythonFix,
		"tests/test_rest.py": "import unittest\n\nfrom shop import split\n\n\n" +
			"class RestTest(unittest.TestCase):\n    def test_rest(self):\n" +
			"        self.assertEqual(sum(split(10, 3)), 10)\n",
	})
	c := checker(t)
	require.NoError(t, c.Caches.Sandbox.Own(w.Files()))
	here, err := c.Run(t.Context(), w.Files(), project.Find(w.Root().FS()))
	require.NoError(t, err)
	require.True(t, here.OK(), "the control: it works in the agent's folder")
	p, err := Prove(t.Context(), c.For(m), w, project.Find(w.Root().FS()), "")
	require.NoError(t, err)
	require.False(t, p.Passes())
}
