package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each form of the files compiles.
func TestFormsCompile(t *testing.T) {
	t.Parallel()
	for name, forms := range map[string]int{
		"awaits_person":   len(awaiting()),
		"push_objection":  len(pushObjections()),
		"objects_to_work": len(workObjections()),
	} {
		require.Greater(t, forms, 5, name)
	}
	for _, form := range append(append(awaiting(), pushObjections()...), workObjections()...) {
		require.NotPanics(t, func() { form.MatchString("stop the refund fix") })
	}
}
