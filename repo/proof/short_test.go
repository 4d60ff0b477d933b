package proof

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

func TestShort(t *testing.T) {
	t.Parallel()
	two := Proof{
		OwnTests: OwnTests{Cases: Cases{New: 2}},
		OldTests: OldTests{PassedBefore: 126, StillPassing: 126},
	}
	require.Equal(t, "2 new tests: red before, green now; 126 still pass", two.Short())
	two.Cases = Cases{New: 1, Extended: 1, Guards: 3}
	two.StillPassing = 125
	two.AlreadyFailing = []string{"C"}
	require.Equal(t, "1 new test: red before, green now; 1 extended test: red before, green now; 3 guards: "+
		"green before and now; 125 of 126 still pass; 1 failed before and still does", two.Short())
	two.AlreadyFailing = nil
	two.Cases = Cases{New: 1}
	two.Command.Text = "The command passes now"
	require.Equal(t,
		"1 new test: red before, green now; 125 of 126 still pass; the command passes now", two.Short())
	require.Contains(t, two.Lines(), "The command passes now")
	require.Equal(t, "not shown: no sandbox", Proof{Why: "no sandbox"}.Short())
	require.Equal(t, "1 test that was there: red before, green now; the build is not clean",
		Proof{OwnTests: OwnTests{Fixed: []string{"A"}}, Branch: result.Result{BuildRan: true}}.Short())
}
