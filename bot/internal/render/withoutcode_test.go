package render

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlainly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"revision 1 · nothing, at 134b2ba): Refunds are too high\n" +
			"money.Split drops it": "revision 1 · nothing, at 134b2ba): Refunds are too high",
		"Reading `money/split.go`, then money/refund.go:12 and Makefile.am.": "Reading […], " +
			"then […] and […].",
		"splitCents calls split_all() of shop::money; x->y, HTTPServer": "[…] calls […]) " +
			"of […]; […], […]",
		"```\nfunc main() {}\n```":                       "[…]",
		"Pushed bobbin/refunds-ab12 (https://a.example)": "Pushed […] ([…])",
		"It costs 10.50, e.g. for 3 items.":              "It costs 10.50, […]. for 3 items.",
		"Stopped, as ann asked.":                         "Stopped, as ann asked.",
		"":                                               "",
	} {
		require.Equal(t, want, wordsWithoutCode(text))
	}
}
