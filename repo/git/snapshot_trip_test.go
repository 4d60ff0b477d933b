package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/bundle"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func readSnapshot(pack []byte) (objects int, err error) {
	err = bundle.ReadPack(ctx0(), pack, func(plumbing.ObjectType, []byte) error {
		objects++
		return nil
	})
	return objects, err
}

// onDisk returns the mode and content of every file of a workspace, by path.
func (w *Workspace) onDisk(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(w.Files(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(w.Files(), path)
		if d.Type()&fs.ModeSymlink != 0 {
			out[name], err = os.Readlink(path)
			out[name] = "->" + out[name]
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		out[name] = fmt.Sprint(info.Mode().Perm(), " ", string(b))
		return err
	}))
	return out
}

// own counts the objects that exist only in the workspace, not in the mirror.
func (w *Workspace) own(t testing.TB) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(w.Store.Dir(), "*", "*"))
	require.NoError(t, err)
	return len(found)
}

func (w *Workspace) packed(t testing.TB, roots ...string) []byte {
	t.Helper()
	pack, err := w.Pack(ctx0(), 0, roots...)
	require.NoError(t, err)
	return pack
}

func count(t testing.TB, pack []byte) int {
	t.Helper()
	n, err := readSnapshot(pack)
	require.NoError(t, err)
	return n
}

func TestEveryKindOfChangeTravels(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 300_000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	all := files{"README.md": "", "cart/cart.go": "", "cart/deep": "->..", "cart/deep/er/x.txt": "", "ü/ñ b": "names\n", "empty/.keep": "\n"}
	delete(all, "cart/deep")
	for name, changes := range map[string]files{
		"nothing":                      {},
		"edited":                       {"main.go": "package main // mine\n", "dos.txt": "one\r\nTWO\r\n"},
		"added":                        {"a/b/c/d": "deep\n", "ü/ñ b": "odd name\n"},
		"deleted":                      {"README.md": "", "cart/deep/er/x.txt": ""},
		"binary":                       {"logo.png": "\x89PNG\x00\x02\xff", "noise": string(noise)},
		"executable":                   {"main.go*": "package main\n\nfunc main() {}\n", "bin/run.sh": "#!/bin/sh\necho hi\n"},
		"links":                        {"link": "->main.go", "to/nowhere": "->../../etc/x"},
		"a file for a folder":          {"cart": "was a folder\n"},
		"a folder for a file":          {"main.go": "", "main.go/now": "a folder\n"},
		"a link for a file, a reverse": {"README.md": "->main.go", "link": "was a link\n"},
		"many at once":                 all,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := remotetest.NewShop(t)
			here, there := workspaceOf(t, o), workspaceOf(t, o)
			if _, ok := changes["main.go/now"]; ok {
				require.NoError(t, os.Remove(filepath.Join(here.Files(), "main.go")))
				changes = files{"main.go/now": "a folder\n"}
			}
			here.put(t, changes)
			tree := here.treeNow(t)
			pack := here.packed(t, tree)
			require.NoError(t, there.Unpack(ctx0(), pack))
			require.Empty(t, there.list(t), "no file changes")
			require.NoError(t, there.Restore(ctx0(), tree))
			require.Equal(t, tree, there.treeNow(t))
			require.Equal(t, here.onDisk(t), there.onDisk(t))
			require.Equal(t, pack, there.packed(t, tree), "the other machine gives the same bytes")
		})
	}
}

func TestCommitsAndAMergeTravel(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	late := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir}) // this mirror does not fetch the commits made below yet
	here, there := workspaceAt(t, m), workspaceAt(t, late)
	old := here.Base()
	here.write(t, "one", "1\n")
	first := here.save(t, "one")
	here.write(t, "two", "2\n")
	second, err := here.Commit(ctx0(), CommitSpec{Parent: first, Message: "two", When: approvedAt})
	require.NoError(t, err)
	next := o.Commit("theirs", files{"README.md": "# theirs\n"})
	require.NoError(t, m.Fetch(ctx0()))
	_, err = here.Merge(ctx0(), nil, old, next)
	require.NoError(t, err)
	merge, err := here.Commit(ctx0(), CommitSpec{Parent: second, Parents: []string{next}, Message: "merge", When: approvedAt})
	require.NoError(t, err)
	here.write(t, "three", "not committed\n")
	tree := here.treeNow(t)

	pack := here.packed(t, merge, tree, first)
	require.Equal(t, pack, here.packed(t, tree, first, merge, merge), "the order of the roots is nothing")
	var missing *bundle.Error
	require.ErrorAs(t, there.Unpack(ctx0(), pack), &missing)
	require.Equal(t, next, missing.Missing)
	require.Zero(t, there.own(t))
	require.False(t, late.Commits().Has(next))

	require.NoError(t, late.Fetch(ctx0()))
	require.True(t, late.Commits().Has(next))
	require.False(t, late.Commits().Has(merge), "the session's own")
	require.False(t, late.Commits().Has("main"))
	require.NoError(t, there.Unpack(ctx0(), pack))
	require.NoError(t, there.Restore(ctx0(), tree))
	require.Equal(t, here.onDisk(t), there.onDisk(t))
	spec := CommitSpec{Parent: merge, Message: "three", When: approvedAt}
	a, err := here.Commit(ctx0(), spec)
	require.NoError(t, err)
	b, err := there.Commit(ctx0(), spec)
	require.NoError(t, err)
	require.Equal(t, a, b)
	_, err = there.Push(ctx0(), transfer.PushSpec{Commit: b, Branch: "bobbin/x"})
	require.NoError(t, err)
	o.Fsck()
}

// A session's branch was pushed and fetched, and then deleted. Its commits travel nevertheless, since no other mirror
// gets them from the remote.
func TestPushedCommitsTravel(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	here := workspaceAt(t, m)
	old := here.Base()
	here.write(t, "one", "1\n")
	first := here.save(t, "one")
	next := o.Commit("theirs", files{"README.md": "# theirs\n"})
	require.NoError(t, m.Fetch(ctx0()))
	_, err := here.Merge(ctx0(), nil, old, next)
	require.NoError(t, err)
	merge, err := here.Commit(ctx0(), CommitSpec{Parent: first, Parents: []string{next}, Message: "merge", When: approvedAt})
	require.NoError(t, err)
	here.write(t, "two", "2\n")
	second, err := here.Commit(ctx0(), CommitSpec{Parent: merge, Message: "two", When: approvedAt})
	require.NoError(t, err)
	_, err = here.Push(ctx0(), transfer.PushSpec{Commit: second, Branch: "bobbin/x"})
	require.NoError(t, err)
	require.NoError(t, m.Fetch(ctx0()))
	require.True(t, m.Commits().Has(merge))
	remotetest.RunGit(t, o.Dir, "branch", "-D", "bobbin/x")
	here.write(t, "three", "not committed\n")
	tree := here.treeNow(t)

	own, err := bundle.OwnCommits(here.Store, second, old, next)
	require.NoError(t, err)
	require.Equal(t, []string{second, merge, first}, own)
	late := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	require.False(t, late.Commits().Has(first))
	there := workspaceAt(t, late)
	pack := here.packed(t, append(own, tree)...)
	require.NoError(t, there.Unpack(ctx0(), pack))
	require.NoError(t, there.Restore(ctx0(), tree))
	require.Equal(t, here.onDisk(t), there.onDisk(t))
	common, err := there.MergeBase(ctx0(), second, next)
	require.NoError(t, err)
	require.Equal(t, next, common)

	own, err = bundle.OwnCommits(here.Store, second, strings.Repeat("1", 40))
	require.NoError(t, err)
	require.Equal(t, []string{second}, own, "without a base the line would be all of the history")
}

// If the base is the session's own commit, the objects of its ancestors in the mirror are left out of
// the pack.
func TestAnOwnBaseTravels(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	here, there := workspaceOf(t, o), workspaceOf(t, o)
	here.write(t, "one", "1\n")
	own := here.save(t, "one")
	require.NoError(t, here.SetBase(ctx0(), own))
	here.write(t, "two", "2\n")
	tree := here.treeNow(t)
	require.NoError(t, there.Unpack(ctx0(), here.packed(t, tree, own)))
	require.NoError(t, there.Restore(ctx0(), tree))
	require.NoError(t, there.SetBase(ctx0(), own))
	require.Equal(t, here.list(t), there.list(t))
}

func TestOnlyWhatTheBaseHasNotIsPacked(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	w := workspaceOf(t, o)
	require.Equal(t, 0, count(t, w.packed(t, w.treeNow(t), w.Base())))
	require.NoError(t, os.Rename(filepath.Join(w.Files(), "cart"), filepath.Join(w.Files(), "basket")))
	require.Equal(t, 1, count(t, w.packed(t, w.treeNow(t))), "a folder was renamed: the top alone is new")
	w.write(t, "basket/cart.go", "package basket\n")
	require.Equal(t, 3, count(t, w.packed(t, w.treeNow(t))))

	// This mirror may hold objects that another mirror with the same base does not.
	o.Commit("later", files{"later.txt": "same bytes\n"})
	require.NoError(t, w.mirror.Fetch(ctx0()))
	w.write(t, "mine.txt", "same bytes\n")
	require.Equal(t, 4, count(t, w.packed(t, w.treeNow(t))))
}

func TestPacksAreWhatGitTakesThemFor(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewShop(t)
	w := workspaceOf(t, o)
	w.put(t, files{"long": strings.Repeat("long ", 9999), "none": "\n", "x*": "x"})
	path := filepath.Join(t.TempDir(), "a.pack")
	require.NoError(t, os.WriteFile(path, w.packed(t, w.save(t, "all")), 0o644))
	remotetest.RunGit(t, o.Dir, "index-pack", "--strict", path)
}

func TestTooMuchIsSaidInWords(t *testing.T) {
	t.Parallel()
	w := workspaceOf(t, remotetest.NewShop(t))
	w.put(t, files{"big dir/noise": strings.Repeat("0123456789", 5000), "small": "s\n"})
	tree := w.treeNow(t)
	whole := w.packed(t, tree)
	exact, err := w.Pack(ctx0(), int64(len(whole)), tree)
	require.NoError(t, err)
	require.Equal(t, whole, exact)
	_, err = w.Pack(ctx0(), int64(len(whole))-1, tree)
	var refused *bundle.Error
	require.ErrorAs(t, err, &refused)
	require.Contains(t, err.Error(), `"big dir/noise" with 50000 bytes`)
	blob, err := w.Store.Put(plumbing.BlobObject, []byte("b"))
	require.NoError(t, err)
	for _, root := range []string{"main", "", blob.String(), strings.Repeat("1", 40)} {
		_, err = w.Pack(ctx0(), 0, root)
		require.Error(t, err)
	}
	stopped, cancel := context.WithCancel(ctx0())
	cancel()
	_, err = w.Pack(stopped, 0, tree)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, w.Unpack(stopped, whole), context.Canceled)
}

// handmade builds packs, valid or not, with a matching checksum.
type handmade struct{ body bytes.Buffer }

func (h *handmade) add(t testing.TB, kind plumbing.ObjectType, says int, content string) *handmade {
	t.Helper()
	p := bundle.NewPacking(nil, nil, 0)
	p.Out.Reset()
	require.NoError(t, p.WriteObject(kind, []byte(content)))
	_, skip := binary.Uvarint(p.Out.Bytes()) // the length of the object's header
	head := []byte{byte(kind)<<4 | byte(says&15) | 0x80}
	h.body.Write(append(binary.AppendUvarint(head, uint64(says)>>4), p.Out.Bytes()[skip:]...))
	return h
}

func (h *handmade) sound(t testing.TB, kind plumbing.ObjectType, content string) *handmade {
	return h.add(t, kind, len(content), content)
}

func (h *handmade) pack(objects uint32) []byte {
	return sealed(append(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), objects), h.body.Bytes()...))
}

func sealed(body []byte) []byte {
	sum := sha1.Sum(body)
	return append(bytes.Clone(body), sum[:]...)
}

func treeLine(mode filemode.FileMode, name string, h plumbing.Hash) string {
	return fmt.Sprintf("%o %s\x00%s", uint32(mode), name, h[:])
}

func TestUnsoundPacksChangeNothing(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	m := openMirror(t, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	w := workspaceAt(t, m)
	w.put(t, files{"a/b": "b\n", "main.go": "package main // mine\n"})
	good := w.packed(t, w.save(t, "work"))
	bare := good[:len(good)-sha1.Size]
	blob := plumbing.ComputeHash(plumbing.BlobObject, []byte("b"))
	zeros := strings.Repeat("\x00", 1<<20)
	made := func() *handmade { return (&handmade{}).sound(t, plumbing.BlobObject, "b") }
	tree := func(lines ...string) []byte {
		return made().sound(t, plumbing.TreeObject, strings.Join(lines, "")).pack(2)
	}
	counted := func(n uint32) []byte {
		b := bytes.Clone(bare)
		binary.BigEndian.PutUint32(b[8:], n)
		return sealed(b)
	}
	for name, c := range map[string]struct {
		pack []byte
		want string
	}{
		"nothing":                   {nil, "no git pack"},
		"another version":           {sealed([]byte("PACK\x00\x00\x00\x03\x00\x00\x00\x00")), "version 2"},
		"cut short":                 {good[:len(good)-7], "cut short"},
		"cut short and sealed":      {sealed(bare[:len(bare)-3]), "damaged"},
		"garbage behind":            {append(bytes.Clone(good), "junk"...), "checksum"},
		"garbage within the seal":   {sealed(append(bytes.Clone(bare), "junk"...)), "after its last object"},
		"more objects than it says": {counted(1), "after its last object"},
		"fewer":                     {counted(1 << 31), "before its last object"},
		"a tag":                     {made().sound(t, plumbing.TagObject, "x").pack(2), "no blob, tree or commit"},
		"a delta":                   {made().sound(t, plumbing.REFDeltaObject, "x").pack(2), "no blob, tree or commit"},
		"larger than it says":       {made().add(t, plumbing.BlobObject, 5, "123456").pack(2), "larger than it says"},
		"smaller than it says":      {made().add(t, plumbing.BlobObject, 7, "123456").pack(2), "smaller than it says"},
		"a bomb that says so":       {made().add(t, plumbing.BlobObject, gittree.MaxFile+1, zeros).pack(2), "more than 50 MB"},
		"a bomb that lies":          {made().add(t, plumbing.BlobObject, 1, zeros).pack(2), "larger than it says"},
		"a size past all numbers":   {made().add(t, plumbing.BlobObject, -1, "x").pack(2), "more than 50 MB"},
		"a size that costs memory":  {made().add(t, plumbing.BlobObject, gittree.MaxFile, "x").pack(2), "smaller than it says"},
		"the same twice":            {made().sound(t, plumbing.BlobObject, "b").pack(2), "twice"},
		"a tree cut short":          {tree("100644 x\x00short"), "cut short"},
		"a name twice":              {tree(treeLine(0o100644, "x", blob), treeLine(0o100644, "x", blob)), "twice"},
		"a .git":                    {tree(treeLine(0o100644, ".git", blob)), "spelling of .git"},
		"a way out":                 {tree(treeLine(0o100644, "..", blob)), "steps out"},
		"an unknown mode":           {tree(treeLine(0o140000, "x", blob)), "unknown mode"},
		"a blob as a folder":        {tree(treeLine(filemode.Dir, "x", blob)), "names a blob as a tree"},
		"a file that is nowhere":    {tree(treeLine(0o100644, "x", plumbing.NewHash("12"))), "which is not here"},
		"a commit of nothing":       {made().sound(t, plumbing.CommitObject, "hello\n").pack(2), "not sound"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			there := workspaceAt(t, m)
			err := there.Unpack(ctx0(), c.pack)
			var refused *bundle.Error
			require.ErrorAs(t, err, &refused)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			require.Zero(t, there.own(t))
			require.Empty(t, there.list(t))
		})
	}
	// The control: packs that differ from those above only in being valid are stored.
	for _, pack := range [][]byte{good, made().pack(1), tree(treeLine(0o100644, "x", blob)), tree(treeLine(filemode.Submodule, "x", plumbing.NewHash("12")))} {
		there := workspaceAt(t, m)
		require.NoError(t, there.Unpack(ctx0(), pack))
		require.Equal(t, count(t, pack), there.own(t))
	}
}

// FuzzUnpackSealed checks that a pack with a matching checksum is either refused with nothing stored,
// or stored completely.
func FuzzUnpackSealed(f *testing.F) {
	o := remotetest.NewShop(f)
	m := openMirror(f, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	w := workspaceAt(f, m)
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"))
	for _, change := range []files{{"main.go": ""}, {"a/b/c*": "c\n", "l": "->main.go"}, {"z": strings.Repeat("z", 9999)}} {
		w.put(f, change)
		pack := w.packed(f, w.save(f, "work"))
		f.Add(pack[:len(pack)-sha1.Size])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		there := m.workspaceIn(t.TempDir())
		pack := sealed(body)
		err := there.Unpack(ctx0(), pack)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			require.Zero(t, there.own(t))
			return
		}
		require.NoError(t, bundle.ReadPack(ctx0(), pack, func(kind plumbing.ObjectType, content []byte) error {
			got, err := there.Store.GetTyped(kind, plumbing.ComputeHash(kind, content))
			require.Equal(t, content, got)
			return err
		}))
	})
}

func BenchmarkPackOneLine(b *testing.B) {
	at := newBench(b)
	w := workspaceAt(b, at.mirror)
	w.write(b, "fmt/print.go", withLine(b, w.Files(), "fmt/print.go", 9, "// one line"))
	tree := w.treeNow(b)
	whole, err := filepath.Glob(filepath.Join(at.mirror.Dir(), "objects", "pack", "*.pack"))
	require.NoError(b, err)
	info, err := os.Stat(whole[0])
	require.NoError(b, err)
	var pack []byte
	for b.Loop() {
		pack = w.packed(b, tree)
	}
	b.ReportMetric(float64(len(pack)), "pack-bytes")
	b.ReportMetric(float64(info.Size()), "mirror-bytes")
}
