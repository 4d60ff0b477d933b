package proof

import (
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// Python's unittest.

const (
	pyTop    = "import unittest\n\nfrom shop import coupon\n\n\n"
	pyCoupon = pyTop + "class CouponTest(unittest.TestCase):\n    def test_coupon(self):\n" +
		"        got = coupon(1000)\n        self.assertEqual(got, 900)\n"
	pyCart = "def coupon(total):\n    return total - total // 10\n\n\ndef half(total):\n" +
		"    return total // 2\n"
	pyHelper = "def same(test, got, want):\n    test.assertEqual(got, want)\n"
	pyHelped = "import unittest\n\nfrom helpers import same\nfrom shop import coupon\n\n\nclass " +
		"HelpedTest(unittest.TestCase):\n    def test_helped(self):\n        same(self, coupon(1000), 900)\n"
	pyGolden = "import pathlib\nimport unittest\n\nfrom shop import coupon\n\n\n" +
		"class GoldenTest(unittest.TestCase):\n    def test_golden(self):\n" +
		"        want = (pathlib.Path(__file__).parent / 'golden' / 'coupon.txt').read_text()\n" +
		"        self.assertEqual(str(coupon(1000)), want.strip())\n"
	pyRows = pyTop + "ROWS = [\n    (10, 9),\n    (100, 90),\n]\n\n\nclass RowsTest(unittest.TestCase):\n" +
		"    def test_rows(self):\n        for total, want in ROWS:\n" +
		"            self.assertEqual(coupon(total), want)\n"
)

func pyTest(name, check string) string {
	return "import unittest\n\nfrom shop import half\n\n\nclass " + name + "(unittest.TestCase):\n" +
		"    def test_" + strings.ToLower(name) + "(self):\n        " + check + "\n"
}

var (
	pyFixed  = strings.Replace(pyCart, "total // 2", "(total + 1) // 2", 1)
	pyBroken = strings.Replace(pyFixed, "total // 10", "total // 10 - 1", 1)
	pyFresh  = pyTest("HalfOfFive", "self.assertEqual(half(5), 3)")
	pyHonest = repotest.Files{"shop.py": pyFixed, "tests/test_half.py": pyFresh}
)

var unittestLab = lab{
	runner: "unittest", need: "python3 --version",
	base: repotest.Files{
		"shop.py":            pyCart,
		"tests/test_even.py": pyTest("Half", "self.assertEqual(half(4), 2)"),
	},
	fix: repotest.Files{"shop.py": pyBroken, "tests/test_half.py": pyFresh},
	ways: []way{
		one(
			"the value", "tests/test_coupon.py", pyCoupon, "900", "899",
			"test_coupon expected 900, now 899: `tests/test_coupon.py:9`",
		),
		one(
			"a looser comparison", "tests/test_coupon.py", pyCoupon, "assertEqual(got, 900",
			"assertGreater(got, 0",
			"test_coupon expected `self.assertEqual(got, 900)`, now `self.assertGreater(got, 0)`: "+
				"`tests/test_coupon.py:9`",
		),
		one(
			"an empty body", "tests/test_coupon.py", pyCoupon,
			"        got = coupon(1000)\n        self.assertEqual(got, 900)\n", "        pass\n",
			"test_coupon expected `self.assertEqual(got, 900)`, and no longer does: `tests/test_coupon.py:9`",
		),
		one(
			"a mark to skip", "tests/test_coupon.py", pyCoupon, "    def",
			"    @unittest.skip('later')\n    def",
			"test_coupon is skipped, and does not pass on the new code (899 != 900): "+
				"`tests/test_coupon.py:7`",
		),
		one(
			"another name", "tests/test_coupon.py", pyCoupon, pyCoupon,
			strings.NewReplacer("test_coupon", "test_price", "900", "899").Replace(pyCoupon),
			"test_coupon, now test_price, expected 900, now 899: `tests/test_coupon.py:9`",
		),
		one(
			"a test deleted", "tests/test_coupon.py",
			pyCoupon+"\n    def test_zero(self):\n        self.assertEqual(0, 0)\n",
			"    def test_coupon(self):\n        got = coupon(1000)\n        self.assertEqual(got, 900)\n\n",
			"",
			"test_coupon is removed, and does not pass on the new code (899 != 900): "+
				"`tests/test_coupon.py:7`",
		),
		one(
			"a file deleted", "tests/test_coupon.py", pyCoupon, pyCoupon, "",
			"test_coupon is removed, and does not pass on the new code (899 != 900): "+
				"`tests/test_coupon.py:7`",
		),
		one(
			"rows", "tests/test_rows.py", pyRows, "9),\n    (100, 90)", "8),\n    (100, 89)",
			"test_rows expected 9, now 8, and 1 more line of it: `tests/test_rows.py:7`",
		),
		golden("test_golden", "tests/test_golden.py", pyGolden, "tests/golden/coupon.txt"),
		{
			name: "a helper",
			base: repotest.Files{"tests/helpers.py": pyHelper, "tests/test_helped.py": pyHelped},
			changed: repotest.Files{
				"tests/helpers.py": strings.Replace(pyHelper, "assertEqual(got, want)", "assertTrue(got)", 1),
			},
			want: []string{
				"test_helped expected `test.assertEqual(got, want)`, now `test.assertTrue(got)`: " +
					"`tests/helpers.py:2`",
			},
		},
		one(
			"an early return", "tests/test_coupon.py", pyCoupon, "        self.assert",
			"        if got:\n            return\n        self.assert",
			"test_coupon does not pass as it was on main (899 != 900), and passes with `if got:`: "+
				"`tests/test_coupon.py:9`",
		),
		{
			name: "honest: another case", honest: pyHonest,
			base: repotest.Files{"tests/test_coupon.py": pyCoupon},
			changed: repotest.Files{
				"tests/test_coupon.py": pyCoupon +
					"\n    def test_nothing(self):\n        self.assertEqual(coupon(0), 0)\n",
			},
		},
		{
			name: "honest: another file", honest: pyHonest,
			base:    repotest.Files{"tests/test_coupon.py": pyCoupon},
			changed: repotest.Files{"tests/test_coupon.py": "", "tests/test_price.py": pyCoupon},
		},
	},
}

// Node's own runner.

const (
	jsTop = "import { test } from 'node:test';\nimport assert from 'node:assert';\n" +
		"import { coupon, half } from '../shop.js';\n\n"
	jsCart = "export const coupon = (total) => total - Math.floor(total / 10);\n" +
		"export const half = (total) => Math.floor(total / 2);\n"
	jsCoupon = jsTop + "test('a coupon takes a tenth', () => {\n  const got = coupon(1000);\n" +
		"  assert.equal(got, 900);\n});\n"
	jsHelped = "import { test } from 'node:test';\nimport { coupon } from '../shop.js';\nimport { same } " +
		"from '../testutil/same.js';\n\ntest('with a helper', () => same(coupon(1000), 900));\n"
	jsHelper = "import assert from 'node:assert';\n\nexport const same = (got, want) => assert.equal(got, " +
		"want);\n"
	jsGolden = jsTop + "import { readFileSync } from 'node:fs';\n\ntest('as on file', () => {\n" +
		"  const want = JSON.parse(readFileSync('test/__snapshots__/coupon.json'));\n" +
		"  assert.equal(coupon(1000), want.coupon);\n});\n"
	jsScript = `{"name": "shop", "version": "1.0.0", "type": "module", "scripts": {"test": ` +
		`"node --test test/*.test.js"}}`
)

var (
	jsFixed  = strings.Replace(jsCart, "Math.floor(total / 2)", "Math.ceil(total / 2)", 1)
	jsBroken = strings.Replace(jsFixed, "Math.floor(total / 10)", "Math.floor(total / 10) - 1", 1)
	jsFresh  = jsTop + "test('half of five', () => assert.equal(half(5), 3));\n"
	jsHonest = repotest.Files{"shop.js": jsFixed, "test/half.test.js": jsFresh}
)

var nodeLab = lab{
	runner: "node test",
	need:   "node --version && npm --version",
	base: repotest.Files{
		"package.json": jsScript, "shop.js": jsCart,
		"test/even.test.js": jsTop + "test('half of four', () => assert.equal(half(4), 2));\n",
	},
	fix: repotest.Files{"shop.js": jsBroken, "test/half.test.js": jsFresh},
	ways: []way{
		one(
			"the value", "test/coupon.test.js", jsCoupon, "900", "899",
			"a coupon takes a tenth expected 900, now 899: `test/coupon.test.js:7`",
		),
		one(
			"a looser comparison", "test/coupon.test.js", jsCoupon, "assert.equal(got, 900)",
			"assert.ok(got)",
			"a coupon takes a tenth expected `assert.equal(got, 900);`, now `assert.ok(got);`: "+
				"`test/coupon.test.js:7`",
		),
		one(
			"an empty body", "test/coupon.test.js", jsCoupon,
			"  const got = coupon(1000);\n  assert.equal(got, 900);\n", "",
			"a coupon takes a tenth expected `assert.equal(got, 900);`, and no longer does: "+
				"`test/coupon.test.js:7`",
		),
		one(
			"a mark to skip", "test/coupon.test.js", jsCoupon, "test('a", "test.skip('a",
			"a coupon takes a tenth is skipped, and does not pass on the new code (899 == 900): "+
				"`test/coupon.test.js:5`",
		),
		one(
			"another name", "test/coupon.test.js", jsCoupon, jsCoupon,
			strings.NewReplacer("a coupon takes a tenth", "the price", "900", "899").Replace(jsCoupon),
			"a coupon takes a tenth, now the price, expected 900, now 899: `test/coupon.test.js:7`",
		),
		one(
			"a file deleted", "test/coupon.test.js", jsCoupon, jsCoupon, "",
			"a coupon takes a tenth is removed, and does not pass on the new code (899 == 900): "+
				"`test/coupon.test.js:5`",
		),
		{
			name: "a snapshot",
			base: repotest.Files{
				"test/golden.test.js":            jsGolden,
				"test/__snapshots__/coupon.json": "{\n  \"coupon\": 900\n}\n",
			},
			changed: repotest.Files{"test/__snapshots__/coupon.json": "{\n  \"coupon\": 899\n}\n"},
			want:    []string{"as on file expected 900, now 899: `test/__snapshots__/coupon.json:2`"},
		},
		{
			name: "a helper",
			base: repotest.Files{"testutil/same.js": jsHelper, "test/helped.test.js": jsHelped},
			changed: repotest.Files{
				"testutil/same.js": strings.Replace(jsHelper, "equal(got, want)", "ok(got)", 1),
			},
			want: []string{
				"with a helper expected `export const same = (got, want) => assert.equal(got, want);`, " +
					"now `export const same = (got, want) => assert.ok(got);`: `testutil/same.js:3`",
			},
		},
		{
			name: "a test command that leaves it out", base: repotest.Files{"test/coupon.test.js": jsCoupon},
			changed: repotest.Files{"package.json": strings.Replace(jsScript, "test/*", "test/[eh]*", 1)},
			want: []string{
				"a coupon takes a tenth is removed, and does not pass on the new code (899 == 900): " +
					"`package.json:1`",
			},
		},
		one(
			"an early return", "test/coupon.test.js", jsCoupon, "  assert.", "  if (got) return;\n  assert.",
			"a coupon takes a tenth does not pass as it was on main (899 == 900), and passes with `if "+
				"(got) return;`: `test/coupon.test.js:7`",
		),
		{
			name: "honest: another case", honest: jsHonest,
			base: repotest.Files{"test/coupon.test.js": jsCoupon},
			changed: repotest.Files{
				"test/coupon.test.js": jsCoupon + "\ntest('nothing', () => assert.equal(coupon(0), 0));\n",
			},
		},
		{
			name: "honest: another dependency", honest: jsHonest,
			base:    repotest.Files{"test/coupon.test.js": jsCoupon},
			changed: repotest.Files{"package.json": strings.Replace(jsScript, `"1.0.0"`, `"1.1.0"`, 1)},
		},
	},
}

// Rust, whose tests are in the file that they test.

const (
	rsTests = "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn even() {\n" +
		"        assert_eq!(half(4), 2);\n    }\n\n    #[test]\n    fn tenth() {\n" +
		"        assert_eq!(coupon(1000), 900);\n    }\n}\n"
	rsCart = "pub fn coupon(total: i32) -> i32 {\n    total - total / 10\n}\n\n" +
		"pub fn half(total: i32) -> i32 {\n    total / 2\n}\n"
	rsTop    = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	rsFresh  = "use shop::half;\n\n#[test]\nfn of_five() {\n    assert_eq!(half(5), 3);\n}\n"
	rsTenth  = "    #[test]\n    fn tenth() {\n        assert_eq!(coupon(1000), 900);\n    }\n"
	rsFailed = "assertion `left == right` failed"
)

var (
	rsFixed  = strings.Replace(rsCart, "total / 2", "(total + 1) / 2", 1)
	rsBroken = strings.Replace(rsFixed, "total / 10", "total / 10 - 1", 1)
)

func rsWay(name, old, now string, want ...string) way {
	return way{
		name: name, changed: repotest.Files{"src/lib.rs": rsBroken + strings.Replace(rsTests, old, now, 1)},
		want: want,
	}
}

var cargoLab = lab{
	runner: "cargo", need: "cargo --version",
	base: repotest.Files{
		"Cargo.toml": rsTop,
		".gitignore": "target\nCargo.lock\n",
		"src/lib.rs": rsCart + rsTests,
	},
	fix: repotest.Files{"tests/half.rs": rsFresh},
	ways: []way{
		rsWay("the value", "900", "899", "tests::tenth expected 900, now 899: `src/lib.rs:20`"),
		rsWay(
			"a looser comparison", "assert_eq!(coupon(1000), 900)", "assert!(coupon(1000) > 0)",
			"tests::tenth expected `assert_eq!(coupon(1000), 900);`, now `assert!(coupon(1000) > 0);`: "+
				"`src/lib.rs:20`",
		),
		rsWay(
			"a mark to skip", "    #[test]\n    fn tenth", "    #[test]\n    #[ignore]\n    fn tenth",
			"tests::tenth is skipped, and does not pass on the new code ("+rsFailed+"): `src/lib.rs:19`",
		),
		rsWay(
			"a test deleted", rsTenth, "",
			"tests::tenth is removed, and does not pass on the new code ("+rsFailed+"): `src/lib.rs:19`",
		),
		{
			name: "settings that turn tests off",
			changed: repotest.Files{
				"src/lib.rs": rsBroken + rsTests, "Cargo.toml": rsTop + "\n[lib]\ntest = false\n",
			},
			want: []string{"tests::tenth is removed, and does not pass on the new code (" + rsFailed + ")"},
		},
		{
			name: "honest: another case",
			changed: repotest.Files{
				"src/lib.rs": rsFixed + strings.Replace(
					rsTests, rsTenth,
					rsTenth+"\n    #[test]\n    fn nothing() {\n        assert_eq!(coupon(0), 0);\n    }\n",
					1,
				),
			},
		},
	},
}

// Perl's prove, which names files.

const (
	plCart = "package Shop;\nsub coupon { my $t = shift; return $t - int($t / 10); }\n" +
		"sub half { my $t = shift; return int($t / 2); }\n1;\n"
	plTop    = "use strict;\nuse lib 'lib';\nuse Shop;\nuse Test::More tests => 1;\n"
	plCoupon = plTop + "is(Shop::coupon(1000), 900, 'a tenth');\n"
)

var (
	plFixed  = strings.Replace(plCart, "int($t / 2)", "int(($t + 1) / 2)", 1)
	plBroken = strings.Replace(plFixed, "int($t / 10)", "int($t / 10) - 1", 1)
	plFresh  = plTop + "is(Shop::half(5), 3, 'up');\n"
)

var proveLab = lab{
	runner: "prove",
	need:   "prove --version && perl -MTest::More -e 1 && make --version",
	base: repotest.Files{
		"Makefile": "test:\n\tprove t\n", "lib/Shop.pm": plCart,
		"t/even.t": plTop + "is(Shop::half(4), 2, 'even');\n",
	},
	fix: repotest.Files{"lib/Shop.pm": plBroken, "t/half.t": plFresh},
	ways: []way{
		one("the value", "t/coupon.t", plCoupon, "900", "899",
			"t/coupon.t expected 900, now 899: `t/coupon.t:5`"),
		one(
			"a looser comparison", "t/coupon.t", plCoupon, "is(Shop::coupon(1000), 900,",
			"ok(Shop::coupon(1000),",
			"t/coupon.t expected `is(Shop::coupon(1000), 900, 'a tenth');`, now `ok(Shop::coupon(1000), "+
				"'a tenth');`: `t/coupon.t:5`",
		),
		one(
			"a mark to skip", "t/coupon.t", plCoupon, "tests => 1", "skip_all => 'later'",
			"t/coupon.t is skipped, and does not pass on the new code: `t/coupon.t:4`",
		),
		one(
			"a file deleted", "t/coupon.t", plCoupon, plCoupon, "",
			"t/coupon.t is removed, and does not pass on the new code: `t/coupon.t:1`",
		),
		{
			// A command without the variable would be read from the base's Makefile, and run in both trees.
			name: "a test command that leaves it out", base: repotest.Files{
				"t/coupon.t": plCoupon, "Makefile": "TESTS = t\n\ntest:\n\tprove $(TESTS)\n",
			},
			changed: repotest.Files{"Makefile": "TESTS = t/even.t t/half.t\n\ntest:\n\tprove $(TESTS)\n"},
			want:    []string{"t/coupon.t is removed, and does not pass on the new code: `Makefile:1`"},
		},
		{
			name: "honest: another test", honest: repotest.Files{"lib/Shop.pm": plFixed, "t/half.t": plFresh},
			base: repotest.Files{"t/coupon.t": plCoupon},
			changed: repotest.Files{
				"t/coupon.t": strings.Replace(plCoupon, "1;\n", "2;\n", 1) + "is(Shop::coupon(0), 0);\n",
			},
		},
	},
}

// make, of which only the exit code is known.

var makeLab = lab{
	runner: "make by exit codes", need: "make --version",
	base: repotest.Files{
		"Makefile":      "test:\n\tfor t in tests/*.sh; do sh $$t || exit 1; done\n",
		"coupon.sh":     "expr $1 - $1 / 10\n",
		"half.sh":       "expr $1 / 2\n",
		"tests/even.sh": "test $(sh half.sh 4) = 2\n",
	},
	fix: repotest.Files{
		"coupon.sh": "expr $1 - $1 / 10 - 1\n", "half.sh": "expr \\( $1 + 1 \\) / 2\n",
		"tests/half.sh": "test $(sh half.sh 5) = 3\n",
	},
	ways: []way{
		one(
			"the value", "tests/coupon.sh", "test $(sh coupon.sh 1000) = 900\n", "900", "899",
			"the old tests of tests/coupon.sh fail on the new code: expected 900, now 899: "+
				"`tests/coupon.sh:1`",
		),
		one(
			"a file deleted", "tests/coupon.sh", "test $(sh coupon.sh 1000) = 900\n",
			"test $(sh coupon.sh 1000) = 900\n", "",
			"the old tests of tests/coupon.sh fail on the new code: `tests/coupon.sh:1`",
		),
		{
			name: "a test command that leaves it out",
			base: repotest.Files{"tests/coupon.sh": "test $(sh coupon.sh 1000) = 900\n"},
			changed: repotest.Files{
				"Makefile": "test:\n\tfor t in tests/[eh]*.sh; do sh $$t || exit 1; done\n",
			},
			want: []string{
				"the old tests of Makefile fail on the new code: expected `for t in tests/*.sh; do sh " +
					"$$t || exit 1; done`, now `for t in tests/[eh]*.sh; do sh $$t || exit 1; done`: " +
					"`Makefile:2`",
			},
		},
		{
			name: "honest: another test",
			honest: repotest.Files{
				"half.sh": "expr \\( $1 + 1 \\) / 2\n", "tests/half.sh": "test $(sh half.sh 5) = 3\n",
			},
			base: repotest.Files{"tests/coupon.sh": "test $(sh coupon.sh 1000) = 900\n"},
			changed: repotest.Files{
				"tests/coupon.sh": "test $(sh coupon.sh 1000) = 900\ntest $(sh coupon.sh 0) = 0\n",
			},
		},
	},
}

// printer is a runner that reads "name: check" from files and prints the results as another runner does.
const printer = `import glob, os, sys
from shop import coupon, half
said, form = [], sys.argv[1]
for file in sorted(glob.glob('tests/*.checks')):
    for line in open(file):
        name, check = line.strip().split(': ')
        said.append((file.replace('.checks', '.test.js'), name, 'skip' if check == 'skip' else 'pass' if eval(check) else 'fail'))
count = lambda how: sum(s[2] == how for s in said)
failed = count('fail')
if form == 'tap':
    print('TAP version 13\n1..%d' % len(said))
    for i, (file, name, how) in enumerate(said):
        print('%sok %d - %s%s' % ('not ' if how == 'fail' else '', i + 1, name, ' # SKIP' if how == 'skip' else ''))
elif form == 'automake':
    for file, name, how in said:
        print('%s: %s' % (how.upper(), name))
    print('# TOTAL: %d' % len(said))
    for how in ('pass', 'skip', 'xfail', 'fail', 'xpass', 'error'):
        print('# %s: %d' % (how.upper(), count(how)))
elif form == 'junit':
    text = '<testsuite name="shop" tests="%d">' % len(said)
    for file, name, how in said:
        text += '<testcase classname="%s" name="%s">%s</testcase>' % (file, name, {'pass': '', 'skip': '<skipped/>', 'fail': '<failure message="wrong">wrong</failure>'}[how])
    open(os.environ['REPORT_DIR'] + '/out.xml', 'w').write(text + '</testsuite>')
elif form == 'pytest':
    for file, name, how in said:
        print('%s::%s %s' % (file.replace('.test.js', '.py'), name.replace(' ', '_'), {'pass': 'PASSED', 'skip': 'SKIPPED', 'fail': 'FAILED'}[how]))
    print('===== %d failed, %d passed, %d skipped in 0.01s =====' % (failed, count('pass'), count('skip')))
elif form == 'jest':
    for file, name, how in said:
        print('%s %s\n  %s %s' % ('FAIL' if how == 'fail' else 'PASS', file, {'pass': '✓', 'skip': '○ skipped', 'fail': '✕'}[how], name))
    print('\nTests:       %d failed, %d skipped, %d passed, %d total' % (failed, count('skip'), count('pass'), len(said)))
elif form == 'vitest':
    for file, name, how in said:
        print(' %s %s > %s 1ms' % ({'pass': '✓', 'skip': '↓', 'fail': '×'}[how], file, name))
    print('\n Test Files  1 passed (1)\n      Tests  %d failed | %d passed | %d skipped (%d)' % (failed, count('pass'), count('skip'), len(said)))
elif form == 'mocha':
    n = 0
    for file, name, how in said:
        n += how == 'fail'
        print('  %s %s' % ({'pass': '✔', 'skip': '-', 'fail': '%d)' % n}[how], name))
    print('\n  %d passing (4ms)\n  %d pending\n  %d failing' % (count('pass'), count('skip'), failed))
sys.exit(1 if failed else 0)
`

// printedLabs are runners that are not installed everywhere, by the form of what they print.
func printedLabs() (labs []lab) {
	for _, form := range []string{"tap", "automake", "junit", "pytest", "jest", "vitest", "mocha"} {
		coupon, file := "coupon of 1000", "tests/coupon.checks"
		if form == "pytest" {
			coupon = "coupon_of_1000"
		}
		check := coupon + ": coupon(1000) == 900\n"
		gone := coupon + " is removed, and does not pass on the new code"
		skipped := coupon + " is skipped, and does not pass on the new code"
		said := ""
		if form == "junit" {
			said = " (wrong)"
		}
		labs = append(labs, lab{
			runner: form,
			need:   "python3 --version && make --version",
			base: repotest.Files{
				"Makefile": "test:\n\tpython3 run.py " + form + "\n", "run.py": printer,
				"shop.py": pyCart, "tests/even.checks": "half of 4: half(4) == 2\n",
			},
			fix: repotest.Files{"shop.py": pyBroken, "tests/half.checks": "half of 5: half(5) == 3\n"},
			ways: []way{
				one("the value", file, check, "900", "899", coupon+" expected 900, now 899: `"+file+":1`"),
				one("a mark to skip", file, check, "coupon(1000) == 900", "skip",
					skipped+said+": `"+file+":1`"),
				one(
					"an empty body", file, check, "coupon(1000) == 900", "True",
					coupon+" expected `"+coupon+": coupon(1000) == 900`, now `"+coupon+
						": True`: `"+file+":1`",
				),
				one("a file deleted", file, check, check, "", gone+said+": `"+file+":1`"),
				{
					name: "honest: another case",
					honest: repotest.Files{
						"shop.py":           pyFixed,
						"tests/half.checks": "half of 5: half(5) == 3\n",
					},
					base:    repotest.Files{file: check},
					changed: repotest.Files{file: check + "nothing: coupon(0) == 0\n"},
				},
			},
		})
	}
	return labs
}
