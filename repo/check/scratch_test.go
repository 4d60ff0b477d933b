package check

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A test that imports a package of Go's library which nothing has imported before: the
// repository's cache does not know it. The control is the same over that cache itself,
// read-only, where Go says that there is no such package.
func TestALibraryPackageThatIsNotInTheCacheYet(t *testing.T) {
	t.Parallel()
	can(t, "go version")
	tree := files{"go.mod": "module x\n\ngo 1.24\n", "x.go": "package x\n"}
	m, commits := mirrorOf(t, tree)
	c := checker(t)
	p := Project{Build: "go build ./..."}
	r, err := c.Baseline(t.Context(), m, commits[0], p)
	require.NoError(t, err)
	require.True(t, r.OK(), r.BuildOutput)

	more := tree.with(files{"x.go": "package x\n\nimport _ \"text/template\"\n"})
	r = run(t, c.For(m), more, p)
	require.True(t, r.OK(), r.BuildOutput)

	mounts, env := c.Mounts(m)
	cmd := c.Sandbox.Command(ownTree(t, more), "go", "build", "./...")
	cmd.Mounts, cmd.Env = mounts, env
	require.Error(t, cmd.Run(t.Context()), "Go can do with a read-only cache now: the links are not needed any more")
}

func TestWhatOneRunLeavesInTheCacheNoOtherSees(t *testing.T) {
	t.Parallel()
	m, commits := mirrorOf(t, files{"a": "b"})
	c := checker(t)
	r := run(t, c.For(m), nil, Project{Test: "echo poison > $GOCACHE/00/poison && cat $GOCACHE/00/poison"})
	require.True(t, r.OK(), r.Output)
	require.False(t, run(t, c.For(m), nil, Project{Test: "cat $GOCACHE/00/poison"}).OK())

	// What the base left is seen, and cannot be changed through its link.
	r, err := c.Baseline(t.Context(), m, commits[0], Project{Test: "echo base > $GOCACHE/00/entry"})
	require.NoError(t, err)
	require.True(t, r.OK(), r.Output)
	require.False(t, run(t, c.For(m), nil, Project{Test: "echo poison > $GOCACHE/00/entry"}).OK())
	r = run(t, c.For(m), nil, Project{Test: "cat $GOCACHE/00/entry"})
	require.Equal(t, "base\n", r.Output)
}
