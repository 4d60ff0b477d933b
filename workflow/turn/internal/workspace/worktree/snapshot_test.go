package worktree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
)

// This machine's mirror has what the session pushed, and then the branch was deleted in the remote. Another machine
// gets the commit from the session's row.
func TestASnapshotHoldsWhatWasPushed(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	origin, made := repotest.NewOrigin(t, repotest.Files{"a": "b\n"}, repotest.Files{"a": "mended\n"})
	base, pushed := made[0], made[1]
	openMirror := func() *git.Mirror {
		mirrors := repotest.OpenMirrors(t)
		m, err := mirrors.Open(t.Context(), remote.Remote{Name: "shop", URL: origin})
		require.NoError(t, err)
		return m
	}
	here := openMirror()
	remotetest.RunGit(t, origin, "update-ref", "refs/heads/main", base)
	there := openMirror()
	require.True(t, here.Commits().Has(pushed))
	require.False(t, there.Commits().Has(pushed))
	ledger := ledgertest.Open(t, nil)
	require.NoError(t, ledger.Record(t.Context(), store.Update{Change: func(s *workflow.Session) { s.BaseCommit, s.Head = base, pushed }}))

	work := repotest.NewWorkspace(t, here, base, repotest.Files{"a": "mended again\n"})
	tree, err := work.Tree(t.Context())
	require.NoError(t, err)
	kept, err := (&Snapshots{Ledger: ledger}).Pack(t.Context(), work, 0, tree)
	require.NoError(t, err)
	moved := repotest.NewWorkspace(t, there, base, nil)
	require.NoError(t, moved.Unpack(t.Context(), kept.Pack))
	require.True(t, moved.HasCommit(pushed))
	require.NoError(t, moved.Restore(t.Context(), tree))
}
