package packages

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// pinned commits a file README, .gitmodules, and pins in the folder "lib" of the origin's top folder, and
// returns the commit.
func pinned(o *remotetest.Origin, modules string, pins ...[2]string) string {
	blob := func(text string) plumbing.Hash { return o.RawObject(plumbing.BlobObject, []byte(text)) }
	var lines []remotetest.RawLine
	for _, pin := range pins {
		lines = append(lines, remotetest.RawLine{
			Mode: filemode.Submodule, Name: pin[0], Hash: plumbing.NewHash(pin[1]),
		})
	}
	return o.RawCommit(o.RawTree(
		remotetest.RawLine{Mode: filemode.Regular, Name: ".gitmodules", Hash: blob(modules)},
		remotetest.RawLine{Mode: filemode.Regular, Name: "README", Hash: blob("read me\n")},
		remotetest.RawLine{Mode: filemode.Dir, Name: "lib", Hash: o.RawTree(lines...)},
	))
}

func module(path, address string) string {
	return fmt.Sprintf("[submodule %q]\n\tpath = %s\n\turl = %s\n", path, path, address)
}

// beside moves a repository beside another one, so that they are at the same host.
func beside(t *testing.T, o, other *remotetest.Origin, name string) {
	t.Helper()
	require.NoError(t, os.Rename(other.Dir, filepath.Join(filepath.Dir(o.Dir), name)))
}

// Submodules are there at their pins, and those in them, read-only, by the credential of the repository. What
// is at another host is named, and nothing is contacted. Controls: without the token nothing is there;
// without the guard the other host is contacted.
func TestSubmodules(t *testing.T) {
	t.Parallel()
	s := box(t)
	var contacted atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		contacted.Add(1)
	}))
	t.Cleanup(evil.Close)

	inner := remotetest.NewOrigin(t)
	innerPin := inner.Commit("inner", map[string]string{"inner.txt": "inner\n"})
	lib := remotetest.NewOrigin(t)
	libPin := pinned(lib, module("lib/inner", "../inner.git")+module("lib/lost", evil.URL+"/lost.git"),
		[2]string{"inner", innerPin}, [2]string{"lost", innerPin})
	lib.Commit("newer", map[string]string{"later.txt": "not yet\n"})
	shop := remotetest.NewOrigin(t)
	commit := pinned(shop, module("lib/a", "../lib.git")+module("lib/evil", evil.URL+"/x.git")+
		module("lib/ext", "ext::sh -c id")+module("lib/gone", "../gone.git"),
		[2]string{"a", libPin}, [2]string{"evil", innerPin}, [2]string{"ext", innerPin},
		[2]string{"gone", innerPin}, [2]string{"none", innerPin})
	beside(t, shop, inner, "inner.git")
	beside(t, shop, lib, "lib.git")
	address := shop.ServeHTTP(token)
	at, err := url.Parse(address)
	require.NoError(t, err)
	host := at.Hostname()

	of := remote.Remote{Name: "shop", URL: address, Credentials: remote.Token{Value: token}}
	mirrors := &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { mirrors.Close() })
	mirror, err := mirrors.Open(t.Context(), of)
	require.NoError(t, err)
	f := &Fetcher{Sandbox: s, Mirrors: mirrors}
	j := Job{
		Commits: mirror.Commits(), Commit: commit, Remote: of, Dir: filepath.Join(t.TempDir(), "packages"),
	}
	p, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	defer p.Close()
	require.Equal(t, []string{"lib/a"}, p.Submodules())
	why := map[string]string{}
	for _, m := range p.Missing {
		why[m.Submodule] = m.Why
	}
	other := "it is at another host than the repository, and only those at " + host + " are fetched"
	require.Equal(t, map[string]string{
		"lib/a/lib/lost": other, "lib/evil": other, "lib/ext": "its address is not of https or ssh",
		"lib/gone": "there is no such repository, or no right to see it",
		"lib/none": "`.gitmodules` has no address for it",
	}, why)
	require.Zero(t, contacted.Load())

	tree := files{"README": "", "lib/a/.keep": ""}
	out, err := run(t, s, p, tree, "cd lib/a && cat README lib/inner/inner.txt && ls && "+
		"! touch x 2>/dev/null && ! rm README 2>/dev/null && ls lib/lost")
	require.NoError(t, err, out)
	require.Equal(t, "read me\ninner\nREADME\nlib\n", out)

	// Fetched once: the repository of the submodule is not needed any more.
	require.NoError(t, os.RemoveAll(filepath.Join(filepath.Dir(shop.Dir), "lib.git")))
	again, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, p.Key(), again.Key())

	// The controls.
	f.Mirrors = &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { f.Mirrors.Close() })
	j.Remote.Credentials = nil
	j.Dir = filepath.Join(t.TempDir(), "without")
	without, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	require.Empty(t, without.Submodules())
	require.Equal(t, "the remote asks for a token or password", without.Missing[0].Why)
	_, err = f.Mirrors.Open(t.Context(), remote.Remote{Name: "x", URL: evil.URL + "/x.git"})
	require.Error(t, err)
	require.NotZero(t, contacted.Load())
}
