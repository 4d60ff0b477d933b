package proof

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/project"
)

// A repository whose module is nowhere on this machine builds once its packages were
// fetched, in every way that commands are run here.
func TestPackagesAreSeenByAllThatRuns(t *testing.T) {
	t.Parallel()
	can(t, "go version")
	network, tree := packagestest.New(t), files(packagestest.Files())
	m, commits := mirrorOf(t, tree)
	c := checker(t)
	c.ModuleCache = "-"
	c.Setup = &packages.Fetcher{Sandbox: c.Sandbox, Network: network}
	p := project.Project{Kind: "go", Build: "go build ./..."}

	r, err := c.Baseline(t.Context(), m, commits[0], p)
	require.NoError(t, err)
	require.False(t, r.BuildOK, "the control: without them it fails")
	require.Contains(t, r.BuildOutput, "example.com/greet")

	bound := c.For(m)
	have, err := bound.Fetch(t.Context(), m, commits[0], packages.Config{Env: packagestest.Mirrors()}, nil)
	require.NoError(t, err)
	require.NotNil(t, have)
	defer have.Close()
	bound.Use(have)
	r, err = bound.Baseline(t.Context(), m, commits[0], p)
	require.NoError(t, err)
	require.True(t, r.BuildOK, "what was remembered without them does not stand: %s", r.BuildOutput)
	require.True(t, run(t, bound, tree, p).BuildOK)
	require.False(t, run(t, c.For(m), tree, p).BuildOK)

	inScratch := func(line string) error {
		files := ownTree(t, tree)
		cmd := c.Sandbox.Command(files, "sh", "-c", line)
		cmd.Mounts, cmd.Env, err = bound.Scratch(m, files, filepath.Join(t.TempDir(), "scratch"))
		require.NoError(t, err)
		return cmd.Run(t.Context())
	}
	require.NoError(t, inScratch("go build ./..."))
	require.Error(t, inScratch("touch $GOMODCACHE/x"))
	require.Error(t, inScratch("GOPROXY=http://packages.example/go go mod download example.com/other@v1.0.0"))

	// Cleaning leaves them alone while they are used.
	dir, err := c.repository(m)
	require.NoError(t, err)
	kept := func() int { return len(packages.List(filepath.Join(dir, packagesDir))) }
	require.Equal(t, 1, kept())
	shelves := []*shelf{{dir: dir, keep: CacheKeep{Bytes: 1}, free: true}}
	_, err = shrink(shelves, CacheKeep{Bytes: 1})
	require.NoError(t, err)
	require.Equal(t, 1, kept())
	have.Close()
	gone, err := shrink(shelves, CacheKeep{Bytes: 1})
	require.NoError(t, err)
	require.Zero(t, kept())
	require.Len(t, gone, 1)
	require.Contains(t, gone[0].Why, "packages")
}
