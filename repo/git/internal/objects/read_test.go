package objects_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// newDeltaOrigin returns an origin with enough similar versions of files for git to store deltas.
func newDeltaOrigin(t testing.TB, commits int) *remotetest.Origin {
	o := remotetest.NewOrigin(t)
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]string, 400)
	for i := range text {
		text[i] = fmt.Sprintf("line %d: %d\n", i, random.Int64())
	}
	for i := range commits {
		text[random.IntN(len(text))] = fmt.Sprintf("edit %d\n", i)
		o.Commit(fmt.Sprint("edit ", i), map[string]string{
			"a/b/long.txt": strings.Join(text, ""), fmt.Sprintf("many/f%d.txt", i): fmt.Sprint(i), "empty": " ",
		})
	}
	return o
}

// Every object of a pack made by git is read as go-git reads it, by many goroutines at once.
func TestPackReaderAgreesWithGoGit(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	for _, deltas := range []string{"repack.usedeltabaseoffset=true", "repack.usedeltabaseoffset=false"} {
		o := newDeltaOrigin(t, 30)
		remotetest.RunGit(t, o.Dir, "-c", deltas, "repack", "-adfq", "--depth=50", "--window=50")
		require.NotEqual(t, "0", remotetest.RunGit(t, o.Dir, "rev-list", "--count", "--all"))
		p, err := objects.OpenPacks(filepath.Join(o.Dir, "objects", "pack"))
		require.NoError(t, err)
		s := &objects.Store{Packs: p, Loose: filepath.Join(o.Dir, "objects")}
		theirs := filesystem.NewStorage(osfs.New(o.Dir), cache.NewObjectLRUDefault())
		iter, err := theirs.IterEncodedObjects(plumbing.AnyObject)
		require.NoError(t, err)
		want := map[plumbing.Hash]plumbing.ObjectType{}
		require.NoError(t, iter.ForEach(func(obj plumbing.EncodedObject) error {
			want[obj.Hash()] = obj.Type()
			return nil
		}))
		require.Greater(t, len(want), 100)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for h, kind := range want {
					gotKind, content, err := s.Get(h)
					if err != nil || gotKind != kind || plumbing.ComputeHash(kind, content) != h {
						t.Errorf("%s: %v %s %v", h, err, gotKind, kind)
						return
					}
				}
			})
		}
		group.Wait()
		require.NoError(t, p.Close())
	}
}

func TestDamagedPacksAreErrors(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := newDeltaOrigin(t, 20)
	remotetest.RunGit(t, o.Dir, "repack", "-adfq")
	found, err := filepath.Glob(filepath.Join(o.Dir, "objects", "pack", "*.pack"))
	require.NoError(t, err)
	whole, err := os.ReadFile(found[0])
	require.NoError(t, err)
	index, err := os.ReadFile(strings.TrimSuffix(found[0], ".pack") + ".idx")
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		dir := t.TempDir()
		bad, idx := append([]byte{}, whole...), append([]byte{}, index...)
		for range 3 {
			bad[12+random.IntN(len(bad)-12)] ^= byte(1 + random.IntN(255))
			idx[8+random.IntN(len(idx)-8)] ^= byte(1 + random.IntN(255))
		}
		if random.IntN(3) == 0 {
			bad = bad[:random.IntN(len(bad))]
		}
		if random.IntN(3) == 0 {
			idx = idx[:random.IntN(len(idx))]
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "pack-x.pack"), bad, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "pack-x.idx"), idx, 0o644))
		p, err := objects.OpenPacks(dir)
		if err != nil {
			continue
		}
		s := &objects.Store{Packs: p, Loose: dir}
		for row := range p.Open[0].Count { // an error or an object, never a panic
			_, _, _ = s.Get(plumbing.Hash(p.Open[0].NameAt(row)))
		}
		require.NoError(t, p.Close())
	}
}
