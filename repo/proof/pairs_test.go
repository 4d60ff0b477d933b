package proof

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatTwoLinesDifferIn(t *testing.T) {
	t.Parallel()
	for lines, want := range map[[2]string]Expectation{
		{"if got != 900 {", "if got != 899 {"}: {
			Was: "900", Now: "899", Values: true,
		},
		{`assert.equal(name, "ann")`, `assert.equal(name, "bea")`}: {
			Was: `"ann"`, Now: `"bea"`, Values: true,
		},
		{"if got != 900 {", "if got < 0 {"}: {
			Was: "if got != 900 {", Now: "if got < 0 {",
		},
		{"self.assertEqual(got, 900)", "self.assertTrue(got)"}: {
			Was: "self.assertEqual(got, 900)", Now: "self.assertTrue(got)",
		},
		{`{"ten", 10, 9},`, `{"eleven", 11, 9},`}: {
			Was: `{"ten", 10, 9},`, Now: `{"eleven", 11, 9},`,
		},
		{"assert.deepEqual(parts, [2, 2])", "assert.deepEqual(parts, [3])"}: {
			Was: "assert.deepEqual(parts, [2, 2])", Now: "assert.deepEqual(parts, [3])",
		},
		{"assert_eq!(total.round(2), -1.5)", "assert_eq!(total.round(2), 1)"}: {
			Was: "-1.5", Now: "1", Values: true,
		},
	} {
		var e Expectation
		e.Was, e.Now, e.Values = differing(lines[0], lines[1], false)
		require.Equal(t, want, e)
	}
	was, now, values := differing("900", "899", true)
	require.Equal(t, []any{"900", "899", true}, []any{was, now, values}, "a line of a golden file")
}

// TestMoreThanOneChangedLineIsSaid has a test that is bent in a second line, which
// stays hidden behind the first.
func TestMoreThanOneChangedLineIsSaid(t *testing.T) {
	t.Parallel()
	old := "func TestCoupon(t *testing.T) {\n\tif got != 900 {\n\t\tt.Error(got)\n\t}\n\tif tax != 90 {\n" +
		"\t\tt.Error(tax)\n\t}\n}\n\nfunc TestOther(t *testing.T) {\n\tif a != 1 {\n\t}\n}\n"
	now := "func TestCoupon(t *testing.T) {\n\tif got != 899 {\n\t\tt.Error(got)\n\t}\n\tif tax < 0 {\n" +
		"\t\tt.Error(tax)\n\t}\n}\n\nfunc TestOther(t *testing.T) {\n\tif a != 2 {\n\t}\n}\n"
	e := Expectation{Kind: ExpectationChanged, Test: "TestCoupon"}
	f := pairFinder{[]oldForm{{path: "cart/cart_test.go", kind: "modified", was: old, is: now}}}
	f.locate(&e, key{name: "TestCoupon"}, key{name: "TestCoupon"}, "    cart_test.go:3: 899\n")
	require.Equal(t,
		"TestCoupon expected 900, now 899, and 1 more line of it: `cart/cart_test.go:2`", e.String())
}

func TestComplaint(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"=== RUN   TestCoupon\n" +
			"    cart_test.go:17: got 899\n--- FAIL: TestCoupon (0.00s)\n": "got 899",
		"Traceback (most recent call last):\n  File \"test_shop.py\", line 9, in test_coupon\n" +
			"    assert got == 900\nAssertionError: 899 != 900\n": "899 != 900",
		"# example.com/shop/cart\ncart/cart_test.go:6:16: " +
			"not enough arguments in call to Coupon\n": "not enough arguments in call to Coupon",
		"cart_test.go:3: " +
			"0xc000012345 after 12ms in /tmp/go-build1\n": "… after … in …",
		"make: *** [Makefile:2: test] Error 1\n": "",
		"":                                       "",
	} {
		require.Equal(t, want, complaint(output), output)
	}
}
