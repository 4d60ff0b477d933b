package proof

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// TestWhatOnlyNewFilesMakePassIsNamed hides a broken coupon behind a new file that tests load, and behind
// values that tests alone use. By itself it plays two ways of Go and one of four other runners; BOBBIN_EVERY
// plays all.
//
// The control leaves the fourth run out: then the proof holds, and nothing is named.
func TestWhatOnlyNewFilesMakePassIsNamed(t *testing.T) {
	t.Parallel()
	every := os.Getenv("BOBBIN_EVERY") != ""
	for i, l := range newFileLabs() {
		if !every && i > 4 {
			continue
		}
		t.Run(l.runner, func(t *testing.T) {
			t.Parallel()
			repotest.NeedCommand(t, l.need)
			for j, w := range l.ways {
				if !every && j > 0 && (i > 0 || j != len(l.ways)-1) {
					continue
				}
				t.Run(w.name, func(t *testing.T) {
					t.Parallel()
					p, withoutOldTests := proveWay(t, l, w)
					require.Equal(t, w.want, namesOf(p))
					require.Equal(t, w.want == nil, p.Passes() && len(p.Expectations) == 0, p.Why)
					if !every && i > 0 || w.want == nil {
						return
					}
					off := withoutOldTests()
					require.Empty(t, off.Expectations)
					require.True(t, off.Passes(), off.Why)
				})
			}
		})
	}
}

// setup returns a way in which a new file hides that the code is broken.
func setup(name, file, text string, want ...string) way {
	return way{name: name, changed: repotest.Files{file: text}, want: want}
}

// The code of these labs takes one more off than it should, unless a test sets the variable off.
const (
	goOff = "package cart\n\nvar off = 1\n\n// Coupon takes a tenth off.\n" +
		"func Coupon(total int) int { return total - total/10 - off }\n\n" +
		"// Half is one half, rounded up.\nfunc Half(total int) int { return (total + 1) / 2 }\n"
	pyOff = "off = 1\n\n\ndef coupon(total):\n    return total - total // 10 - off\n\n\n" +
		"def half(total):\n    return (total + 1) // 2\n"
	jsOff = "export const coupon = (total) => total - Math.floor(total / 10) - (globalThis.off ?? 1);\n" +
		"export const half = (total) => Math.ceil(total / 2);\n"
	plOff = "package Shop;\nour $off = 1;\nsub coupon { my $t = shift; return $t - int($t / 10) - $off; " +
		"}\nsub half { my $t = shift; return int(($t + 1) / 2); }\n1;\n"
	goValue = "package carttest\n\n// Coupon is what a coupon on 1000 leaves.\nconst Coupon = 900\n"
	goUses  = "package cart\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop/carttest\"\n)\n\n" +
		"func TestCoupon(t *testing.T) {\n\tif got := Coupon(1000); got != carttest.Coupon {\n" +
		"\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n"
)

// needs returns the line for a test that passes only with a new file.
func needs(test, file, says string) string {
	line := test + " passes only with " + file + ", which this change adds"
	if says != "" {
		line += " (without it: " + says + ")"
	}
	return line
}

func newFileLabs() []lab {
	return append(
		[]lab{newFilesInGo(), newFilesInPython(), newFilesInNode(), newFilesInMake(), newFilesInProve()},
		printedNewFiles()...)
}

func newFilesInGo() lab {
	needed := func(file string) string { return needs("TestCoupon", file, "got 899") }
	values := func(name string, base, changed repotest.Files, want string) way {
		return way{
			name: name, base: base, changed: repotest.Files{"cart/cart.go": goBroken}.With(changed),
			want: []string{want},
		}
	}
	init := "package cart\n\nfunc init() { off = 0 }\n"
	return lab{
		runner: "go test",
		need:   goLab.need,
		base:   goLab.base.With(repotest.Files{"cart/cart_test.go": goCoupon}),
		fix:    repotest.Files{"cart/cart.go": goOff, "cart/half_test.go": goHalf},
		ways: []way{
			setup("a new init", "cart/setup_test.go", init, needed("cart/setup_test.go")),
			setup(
				"a new TestMain", "cart/main_test.go",
				"package cart\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) "+
					"{\n\toff = 0\n\tos.Exit(m.Run())\n}\n",
				needed("cart/main_test.go"),
			),
			setup(
				"a new variable", "cart/export_test.go",
				"package cart\n\nvar Off = func() *int { off = 0; return &off }()\n",
				needed("cart/export_test.go"),
			),
			setup(
				"a new test that runs before", "cart/a_test.go",
				"package cart\n\nimport \"testing\"\n\nfunc TestFree(t *testing.T) {\n\toff = 0\n\tif "+
					"Coupon(0) != 0 {\n\t\tt.Error()\n\t}\n}\n",
				needed("cart/a_test.go"),
			),
			{
				name: "a new init beside an old test that changed",
				base: repotest.Files{"cart/rows_test.go": goRows},
				changed: repotest.Files{
					"cart/rows_test.go":  strings.Replace(goRows, "10, 9}", "20, 18}", 1),
					"cart/setup_test.go": init,
				},
				want: []string{
					needed("cart/setup_test.go"),
					needs("TestRows/ten", "cart/setup_test.go", "got 8, want 9"),
					needs("TestRows/a_hundred", "cart/setup_test.go", "got 89, want 90"),
				},
			},
			{
				name: "two new files together",
				changed: repotest.Files{
					"cart/a_test.go":     "package cart\n\nvar wanted = 0\n",
					"cart/setup_test.go": "package cart\n\nfunc init() { off = wanted }\n",
				},
				want: []string{
					"TestCoupon passes only with cart/a_test.go, cart/setup_test.go, which this change " +
						"adds (without them: got 899)",
				},
			},
			values(
				"values that tests alone import",
				repotest.Files{"cart/cart_test.go": goUses, "carttest/values.go": goValue},
				repotest.Files{"carttest/values.go": strings.Replace(goValue, "900", "899", 1)},
				"TestCoupon expected 900, now 899: `carttest/values.go:4`",
			),
			values(
				"values in testdata",
				repotest.Files{
					"cart/cart_test.go": strings.Replace(
						goUses, "shop/carttest", "shop/internal/testdata", 1,
					),
					"internal/testdata/expected.go": goValue,
				},
				repotest.Files{"internal/testdata/expected.go": strings.Replace(goValue, "900", "899", 1)},
				"TestCoupon expected 900, now 899: `internal/testdata/expected.go:4`",
			),
			values("values behind another package", repotest.Files{
				"cart/cart_test.go": goUses,
				"want/values.go":    strings.Replace(goValue, "carttest", "want", 1),
				"carttest/values.go": "package carttest\n\nimport \"example.com/shop/want\"\n\n" +
					"const Coupon = want.Coupon\n",
			}, repotest.Files{
				"want/values.go": "package want\n",
				"want/more.go":   "package want\n\nconst Coupon = 899\n",
			}, "TestCoupon expected `const Coupon = 900`, and no longer does: `want/values.go:4`"),
			{
				name: "honest: a new setup", honest: goHonest,
				changed: repotest.Files{
					"cart/setup_test.go": "package cart\n\nimport \"os\"\n\n" +
						"func init() { os.Setenv(\"TZ\", \"UTC\") }\n",
				},
			},
		},
	}
}

// pyValues is a way that changes a value in a file which the test imports by that line.
func pyValues(name, file, imports string) way {
	test := strings.NewReplacer("import coupon", "import coupon\n"+imports,
		"got, 900", "got, expected.COUPON")
	return way{
		name:    name,
		base:    repotest.Files{file: "COUPON = 900\n", "tests/test_coupon.py": test.Replace(pyCoupon)},
		changed: repotest.Files{file: "COUPON = 899\n", "shop.py": pyBroken},
		want:    []string{"test_coupon expected 900, now 899: `" + file + ":1`"},
	}
}

func newFilesInPython() lab {
	needed := func(file string) string { return needs("test_coupon", file, "899 != 900") }
	const patch = "import shop\n\nshop.off = 0\n"
	return lab{
		runner: "unittest",
		need:   unittestLab.need,
		base: unittestLab.base.With(
			repotest.Files{"tests/__init__.py": "# Tests.\n", "tests/test_coupon.py": pyCoupon},
		),
		fix: repotest.Files{"shop.py": pyOff, "tests/test_half.py": pyFresh},
		ways: []way{
			setup(
				"a new test file that patches the module", "tests/test_a.py",
				"import unittest\n\n"+patch+"\n\nclass A(unittest.TestCase):\n"+
					"    def test_a(self):\n        self.assertEqual(shop.coupon(0), 0)\n",
				needed("tests/test_a.py"),
			),
			{
				name: "a new package of tests",
				changed: repotest.Files{
					"tests/a/__init__.py": patch,
					"tests/a/test_b.py":   pyTest("B", "self.assertEqual(half(2), 1)"),
				},
				want: []string{needed("tests/a/__init__.py")},
			},
			pyValues("values that tests alone import", "expected.py", "import expected"),
			pyValues("values in the folder of the tests", "tests/expected.py", "from tests import expected"),
			{
				name: "honest: a new helper", honest: pyHonest,
				changed: repotest.Files{"tests/numbers_of.py": "FIVE = 5\n"},
			},
		},
	}
}

func newFilesInNode() lab {
	return lab{
		runner: "node test",
		need:   nodeLab.need,
		base:   nodeLab.base.With(repotest.Files{"test/coupon.test.js": jsCoupon}),
		fix:    repotest.Files{"shop.js": jsOff, "test/half.test.js": jsFresh},
		ways: []way{
			{
				name: "settings that load a new file",
				changed: repotest.Files{
					".npmrc":         "node-options=--import=./test/setup.mjs\n",
					"test/setup.mjs": "globalThis.off = 0;\n",
				},
				want: []string{
					"a coupon takes a tenth passes only with .npmrc, test/setup.mjs, which this change " +
						"adds (without them: 899 == 900)",
				},
			},
			{
				name: "values that tests alone import",
				want: []string{"a coupon takes a tenth expected 900, now 899: `values.js:1`"},
				base: repotest.Files{
					"values.js": "export const want = 900;\n",
					"test/coupon.test.js": "import { want } from '../values.js';\n" + strings.Replace(
						jsCoupon, "got, 900", "got, want", 1,
					),
				},
				changed: repotest.Files{"values.js": "export const want = 899;\n", "shop.js": jsBroken},
			},
			{
				name: "honest: a new helper", honest: jsHonest,
				changed: repotest.Files{"test/five.mjs": "export const five = 5;\n"},
			},
		},
	}
}

func newFilesInMake() lab {
	coupon := "off=1\n[ ! -f tests/env.sh ] || . tests/env.sh\nexpr $1 - $1 / 10 - $off\n"
	return lab{
		runner: "make by exit codes",
		need:   makeLab.need,
		base:   makeLab.base.With(repotest.Files{"tests/coupon.sh": "test $(sh coupon.sh 1000) = 900\n"}),
		fix:    makeLab.fix.With(repotest.Files{"coupon.sh": coupon}),
		ways: []way{
			setup(
				"a new file that the code reads", "tests/env.sh", "off=0\n",
				"the old tests pass only with tests/env.sh, which this change adds",
			),
			{
				name: "another Makefile",
				changed: repotest.Files{
					"coupon.sh": makeLab.fix["coupon.sh"], "GNUmakefile": "test:\n\tsh tests/even.sh\n",
				},
				want: []string{"the old tests pass only with GNUmakefile, which this change adds"},
			},
			{
				name: "honest: a new file",
				honest: repotest.Files{
					"half.sh": makeLab.fix["half.sh"], "tests/half.sh": makeLab.fix["tests/half.sh"],
				},
				changed: repotest.Files{"tests/env.sh": "off=0\n"},
			},
		},
	}
}

func newFilesInProve() lab {
	return lab{
		runner: "prove",
		need:   proveLab.need,
		base:   proveLab.base.With(repotest.Files{"t/coupon.t": plCoupon}),
		fix:    repotest.Files{"lib/Shop.pm": plOff, "t/half.t": plFresh},
		ways: []way{
			{
				name: "settings that load a new file",
				changed: repotest.Files{
					".proverc":       "--exec \"perl -Ilib -It/lib -MSetup\"\n",
					"t/lib/Setup.pm": "package Setup;\nuse lib 'lib';\nuse Shop;\n$Shop::off = 0;\n1;\n",
				},
				want: []string{
					"t/coupon.t passes only with .proverc, t/lib/Setup.pm, which this change adds",
				},
			},
		},
	}
}

// printedNewFiles are runners that load a file by its name.
func printedNewFiles() (labs []lab) {
	files := map[string][]string{
		"pytest": {"conftest.py", "sitecustomize.py", "tox.ini"},
		"jest":   {"jest.setup.js", "__mocks__/shop.js", "src/setupTests.ts", "jest.config.cjs"},
		"vitest": {"vitest.setup.ts", "vitest.config.mts", ".env.test"},
		"mocha":  {".mocharc.cjs", "tests/mocha.opts"},
	}
	for _, l := range printedLabs() {
		coupon := "coupon of 1000"
		if l.runner == "pytest" {
			coupon = "coupon_of_1000"
		}
		loads := "import shop\nfor f in " + "['" + strings.Join(
			files[l.runner], "', '",
		) + "']:\n    if os.path.exists(f):\n        exec(open(f).read())\n"
		l.base = l.base.With(
			repotest.Files{
				"tests/coupon.checks": coupon + ": coupon(1000) == 900\n",
				"run.py": strings.Replace(
					printer, "import glob, os, sys\n", "import glob, os, sys\n"+loads, 1,
				),
			},
		)
		l.fix = l.fix.With(repotest.Files{"shop.py": pyOff})
		l.ways = nil
		for _, file := range files[l.runner] {
			l.ways = append(l.ways, setup("a new "+file, file, "shop.off = 0\n", needs(coupon, file, "")))
		}
		if len(l.ways) > 0 {
			labs = append(labs, l)
		}
	}
	return labs
}
