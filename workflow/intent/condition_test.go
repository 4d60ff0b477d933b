package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

// What makes approved work wait is a condition, and what happens in a bug is none.
func TestSaysCondition(t *testing.T) {
	t.Parallel()
	messages := corpus(t, "conditions.txt")
	require.GreaterOrEqual(t, len(messages["waits"]), 30)
	require.GreaterOrEqual(t, len(messages["goes on"]), 60)
	l := intent.Lexicon{}
	for _, m := range messages["waits"] {
		if !l.SaysCondition(m) {
			t.Errorf("%q is no condition", m)
		}
	}
	for _, m := range messages["goes on"] {
		if l.SaysCondition(m) {
			t.Errorf("%q is a condition", m)
		}
	}
	for _, m := range append(corpus(t, "harmless.txt")[""], "> tomorrow", "<@U2> only if cem agrees") {
		if l.SaysCondition(m) {
			t.Errorf("%q is a condition", m)
		}
	}
}
