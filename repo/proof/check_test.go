package proof

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/repotest"
)

// Each run prints something else, so that what was run once is known from what was run again.
const (
	printsOnce = "cat /proc/sys/kernel/random/uuid"
	tellsApart = `grep -q '^[0-7]' /proc/sys/kernel/random/uuid` // passes every second time
)

// A proof takes over what a check of exactly its tree saw, with the same commands, and nothing
// else.
func TestAProofTakesOverACheckOfTheSameTree(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.py": "a = 1\n", ".gitignore": "*.log\n"})
	c := checker(t).For(m)
	w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{"a.py": "a = 2\n"})
	p := project.Project{Kind: "python", Test: printsOnce}
	proven := func(p project.Project) string {
		shown, err := Prove(t.Context(), c, w, p)
		require.NoError(t, err)
		return shown.Branch.Output
	}
	checked := func(p project.Project) string {
		r, err := Check(t.Context(), c, w, p)
		require.NoError(t, err)
		require.NotEmpty(t, r.Output)
		return r.Output
	}
	before := proven(p)
	said := checked(p)
	require.NotEqual(t, before, said, "a check always runs")
	require.Equal(t, said, proven(p))

	// Controls: other commands, another turn's checker, and another tree are run afresh.
	require.NotEqual(t, said, proven(project.Project{Kind: "python", Test: printsOnce + " "}))
	require.NotEqual(t, said, proven(project.Project{Kind: "python", Test: printsOnce, Build: "true"}))
	kept := c
	c = checker(t).For(m)
	require.NotEqual(t, said, proven(p))
	c = kept
	put := func(name, text string) { require.NoError(t, w.Root().WriteFile(name, []byte(text), 0o644)) }
	put("a.py", "a = 3\n")
	require.NotEqual(t, said, proven(p))
	put("a.py", "a = 2\n")
	require.Equal(t, said, proven(p), "the same files once more")

	// What lies about beside the tree is no part of a check.
	put("lies.log", "about\n")
	listing := checked(project.Project{Kind: "python", Test: "ls"})
	require.NotContains(t, listing, "lies.log")
	require.Contains(t, checked(project.Project{Kind: "rust", Test: "ls"}), "lies.log", "where builds go on from the last one")
}

// A check that came out otherwise the next time is not taken over: nobody proves by trying
// until it passes.
func TestAProofTakesOverNoCheckThatChanged(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a.py": "a = 1\n"})
	c := checker(t).For(m)
	w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{"a.py": "a = 2\n"})
	p := project.Project{Kind: "python", Test: tellsApart}
	codes := map[int]bool{}
	for len(codes) < 2 {
		r, err := Check(t.Context(), c, w, p)
		require.NoError(t, err)
		codes[r.ExitCode] = true
	}
	tree, err := w.Tree(t.Context())
	require.NoError(t, err)
	_, known := c.KnownTree(w.Base(), tree, p)
	require.False(t, known)
}
