package plaintext_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"The total is a cent off!": "the-total-is-a-cent-off",
		"  ../../etc/passwd ":      "etc-passwd",
		"Größe & Preis":            "groesse-preis",
		"日本語":                      "change",
		"Café déjà vu":             "cafe-deja-vu",
		"what it is made of":       "what-it-is-made-of",
		"":                         "change",
	} {
		require.Equal(t, want, plaintext.Slug(in))
	}
	long := plaintext.Slug(strings.Repeat("word ", 40))
	require.Equal(t, "word-word-word-word-word-word-word-word", long)
	require.Equal(t, "unify-the-recovery-of-panics-in-handlers",
		plaintext.Slug("Unify the recovery of panics in handlers and middleware"))
	require.Equal(t, "unify-how-panics-are-recovered",
		plaintext.Slug("Unify how panics are recovered in middleware"))
	require.Equal(t, strings.Repeat("x", 40), plaintext.Slug(strings.Repeat("x", 50)+" y"))
}
