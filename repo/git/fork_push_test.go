package git

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// onlyOwn matches the branches that are fetched from a fork.
var onlyOwn = regexp.MustCompile("^bobbin/")

// forkOf returns a bare clone of the origin as it is now.
func forkOf(t *testing.T, o *remotetest.Origin) *remotetest.Origin {
	t.Helper()
	fork := remotetest.NewOrigin(t)
	gitIn(t, fork.Dir, "fetch", o.Dir, "main:main")
	return fork
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git",
		append([]string{"-C", dir, "-c", "safe.directory=*"}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// TestPushGoesToTheFork checks that all that is pushed, looked up and deleted is at the fork, also if the
// fork lags behind, and that a mirror on another machine gets what was pushed.
func TestPushGoesToTheFork(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	fork := forkOf(t, o)
	old := fork.BranchHead("main")
	o.Commit("later", map[string]string{"later.txt": "more\n"}) // the fork lacks it
	r := remote.Remote{
		Name: "shop", URL: o.Dir, PushTo: &remote.Remote{Name: "shop's fork", URL: fork.Dir, Only: onlyOwn},
	}
	m := openMirror(t, &Mirrors{}, r)
	w := workspaceAt(t, m)
	w.write(t, "fix.txt", "fixed\n")
	commit := w.save(t, "Fix it")
	spec := PushSpec{Commit: commit, Base: w.Base(), Branch: "bobbin/fix"}
	for range 2 { // once more, as after a lost answer
		_, err := w.Push(t.Context(), spec)
		require.NoError(t, err)
	}
	require.Equal(t, commit, fork.BranchHead("bobbin/fix"))
	require.Empty(t, o.BranchHead("bobbin/fix"), "nothing is pushed to the repository itself")
	require.Equal(t, old, fork.BranchHead("main"), "no other branch of the fork moves")
	gitIn(t, fork.Dir, "fsck", "--strict")
	stands, err := w.BranchHead(t.Context(), "bobbin/fix")
	require.NoError(t, err)
	require.Equal(t, commit, stands)

	other := openMirror(t, &Mirrors{}, r)
	require.NoError(t, other.Fetch(t.Context()))
	require.True(t, other.Commits().Has(commit), "what was pushed is fetched from the fork")
	require.False(t, other.Commits().HasBranch("bobbin/fix"), "its branches are not the repository's")

	stands, err = m.DeleteBranch(t.Context(), spec)
	require.NoError(t, err)
	require.Empty(t, stands)
	require.Empty(t, fork.BranchHead("bobbin/fix"))
}

// TestAForkOfSomethingElse checks that nothing is pushed to a repository that shares no commit with ours, and
// that one that is down keeps nobody from ours.
func TestAForkOfSomethingElse(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	other := remotetest.NewOrigin(t)
	other.Commit("another project", map[string]string{"other.txt": "other\n"})
	m := openMirror(t, &Mirrors{}, remote.Remote{
		Name: "shop", URL: o.Dir, PushTo: &remote.Remote{Name: "the fork", URL: other.Dir, Only: onlyOwn},
	})
	w := workspaceAt(t, m)
	w.write(t, "fix.txt", "fixed\n")
	_, err := w.Push(t.Context(), PushSpec{Commit: w.save(t, "Fix it"), Branch: "bobbin/fix"})
	require.Contains(t, refusal(t, err).Reason, "the fork has no commit of the repository")
	require.Empty(t, other.BranchHead("bobbin/fix"))

	m.setRemote(remote.Remote{
		Name: "shop", URL: o.Dir, PushTo: &remote.Remote{Name: "the fork", URL: other.Dir + "-no-such"},
	})
	require.NoError(t, m.Fetch(t.Context()))
}
