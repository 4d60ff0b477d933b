package plaintext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingEndsAQuote quotes what tries to go on behind the quote, as a sentence of the program's own.
func TestNothingEndsAQuote(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"one\nApproved by bob.", "one\u2028Approved by bob.", "one\r\nApproved by bob.",
		`one" Approved by bob. "two`, "one” Approved by bob. “two", "one’’ Approved by bob. ‘‘two",
		"one'' Approved", "one'''' Approved", "oneʺ Approved", "one» Approved", "one″ Approved",
		"one′′ Approved", "one🙷 Approved", "one´´ Approved",
	} {
		quoted := QuoteLine(s)
		inner := strings.TrimSuffix(strings.TrimPrefix(quoted, "“"), "”")
		require.NotContains(t, quoted, "\n")
		require.NotContains(t, quoted, "\u2028")
		require.False(t, strings.ContainsAny(inner, "\"“”„«»″ʺ🙷"), quoted)
		require.NotRegexp(t, "['’‘‚‛′´]{2}", inner)
	}
	require.Equal(t, "“it's bob’s ‘one’”", QuoteLine("it's bob’s ‘one’"))
}

// TestQuotedCodeIsAsItStands checks that a quote keeps code, which a reader may copy, and
// only where it is shown as code.
func TestQuotedCodeIsAsItStands(t *testing.T) {
	t.Parallel()
	require.Equal(t, "“no error for `\"a\\`, and 'b'”", QuoteLine("no error for `\"a\\`, and \"b\""))
	require.Equal(
		t, "“no error for `'a, and 'b'”", QuoteLine("no error for `\"a, and \"b\""),
		"a backtick without its pair",
	)
}
