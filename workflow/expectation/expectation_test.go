package expectation

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	t.Parallel()
	require.Empty(t, Line(nil))
	require.Empty(t, Line([]Change{{Will: "899"}}))
	require.Equal(t, "TestJoin expects `foo\\{a}`, will expect 1", Change{"TestJoin", `foo\{a}`, "1"}.String())
	require.Equal(
		t,
		"Expected to change: TestCoupon expects 900, will expect 899; TestOld: removed, as nobody calls "+
			"it; TestNew will expect 3",
		Line(
			[]Change{
				{"TestCoupon", "900", "899"},
				{"TestOld", "12", "removed,\nas nobody calls it"},
				{"TestNew", "", "3"},
			},
		),
	)
}

// TestAReportApprovesWhatItNames has a change for each way in which a test may be changed beside what was approved.
func TestAReportApprovesWhatItNames(t *testing.T) {
	t.Parallel()
	coupon, names := Change{"TestCoupon", "900", "899"}, []string{"TestCoupon"}
	for name, c := range map[string]struct {
		change Change
		found  Found
		want   bool
	}{
		"the same lines": {coupon, Found{Names: names, Was: "900", Now: "899"}, true},
		"whole lines":    {coupon, Found{Names: names, Was: "if got != 900 {", Now: "if got != 899 {"}, true},
		"a case of it": {
			coupon, Found{Names: []string{"TestCoupon/ten", "TestCoupon"}, Was: "900", Now: "899"}, true,
		},
		"a value with escapes": {
			Change{"TestJoin", `foo\{a}`, `foo\{a\}`},
			Found{Names: []string{"TestJoin"}, Was: `{"foo{a}", "foo\\{a}"},`, Now: `{"foo{a}", "foo\\{a\\}"},`},
			true,
		},
		"other escapes": {
			Change{"TestJoin", "", `foo\{a\}`},
			Found{Names: []string{"TestJoin"}, Now: `{"foo{a}", "foo{a}"},`},
			false,
		},
		"a value in backticks":     {Change{"`TestCoupon`", "", "`899`"}, Found{Names: names, Was: "900", Now: "899"}, true},
		"another value":            {coupon, Found{Names: names, Was: "900", Now: "898"}, false},
		"a part of a value":        {Change{"TestCoupon", "", "89"}, Found{Names: names, Now: "899"}, false},
		"another old value":        {coupon, Found{Names: names, Was: "90", Now: "899"}, false},
		"a looser comparison":      {coupon, Found{Names: names, Was: "if got != 900 {", Now: "if got < 0 {"}, false},
		"an emptied test":          {coupon, Found{Names: names, Was: "if got != 900 {"}, false},
		"another test":             {coupon, Found{Names: []string{"TestTotal"}, Was: "900", Now: "899"}, false},
		"one line more":            {coupon, Found{Names: names, Was: "900", Now: "899", More: 1}, false},
		"a skipped test":           {coupon, Found{Names: names, Gone: true}, false},
		"a removal that was named": {Change{"TestCoupon", "", "removed: there are no coupons"}, Found{Names: names, Gone: true}, true},
		"tests that do not run":    {Change{"TestCoupon", "", "calls Coupon with a part"}, Found{Names: []string{"TestHalf", "TestCoupon"}, Unrun: true}, true},
		"a name with underscores":  {Change{"TestRows/a hundred", "", "89"}, Found{Names: []string{"TestRows/a_hundred"}, Now: "89"}, true},
		"nothing":                  {Change{}, Found{Names: names, Now: "899"}, false},
	} {
		require.Equal(t, c.want, c.change.Approves(c.found), name)
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	shown := "TestCoupon expected 900, now 899: `cart/cart_test.go:17`\nTestOld is removed, and does not pass on the new code"
	require.True(t, Wanted(shown, "899"))
	require.True(t, Wanted(shown, "`899`"))
	require.True(t, Wanted(shown, "testold is removed"))
	require.False(t, Wanted(shown, "900"), "that is what it expected")
	require.False(t, Wanted(shown, "89"))
	require.False(t, Wanted("", "899"))
}
