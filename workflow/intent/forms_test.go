package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each form of the files compiles, and a part that is not defined is found out.
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
	require.PanicsWithValue(t, "forms/x.txt: there is no part {nobody}", func() {
		fillIn("x", "{nobody}", map[string]string{"somebody": "dora"})
	})
	require.Equal(t, "dora (?:.){0,4}",
		fillIn("x", "{somebody} (?:.){0,4}", map[string]string{"somebody": "dora"}))
}
