package build

import (
	"bytes"
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

// What was left out runs again once the limits have grown, and only then.
func TestWhatWasLeftOutRunsAgainWithMoreRoom(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	m, commits := repotest.NewMirror(t, repotest.Files{
		"go.mod": "module example.com/shop\n\ngo 1.24\n",
		"a_test.go": "package shop\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" +
			"func TestSmall(t *testing.T) {}\n\n" +
			"func TestLarge(t *testing.T) {\n" +
			"\tif err := os.WriteFile(\"large\", make([]byte, 64<<20), 0o600); err != nil {\n" +
			"\t\tt.Fatal(\"EFBIG\", err)\n\t}\n}\n",
	})
	c := checker(t).For(m)
	require.NoError(t, repotest.SeedGoCache(t.Context(), c.Caches.Sandbox,
		repotest.GoCacheDir(c.Cache.WritableMounts(""))))
	whole := project.Project{Kind: "go", Test: "go test -json ./..."}
	var log bytes.Buffer
	run := func(fileSize int64) result.Result {
		log.Reset()
		limited := c.LogTo(&log)
		limited.Limits.FileSize = fileSize
		r, err := limited.Baseline(t.Context(), commits[0], whole)
		require.NoError(t, err)
		return r
	}
	r := run(32 << 20)
	require.Len(t, r.LeftOut, 1, r.Output)
	require.Equal(t, 1, r.Passed)
	require.Len(t, commandsIn(log.String()), 2)

	require.Len(t, run(32<<20).LeftOut, 1)
	require.Len(t, run(16<<20).LeftOut, 1)
	require.Empty(t, log.String(), "the control: without more room it is not tried again")

	r = run(128 << 20)
	require.Empty(t, r.LeftOut)
	require.Equal(t, 2, r.Passed)
	require.Equal(t, "go test ./...", r.Project.TestCommand())
}
