package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
)

// A report approves what passes only with a new file if it names the test and that file.
func TestNewFilesAreApprovedByTheirNames(t *testing.T) {
	t.Parallel()
	found := foundBy(
		proof.Expectation{
			Kind: proof.ExpectationChanged,
			Test: "TestCoupon",
			With: []string{"cart/setup_test.go"},
		},
	)
	for will, want := range map[string]bool{
		"only with cart/setup_test.go": true,
		"cart/setup_test.go":           true,
		"removed":                      false,
		"899":                          false,
	} {
		require.Equal(t, want, workflow.ExpectedChange{Test: "TestCoupon", Will: will}.Approves(found), will)
	}
}
