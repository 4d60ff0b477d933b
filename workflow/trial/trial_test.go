package trial

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

func TestMain(m *testing.M) { repotest.Main(m) }

// tryFiles tries a repository with these files.
func tryFiles(t *testing.T, f repotest.Files) Trial {
	t.Helper()
	dir, _ := repotest.NewOrigin(t, f)
	box := repotest.OpenBuilder(t)
	mirrors := repotest.OpenMirrors(t)
	at := remote.Remote{Name: "shop", URL: dir}
	checker := &build.Checker{Caches: build.Caches{
		Sandbox:  box,
		Dir:      filepath.Join(t.TempDir(), "cache"),
		Log:      slog.New(slog.DiscardHandler),
		Packages: &packages.Fetcher{Sandbox: box},
	}}
	if f["go.mod"] != "" {
		mirror, err := mirrors.Open(t.Context(), at)
		require.NoError(t, err)
		cache := repotest.GoCacheDir(checker.For(mirror).Cache.WritableMounts(""))
		require.NoError(t, repotest.SeedGoCache(t.Context(), box, cache))
	}
	r := Runner{Mirrors: mirrors, Checker: checker}
	found, err := r.Run(t.Context(), repository.Repository{Remote: at})
	require.NoError(t, err)
	return found
}

// shapes are small repositories of different kinds, with what is found in each.
var shapes = map[string]struct {
	files  repotest.Files
	needs  string // command line that fails where a tool is not installed
	check  func(*testing.T, Trial)
	causes []string // kinds; none: it is ready
}{
	"a Go module": {
		files: repotest.Files{
			"go.mod":            "module shop\n\ngo 1.24\n",
			"cart/cart.go":      "package cart\n\nfunc Total(a, b int) int { return a + b }\n",
			"cart/cart_test.go": goTests,
			"tax/tax.go":        "package tax\n\nfunc Of(a int) int { return a / 5 }\n",
		},
		needs: "go version",
		check: func(t *testing.T, found Trial) {
			require.Equal(t, "go", found.Kind)
			require.Equal(t, "go build ./...", found.Build.Line)
			require.Equal(t, "go test ./...", found.Test.Line)
			require.Equal(t, []Language{{"Go", 3}}, found.Languages)
			require.Positive(t, found.Base.Memory)
			require.Equal(t, []int{2, 1, 1}, []int{found.Base.Passed, found.Base.Failed, found.Base.Skipped})
			require.Equal(t, []string{"TestBroken"}, found.Base.Failures)
			require.Equal(t, "cart/cart.go", found.Near.File)
			require.Equal(t, "go test -vet=off -failfast './cart'", found.Near.Line)
			require.Positive(t, found.Near.Passed)
			require.Equal(t, []Version{{
				Tool: "go", Wants: ">=1.24", From: "go.mod", Has: found.Versions[0].Has,
			}}, found.Versions)
			require.Equal(t, CauseFailing, found.Notes[0].Kind)
		},
	},
	"npm without packages": {
		files: repotest.Files{
			"package.json": `{"name": "shop", "engines": {"node": ">=99"}}`,
			"cart.js":      "exports.total = (a, b) => a + b\n",
			"cart.test.js": "const test = require('node:test')\nconst { total } = require('./cart.js')\n" +
				"test('adds', () => { if (total(1, 2) !== 3) throw new Error('wrong') })\n",
			"tax.test.js":  "require('node:test')('tax', () => {})\n",
			"more.test.js": "require('node:test')('more', () => {})\n",
		},
		needs: "node --test --help",
		check: func(t *testing.T, found Trial) {
			require.Equal(t, Command{Line: "node --test"}, found.Test)
			require.Equal(t, 3, found.Base.Passed)
			require.Equal(t, 3, found.Again.Passed)
			require.Equal(t, "cart.js", found.Near.File)
			require.Equal(t, 1, found.Near.Passed)
			require.True(t, found.Versions[0].Differs)
			require.Contains(t, found.String(), "wants node >=99, has ")
		},
	},
	"Python with unittest": {
		files: repotest.Files{
			"cart.py": "def total(a, b):\n    return a + b\n",
			"test_cart.py": "import unittest, random, time\nfrom cart import total\n\n" +
				"class CartTest(unittest.TestCase):\n" +
				"    def test_adds(self):\n        self.assertEqual(total(1, 2), 3)\n\n" +
				"class NamedTest(unittest.TestCase):\n    pass\n\n" +
				"setattr(NamedTest, 'test_%d' % time.time_ns(), lambda self: None)\n",
		},
		needs: "python3 -m unittest --help",
		check: func(t *testing.T, found Trial) {
			require.Equal(t, "python", found.Kind)
			require.Equal(t, 2, found.Base.Passed)
			require.True(t, found.Base.EachNamed)
			require.Empty(t, found.Flaky)
			require.Len(t, found.Unstable, 2, "the name of a test changes with each run")
		},
	},
	"make with a shell test": {
		files: repotest.Files{
			"Makefile": "all: cart\n\ncart: cart.c\n\tcc -o cart cart.c\n\ntest: cart\n\tsh test.sh\n",
			"cart.c":   "#include <stdio.h>\nint main(void) { puts(\"3\"); return 0; }\n",
			"test.sh": "echo 'TAP version 13'\n[ \"$(./cart)\" = 3 ] && echo 'ok 1 - adds' || " +
				"echo 'not ok 1 - adds'\necho 1..1\n",
		},
		needs: "cc --version && make --version",
		check: func(t *testing.T, found Trial) {
			require.Equal(t, "make", found.Kind)
			require.Equal(t, []string{"make all", "make test"}, []string{found.Build.Line, found.Test.Line})
			require.True(t, found.Base.BuildOK)
			require.Equal(t, 1, found.Base.Passed)
			require.Nil(t, found.Near)
		},
	},
	"no tests": {
		files:  repotest.Files{"README.md": "A shop.\n", "cart.py": "x = 1\n"},
		causes: []string{CauseNoTests},
		check: func(t *testing.T, found Trial) {
			require.Nil(t, found.Base)
			require.Empty(t, found.Provable)
		},
	},
	"tests without a command": {
		files:  repotest.Files{"src/cart.lua": "return 1\n", "test/cart_test.php": "<?php\n"},
		causes: []string{CauseNoCommand},
	},
	"projects in two folders": {
		files: repotest.Files{
			"web/package.json": `{"scripts": {"test": "node --test"}}`,
			"api/package.json": `{"scripts": {"test": "node --test"}}`,
			"api/a.test.js":    "// more\n",
		},
		causes: []string{CauseNoCommand},
		check: func(t *testing.T, found Trial) {
			require.Equal(t, []string{"scope"}, found.Settings[0].Key)
			require.Equal(t, "api", found.Settings[0].Value)
			require.Contains(t, found.Settings[0].Why, "(others: web; one entry for each)")
		},
	},
	"a program that is not installed": {
		files: repotest.Files{
			"Makefile": "all:\n\tno-such-compiler\n\ntest:\n\t@echo ok 1 - a; echo 1..1\n",
		},
		causes: []string{CauseNotInstalled},
		check: func(t *testing.T, found Trial) {
			require.Equal(t, "the build cannot start: no-such-compiler is not installed",
				found.Causes[0].What)
		},
	},
	"a build that fails": {
		files: repotest.Files{
			"Makefile": "all:\n\t@echo broken; exit 3\n\n" +
				"test:\n\t@echo TAP version 13; echo ok 1 - a; echo 1..1\n",
		},
		check: func(t *testing.T, found Trial) {
			require.Contains(t, found.Base.Output, "broken")
			require.Contains(t, found.Notes, Cause{
				CauseBuild, "the build of main fails (make all), so only the tests prove", buildCure,
			})
			require.Equal(t, []Setting{{
				Key: []string{"checks", "build"}, Value: "true",
				Why: "the tests run without the build; this leaves it out",
			}}, found.Settings)
		},
	},
	"a build that fails, and tests that do": {
		files: repotest.Files{
			"Makefile": "all:\n\t@echo broken; exit 3\n\n" +
				"test:\n\t@echo TAP version 13; echo not ok 1 - a; echo 1..1; exit 1\n",
		},
		causes: []string{CauseBuild, CauseTests},
	},
	"tests that are not counted": {
		files:  repotest.Files{"Makefile": "test:\n\t@echo fine\n"},
		causes: []string{CauseNotCounted},
	},
	"tests that end with an error": {
		files:  repotest.Files{"Makefile": "test:\n\t@echo bad; exit 3\n"},
		causes: []string{CauseTests},
	},
	"tests without their server": {
		files: repotest.Files{
			"Makefile": "test:\n\t@sh test.sh\n",
			"test.sh": "echo TAP version 13; echo ok 1 - a; echo not ok 2 - b; echo '  ---'\n" +
				"echo '  error: connect ECONNREFUSED 127.0.0.1:5432'; echo '  ...'; " +
				"echo ok 3 - c; echo 1..3; exit 1\n",
		},
		check: func(t *testing.T, found Trial) {
			require.Equal(t, CauseService, found.Notes[0].Kind)
			require.Contains(t, found.Notes[0].What, "ECONNREFUSED 127.0.0.1:5432")
		},
	},
}

const goTests = `package cart

import "testing"

func TestTotal(t *testing.T) {
	if Total(1, 2) != 3 {
		t.Fatal("wrong")
	}
}

func TestMore(t *testing.T) {}

func TestBroken(t *testing.T) { t.Fatal("broken") }

func TestLater(t *testing.T) { t.Skip() }
`

func TestShapes(t *testing.T) {
	t.Parallel()
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if shape.needs != "" {
				repotest.NeedCommand(t, shape.needs)
			}
			found := tryFiles(t, shape.files)
			var kinds []string
			for _, c := range found.Causes {
				kinds = append(kinds, c.Kind)
			}
			require.Equal(t, shape.causes, kinds, "%+v", found)
			require.Equal(t, len(shape.causes) == 0, found.Ready)
			if shape.check != nil {
				shape.check(t, found)
			}
		})
	}
}

func TestFlakyTestsAreNamed(t *testing.T) {
	t.Parallel()
	run := func(tests ...result.Test) result.Result { return result.Result{Tests: tests} }
	first := run(result.Test{Name: "steady", Status: result.Passed},
		result.Test{Name: "flaky", Status: result.Passed},
		result.Test{Name: "at 12:00", Status: result.Passed},
		result.Test{Name: "same name", Group: "a", Status: result.Failed})
	second := run(result.Test{Name: "steady", Status: result.Passed},
		result.Test{Name: "flaky", Status: result.Failed},
		result.Test{Name: "at 12:01", Status: result.Passed},
		result.Test{Name: "same name", Group: "a", Status: result.Failed},
		result.Test{Name: "same name", Group: "b", Status: result.Failed})
	flaky, unstable := compareRuns(first, second)
	require.Equal(t, []string{"flaky"}, flaky)
	require.Equal(t, []string{"at 12:00", "at 12:01"}, unstable)
	flaky, unstable = compareRuns(first, first)
	require.Empty(t, append(flaky, unstable...), "the control")
}

// TestLimitsBecomeSettings has runs that met a limit, with the line that allows more.
func TestLimitsBecomeSettings(t *testing.T) {
	t.Parallel()
	limits := result.Limits{
		Time: 10 * time.Minute, Memory: 2 << 30, Processes: 512, Disk: 4 << 30, FileSize: 1 << 30,
	}
	lacking := func(limit string) result.Result {
		return result.Result{Limits: limits, Tests: []result.Test{{Status: result.Failed, Lacked: limit}}}
	}
	for name, c := range map[string]struct {
		r    result.Result
		want []Setting
	}{
		"time": {
			result.Result{Limits: limits, Stopped: result.StoppedTime},
			[]Setting{{[]string{"checks", "minutes"}, 20, "it ran too long: more than 10 minutes"}},
		},
		"memory of a test": {
			lacking(result.StoppedMemory),
			[]Setting{{[]string{"checks", "memory"}, "4 GB", "tests needed more than 2 GB"}},
		},
		"processes": {
			lacking(result.LackedProcesses),
			[]Setting{{[]string{"checks", "processes"}, 1024, "tests needed more than 512 processes"}},
		},
		"a file": {
			lacking(result.LackedFileSize),
			[]Setting{{[]string{"checks", "disk"}, "4 GB", "tests wrote a file of more than 1 GB"}},
		},
		"a test that is left out": {
			result.Result{Limits: limits, LeftOut: []result.LeftOut{{
				Name: "TestBig", Why: "needed more than 2 GB", Cure: "checks: {memory: 4 GB}",
			}}},
			[]Setting{{[]string{"checks", "memory"}, "4 GB", "TestBig needed more than 2 GB"}},
		},
		"output": {result.Result{Limits: limits, Stopped: result.StoppedOutput}, nil},
		"none":   {result.Result{Limits: limits}, nil},
	} {
		require.Equal(t, c.want, limitSettings(c.r), name)
	}
}

// TestWithoutASandbox tries a repository where no command can be run.
func TestWithoutASandbox(t *testing.T) {
	t.Parallel()
	dir, _ := repotest.NewOrigin(t, repotest.Files{"go.mod": "module shop\n"})
	off := Cause{CauseSandbox, "no sandbox works", "install bubblewrap"}
	r := Runner{Mirrors: repotest.OpenMirrors(t), SandboxOff: off}
	found, err := r.Run(t.Context(), repository.Repository{Remote: remote.Remote{Name: "shop", URL: dir}})
	require.NoError(t, err)
	require.False(t, found.Ready)
	require.Equal(t, []Cause{off}, found.Causes)
	require.Equal(t, "go test ./...", found.Test.Line)
}

func TestAnUnreadableRepositoryIsAnError(t *testing.T) {
	t.Parallel()
	r := Runner{Mirrors: repotest.OpenMirrors(t)}
	_, err := r.Run(context.Background(),
		repository.Repository{Remote: remote.Remote{Name: "shop", URL: t.TempDir()}})
	var refused *remote.Error
	require.ErrorAs(t, err, &refused)
}
