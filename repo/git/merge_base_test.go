package git

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/history"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// grow makes commits that differ only in their parents, which are given by their index in the list, and
// returns their hashes.
func grow(o *remotetest.Origin, parents ...[]int) []string {
	o.T.Helper()
	tree := o.RawTree(remotetest.RawLine{
		Mode: 0o100644,
		Name: "f",
		Hash: o.RawObject(plumbing.BlobObject, []byte("x\n")),
	})
	var out []string
	for _, ps := range parents {
		o.Now = o.Now.Add(time.Minute)
		who := object.Signature{Name: "Ada", Email: "ada@example.com", When: o.Now}
		c := &object.Commit{Author: who, Committer: who, Message: "m\n", TreeHash: tree}
		for _, p := range ps {
			c.ParentHashes = append(c.ParentHashes, plumbing.NewHash(out[p]))
		}
		obj := &plumbing.MemoryObject{}
		require.NoError(o.T, c.Encode(obj))
		h, err := o.Repo.Storer.SetEncodedObject(obj)
		require.NoError(o.T, err)
		out = append(out, h.String())
		o.Branch("c"+h.String()[:10], h.String())
	}
	o.Branch("main", out[len(out)-1])
	return out
}

func TestMergeBaseOfShapes(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	// 0-1-2-3-4   trunk; 5-6 from 1; 7 merges 3 into 6; 8 another root; 9, 10 a cross of 4 and 7
	c := grow(o, nil, []int{0}, []int{1}, []int{2}, []int{3}, []int{1}, []int{5}, []int{6, 3}, nil,
		[]int{4, 7}, []int{7, 4})
	r := readerOf(t, o)
	for _, want := range []struct {
		a, b, base int
		why        string
	}{
		{4, 4, 4, "itself"},
		{4, 2, 2, "an ancestor"},
		{4, 6, 1, "a fork"},
		{4, 7, 3, "a fork that was merged since"},
		{6, 7, 6, "merged"},
		{9, 10, 7, "crossed: both are as near, the newer one is given"},
		{4, 8, -1, "unrelated"},
	} {
		for _, pair := range [][2]int{{want.a, want.b}, {want.b, want.a}} {
			got, err := r.mergeBase(t.Context(), c[pair[0]], c[pair[1]])
			require.NoError(t, err)
			if want.base < 0 {
				require.Empty(t, got, want.why)
			} else {
				require.Equal(t, c[want.base], got, want.why)
			}
		}
	}
	got, err := r.mergeBase(t.Context(), "main", c[10])
	require.NoError(t, err)
	require.Equal(t, c[10], got, "names and hashes of one commit")
	_, err = r.mergeBase(t.Context(), "main", "nowhere")
	require.Error(t, err)
}

func TestMergeBaseIsGits(t *testing.T) {
	t.Parallel()
	o := remotetest.NewOrigin(t)
	rnd := rand.New(rand.NewPCG(9, 10))
	var shape [][]int
	for i := range 40 {
		var ps []int
		for range min(i, 1+rnd.IntN(2)) {
			if p := max(0, i-1-rnd.IntN(6)); !slices.Contains(ps, p) {
				ps = append(ps, p)
			}
		}
		shape = append(shape, ps)
	}
	c := grow(o, shape...)
	r := readerOf(t, o)
	for range 30 {
		a := c[rnd.IntN(len(c))]
		b := c[rnd.IntN(len(c))]
		got, err := r.mergeBase(t.Context(), a, b)
		require.NoError(t, err)
		require.Contains(t, strings.Fields(remotetest.RunGit(t, o.Dir, "merge-base", "--all", a, b)), got)
		one, err := r.named(a)
		require.NoError(t, err)
		other, err := r.named(b)
		require.NoError(t, err)
		beyond, err := history.Beyond(t.Context(), r.Store, one, other)
		require.NoError(t, err)
		var hashes []string
		for h := range beyond {
			hashes = append(hashes, h.String())
		}
		require.ElementsMatch(t, strings.Fields(remotetest.RunGit(t, o.Dir, "rev-list", a, "^"+b)), hashes)
	}
}
