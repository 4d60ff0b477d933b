package testtrial

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/proof"
)

func TestMain(m *testing.M) { repotest.Main(m) }

// A shop is a repository whose changes are tried.
type shop struct {
	mirror  *git.Mirror
	commit  string
	checker *build.Checker
}

func openShop(t *testing.T, files repotest.Files) shop {
	t.Helper()
	m, commits := repotest.NewMirror(t, files)
	box := repotest.OpenBuilder(t)
	caches := build.Caches{Sandbox: box, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	c := (&build.Checker{Caches: caches}).For(m)
	if files["go.mod"] != "" {
		require.NoError(t,
			repotest.SeedGoCache(t.Context(), box, repotest.GoCacheDir(c.Cache.WritableMounts(""))))
	}
	return shop{m, commits[0], c}
}

// openTrial proves a change, and requires that the proof holds without a trial. Its limit only ends a trial
// that hangs.
func (s shop) openTrial(t *testing.T, changed repotest.Files) Trial {
	t.Helper()
	w := repotest.NewWorkspace(t, s.mirror, s.commit, changed)
	p := project.Find(w.Root().FS())
	shown, err := proof.Prove(t.Context(), s.checker, w, p, "")
	require.NoError(t, err)
	require.True(t, shown.Passes(), "the control: without a trial the proof holds: %v", shown.Lines())
	return Trial{Checker: s.checker, Work: w, Project: p, Proof: shown, Limit: time.Hour}
}

// find runs the trial, and requires that the workspace did not change.
func (t Trial) find(test *testing.T) Finding {
	test.Helper()
	before, err := t.Work.Tree(test.Context())
	require.NoError(test, err)
	found, err := t.Run(test.Context())
	require.NoError(test, err)
	after, err := t.Work.Tree(test.Context())
	require.NoError(test, err)
	require.Equal(test, before, after, "the workspace is only read")
	test.Logf("%+v", found)
	return found
}

// rejects requires that the trial rejects these tests and no other: the name and the reason of each.
func (t Trial) rejects(test *testing.T, want ...string) {
	test.Helper()
	var got []string
	found := t.find(test)
	for _, r := range found.Rejected {
		got = append(got, r.Name+" "+r.Why)
	}
	require.Equal(test, want, got)
	p := t.Proof
	p.Reject(found.Rejected)
	require.False(test, p.Passes())
	require.Contains(test, p.Lines()[0], want[0]+", so it shows nothing. ")
}

var goShop = repotest.Files{
	"go.mod": "module example.com/shop\n\ngo 1.24\n",
	"money/money.go": `package money

// Half is half of it.
func Half(total int) int {
	return total / 3
}
`,
	"money/money_test.go": `package money

import "testing"

var ready bool

func TestZero(t *testing.T) {
	ready = true
	if Half(0) != 0 {
		t.Error()
	}
}
`,
}

func goFix(test string) repotest.Files {
	return repotest.Files{
		"money/money.go": strings.Replace(goShop["money/money.go"], "total / 3", "total / 2", 1),
		"money/new_test.go": `package money

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var _, _, _ = os.ReadFile, filepath.Glob, strings.Contains

` + test,
	}
}

const goGood = `func TestHalf(t *testing.T) {
	if Half(4) != 2 {
		t.Error()
	}
}
`

func TestGo(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	shop := openShop(t, goShop)
	for name, c := range map[string]struct {
		test string
		want string
	}{
		"a test that runs the code": {goGood, ""},
		"one that reads what is there": {
			`func TestHalf(t *testing.T) {
	all, _ := filepath.Glob("*ey.go")
	text, err := os.ReadFile(all[0])
	if err != nil || !strings.Contains(string(text), "total / 2") {
		t.Error(err)
	}
}
`,
			"TestHalf passes on main when the fix stands there in comments alone" + itReads,
		},
		"one that looks for what is gone": {
			`func TestHalf(t *testing.T) {
	all, _ := filepath.Glob("*ey.go")
	text, err := os.ReadFile(all[0])
	if err != nil || strings.Contains(string(text), "total / 3") {
		t.Error(err)
	}
}
`,
			"TestHalf fails on the branch when the lines of main stand there in comments" + itReads,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trial := shop.openTrial(t, goFix(c.test))
			if c.want != "" {
				trial.rejects(t, c.want)
				return
			}
			want := "The new tests ran 3 more times, without the others and in another order: " +
				"the same each time"
			require.Equal(t, Finding{Repeated: want}, trial.find(t))
		})
	}
}

var pythonShop = repotest.Files{
	"shop.py": "def half(total):\n    return total // 3\n",
	"tests/test_shop.py": `import unittest

import shop


class Shop(unittest.TestCase):
    def test_zero(self):
        shop.ready = True
        self.assertEqual(shop.half(0), 0)
`,
	"tests/__init__.py": "# tests\n",
	"setup.py":          "# nothing more\n",
}

func TestPython(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "python3 --version")
	shop := openShop(t, pythonShop)
	fix := func(body string) repotest.Files {
		return repotest.Files{
			"shop.py":    "def half(total):\n    return total // 2\n",
			"half.fixed": "yes\n",
			"tests/test_z.py": `import glob
import inspect
import pathlib
import unittest

import shop


class Z(unittest.TestCase):
    def test_half(self):
` + body,
		}
	}
	for name, c := range map[string]struct{ body, want string }{
		"a test that runs the code": {"        self.assertEqual(shop.half(4), 2)\n", ""},
		"one that reads the file": {
			"        self.assertIn('// 2', pathlib.Path('shop.py').read_text())\n",
			"test_half reads shop.py instead of running it",
		},
		"one that asks Python": {
			"        self.assertIn('// 2', inspect.getsource(shop.half))\n",
			"test_half reads the source of what it should run",
		},
		"one that reads the module": {
			"        self.assertIn('// 2', pathlib.Path(shop.__file__).read_text())\n",
			"test_half passes on main when the fix stands there in comments alone" + itReads,
		},
		"one that looks for a file": {
			"        self.assertTrue(pathlib.Path('half.fixed').exists())\n",
			"test_half looks for half.fixed, which the change only adds and no code names",
		},
		"one that needs another": {
			"        self.assertEqual((shop.ready, shop.half(4)), (True, 2))\n",
			"test_half fails when it runs without the other tests",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trial := shop.openTrial(t, fix(c.body))
			if c.want != "" {
				trial.rejects(t, c.want)
				return
			}
			require.Nil(t, trial.find(t).Rejected)
		})
	}
}

// TestNode checks that a test which runs the text of a script is not one that only reads it.
func TestNode(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "node --version && npm --version")
	base := repotest.Files{
		"package.json": `{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}}`,
		"half.js":      "globalThis.half = (total) => total / 3;\n",
		"test/zero.test.js": "const { test } = require('node:test');\nrequire('../half.js');\n" +
			"test('zero', () => require('assert').equal(half(0), 0));\n",
	}
	shop := openShop(t, base)
	fix := func(body string) repotest.Files {
		return repotest.Files{
			"half.js": "globalThis.half = (total) => total / 2;\n",
			"test/half.test.js": "const { test } = require('node:test');\nconst fs = require('fs');\n" +
				"const assert = require('assert');\n" + body,
		}
	}
	shop.openTrial(t, fix("test('half', () => assert.match(fs.readFileSync(require.resolve('../half.js'), "+
		"'utf8'), /total \\/ 2/));\n")).
		rejects(t, "half reads half.js instead of running it")
	shop.openTrial(t, fix("const name = '../hal' + 'f.js';\ntest('half', () "+
		"=> assert.match(fs.readFileSync(require.resolve(name), 'utf8'), /total \\/ 2/));\n")).
		rejects(t, "half passes on main when the fix stands there in comments alone"+itReads)
	runs := "test('half', () => {\n  (0, eval)(fs.readFileSync(__dirname + '/../half.js', 'utf8'));\n" +
		"  assert.equal(half(4), 2);\n});\n"
	require.Nil(t, shop.openTrial(t, fix(runs)).find(t).Rejected)
}
