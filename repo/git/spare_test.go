package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func TestTheNextWorkspaceIsTheSpare(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	commit := o.Commit("first", map[string]string{"a.txt": "a\n", "dir/b.txt": "b\n"})
	m := openMirror(t, &Mirrors{SpareAfter: 1}, remote.Remote{Name: "shop", URL: o.Dir})
	one := workspaceAt(t, m)
	m.spares.Settle()
	require.True(t, m.HasSpare(commit))
	spare, err := os.Stat(filepath.Join(m.dir, "spares", commit, "files", "a.txt"))
	require.NoError(t, err)

	other := workspaceAt(t, m)
	taken, err := os.Stat(filepath.Join(other.Files(), "a.txt"))
	require.NoError(t, err)
	require.True(t, os.SameFile(spare, taken), "it is the spare")
	require.Empty(t, other.list(t))
	other.write(t, "a.txt", "changed\n")
	require.Equal(t, []string{"modified a.txt +1 -1"}, other.list(t))
	require.Empty(t, one.list(t))
	m.spares.Settle()
	require.True(t, m.HasSpare(commit), "and there is another one")
	require.Empty(t, workspaceAt(t, m).list(t), "nobody's change is in it")
}

// A spare that cannot be made stops no session from getting a workspace.
func TestWithoutASpareTheFilesAreWritten(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	o.Commit("first", map[string]string{"a.txt": "a\n"})
	m := openMirror(t, &Mirrors{SpareAfter: 1}, remote.Remote{Name: "shop", URL: o.Dir})
	writeFile(t, m.dir, "spares", "in the way")
	w := workspaceAt(t, m)
	m.spares.Settle()
	require.Empty(t, w.list(t))
}

func TestWithoutSparesThereIsNone(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	commit := o.Commit("first", map[string]string{"a.txt": "a\n"})
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	workspaceAt(t, m)
	require.False(t, m.HasSpare(commit))
}
