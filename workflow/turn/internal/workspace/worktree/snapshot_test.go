package worktree

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/repo/remotetest"
	"github.com/bobbinhq/bobbin/repo/repotest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

// This machine's mirror has what the session pushed, and then the branch was deleted in the remote. Another machine
// gets the commit from the session's row.
func TestASnapshotHoldsWhatWasPushed(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	origin := filepath.Join(t.TempDir(), "origin")
	made, err := repotest.Origin(origin, repotest.Files{"a": "b\n"}, repotest.Files{"a": "mended\n"})
	require.NoError(t, err)
	base, pushed := made[0], made[1]
	openMirror := func() *repo.Mirror {
		mirrors := &repo.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
		t.Cleanup(func() { mirrors.Close() })
		m, err := mirrors.Open(t.Context(), remote.Remote{Name: "shop", URL: origin})
		require.NoError(t, err)
		return m
	}
	here := openMirror()
	remotetest.RunGit(t, origin, "update-ref", "refs/heads/main", base)
	there := openMirror()
	require.True(t, here.Commits().Has(pushed))
	require.False(t, there.Commits().Has(pushed))
	ledger := turntest.OpenLedger(t, nil)
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
