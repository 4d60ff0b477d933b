package git

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// FuzzPack checks that a damaged pack, or one that does not fit its index, gives an error, and never
// more content than the limit in memory.
func FuzzPack(f *testing.F) {
	o := remotetest.NewOrigin(f)
	text := strings.Repeat("a line that is there often\n", 200)
	o.Commit("one", map[string]string{"a.txt": text, "dir/b.txt": "b\n"})
	o.Commit("two", map[string]string{"a.txt": text + "and one more\n"})
	m := openMirror(f, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	packs, err := filepath.Glob(filepath.Join(m.Dir(), "objects", "pack", "*.pack"))
	require.NoError(f, err)
	require.NotEmpty(f, packs)
	pack, err := os.ReadFile(packs[0])
	require.NoError(f, err)
	index, err := os.ReadFile(strings.TrimSuffix(packs[0], ".pack") + ".idx")
	require.NoError(f, err)
	f.Add(pack, index)
	f.Add(pack[:len(pack)/2], index)
	f.Add(pack, index[:len(index)/2])
	f.Add(append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"), 0x60, 0x00), index)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, pack, index []byte) {
		if len(pack) > 64<<10 || len(index) > 64<<10 {
			return
		}
		name := filepath.Join(dir, fmt.Sprint("pack-", os.Getpid()))
		require.NoError(t, os.WriteFile(name+".pack", pack, 0o600))
		require.NoError(t, os.WriteFile(name+".idx", index, 0o600))
		p, err := objects.OpenPack(name, objects.NewInflaters())
		if err != nil {
			return
		}
		defer p.Close()
		nowhere := func(plumbing.Hash) (plumbing.ObjectType, []byte, error) {
			return 0, nil, objects.ErrBadPack
		}
		for row := range min(p.Count, 50) {
			offset, ok := p.FindOffset(plumbing.Hash(p.NameAt(row)))
			if !ok {
				continue
			}
			kind, content, err := p.ReadObject(offset, nowhere)
			if err == nil {
				require.Contains(t, []plumbing.ObjectType{
					plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject,
				}, kind)
				require.LessOrEqual(t, len(content), 256<<20)
			}
		}
		for at := range int64(min(len(pack), 64)) { // also at offsets that no index names
			if e, err := p.ReadHeader(at); err == nil {
				require.Greater(t, e.Data, at)
				require.True(t, e.Kind != plumbing.OFSDeltaObject || e.Base > 0 && e.Base < at)
			}
		}
	})
}

// FuzzResolve checks that any name of a commit, given by a model or a person, resolves to an existing
// commit or gives an error.
func FuzzResolve(f *testing.F) {
	o := remotetest.NewOrigin(f)
	first := o.Commit("one", map[string]string{"a.txt": "a\n"})
	m := openMirror(f, &Mirrors{}, remote.Remote{Name: "shop", URL: o.Dir})
	for _, seed := range []string{
		"", "main", first, first[:7], "HEAD", "refs/heads/main", "main~1", "--help", "../x", "main\x00", "v1",
		strings.Repeat("0", 40),
	} {
		f.Add(seed, "a.txt")
	}
	f.Add("main", "../a.txt")
	f.Fuzz(func(t *testing.T, name, path string) {
		got, err := m.Commits().Resolve(name)
		if err == nil {
			require.Equal(t, first, got)
		} else {
			require.NotContains(t, err.Error(), "\n")
		}
		if text, err := m.Commits().ReadFile(first, path); err == nil {
			require.Equal(t, "a\n", string(text))
			require.Equal(t, "a.txt", filepath.Clean(path))
		}
	})
}

// FuzzFolderName checks that the folder of a mirror is a single path element, and the same with and
// without a password in the URL.
func FuzzFolderName(f *testing.F) {
	for _, seed := range []string{
		"https://me:hunter2@host/x.git", "https://hunter2@host/x", "http://a:b@c@d/e",
		"git@github.com:acme/shop.git", "ssh://git@h/x", "file:///srv/x", "/srv/x", "https://h/%zz",
		"https://a b/", "://", "",
	} {
		f.Add("shop", seed)
	}
	f.Add("../..", "https://h/x")
	f.Fuzz(func(t *testing.T, name, address string) {
		folder := folderName(remote.Remote{Name: name, URL: address})
		require.True(t, filepath.IsLocal(folder) && filepath.Base(folder) == folder, "%q", folder)
		require.Equal(t, folder, folderName(remote.Remote{Name: name, URL: remote.Redact(address)}))
	})
}

// FuzzSubmodule checks that whatever address a repository names for a submodule, only the host of the
// repository's own remote is contacted.
func FuzzSubmodule(f *testing.F) {
	for _, seed := range []string{
		"../lib.git", "https://git.example.com/a/lib", "git@git.example.com:a/lib.git", "ext::sh -c id",
		"file:///etc", "https://evil.example/lib", "https://git.example.com@evil.example/x", "../../../../x",
		"ssh://git.example.com:22/a", "https://git.example.com\\@evil.example/", "//evil.example/x",
	} {
		f.Add(seed)
	}
	own := remote.Remote{Name: "shop", URL: "https://git.example.com/acme/shop.git"}
	f.Fuzz(func(t *testing.T, address string) {
		r, _, refused := resolveSubmodule(own, address)
		if refused != "" {
			require.NotContains(t, refused, "\n")
			return
		}
		u, err := url.Parse(r.URL)
		require.NoError(t, err)
		require.Equal(t, "git.example.com", u.Host)
		require.Equal(t, "https", u.Scheme)
	})
}

// FuzzLFS checks that whatever a repository says of Git LFS is read without a panic, that each file that is
// kept there has a name for its object, and that only the host of the remote counts as the repository's own.
func FuzzLFS(f *testing.F) {
	f.Add("*.bin filter=lfs diff=lfs\n\"a b\" -filter\n[[:space:]][ filter=lfs", remotetest.Pointer("x"),
		"[lfs]\n\turl = https://git.example.com/lfs\n")
	f.Add("data/** filter=lfs", "version https://git-lfs.github.com/spec/v1\nsize 9999999999999999999\n",
		"[lfs]\nurl = https://git.example.com@evil.example/")
	of := remote.Remote{URL: "https://git.example.com/acme/shop.git"}
	f.Fuzz(func(t *testing.T, attributes, pointer, config string) {
		files := fstest.MapFS{}
		paths := []string{".gitattributes", ".lfsconfig", "data/.gitattributes", "data/a.bin", "b.bin"}
		for i, text := range []string{attributes, config, attributes, pointer, pointer} {
			files[paths[i]] = &fstest.MapFile{Data: []byte(text)}
		}
		found, err := FindLFS(t.Context(), files, paths)
		require.NoError(t, err)
		for _, kept := range found.Files {
			require.Regexp(t, "^[0-9a-f]{64}$", kept.OID)
			require.GreaterOrEqual(t, kept.Size, int64(0))
		}
		at, own, refused := found.Server(of)
		require.NotContains(t, refused, "\n")
		if own {
			require.Equal(t, "git.example.com", strings.ToLower(at.Hostname()))
			require.Equal(t, "https", at.Scheme)
		}
	})
}
