package delivery

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A command that works again may write a file that no commit can hold, such as an archive.
func TestWhatTheReportsCommandLeavesIsTakenAway(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t, repotest.Files{"a": "b\n"})
	work := repotest.NewWorkspace(t, m, commits[0], repotest.Files{"a": "mended\n"})
	tree, err := work.Tree(t.Context())
	require.NoError(t, err)
	f, err := work.Root().Create("shop.tar")
	require.NoError(t, err)
	require.NoError(t, errors.Join(f.Truncate(60<<20), f.Close()))
	_, err = work.Tree(t.Context())
	require.ErrorContains(t, err, "60 MB")

	require.NoError(t, restoreChanged(t.Context(), work, tree))
	now, err := work.Tree(t.Context())
	require.NoError(t, err)
	require.Equal(t, tree, now)
}
