package build

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// Runs of a prepared tree go on from its build, each for itself.
func TestAPreparedTreeIsBuiltOnce(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "make --version")
	m, commits := repotest.NewMirror(t, repotest.Files{
		"Makefile": "all: a.out b.out\n%.out: %.txt\n\t@echo compiled $<; cat $< >$@\n",
		"a.txt":    "a\n",
		"b.txt":    "b\n",
	})
	c := checker(t).For(m)
	p := project.Project{Kind: "make", Build: "make", Test: "cat a.out b.out; ls; touch trace"}
	prepared, err := c.Prepare(t.Context(), commits[0], func(onto *os.Root) error {
		return onto.WriteFile("b.txt", []byte("of the branch\n"), 0o644)
	}, p)
	require.NoError(t, err)
	defer prepared.Close()
	for range 2 {
		r, err := prepared.RunTree(t.Context(), c, "", func(onto *os.Root) error {
			return onto.WriteFile("a.txt", []byte("changed\n"), 0o644)
		}, p)
		require.NoError(t, err)
		require.Equal(t, "compiled a.txt\n", r.BuildOutput, "only what was changed")
		require.Contains(t, r.Output, "changed\nof the branch\n")
		require.NotContains(t, r.Output, "trace", "of another run")
	}
	r, err := c.RunTree(t.Context(), commits[0], nil, p) // the control
	require.NoError(t, err)
	require.Contains(t, r.BuildOutput, "compiled b.txt")
}
