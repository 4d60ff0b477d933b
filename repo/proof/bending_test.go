package proof

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A lab is a shop for one test runner. Its bug is that half rounds down; the change fixes that with a new
// test, and also makes coupon one too small, which the ways below hide from the tests of the base.
type lab struct {
	runner string
	need   string         // a command that the runner needs
	base   repotest.Files // with a test that passes before and after
	fix    repotest.Files // the fix, its new test, and the broken coupon
	ways   []way
}

// A way is one change of what tests expect, or an honest change beside it.
type way struct {
	name    string
	base    repotest.Files // what the way changes, as it is on the base
	changed repotest.Files
	honest  repotest.Files // the code of an honest change; nil: the coupon stays broken
	want    []string       // the changed expectations; none: the change is honest
}

// one returns a way that replaces a text in one file.
func one(name, file, text, old, now string, want ...string) way {
	return way{
		name: name, base: repotest.Files{file: text},
		changed: repotest.Files{file: strings.Replace(text, old, now, 1)}, want: want,
	}
}

// golden is a way that changes the golden file of a test.
func golden(test, file, text, data string) way {
	return way{
		name:    "a golden file",
		base:    repotest.Files{file: text, data: "900\n"},
		changed: repotest.Files{data: "899\n"},
		want:    []string{test + " expected 900, now 899: `" + data + ":1`"},
	}
}

// proveWay returns a proof of a way in a lab, and a function that proves it without the fourth run, which is
// the control. The runs that both have are made once.
func proveWay(t *testing.T, l lab, w way) (p Proof, withoutOldTests func() Proof) {
	t.Helper()
	m, commits := repotest.NewMirror(t, l.base.With(w.base))
	c := checker(t).For(m)
	if l.base["go.mod"] != "" {
		require.NoError(t, repotest.SeedGoCache(t.Context(), c.Caches.Sandbox,
			repotest.GoCacheDir(c.Cache.WritableMounts(""))))
	}
	runs := t.TempDir()
	prove := func(withoutOldTests bool) Proof {
		return proveWayIn(t, c.KeptIn(build.OpenJournal(runs, "way")), commits[0], l, w, withoutOldTests)
	}
	return prove(false), func() Proof { return prove(true) }
}

func proveWayIn(
	t *testing.T, c *build.Checker, commit string, l lab, w way, withoutOldTests bool,
) Proof {
	t.Helper()
	fix := l.fix
	if w.honest != nil {
		fix = w.honest
	}
	ws := repotest.NewWorkspace(t, c.Cache.Mirror(), commit, fix.With(w.changed))
	// The commands are those of the base, as in the program.
	base := repotest.NewWorkspace(t, c.Cache.Mirror(), commit, nil)
	v := &proving{
		checker: c, work: ws, project: project.Find(base.FS()), withoutOldTests: withoutOldTests,
	}
	p, err := v.prove(t.Context(), "")
	require.NoError(t, err)
	t.Logf("%s, %s: holds: %v\n%s\n%s", l.runner, w.name, p.Passes(), p.Short(),
		strings.Join(p.Lines(), "\n"))
	return p
}

func namesOf(p Proof) (out []string) {
	for _, e := range p.Expectations {
		out = append(out, e.String())
	}
	return out
}

// TestABentTestIsNamed bends the old tests in each way with each runner, and changes them honestly. By itself
// it plays one way of six runners; BOBBIN_EVERY plays all.
//
// The control leaves the fourth run out: then a bent test is named by nothing, and where it is not gone the
// proof holds and counts it as one that still passes.
func TestABentTestIsNamed(t *testing.T) {
	t.Parallel()
	every := os.Getenv("BOBBIN_EVERY") != ""
	for i, l := range labs {
		if !every && i > 2 && i != 5 && i%4 != 2 {
			continue
		}
		t.Run(l.runner, func(t *testing.T) {
			t.Parallel()
			repotest.NeedCommand(t, l.need)
			for j, w := range l.ways {
				if !every && j != i%len(l.ways) && (i > 1 || j != len(l.ways)-1) {
					continue
				}
				t.Run(w.name, func(t *testing.T) {
					t.Parallel()
					p, withoutOldTests := proveWay(t, l, w)
					require.Equal(t, w.want, namesOf(p))
					if w.want == nil {
						require.True(t, p.Passes(), p.Why)
						require.NotContains(t, p.Short(), "changed expectation")
						return
					}
					require.NotEqual(t, NotStarted, p.Outcome())
					require.Contains(t, p.Short(), "changed expectation")
					require.True(t, p.StillPassing < p.PassedBefore || p.PassedBefore == 0,
						"a bent test still passes")
					if !every && i > 1 {
						return
					}
					off := withoutOldTests()
					require.Empty(t, off.Expectations)
					require.True(
						t, off.Passes() || len(off.Regressions) > 0,
						"a test that is gone was found before, too",
					)
				})
			}
		})
	}
}

var labs = append([]lab{goLab, unittestLab, nodeLab, cargoLab, proveLab, makeLab}, printedLabs()...)

// Go.

const (
	goTop    = "package cart\n\nimport \"testing\"\n\n"
	goCoupon = goTop + "func TestCoupon(t *testing.T) {\n\tgot := Coupon(1000)\n\tif got != 900 {\n" +
		"\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n"
	goRows = goTop + "func TestRows(t *testing.T) {\n\tfor _, c := range []struct {\n\t\tname        " +
		"string\n\t\ttotal, want int\n\t}{\n\t\t{\"ten\", 10, 9},\n\t\t{\"a hundred\", 100, 90},\n\t} {\n" +
		"\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tif got := Coupon(c.total); got != c.want {\n" +
		"\t\t\t\tt.Errorf(\"got %d, want %d\", got, c.want)\n\t\t\t}\n\t\t})\n\t}\n}\n"
	goCart = "package cart\n\n// Coupon takes a tenth off.\nfunc Coupon(total int) int { return total " +
		"- total/10 }\n\n// Half is one half, rounded up.\nfunc Half(total int) int { return total / 2 }\n"
	goHalf = "package cart\n\nimport \"testing\"\n\nfunc TestHalfOfFive(t *testing.T) {\n" +
		"\tif Half(5) != 3 {\n\t\tt.Error(Half(5))\n\t}\n}\n"
	goGolden = "package cart\n\nimport (\n\t\"os\"\n\t\"strconv\"\n\t\"strings\"\n\t\"testing\"\n)\n\n" +
		"func TestGolden(t *testing.T) {\n\twant, _ := os.ReadFile(\"testdata/coupon.golden\")\n" +
		"\tif got := strconv.Itoa(Coupon(1000)); got != strings.TrimSpace(string(want)) {\n" +
		"\t\tt.Errorf(\"got %s, want %s\", got, want)\n\t}\n}\n"
	goHelper = "package testutil\n\nimport \"testing\"\n\nfunc Equal(t *testing.T, got, want int) {\n" +
		"\tt.Helper()\n\tif got != want {\n\t\tt.Errorf(\"got %d, want %d\", got, want)\n\t}\n}\n"
	goHelped = "package cart\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop/testutil\"\n)\n\n" +
		"func TestHelped(t *testing.T) { testutil.Equal(t, Coupon(1000), 900) }\n"
	goFixed = "package cart\n\n// Coupon takes a tenth off.\n" +
		"func Coupon(total int) int { return total - total/10 }\n\n// Half is one half, rounded up.\n" +
		"func Half(total int) int { return (total + 1) / 2 }\n"
	goBroken = "package cart\n\n// Coupon takes a tenth off.\n" +
		"func Coupon(total int) int { return total - total/10 - 1 }\n\n// Half is one half, rounded up.\n" +
		"func Half(total int) int { return (total + 1) / 2 }\n"
	goResigned = "package cart\n\n// Coupon takes a part off.\n" +
		"func Coupon(total, percent int) int { return total - total*percent/100 }\n\n" +
		"// Half is one half, rounded up.\nfunc Half(total int) int { return (total + 1) / 2 }\n"
)

var goHonest = repotest.Files{"cart/cart.go": goFixed, "cart/half_test.go": goHalf}

var goLab = lab{
	runner: "go test",
	need:   "go version",
	base: repotest.Files{
		"go.mod": "module example.com/shop\n\ngo 1.24\n", "cart/cart.go": goCart,
		"cart/even_test.go": "package cart\n\nimport \"testing\"\n\n" +
			"func TestHalf(t *testing.T) {\n\tif Half(4) != 2 {\n\t\tt.Error(Half(4))\n\t}\n}\n",
	},
	fix: repotest.Files{"cart/cart.go": goBroken, "cart/half_test.go": goHalf},
	ways: []way{
		one(
			"the value", "cart/cart_test.go", goCoupon, "900", "899",
			"TestCoupon expected 900, now 899: `cart/cart_test.go:7`",
		),
		one(
			"a looser comparison", "cart/cart_test.go", goCoupon, "got != 900", "got < 0",
			"TestCoupon expected `if got != 900 {`, now `if got < 0 {`: `cart/cart_test.go:7`",
		),
		one(
			"an empty body", "cart/cart_test.go", goCoupon,
			"\tgot := Coupon(1000)\n\tif got != 900 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n", "",
			"TestCoupon expected `if got != 900 {`, and no longer does: `cart/cart_test.go:7`",
		),
		one( // the skip is in the text of the test that is bent
			"a mark to skip", "cart/cart_test.go", goCoupon, "\tgot :=", "\tt.Skip(\"later\")\n\tgot :=",
			"TestCoupon is skipped, and does not pass on the new code (got 899): `cart/cart_test.go:6`",
		),
		one(
			"another name", "cart/cart_test.go", strings.ReplaceAll(goCoupon, "got != 900", "got != 900"),
			goCoupon, strings.NewReplacer("TestCoupon", "TestPrice", "900", "899").Replace(goCoupon),
			"TestCoupon, now TestPrice, expected 900, now 899: `cart/cart_test.go:7`",
		),
		one(
			"a test deleted", "cart/cart_test.go",
			goCoupon+"\nfunc TestZero(t *testing.T) {\n\tif Half(0) != 0 {\n\t\tt.Error()\n\t}\n}\n",
			strings.TrimPrefix(goCoupon, goTop), "",
			"TestCoupon is removed, and does not pass on the new code (got 899): `cart/cart_test.go:5`",
		),
		one(
			"a file deleted", "cart/cart_test.go", goCoupon, goCoupon, "",
			"TestCoupon is removed, and does not pass on the new code (got 899): `cart/cart_test.go:5`",
		),
		one(
			"rows", "cart/rows_test.go", goRows, "9},\n\t\t{\"a hundred\", 100, 90}",
			"8},\n\t\t{\"a hundred\", 100, 89}", "TestRows/ten expected 9, now 8: `cart/rows_test.go:10`",
			"TestRows/a_hundred expected 90, now 89: `cart/rows_test.go:11`",
		),
		one(
			"a row under another name", "cart/rows_test.go",
			strings.Replace(goRows, "\t\t{\"ten\", 10, 9},\n", "", 1), "\"a hundred\", 100, 90}",
			"\"one hundred\", 100, 89}",
			"TestRows/a_hundred expected `{\"a hundred\", 100, 90},`, now `{\"one hundred\", 100, 89},`: "+
				"`cart/rows_test.go:10`",
		),
		golden("TestGolden", "cart/golden_test.go", goGolden, "cart/testdata/coupon.golden"),
		{
			name: "a helper",
			base: repotest.Files{"testutil/equal.go": goHelper, "cart/helped_test.go": goHelped},
			changed: repotest.Files{
				"testutil/equal.go": strings.Replace(goHelper, "got != want", "got > want+1", 1),
			},
			want: []string{
				"TestHelped expected `if got != want {`, now `if got > want+1 {`: `testutil/equal.go:7`",
			},
		},
		{
			name: "data that only a test reads",
			base: repotest.Files{
				"cart/golden_test.go": strings.Replace(goGolden, "testdata/coupon.golden", "want.txt", 1),
				"cart/want.txt":       "900\n",
			},
			changed: repotest.Files{"cart/want.txt": "899\n"},
			want:    []string{"TestGolden expected `900`, now `899`: `cart/want.txt:1`"},
		},
		{
			name: "a helper by what it imports",
			base: repotest.Files{
				"check/equal.go":      strings.Replace(goHelper, "package testutil", "package check", 1),
				"cart/helped_test.go": strings.ReplaceAll(goHelped, "testutil", "check"),
			},
			changed: repotest.Files{
				"check/equal.go": strings.NewReplacer(
					"package testutil", "package check", "got != want", "got > want+1",
				).Replace(goHelper),
			},
			want: []string{
				"TestHelped expected `if got != want {`, now `if got > want+1 {`: `check/equal.go:7`",
			},
		},
		one(
			"a tag that leaves the file out", "cart/cart_test.go", goCoupon, "package cart",
			"//go:build slow\n\npackage cart",
			"TestCoupon is removed, and does not pass on the new code (got 899): `cart/cart_test.go:5`",
		),
		one(
			"an early return", "cart/cart_test.go", goCoupon, "\tif got",
			"\tif got > 0 {\n\t\treturn\n\t}\n\tif got",
			"TestCoupon does not pass as it was on main (got 899), and passes with `if got > 0 {`: "+
				"`cart/cart_test.go:7`",
		),
		{
			name: "an honest new signature", base: repotest.Files{"cart/cart_test.go": goCoupon},
			changed: repotest.Files{
				"cart/cart_test.go": strings.Replace(goCoupon, "(1000)", "(1000, 10)", 1),
			},
			honest: repotest.Files{"cart/cart.go": goResigned, "cart/half_test.go": goHalf},
			want: []string{
				"the old tests of example.com/shop/cart do not run with the new code: does not compile: " +
					"not enough arguments in call to Coupon",
			},
		},
		{
			name: "honest: another case", honest: goHonest,
			base: repotest.Files{"cart/cart_test.go": goCoupon},
			changed: repotest.Files{
				"cart/cart_test.go": strings.Replace(
					goCoupon, "\tgot :=", "\tif Half(7) != 4 {\n\t\tt.Error(Half(7))\n\t}\n\tgot :=", 1,
				),
			},
		},
		{
			name: "honest: another row", honest: goHonest, base: repotest.Files{"cart/rows_test.go": goRows},
			changed: repotest.Files{
				"cart/rows_test.go": strings.Replace(goRows, "\t} {\n", "\t\t{\"twenty\", 20, 18},\n\t} {\n",
					1),
			},
		},
		{
			name: "honest: another name", honest: goHonest,
			base: repotest.Files{"cart/cart_test.go": goCoupon},
			changed: repotest.Files{
				"cart/cart_test.go": strings.Replace(goCoupon, "got :=", "// 10 % off\n\tgot :=", 1),
			},
		},
		{
			name: "honest: another file", honest: goHonest,
			base:    repotest.Files{"cart/cart_test.go": goCoupon},
			changed: repotest.Files{"cart/cart_test.go": "", "cart/coupon_test.go": goCoupon},
		},
		{
			name: "honest: a weaker test that needs not be weaker", honest: goHonest,
			base:    repotest.Files{"cart/cart_test.go": goCoupon},
			changed: repotest.Files{"cart/cart_test.go": strings.Replace(goCoupon, "!= 900", "< 0", 1)},
		},
	},
}
