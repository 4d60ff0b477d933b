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
		"only in Safari as far as I know":             "",
		"fix it – minus the changelog":                "minus the changelog",
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

		"I meant only price.go":              "only price.go",
		"actually, only price.go":            "only price.go",
		"sorry, only price.go and tax.go":    "only price.go and tax.go",
		"not auth.go please":                 "not auth.go",
		"without auth.go":                    "without auth.go",
		"skip auth.go":                       "skip auth.go",
		"but skip internal/auth/":            "skip internal/auth/",
		"no changes to auth.go, please":      "no changes to auth.go",
		"bitte nur price.go":                 "nur price.go",
		"nur price.go bitte":                 "nur price.go",
		"ohne auth.go":                       "ohne auth.go",
		"solo price.go":                      "solo price.go",
		"seulement price.go, s'il te plaît":  "seulement price.go",
		"sin auth.go":                        "sin auth.go",
		"tylko price.go":                     "tylko price.go",
		"alleen price.go":                    "alleen price.go",
		"apenas price.go":                    "apenas price.go",
		"只改 price.go":                        "只改 price.go",
		"price.goだけ":                         "price.goだけ",
		"don't touch tax.go":                 "don't touch tax.go",
		"leave the header alone":             "leave the header alone",
		"yes, only price.go":                 "only price.go",
		"looks good, but keep the old name":  "keep the old name",
		"looks good, but not the header":     "not the header",
		"yes, but only the header":           "only the header",
		"sure, but leave the tests alone":    "leave the tests alone",
		"go ahead, but not the header":       "not the header",
		"don't fix this bug":                 "",
		"do not fix the refund":              "",
		"please don't fix the refund":        "",
		"don't fix the bug":                  "",
		"don't fix order 1042, dora does it": "",
		"don't touch any code":               "",
		"don't touch the code":               "",
		"leave the code as it is":            "",
		"leave it alone":                     "",
		"yes, only in production":            "",
		"sure, but not the canteen":          "",
		"just the two of us":                 "",
		"leave me alone":                     "",
		"don't change a thing, it's perfect": "",
		"looks good, but keep it up!":        "",
		"good, but keep an eye on CI":        "",
		"just the thing we needed":           "",
		"skip lunch":                         "",
		"not on friday":                      "",
		"without a doubt":                    "",
		"keep going":                         "",
		"just kidding":                       "",
		"not again":                          "",
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
