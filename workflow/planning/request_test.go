package planning_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/planning"
)

func TestARequestIsShownInOneLineEach(t *testing.T) {
	t.Parallel()
	r := planning.Request{
		SurfaceArea: "cart\nand order", Constraints: []string{"no new\ndependency", "Go 1.26"}, DoneCriteria: []string{"totals add up", "a page shows them"},
		Decisions: []planning.Decided{{Question: "Round?", Answer: "down"}},
	}
	require.Empty(t, r.Missing())
	require.Equal(t, `Surface area: cart and order
Constraints: no new dependency; Go 1.26
Done when: (1) totals add up; (2) a page shows them
Decided: Round? → down`, r.Text())
	require.Contains(t, planning.Request{}.Missing(), "surface_area")
	require.Contains(t, planning.Request{SurfaceArea: "cart", DoneCriteria: []string{" "}}.Missing(), "done_criteria")
	require.Equal(t, "Surface area: cart\nDone when: (1) it adds up", planning.Request{SurfaceArea: "cart", DoneCriteria: []string{"it adds up"}}.Text(), "what is empty is left out")
}

// A request with five or more files in several packages, or with a whole subsystem, is large.
func TestLarge(t *testing.T) {
	t.Parallel()
	for files, want := range map[string]bool{
		"a/a.go b/b.go c/c.go d/d.go e/e.go": true,
		"a/a.go a/b.go a/c.go a/d.go b/e.go": true,
		"a/a.go b/b.go c/c.go d/d.go":        false,
		"a/a.go a/b.go a/c.go a/d.go a/e.go": false,
		"":                                   false,
	} {
		require.Equal(t, want, planning.Request{Files: strings.Fields(files)}.Large(), files)
	}
	require.True(t, planning.Request{Subsystem: true}.Large())
}
