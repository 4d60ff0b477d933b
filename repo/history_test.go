package repo

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/history"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/repo/remotetest"
)

func subjects(commits []history.Commit) []string {
	out := []string{}
	for _, c := range commits {
		out = append(out, c.Subject)
	}
	return out
}

func TestLogBlameAndShow(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	first := o.Commit("add the cart\n\nIt holds things.\n", map[string]string{"cart/cart.go": "one\ntwo\nthree\n", "x": "x\n"})
	o.Commit("unrelated", map[string]string{"x": "y\n"})
	third := o.Commit("count from two", map[string]string{"cart/cart.go": "zero\none\nTWO\nthree\n"})
	o.Commit("unrelated again", map[string]string{"x": "z\n"})
	gone := o.Commit("drop x", map[string]string{"x": ""})
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})

	log, err := m.Log(ctx0(), "", "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"drop x", "unrelated again", "count from two", "unrelated", "add the cart"}, subjects(log))
	require.Equal(t, "It holds things.", log[4].Body)
	require.Equal(t, "Ada", log[4].Author)
	log, err = m.Log(ctx0(), "main", "cart/cart.go", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"count from two", "add the cart"}, subjects(log))
	log, err = m.Log(ctx0(), "main", "cart/", 1)
	require.NoError(t, err)
	require.Equal(t, []string{"count from two"}, subjects(log))
	log, err = m.Log(ctx0(), "main", "x", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"drop x", "unrelated again", "unrelated", "add the cart"}, subjects(log))
	log, err = m.Log(ctx0(), "main", "never/was", 10)
	require.NoError(t, err)
	require.Empty(t, log)

	for line, want := range map[int]string{1: third, 2: first, 3: third, 4: first} {
		c, err := m.Blame(ctx0(), "main", "cart/cart.go", line)
		require.NoError(t, err)
		require.Equal(t, want, c.Hash, line)
	}
	_, err = m.Blame(ctx0(), "main", "cart/cart.go", 5)
	require.ErrorContains(t, err, "has 4 lines, and no line 5")
	_, err = m.Blame(ctx0(), "main", "cart", 1)
	require.Error(t, err)

	c, diff, err := m.Show(ctx0(), third[:10], "", nil)
	require.NoError(t, err)
	require.Equal(t, "count from two", c.Subject)
	require.Contains(t, diff, "@@ -1,3 +1,4 @@\n+zero\n one\n-two\n+TWO\n three\n")
	_, diff, err = m.Show(ctx0(), first, "", nil)
	require.NoError(t, err)
	require.Contains(t, diff, "new file mode 100644")
	_, diff, err = m.Show(ctx0(), gone, "", nil)
	require.NoError(t, err)
	require.Contains(t, diff, "deleted file mode 100644")

	done, cancel := context.WithCancel(ctx0())
	cancel()
	_, err = m.Log(done, "", "cart", 5)
	require.ErrorIs(t, err, context.Canceled)
	_, err = m.Blame(done, "", "cart/cart.go", 2)
	require.ErrorIs(t, err, context.Canceled)
}

// git's own answers on a history with merges are the measure.
func TestHistoryAgreesWithGit(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewOrigin(t)
	dir := o.Work
	o.Commit("first", map[string]string{"f.txt": numbered(0, 60, ""), "g.txt": "g\n"})
	clone := t.TempDir()
	remotetest.RunGit(t, dir, "clone", "-q", o.Dir, clone)
	for i := range 6 {
		remotetest.RunGit(t, clone, "checkout", "-q", "-b", fmt.Sprint("side", i))
		writeFile(t, clone, "f.txt", withLine(t, clone, "f.txt", 5+i*8, fmt.Sprint("side ", i)))
		remotetest.RunGit(t, clone, "commit", "-qam", fmt.Sprint("side ", i))
		remotetest.RunGit(t, clone, "checkout", "-q", "main")
		writeFile(t, clone, "g.txt", fmt.Sprint("main ", i, "\n"))
		if i%2 == 0 {
			writeFile(t, clone, "f.txt", withLine(t, clone, "f.txt", 2+i*8, fmt.Sprint("main ", i)))
		}
		remotetest.RunGit(t, clone, "commit", "-qam", fmt.Sprint("main ", i))
		remotetest.RunGit(t, clone, "merge", "-q", "--no-ff", "-m", fmt.Sprint("merge ", i), fmt.Sprint("side", i))
	}
	remotetest.RunGit(t, clone, "push", "-q", "origin", "main")
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	head, err := m.Resolve("main")
	require.NoError(t, err)
	for line := 1; line <= 60; line++ {
		c, err := m.Blame(ctx0(), head, "f.txt", line)
		require.NoError(t, err)
		out := remotetest.RunGit(t, clone, "blame", "-l", "--root", fmt.Sprintf("-L%d,%d", line, line), "f.txt")
		require.True(t, strings.HasPrefix(out, c.Hash), "%d: %s %s", line, c.Subject, out)
	}
	log, err := m.Log(ctx0(), head, "g.txt", 100)
	require.NoError(t, err)
	require.Equal(t, strings.Split(remotetest.RunGit(t, clone, "log", "--format=%s", "--", "g.txt"), "\n"), subjects(log))
}

func numbered(from, to int, mark string) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %d%s\n", i, mark)
	}
	return b.String()
}

func TestResolve(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	second := o.Commit("second", map[string]string{"a": "a\n"})
	o.Branch("feature/x", second)
	remotetest.NeedGit(t)
	remotetest.RunGit(t, o.Dir, "tag", "-a", "-m", "one", "v1", second)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	for _, name := range []string{"", "main", "feature/x", "refs/heads/main", "v1", second, second[:7], strings.ToUpper(second[:9])} {
		got, err := m.Resolve(name)
		require.NoError(t, err, name)
		require.Equal(t, second, got, name)
	}
	for _, name := range []string{"nope", "../x", "deadbeef", strings.Repeat("1", 40), second[:6], "HEAD~1", "--upload-pack=x"} {
		_, err := m.Resolve(name)
		require.ErrorContains(t, err, "has no branch, tag or commit", name)
		require.ErrorContains(t, err, "feature/x, main")
	}
	require.Equal(t, []string{"feature/x", "main"}, m.Branches())
}

func TestOldMirrorsAreRefreshed(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	now := time.Now()
	mirrors := &Mirrors{MaxAge: time.Minute, Now: func() time.Time { return now }}
	m := openMirror(t, mirrors, remote.Remote{Name: "shop", URL: o.Dir})
	second := o.Commit("second", map[string]string{"a": "a\n"})
	again, err := mirrors.Open(ctx0(), remote.Remote{Name: "shop", URL: o.Dir})
	require.NoError(t, err)
	require.Same(t, m, again)
	_, err = m.Resolve(second)
	require.Error(t, err)
	now = now.Add(2 * time.Minute)
	_, err = mirrors.Open(ctx0(), remote.Remote{Name: "shop", URL: o.Dir})
	require.NoError(t, err)
	_, err = m.Resolve(second)
	require.NoError(t, err)

	// Another process on the same folder, and a deleted branch.
	o.Branch("bobbin/gone", second)
	require.NoError(t, m.Fetch(ctx0()))
	require.Contains(t, m.Branches(), "bobbin/gone")
	other := openMirror(t, &Mirrors{Dir: mirrors.Dir}, remote.Remote{Name: "shop", URL: o.Dir})
	third := o.Commit("third", map[string]string{"b": "b\n"})
	require.NoError(t, o.Repo.Storer.RemoveReference("refs/heads/bobbin/gone"))
	require.NoError(t, other.Fetch(ctx0()))
	require.NotContains(t, other.Branches(), "bobbin/gone")
	_, err = m.ReadFile(third, "b")
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
