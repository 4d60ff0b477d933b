package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/history"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// readerOf returns a Reader of the origin's own folder, as of a mirror.
func readerOf(t testing.TB, o *remotetest.Origin) Commits {
	t.Helper()
	remotetest.NeedGit(t)
	remotetest.RunGit(t, o.Dir, "repack", "-adq") // a shortened hash is only found in packs
	packs, err := objects.OpenPacks(filepath.Join(o.Dir, "objects", "pack"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, packs.Close()) })
	refs := transfer.Refs{Head: "main", Hashes: map[string]plumbing.Hash{}}
	all, err := o.Repo.References()
	require.NoError(t, err)
	require.NoError(t, all.ForEach(func(r *plumbing.Reference) error {
		if r.Type() == plumbing.HashReference {
			refs.Hashes[r.Name().String()] = r.Hash()
		}
		return nil
	}))
	return Commits{
		Repository: "shop",
		Refs:       refs,
		Store:      objects.NewStore(packs, filepath.Join(o.Dir, "objects")),
	}
}

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
	first := o.Commit("add the cart\n\nIt holds things.\n", map[string]string{
		"cart/cart.go": "one\ntwo\nthree\n",
		"x":            "x\n",
	})
	o.Commit("unrelated", map[string]string{"x": "y\n"})
	third := o.Commit("count from two", map[string]string{"cart/cart.go": "zero\none\nTWO\nthree\n"})
	o.Commit("unrelated again", map[string]string{"x": "z\n"})
	gone := o.Commit("drop x", map[string]string{"x": ""})
	r := readerOf(t, o)

	log, err := r.Log(t.Context(), "", "", 10)
	require.NoError(t, err)
	require.Equal(t,
		[]string{"drop x", "unrelated again", "count from two", "unrelated", "add the cart"}, subjects(log))
	require.Equal(t, "It holds things.", log[4].Body)
	require.Equal(t, "Ada", log[4].Author)
	log, err = r.Log(t.Context(), "main", "cart/cart.go", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"count from two", "add the cart"}, subjects(log))
	log, err = r.Log(t.Context(), "main", "cart/", 1)
	require.NoError(t, err)
	require.Equal(t, []string{"count from two"}, subjects(log))
	log, err = r.Log(t.Context(), "main", "x", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"drop x", "unrelated again", "unrelated", "add the cart"}, subjects(log))
	log, err = r.Log(t.Context(), "main", "never/was", 10)
	require.NoError(t, err)
	require.Empty(t, log)

	for line, want := range map[int]string{1: third, 2: first, 3: third, 4: first} {
		c, err := r.Blame(t.Context(), "main", "cart/cart.go", line)
		require.NoError(t, err)
		require.Equal(t, want, c.Hash, line)
	}
	_, err = r.Blame(t.Context(), "main", "cart/cart.go", 5)
	require.ErrorContains(t, err, "has 4 lines, and no line 5")
	_, err = r.Blame(t.Context(), "main", "cart", 1)
	require.Error(t, err)

	c, diff, err := r.Show(t.Context(), third[:10], "", nil)
	require.NoError(t, err)
	require.Equal(t, "count from two", c.Subject)
	require.Contains(t, diff, "@@ -1,3 +1,4 @@\n+zero\n one\n-two\n+TWO\n three\n")
	_, diff, err = r.Show(t.Context(), first, "", nil)
	require.NoError(t, err)
	require.Contains(t, diff, "new file mode 100644")
	_, diff, err = r.Show(t.Context(), gone, "", nil)
	require.NoError(t, err)
	require.Contains(t, diff, "deleted file mode 100644")

	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Log(done, "", "cart", 5)
	require.ErrorIs(t, err, context.Canceled)
	_, err = r.Blame(done, "", "cart/cart.go", 2)
	require.ErrorIs(t, err, context.Canceled)
}

// The expected values are git's own answers for a history with merges.
func TestHistoryAgreesWithGit(t *testing.T) {
	t.Parallel()
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
		remotetest.RunGit(t, clone, "merge", "-q", "--no-ff", "-m", fmt.Sprint("merge ", i),
			fmt.Sprint("side", i))
	}
	remotetest.RunGit(t, clone, "push", "-q", "origin", "main")
	r := readerOf(t, o)
	head, err := r.Resolve("main")
	require.NoError(t, err)
	for line := 1; line <= 60; line++ {
		c, err := r.Blame(t.Context(), head, "f.txt", line)
		require.NoError(t, err)
		out := remotetest.RunGit(t, clone, "blame", "-l", "--root",
			fmt.Sprintf("-L%d,%d", line, line), "f.txt")
		require.True(t, strings.HasPrefix(out, c.Hash), "%d: %s %s", line, c.Subject, out)
	}
	log, err := r.Log(t.Context(), head, "g.txt", 100)
	require.NoError(t, err)
	require.Equal(t,
		strings.Split(remotetest.RunGit(t, clone, "log", "--format=%s", "--", "g.txt"), "\n"), subjects(log))
}

// A line of a large file is followed through many commits, most of which do not touch the file. The expected
// values are git's own answers.
func TestBlameOfALargeFile(t *testing.T) {
	t.Parallel()
	lines, commits := 4000, 60
	if os.Getenv("BOBBIN_EVERY") != "" {
		lines, commits = 64_000, 2000
	}
	o := remotetest.NewOrigin(t)
	importHistory(t, o.Dir, lines, commits)
	r := readerOf(t, o)
	for _, line := range []int{1, lines / 2, lines - 3} {
		began := time.Now()
		c, err := r.Blame(t.Context(), "main", "large.txt", line)
		require.NoError(t, err)
		ours := time.Since(began)
		began = time.Now()
		out := remotetest.RunGit(t, o.Dir, "blame", "-l", "--root", "-s", fmt.Sprintf("-L%d,%d", line, line),
			"main", "--", "large.txt")
		require.True(t, strings.HasPrefix(out, c.Hash), "%d: %s %s", line, c.Subject, out)
		t.Logf("line %d of %d, %d commits: %v, git %v", line, lines, commits, ours, time.Since(began))
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	head, err := r.Resolve("main")
	require.NoError(t, err)
	c, err := r.Blame(ctx, "main", "large.txt", 1)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, head, c.Hash, "how far it came")
}

// importHistory makes a history in which one commit of ten changes lines of large.txt, and the others another
// file.
func importHistory(t *testing.T, dir string, lines, commits int) {
	t.Helper()
	large := strings.SplitAfter(strings.TrimSuffix(numbered(0, lines, " of a large file"), "\n"), "\n")
	var in strings.Builder
	for i := range commits {
		name := "small.txt"
		text := fmt.Sprintf("%d\n", i)
		if i%10 == 0 {
			at := i * 7919 % (lines / 2)
			large[at] = fmt.Sprintf("changed by %d\n", i)
			large = slices.Insert(large, lines/4, fmt.Sprintf("added by %d\n", i))
			name = "large.txt"
			text = strings.Join(large, "")
		}
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ada <ada@example.com> %d +0000\ndata 1\nx\n"+
			"M 100644 inline %s\ndata %d\n%s\n", 1_700_000_000+i*60, name, len(text), text)
	}
	cmd := exec.Command("git", "-C", dir, "-c", "safe.directory=*", "fast-import", "--quiet", "--force")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
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
	remotetest.RunGit(t, o.Dir, "tag", "-a", "-m", "one", "v1", second)
	r := readerOf(t, o)
	for _, name := range []string{
		"", "main", "feature/x", "refs/heads/main", "v1", second, second[:7], strings.ToUpper(second[:9]),
	} {
		got, err := r.Resolve(name)
		require.NoError(t, err, name)
		require.Equal(t, second, got, name)
	}
	for _, name := range []string{
		"nope", "../x", "deadbeef", strings.Repeat("1", 40), second[:6], "HEAD~1", "--upload-pack=x",
	} {
		_, err := r.Resolve(name)
		require.ErrorContains(t, err, "has no branch, tag or commit", name)
		require.ErrorContains(t, err, "feature/x, main")
	}
	require.Equal(t, []string{"feature/x", "main"}, r.Refs.Branches())
}
