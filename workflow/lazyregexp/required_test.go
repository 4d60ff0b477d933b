package lazyregexp_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// What is looked for before an expression changes no result, in any case and script.
func TestRegexpMatchesAsTheLibrarysDoes(t *testing.T) {
	t.Parallel()
	expressions := []string{
		`(?i)^(?:please )?(?:fix|push|stop) it`, `fix|push`, `(?i)stop`, `(?i)kiss`, `(?i)straße`,
		`(?i)ΣΑΣ`, `(?i)σας`,
		`Fix`, `(?:fix)?`, `(?:fix)+`, `(?:fix){2}`, `(?:fix){0,2}`, `f[iu]x it`, `(?i)don't|dont`,
		`(?:|fix)`, `但是|不过`, `(fix) (it)`, `\bfix\b`, `x`, `(?i)µm`, `(?i)İzmir`, `.*`, `[^a]ix it`,
	}
	texts := []string{
		"", "fix it", "FIX IT", "please Push it", "stop", "ſtop", "STOP!", "Kiss", "kiſs", "strasse",
		"STRASSE", "STRAßE", "STRAẞE", "σας", "ΣΑΣ", "σασ", "fixfix", "fox it", "don't", "DONT", "但是 stop",
		"μm", "µm", "ΜM",
		"izmir", "İZMİR", "i̇zmir", "prefixed it", "\xff fix it \xff",
	}
	for _, expression := range expressions {
		ours := lazyregexp.New(expression)
		library := regexp.MustCompile(expression)
		for _, s := range texts {
			require.Equal(t, library.MatchString(s), ours.MatchString(s), "%s in %q", expression, s)
			require.Equal(t, library.FindString(s), ours.FindString(s))
			require.Equal(t, library.FindStringIndex(s), ours.FindStringIndex(s))
			require.Equal(t, library.FindStringSubmatch(s), ours.FindStringSubmatch(s))
			require.Equal(t, library.FindStringSubmatchIndex(s), ours.FindStringSubmatchIndex(s))
			require.Equal(t, library.FindAllStringIndex(s, -1), ours.FindAllStringIndex(s, -1))
			require.Equal(t, library.ReplaceAllString(s, "-"), ours.ReplaceAllString(s, "-"))
			require.Equal(t, library.Split(s, -1), ours.Split(s, -1))
		}
	}
}

// Most texts hold nothing that an expression needs: go test -bench Needed ./workflow/lazyregexp
func BenchmarkNeeded(b *testing.B) {
	const expression = `(?i)\b(?:wait|hold on|hang on) (?:for|until) (?:\w+ )?(?:approval|review)`
	const text = "the total is a cent off for order 1042, it rounds too early"
	library := regexp.MustCompile(expression)
	ours := lazyregexp.New(expression)
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			library.MatchString(text)
		}
	})
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			ours.MatchString(text)
		}
	})
}
