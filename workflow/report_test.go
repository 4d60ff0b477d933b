package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestReportHashNamesContentAndBase(t *testing.T) {
	t.Parallel()
	r := workflow.Report{Kind: "root_cause", Text: "the remainder is dropped", BaseCommit: "a"}
	changed := r
	moved := r
	changed.Text += "!"
	moved.BaseCommit = "b"
	require.Len(t, r.Hash(), 64)
	require.NotEqual(t, r.Hash(), changed.Hash())
	require.NotEqual(t, r.Hash(), moved.Hash())
}
