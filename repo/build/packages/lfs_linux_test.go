package packages

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/build/proxy"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// An lfsLab is a repository with Git LFS at a server that demands a login, and a network with other hosts.
type lfsLab struct {
	origin  *remotetest.Origin
	server  *remotetest.LFS
	network *packagestest.Registry
	fetcher *Fetcher
	job     Job
}

// newLFS serves the repository with these files, of which those named *.bin are kept in LFS.
func newLFS(t *testing.T, server *remotetest.LFS, tree files) *lfsLab {
	t.Helper()
	l := &lfsLab{origin: remotetest.NewOrigin(t), server: server, network: packagestest.New(t)}
	tree[".gitattributes"] = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
	commit := l.origin.Commit("a tree", tree)
	of := remote.Remote{
		Name: "shop", URL: l.origin.ServeLFS(token, server), Credentials: remote.Token{Value: token},
	}
	mirrors := &git.Mirrors{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { mirrors.Close() })
	mirror, err := mirrors.Open(t.Context(), of)
	require.NoError(t, err)
	l.fetcher = &Fetcher{Sandbox: box(t), Network: l.network, Roots: l.network.Roots()}
	l.job = Job{
		Commits: mirror.Commits(), Commit: commit, Remote: of, Dir: filepath.Join(t.TempDir(), "packages"),
	}
	return l
}

// fetch returns the packages, and for each example of missing files how many they are and why.
func (l *lfsLab) fetch(t *testing.T) (*Packages, map[string]string) {
	t.Helper()
	p, err := l.fetcher.Fetch(t.Context(), l.job)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	why := map[string]string{}
	if p != nil {
		for _, m := range p.Missing {
			require.NotContains(t, m.Error(), token)
			require.NotContains(t, m.Error(), "\n")
			why[m.LFSExample] = fmt.Sprintf("%d, %s: %s", m.LFSFiles, m.Host, m.Why)
		}
	}
	return p, why
}

// Commands see the content of files that LFS keeps, read-only, where the tree has their pointers, and the
// tree itself keeps the pointers. What is cached is not asked for again. Control: without the token nothing
// is there.
func TestLFS(t *testing.T) {
	t.Parallel()
	server := &remotetest.LFS{}
	big := strings.Repeat("big ", 100_000)
	tree := files{
		"a.bin": server.Add("content a\n"), "data/b.bin": server.Add(big),
		"data/run.bin*": server.Add("#!/bin/sh\n"),
		"copy.bin":      server.Add("content a\n"), "real.bin": "not in LFS\n",
	}
	l := newLFS(t, server, tree)
	p, why := l.fetch(t)
	require.Empty(t, why)
	n, bytes, example := p.LFSFiles()
	require.Equal(t, 4, n)
	require.Equal(t, int64(len(big)+2*len("content a\n")+len("#!/bin/sh\n")), bytes)
	require.Equal(t, "a.bin", example)
	require.Len(t, server.Asked(), 3)

	now := files{
		"a.bin": tree["a.bin"], "data/b.bin": tree["data/b.bin"], "real.bin": tree["real.bin"],
		"data/run.bin": tree["data/run.bin*"],
		"copy.bin":     tree["data/b.bin"], // the tree has another pointer there than the commit
	}
	out, err := run(t, l.fetcher.Sandbox, p, now, "cat a.bin real.bin; wc -c <data/b.bin; "+
		"head -c 7 copy.bin; "+
		"test -x data/run.bin && ! echo x 2>/dev/null >a.bin && ! rm a.bin 2>/dev/null; echo; ls")
	require.NoError(t, err, out)
	require.Equal(t, "content a\nnot in LFS\n400000\nversion\na.bin\ncopy.bin\ndata\nreal.bin\n", out)

	require.NotEmpty(t, p.Key())
	again, _ := l.fetch(t)
	require.Equal(t, p.Key(), again.Key())
	require.Len(t, server.Asked(), 3, "they are cached")

	// A link on the way to a file is not followed.
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "other"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other", "b.bin"), []byte(tree["data/b.bin"]), 0o644))
	require.NoError(t, os.Symlink("other", filepath.Join(dir, "data")))
	mounts, _ := p.Mounts(dir)
	require.Empty(t, mounts)

	// Too many files are shown by folders that have nothing else.
	l.fetcher.lfsShown = 2
	_, why = l.fetch(t)
	require.Equal(t, map[string]string{
		"copy.bin": "1, : commands see 2 files and folders of them at most",
	}, why)
	l.fetcher.lfsShown = 3
	folders, why := l.fetch(t)
	require.Empty(t, why)
	require.Len(t, folders.sets[0].folders, 1)
	out, err = run(t, l.fetcher.Sandbox, folders, now,
		"cat a.bin; ls data; wc -c <data/b.bin; ! touch data/x")
	require.NoError(t, err, out)
	require.Contains(t, out, "content a\nb.bin\nrun.bin\n400000\n")
	now["data/new.txt"] = "an agent added this\n"
	out, err = run(t, l.fetcher.Sandbox, folders, now, "ls data; wc -c <data/b.bin; touch data/x")
	require.NoError(t, err, out)
	require.Equal(t, "b.bin\nnew.txt\nrun.bin\n400000\n", out)

	l.job.Remote.Credentials = nil
	l.job.Dir = filepath.Join(t.TempDir(), "without")
	_, why = l.fetch(t)
	require.Equal(t, map[string]string{"a.bin": "4, 127.0.0.1: it asks for a login"}, why)
}

// Each object that cannot be had is named with the reason, and the others are there. No host but the
// repository's own gets its token, nor the headers that were named for another host.
func TestLFSHostile(t *testing.T) {
	t.Parallel()
	var contacted atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		contacted.Add(1)
	}))
	t.Cleanup(evil.Close)
	server := &remotetest.LFS{Places: map[string]remotetest.LFSPlace{}}
	tree := files{"good.bin": server.Add("good\n"), "gone.bin": remotetest.Pointer("gone\n")}
	place := func(name, href string) {
		tree[name] = remotetest.Pointer(name)
		server.Places[remotetest.OID(name)] = remotetest.LFSPlace{
			Href: href, Header: map[string]string{"X-Pass": "of " + name, "Authorization": "Of " + name},
		}
	}
	other := "https://" + packagestest.Host
	place("away.bin", other+"/away")
	place("moved.bin", other+"/moved")
	place("loop.bin", evil.URL+"/x")
	place("inside.bin", "https://"+packagestest.Inside+"/x")
	place("private.bin", "https://"+packagestest.Private+"/x")
	place("numbers.bin", "https://10.1.2.3/x")
	place("file.bin", "file:///etc/passwd")
	place("nowhere.bin", "")
	place("missing.bin", other+"/none")
	for name, content := range map[string]string{
		"wrong.bin": "WRONG.BIN", "long.bin": "long.bin and more", "short.bin": "short",
	} {
		tree[name] = remotetest.Pointer(name)
		server.Replace(remotetest.OID(name), content)
	}
	tree["huge.bin"] = strings.Replace(remotetest.Pointer("huge"), "size 4", "size 3000000000", 1)
	l := newLFS(t, server, tree)
	sent := map[string]http.Header{}
	give := func(path, content string) {
		l.network.Mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			sent[r.Host+path] = r.Header
			_, _ = w.Write([]byte(content))
		})
	}
	give("/away", "away.bin")
	give("/end", "moved.bin")
	l.network.Redirect("/moved", "https://"+packagestest.Elsewhere+"/end")

	p, why := l.fetch(t)
	const own = "1, 127.0.0.1: "
	require.Equal(t, map[string]string{
		"gone.bin":   own + "it answers 404: Object does not exist",
		"loop.bin":   own + "it sends us to " + evil.URL + ", and another host is asked over https only",
		"file.bin":   own + "the address that it names cannot be read",
		"inside.bin": "1, " + packagestest.Inside + ": its address 127.0.0.1 is this machine itself",
		"private.bin": "1, " + packagestest.Private + ": its address 10.9.8.7 is in a private network; " +
			"name the host under setup.private if that is meant",
		"numbers.bin": "1, 10.1.2.3: it is an address in numbers; a name is expected",
		"nowhere.bin": own + "it does not say where they are",
		"missing.bin": "1, " + packagestest.Host + ": it answered 404 Not Found",
		"wrong.bin":   own + "what it sent is not what the pointer names: another SHA-256",
		"long.bin":    own + "what it sent is not what the pointer names: more than 8 bytes",
		"short.bin":   own + "what it sent is not what the pointer names: 5 of 9 bytes",
		"huge.bin":    "1, : more than 2 GB each",
	}, why)
	n, _, _ := p.LFSFiles()
	require.Equal(t, 3, n)
	require.Len(t, p.Absent(), len(why))
	require.Contains(t, p.Absent(), "gone.bin")
	require.Zero(t, contacted.Load())
	require.Equal(t, "of away.bin", sent[packagestest.Host+"/away"].Get("X-Pass"))
	require.Equal(t, "Of away.bin", sent[packagestest.Host+"/away"].Get("Authorization"))
	require.Contains(t, sent, packagestest.Elsewhere+"/end")
	require.Empty(t, sent[packagestest.Elsewhere+"/end"].Values("X-Pass"))
	require.Empty(t, sent[packagestest.Elsewhere+"/end"].Values("Authorization"))
	for _, r := range l.network.Sent() {
		require.NotContains(t, r.Authorization, "Basic")
	}
	left, err := os.ReadDir(filepath.Join(l.job.Dir, lfsDir))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing half stays")

	// The control: a client that takes every address of the answer contacts them, with what it sends.
	res, err := http.Get(server.Places[remotetest.OID("loop.bin")].Href)
	require.NoError(t, err)
	res.Body.Close()
	require.NotZero(t, contacted.Load())
}

// Another server is asked only if the configuration names its host, with the login for it; nobody follows a
// redirect with a login; and a server that falls silent is given up.
func TestLFSServers(t *testing.T) {
	t.Parallel()
	const other = packagestest.Host
	lfsconfig := "[lfs]\n\turl = https://" + other + "/lfs\n"
	server := &remotetest.LFS{}
	l := newLFS(t, server, files{"a.bin": server.Add("a"), ".lfsconfig": lfsconfig})
	_, why := l.fetch(t)
	require.Equal(t, map[string]string{
		"a.bin": "1, " + other + ": lfs.url of `.lfsconfig` names another host than the repository's, " +
			"which is not asked",
	}, why)
	require.Empty(t, l.network.Sent())

	l.job.Config.Logins = []proxy.Login{{
		Host: other, Token: "other-" + token, Name: "the token in LFS_TOKEN",
	}}
	_, why = l.fetch(t)
	require.Contains(t, why["a.bin"], "there is no server for Git LFS")
	require.Len(t, l.network.Sent(), 1)
	require.True(t, strings.HasPrefix(l.network.Sent()[0].Authorization, "Basic "))
	require.NotEqual(t, basic(remote.BasicUser), l.network.Sent()[0].Authorization)
	require.Empty(t, server.Asked())

	var contacted atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		contacted.Add(1)
	}))
	t.Cleanup(func() {
		evil.Close()
		require.Zero(t, contacted.Load())
	})
	at, err := url.Parse(evil.URL)
	require.NoError(t, err)
	const again = "nothing is lost; the next session tries again"
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the client is gone
		<-r.Context().Done()
	}
	for _, c := range []struct {
		name, why string
		answer    http.HandlerFunc
	}{
		{
			"redirect", "it sends us to " + at.Host + ", and what asks with a login follows no redirect",
			func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, evil.URL+"/x", http.StatusTemporaryRedirect)
			},
		},
		{"silent", "it fell silent", hang},
		{"page", "what answers there does not speak Git LFS", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>sign in</html>"))
		}},
		{"transfer", `it offers only the transfer "tus"`, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"transfer":"tus","objects":[]}`))
		}},
		{"echo", "it answered 418 I'm a teapot", func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization")+token, http.StatusTeapot)
		}},
		{"forbidden", "the token may not read there", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := &remotetest.LFS{Batch: c.answer}
			l := newLFS(t, server, files{"a.bin": server.Add("a"), "b.bin": server.Add("b")})
			if c.name == "silent" {
				l.fetcher.silence = 50 * time.Millisecond
			}
			_, why := l.fetch(t)
			require.Equal(t, map[string]string{"a.bin": "2, 127.0.0.1: " + c.why}, why)
		})
	}
	t.Run("half", func(t *testing.T) {
		t.Parallel()
		server := &remotetest.LFS{Object: func(w http.ResponseWriter, r *http.Request, content []byte) {
			w.Header().Set("Content-Length", "5")
			_, _ = w.Write(content[:2])
			w.(http.Flusher).Flush()
			hang(w, r)
		}}
		l := newLFS(t, server, files{"a.bin": server.Add("hello")})
		l.fetcher.silence = time.Second
		p, why := l.fetch(t)
		require.Equal(t, map[string]string{"a.bin": "1, 127.0.0.1: it fell silent"}, why)
		require.Equal(t, again, p.Missing[0].Cure)
	})
}
