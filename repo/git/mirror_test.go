package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func TestMirrorsAreFetched(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	mirrors := &Mirrors{}
	m := openMirror(t, mirrors, remote.Remote{Name: "shop", URL: o.Dir})
	second := o.Commit("second", map[string]string{"a": "a\n"})
	again, err := mirrors.Open(ctx0(), remote.Remote{Name: "shop", URL: o.Dir})
	require.NoError(t, err)
	require.Same(t, m, again)
	_, err = m.Commits().Resolve(second)
	require.Error(t, err)
	require.NoError(t, m.Fetch(ctx0()))
	_, err = m.Commits().Resolve(second)
	require.NoError(t, err)

	// Another process uses the same folder, and a branch is deleted on the remote.
	o.Branch("bobbin/gone", second)
	require.NoError(t, m.Fetch(ctx0()))
	require.Contains(t, m.Commits().Refs.Branches(), "bobbin/gone")
	other := openMirror(t, &Mirrors{Dir: mirrors.Dir}, remote.Remote{Name: "shop", URL: o.Dir})
	third := o.Commit("third", map[string]string{"b": "b\n"})
	require.NoError(t, o.Repo.Storer.RemoveReference("refs/heads/bobbin/gone"))
	require.NoError(t, other.Fetch(ctx0()))
	require.NotContains(t, other.Commits().Refs.Branches(), "bobbin/gone")
	_, err = m.Commits().ReadFile(third, "b")
	require.NoError(t, err, "what another process fetched is found")
}

func TestManyCallersOneClone(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	mirrors := &Mirrors{Dir: t.TempDir(), Log: quiet()}
	t.Cleanup(func() { require.NoError(t, mirrors.Close()) })
	results := make(chan *Mirror, 8)
	for range 8 {
		go func() {
			m, err := mirrors.Open(ctx0(), remote.Remote{Name: "shop", URL: o.Dir})
			if err != nil {
				t.Error(err)
			}
			results <- m
		}()
	}
	first := <-results
	for range 7 {
		require.Same(t, first, <-results)
	}
}

// A folder left over from a removed mirror does not stop a new clone.
func TestWhatIsLeftOfAMirrorMakesRoom(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	o.Commit("first", map[string]string{"a.txt": "a\n"})
	r := remote.Remote{Name: "shop", URL: o.Dir}
	mirrors := &Mirrors{Dir: t.TempDir()}
	require.NoError(t, os.MkdirAll(filepath.Join(mirrors.Dir, folderName(r), "spares", "making-1"), 0o755))
	require.Empty(t, workspaceAt(t, openMirror(t, mirrors, r)).list(t))
}

// A commit that only the reference of a pull request leads to is given, as the hosts keep one for a branch of
// a fork. The control: without that reference it is not.
func TestFetchOfACommitOfAFork(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	each(t, func(t *testing.T, o *remotetest.Origin, m *Mirror) {
		main := o.BranchHead("main")
		fork := o.Commit("of a fork", map[string]string{"fork.txt": "x\n"})
		o.Branch("main", main)
		require.Error(t, m.FetchCommit(ctx0(), fork))
		remotetest.RunGit(t, o.Dir, "update-ref", "refs/pull/7/head", fork)
		require.NoError(t, m.FetchCommit(ctx0(), fork))
		require.True(t, m.Commits().Has(fork))
		require.False(t, m.Commits().HasName("pull/7/head"))
	})
}

// A commit that no branch leads to is asked for by its hash. What the remote does not give is reported at
// once, in words that say what helps.
func TestFetchOfACommitThatNoBranchLeadsTo(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	each(t, func(t *testing.T, o *remotetest.Origin, m *Mirror) {
		main := o.BranchHead("main")
		lost := o.Commit("rewritten since", map[string]string{"lost.txt": "x\n"})
		o.Branch("main", main)
		for _, asked := range []string{"false", "true"} {
			remotetest.RunGit(t, o.Dir, "config", "uploadpack.allowReachableSHA1InWant", asked)
			require.Contains(t, refusal(t, m.FetchCommit(ctx0(), lost)).Reason,
				"the commit "+lost[:12]+" is on no branch or tag there any more")
		}
		remotetest.RunGit(t, o.Dir, "config", "uploadpack.allowAnySHA1InWant", "true")
		err := m.FetchCommit(ctx0(), lost)
		if m.client.Git == "" && strings.HasPrefix(m.Remote().URL, "file:") {
			require.Error(t, err) // go-git's own server gives only what it lists
			return
		}
		require.NoError(t, err)
		require.True(t, m.Commits().Has(lost))
	})
}
