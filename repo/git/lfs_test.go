package git_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func TestPointers(t *testing.T) {
	t.Parallel()
	good := remotetest.Pointer("hello\n")
	oid, size, ok := git.ParsePointer([]byte(good))
	require.True(t, ok)
	require.Equal(t, remotetest.OID("hello\n"), oid)
	require.Equal(t, int64(6), size)
	for _, text := range []string{
		"", "hello\n", "version https://git-lfs.github.com/spec/v2\n" + good, good[1:],
		"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n",
		"version https://git-lfs.github.com/spec/v1\noid sha256:" + oid + "\nsize -3\n",
		"version https://git-lfs.github.com/spec/v1\next-0-fold sha256:" + oid + "\noid sha256:" + oid +
			"\nsize 3\n",
	} {
		_, _, ok := git.ParsePointer([]byte(text))
		require.False(t, ok, text)
	}
}

func TestFindLFS(t *testing.T) {
	t.Parallel()
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	pointer := text(remotetest.Pointer("x"))
	files := fstest.MapFS{
		".gitattributes": text("*.psd filter=lfs diff=lfs\n# *.png filter=lfs\n*.go text\n" +
			"my[[:space:]]file.bin filter=lfs\n\"a b.dat\" filter=lfs\n/top.bin filter=lfs\n"),
		"data/.gitattributes": text("big/*.bin filter=lfs\n*.psd !filter\n"),
		".lfsconfig":          text("[lfs]\n\turl = https://lfs.example/x\n"),
		"a.psd":               pointer, "deep/er/b.psd": pointer, "real.psd": text("8BPS"), "c.png": pointer,
		"my file.bin": pointer, "a b.dat": pointer, "top.bin": pointer, "deep/top.bin": pointer,
		"data/big/d.bin": pointer, "data/d.bin": pointer, "data/e.psd": pointer, "big/d.bin": pointer,
	}
	var paths []string
	for name := range files {
		paths = append(paths, name)
	}
	found, err := git.FindLFS(t.Context(), files, paths)
	require.NoError(t, err)
	var got []string
	for _, f := range found.Files {
		got = append(got, f.Path)
	}
	require.ElementsMatch(t, []string{
		"a.psd", "deep/er/b.psd", "my file.bin", "a b.dat", "top.bin", "data/big/d.bin",
	}, got)
	require.Equal(t, "https://lfs.example/x", found.URL)
}

// The server is that of the remote, or another one at its host. Any other host is not the repository's own.
func TestLFSServer(t *testing.T) {
	t.Parallel()
	const shop = "https://git.example/team/shop.git"
	for _, c := range []struct{ remote, url, want, refused string }{
		{shop, "", "own https://git.example/team/shop.git/info/lfs", ""},
		{"https://u:p@git.example/team/shop", "", "own https://git.example/team/shop.git/info/lfs", ""},
		{shop, "https://git.example/lfs", "own https://git.example/lfs", ""},
		{shop, "https://GIT.example/lfs?x#y", "own https://GIT.example/lfs", ""},
		{shop, "http://git.example/lfs", "http://git.example/lfs", ""},
		{shop, "https://git.example:8443/lfs", "https://git.example:8443/lfs", ""},
		{shop, "https://git.example@evil.example/lfs", "https://evil.example/lfs", ""},
		{shop, "https://evil.example/", "https://evil.example/", ""},
		{
			"git@git.example:team/shop.git", "", "",
			"the repository is fetched over ssh, and objects come over https only",
		},
		{"/srv/shop", "", "", "only objects of a repository at a host are fetched"},
		{
			shop, "file:///etc", "",
			"lfs.url of `.lfsconfig`: its address is a folder of the machine that I run on",
		},
		{
			shop, "ssh://git.example/x", "",
			"lfs.url of `.lfsconfig` is for ssh, and objects come over https only",
		},
	} {
		at, own, refused := git.LFS{URL: c.url}.Server(remote.Remote{URL: c.remote})
		require.Equal(t, c.refused, refused, c)
		if refused != "" {
			continue
		}
		got := at.String()
		if own {
			got = "own " + got
		}
		require.Equal(t, c.want, got, c)
	}
}
