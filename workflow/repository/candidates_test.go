package repository

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestAConfiguredTestCommandIsTheOnlyCandidate checks that what the operator says is not weighed against what
// the files say.
func TestAConfiguredTestCommandIsTheOnlyCandidate(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"go.mod": {Data: []byte("module x")}, "Makefile": {Data: []byte("test:\n\ttrue\n")}}
	list := Repository{Build: "make", Near: "go test {packages}"}.Candidates(files)
	require.Len(t, list, 2)
	for _, c := range list {
		require.Equal(t, "make", c.Build)
		require.Equal(t, "go test {packages}", c.NearBy)
	}
	list = Repository{Test: "sh test.sh"}.Candidates(files)
	require.Len(t, list, 1)
	require.Equal(t, "sh test.sh", list[0].Test)
	require.True(t, list[0].Covers("web/a.ts"))
}
