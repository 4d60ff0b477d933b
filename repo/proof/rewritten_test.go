package proof

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A check of an old test that is made weaker although it passes as it was is named. The control is a change
// that only adds a test.
func TestAWeakenedTestIsNamed(t *testing.T) {
	t.Parallel()
	const (
		old = "[ $(sh parts.sh) = 3 ] && echo ok 1 - parts || echo not ok 1 - parts\n"
		bad = "[ $(sh parts.sh) -ge 1 ] && echo ok 1 - parts || echo not ok 1 - parts\n"
		sum = "[ $(sh sum.sh) = 4 ] && echo ok 2 - sums || echo not ok 2 - sums\necho 1..2\n"
	)
	m, commits := repotest.NewMirror(t, repotest.Files{
		"parts.sh": "echo 3\n", "sum.sh": "echo 3\n", "test.sh": old + "echo 1..1\n",
	})
	prove := func(tests string) Proof {
		w := repotest.NewWorkspace(t, m, commits[0], repotest.Files{"sum.sh": "echo 4\n", "test.sh": tests})
		p, err := Prove(t.Context(), checker(t).For(m), w,
			project.Project{Kind: "shell", Test: "sh test.sh"}, "")
		require.NoError(t, err)
		require.True(t, p.Passes(), p.Lines())
		return p
	}
	p := prove(bad + sum)
	require.Contains(t, p.Lines(), "Changed in old tests, which pass as they were, too: `test.sh:1` is now `"+
		bad[:len(bad)-1]+"`, which was `"+old[:len(old)-1]+"`")
	require.Contains(t, p.Short(), "1 check of old tests changed")

	p = prove(old + sum)
	require.Empty(t, p.Rewritten)
}
