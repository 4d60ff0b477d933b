package git

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// TestABranchIsDeletedAtItsCommitAlone checks that a branch is deleted by every way of reaching a remote,
// twice as well as once, and that one which somebody moved stays.
func TestABranchIsDeletedAtItsCommitAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o *remotetest.Origin, m *Mirror) {
		w := workspaceAt(t, m)
		w.write(t, "cart/cart.go", "package cart\n\nvar N = 2\n")
		first := w.save(t, "Red")
		spec := transfer.PushSpec{Commit: first, Branch: "bobbin/fix-1-red"}
		_, err := w.Push(ctx0(), spec)
		require.NoError(t, err)
		for range 2 {
			stands, err := m.DeleteBranch(ctx0(), spec)
			require.NoError(t, err)
			require.Empty(t, stands)
			require.Empty(t, o.BranchHead(spec.Branch))
		}
		_, err = w.Push(ctx0(), spec)
		require.NoError(t, err)
		w.write(t, "cart/cart.go", "package cart\n\nvar N = 3\n")
		second, err := w.Commit(ctx0(), CommitSpec{Parent: first, Message: "More", When: approvedAt})
		require.NoError(t, err)
		_, err = w.Push(ctx0(), transfer.PushSpec{Commit: second, Branch: spec.Branch})
		require.NoError(t, err)
		stands, err := m.DeleteBranch(ctx0(), spec)
		require.NoError(t, err)
		require.Equal(t, second, stands, "somebody's commit is not thrown away")
		require.Equal(t, second, o.BranchHead(spec.Branch))
		for _, branch := range []string{"main", "feature/x", "bobbin/"} {
			_, err := m.DeleteBranch(ctx0(), transfer.PushSpec{Commit: first, Branch: branch})
			require.NotEmpty(t, refusal(t, err).Cure, branch)
		}
		o.Fsck()
	})
}

// TestATreeIsPutTogether checks that the files of one commit are laid over another: changed, new in a folder
// that is new, and removed.
func TestATreeIsPutTogether(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	w := workspaceAt(t, m)
	w.write(t, "cart/cart.go", "package cart\n\nvar N = 2\n")
	w.write(t, "cart/a/b/new_test.go", "package b\n")
	fix := w.save(t, "Fix")
	tree, err := w.TreeWith(w.Base(), fix, []string{"cart/a/b/new_test.go", "nothing/here.go"})
	require.NoError(t, err)
	commit, err := w.Commit(ctx0(), CommitSpec{Tree: tree, Message: "The tests", When: approvedAt})
	require.NoError(t, err)
	_, err = w.Push(ctx0(), transfer.PushSpec{Commit: commit, Tree: tree, Branch: "bobbin/tests"})
	require.NoError(t, err)
	out, err := exec.Command("git", "-C", o.Dir, "diff", "--name-status", w.Base(), commit).Output()
	require.NoError(t, err)
	require.Equal(t, "A\tcart/a/b/new_test.go", strings.TrimSpace(string(out)))
	same, err := w.TreeWith(fix, fix, nil)
	require.NoError(t, err)
	whole, err := w.TreeOf(fix)
	require.NoError(t, err)
	require.Equal(t, whole, same)
	_, err = w.TreeWith(w.Base(), "main", nil)
	require.ErrorContains(t, err, "not the whole hash")
}
