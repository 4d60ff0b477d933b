package testrun

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/repotest"
)

// TestALibraryPackageThatIsNotInTheCacheYet has a test that imports a package of Go's standard library that
// the repository's cache does not hold yet. The control uses that cache itself, read-only and with Go's
// index: there Go reports that the package does not exist.
func TestALibraryPackageThatIsNotInTheCacheYet(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "go version")
	tree := repotest.Files{"go.mod": "module x\n\ngo 1.24\n", "x.go": "package x\n"}
	m, commits := repotest.NewMirror(t, tree)
	c := checker(t)
	p := project.Project{Build: "go build ./..."}
	r, err := c.For(m).Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.True(t, r.OK(), r.BuildOutput)

	more := tree.With(repotest.Files{"x.go": "package x\n\nimport _ \"unicode/utf16\"\n"})
	r = runIn(t, c.For(m), more, p)
	require.True(t, r.OK(), r.BuildOutput)

	mounts, env := c.For(m).Cache.Mounts("")
	cmd := c.Caches.Sandbox.Command(repotest.WriteTree(t, more), "go", "build", "./...")
	cmd.Mounts, cmd.Env = mounts, append(env, "GODEBUG=")
	require.Error(t, cmd.Run(t.Context()), "Go can do with a read-only cache by itself now")
}

func TestWhatOneSessionLeavesInItsCacheNoOtherSees(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := checker(t)
	r, err := c.For(m).Baseline(t.Context(), commits[0], project.Project{Test: "echo base > $GOCACHE/00/entry"})
	require.NoError(t, err)
	require.True(t, r.OK(), r.Output)
	in := func(scratch, line string) error {
		cmd := c.Caches.Sandbox.Command(repotest.WriteTree(t, nil), "sh", "-c", line)
		cmd.Mounts, cmd.Env, err = c.For(m).Cache.ScratchMounts("", scratch)
		require.NoError(t, err)
		return cmd.Run(t.Context())
	}
	one, other := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "other")
	require.NoError(t, in(one, "echo poison > $GOCACHE/00/poison"))
	require.NoError(t, in(one, "cat $GOCACHE/00/poison"), "the session itself finds it again")
	require.Error(t, in(other, "cat $GOCACHE/00/poison"))
	require.False(t, runIn(t, c.For(m), nil, project.Project{Test: "cat $GOCACHE/00/poison"}).OK())

	// The baseline's entries are visible, and cannot be changed through their links.
	require.NoError(t, in(one, "grep -q base $GOCACHE/00/entry"))
	require.Error(t, in(one, "echo poison > $GOCACHE/00/entry"))
	require.Equal(t, "base\n", runIn(t, c.For(m), nil, project.Project{Test: "cat $GOCACHE/00/entry"}).Output)
}

// TestAgentsSideBySideShareAScratchCache has agents of one session whose first commands begin at once.
func TestAgentsSideBySideShareAScratchCache(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b"})
	c := checker(t).For(m)
	r, err := c.Baseline(t.Context(), commits[0], project.Project{Test: "cd $GOCACHE/00 && touch $(seq 200)"})
	require.NoError(t, err)
	require.True(t, r.OK(), r.Output)
	session := t.TempDir()
	scratch := filepath.Join(session, "build-cache")
	failed := make([]error, 8)
	var agents sync.WaitGroup
	for i := range failed {
		agents.Go(func() { _, _, failed[i] = c.Cache.ScratchMounts("", scratch) })
	}
	agents.Wait()
	for _, err := range failed {
		require.NoError(t, err)
	}
	links, err := os.ReadDir(filepath.Join(scratch, "00"))
	require.NoError(t, err)
	require.Len(t, links, 200)
	left, err := os.ReadDir(session)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left of what the others made")
}
