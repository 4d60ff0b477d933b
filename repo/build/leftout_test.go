package build

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A test that needs more than the limits allow does not keep the others from being compared.
func TestTheBaseRunsWithoutTheTestThatALimitStops(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	m, commits := repotest.NewMirror(t, repotest.TooMuchMemory)
	c := checker(t).For(m)
	c.Limits.Memory = repotest.LittleMemory
	require.NoError(t, repotest.SeedGoCache(t.Context(), c.Caches.Sandbox,
		repotest.GoCacheDir(c.Cache.WritableMounts(""))))
	whole := project.Project{Kind: "go", Build: "go build ./...", Test: "go test -json ./..."}
	r, err := c.Baseline(t.Context(), commits[0], whole)
	require.NoError(t, err)
	require.Empty(t, r.Stopped, r.Output)
	require.Equal(t, 2, r.Passed)
	require.True(t, r.BuildRan && r.BuildOK)
	require.Len(t, r.LeftOut, 1)
	require.Equal(t, "TestMuchMemory", r.LeftOut[0].Name)
	require.Equal(t, "go test -skip '^(TestMuchMemory)$' ./...", r.Project.TestCommand())
	known, ok := c.Remembered(commits[0], whole)
	require.True(t, ok, "it is stored under the project's own command")
	require.Equal(t, r.LeftOut, known.LeftOut)

	// Control: without a way to leave the test out, nothing can be compared.
	whole.Test = "go test -json -run . ./..."
	r, err = c.Baseline(t.Context(), commits[0], whole)
	require.NoError(t, err)
	require.Equal(t, result.StoppedMemory, r.Limited())
	require.Empty(t, r.LeftOut)
}
