package intent

import "testing"

// A limit of approved work is read from whole messages. What corrects or reports something limits nothing.
func TestLimitsOfApprovedWork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"fix only cart/price.go":                      "only cart/price.go",
		"only cart/price.go please":                   "only cart/price.go",
		"Please, only the price":                      "only the price",
		"just cart/price.go":                          "just cart/price.go",
		"nothing but the guard":                       "nothing but the guard",
		"looks good, but leave the header alone":      "leave the header alone",
		"fix it, but not the tests":                   "not the tests",
		"leave CHANGELOG.md alone":                    "leave CHANGELOG.md alone",
		"and don't touch the tests":                   "don't touch the tests",
		"stay within money/":                          "stay within money/",
		"don't touch refund, and I don't agree":       "don't touch refund",
		"I don't agree, and don't touch refund":       "don't touch refund",
		"only cart/price.go. Bad idea anyway":         "only cart/price.go",
		"don't touch the tests, wrong file":           "don't touch the tests",
		"don't fix tax.go":                            "don't fix tax.go",
		"looks good, go ahead but use the other file": "",
		"only the header is missing on mobile":        "",
		"just wondering":                              "",
		"only for now":                                "",
		"just the header fails for guests":            "",
		"only cart/price.go?":                         "",
		"> only cart/price.go":                        "",
		"<@U1> only cart/price.go":                    "",
		"only cart/price.go, once bob agrees":         "",
		"don't touch it":                              "",
		"don't touch anything":                        "",
		"fix it":                                      "",
		"use the other package":                       "",
		"keep the old name":                           "",
		"only cart/price.go. The rest is wrong.":      "",
	} {
		got, ok := Lexicon{}.ReadLimit(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, ok, want)
		}
	}
}

// What refuses beside a limit is an objection of its own.
func TestObjectionsBesideLimits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"don't touch refund, and I don't agree": true,
		"only cart/price.go. Bad idea anyway":   true,
		"don't touch the tests, wrong file":     true,
		"don't touch refund":                    false,
		"no, only cart/price.go":                false,
		"don't fix tax.go":                      false,
		"leave the header alone":                false,
	} {
		if got := (Lexicon{}).ObjectsBesideLimit(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
