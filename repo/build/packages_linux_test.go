package build

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// TestPackagesAreSeenByAllThatRuns checks that a repository whose module is not on this machine builds
// after its packages were fetched, in every way that commands are run here.
func TestPackagesAreSeenByAllThatRuns(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	network := packagestest.New(t)
	tree := repotest.Files(packagestest.Files())
	m, commits := repotest.NewMirror(t, tree)
	c := checker(t)
	c.Caches.Dir = t.TempDir()
	c.Caches.ModuleCache = "-"
	c.Caches.Packages = &packages.Fetcher{Sandbox: c.Caches.Sandbox, Network: network}
	p := project.Project{Kind: "go", Build: "go build ./..."}

	r, err := c.For(m).Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.False(t, r.BuildOK, "the control: without them it fails")
	require.Contains(t, r.BuildOutput, "example.com/greet")

	bound := c.For(m)
	have, err := bound.Cache.FetchPackages(t.Context(), commits[0],
		packages.Config{Env: packagestest.Mirrors()}, nil)
	require.NoError(t, err)
	require.NotNil(t, have)
	defer have.Close()
	bound.Cache.UsePackages(have)
	r, err = bound.Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.True(t, r.BuildOK, "what was remembered without them does not stand: %s", r.BuildOutput)
	require.True(t, runIn(t, bound, tree, p).BuildOK)
	require.False(t, runIn(t, c.For(m), tree, p).BuildOK)

	inScratch := func(line string) error {
		files := repotest.WriteTree(t, tree)
		cmd := c.Caches.Sandbox.Command(files, "sh", "-c", line)
		cmd.Mounts, cmd.Env, err = bound.Cache.ScratchMounts(files, filepath.Join(t.TempDir(), "scratch"))
		require.NoError(t, err)
		return cmd.Run(t.Context())
	}
	require.NoError(t, inScratch("go build ./..."))
	require.Error(t, inScratch("touch $GOMODCACHE/x"))
	require.Error(t, inScratch("GOPROXY=http://packages.example/go go mod download example.com/other@v1.0.0"))

	// Cleaning keeps the packages while they are in use.
	keep := CacheRetention{Bytes: 1}
	file, err := bound.Cache.resultFile("x")
	require.NoError(t, err)
	kept := func() int {
		return len(packages.List(filepath.Join(filepath.Dir(filepath.Dir(file)), "packages")))
	}
	require.Equal(t, 1, kept())
	_, err = c.Caches.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Equal(t, 1, kept())
	have.Close()
	gone, err := c.Caches.Clean(t.Context(), keep)
	require.NoError(t, err)
	require.Zero(t, kept())
	require.Len(t, gone, 1)
	require.Contains(t, gone[0].Why, "packages")
}
