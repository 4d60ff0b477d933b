package planning_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/planning"
)

func TestDefaultsAreSaid(t *testing.T) {
	t.Parallel()
	q := planning.Question{Text: "Round?", Recommended: "down", Open: []planning.OpenDecision{{Question: "Per line?", Recommended: "yes"}}}
	require.Equal(t, " Round? → down; Per line? → yes", q.Defaults())
}
