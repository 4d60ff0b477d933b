package workflow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	t.Parallel()
	require.Empty(t, ExpectedChangesLine(nil))
	require.Empty(t, ExpectedChangesLine([]ExpectedChange{{Will: "899"}}))
	require.Equal(t, "TestJoin expects `foo\\{a}`, will expect 1",
		ExpectedChange{"TestJoin", `foo\{a}`, "1"}.String())
	require.Equal(
		t,
		"Expected to change: TestCoupon expects 900, will expect 899; TestOld: removed, as nobody calls "+
			"it; TestNew will expect 3",
		ExpectedChangesLine(
			[]ExpectedChange{
				{"TestCoupon", "900", "899"},
				{"TestOld", "12", "removed,\nas nobody calls it"},
				{"TestNew", "", "3"},
			},
		),
	)
}

// TestAReportApprovesWhatItNames has a change for each way in which a test may be
// changed beside what was approved.
func TestAReportApprovesWhatItNames(t *testing.T) {
	t.Parallel()
	coupon := ExpectedChange{"TestCoupon", "900", "899"}
	names := []string{"TestCoupon"}
	for name, c := range map[string]struct {
		change ExpectedChange
		found  FoundChange
		want   bool
	}{
		"the same lines": {coupon, FoundChange{Names: names, Was: "900", Now: "899"}, true},
		"whole lines": {
			coupon, FoundChange{Names: names, Was: "if got != 900 {", Now: "if got != 899 {"}, true,
		},
		"a case of it": {
			coupon,
			FoundChange{Names: []string{"TestCoupon/ten", "TestCoupon"}, Was: "900", Now: "899"},
			true,
		},
		"a value with escapes": {
			ExpectedChange{"TestJoin", `foo\{a}`, `foo\{a\}`},
			FoundChange{
				Names: []string{"TestJoin"},
				Was:   `{"foo{a}", "foo\\{a}"},`,
				Now:   `{"foo{a}", "foo\\{a\\}"},`,
			},
			true,
		},
		"other escapes": {
			ExpectedChange{"TestJoin", "", `foo\{a\}`},
			FoundChange{Names: []string{"TestJoin"}, Now: `{"foo{a}", "foo{a}"},`},
			false,
		},
		"a name with its place": {
			ExpectedChange{"TestCoupon (coupon/coupon_test.go:31)", "900", "899"},
			FoundChange{Names: names, Was: "900", Now: "899"},
			true,
		},
		"another test with its place": {
			ExpectedChange{"TestTotal (coupon/coupon_test.go:31)", "900", "899"},
			FoundChange{Names: names, Was: "900", Now: "899"},
			false,
		},
		"a value in backticks": {
			ExpectedChange{"`TestCoupon`", "", "`899`"},
			FoundChange{Names: names, Was: "900", Now: "899"},
			true,
		},
		"another value": {coupon, FoundChange{Names: names, Was: "900", Now: "898"}, false},
		"a part of a value": {
			ExpectedChange{"TestCoupon", "", "89"}, FoundChange{Names: names, Now: "899"}, false,
		},
		"another old value": {coupon, FoundChange{Names: names, Was: "90", Now: "899"}, false},
		"a looser comparison": {
			coupon, FoundChange{Names: names, Was: "if got != 900 {", Now: "if got < 0 {"}, false,
		},
		"an emptied test": {coupon, FoundChange{Names: names, Was: "if got != 900 {"}, false},
		"another test": {
			coupon, FoundChange{Names: []string{"TestTotal"}, Was: "900", Now: "899"}, false,
		},
		"one line more": {
			coupon, FoundChange{Names: names, Was: "900", Now: "899", More: 1}, false,
		},
		"a skipped test": {coupon, FoundChange{Names: names, Gone: true}, false},
		"a removal that was named": {
			ExpectedChange{"TestCoupon", "", "removed: there are no coupons"},
			FoundChange{Names: names, Gone: true},
			true,
		},
		"tests that do not run": {
			ExpectedChange{"TestCoupon", "", "calls Coupon with a part"},
			FoundChange{Names: []string{"TestHalf", "TestCoupon"}, Unrun: true},
			true,
		},
		"a name with underscores": {
			ExpectedChange{"TestRows/a hundred", "", "89"},
			FoundChange{Names: []string{"TestRows/a_hundred"}, Now: "89"},
			true,
		},
		"nothing": {ExpectedChange{}, FoundChange{Names: names, Now: "899"}, false},
	} {
		require.Equal(t, c.want, c.change.Approves(c.found), name)
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	shown := "TestCoupon expected 900, now 899: `cart/cart_test.go:17`\n" +
		"TestOld is removed, and does not pass on the new code"
	require.True(t, ShowsExpected(shown, "899"))
	require.True(t, ShowsExpected(shown, "`899`"))
	require.True(t, ShowsExpected(shown, "testold is removed"))
	require.False(t, ShowsExpected(shown, "900"), "that is what it expected")
	require.False(t, ShowsExpected(shown, "89"))
	require.False(t, ShowsExpected("", "899"))
}
