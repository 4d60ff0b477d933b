package git

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// A branch has what was pushed while it is there, or somebody went on from there, and not after it was set
// back or deleted.
func TestWhetherABranchHasACommit(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *remotetest.Origin, m *Mirror) {
		w := workspaceAt(t, m)
		w.write(t, "main.go", "package main // ours\n")
		ours := w.save(t, "Ours")
		has := func(want bool) {
			t.Helper()
			got, err := m.HasPushed(ctx0(), "bobbin/fix", ours)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		has(false)
		_, err := w.Push(ctx0(), transfer.PushSpec{Commit: ours, Branch: "bobbin/fix"})
		require.NoError(t, err)
		has(true)
		other := o.Commit("theirs", map[string]string{"theirs.txt": "x\n"})
		o.Branch("bobbin/fix", other)
		has(false)
		o.Branch("bobbin/fix", ours)
		w.write(t, "top.go", "package main\n")
		onTop, err := w.Commit(ctx0(), CommitSpec{Message: "On top", Parent: ours, When: approvedAt})
		require.NoError(t, err)
		_, err = w.Push(ctx0(), transfer.PushSpec{Commit: onTop, Branch: "bobbin/fix"})
		require.NoError(t, err)
		has(true)
	})
}
