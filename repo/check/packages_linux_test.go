package check

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/setup"
)

// modules is a module proxy that has example.com/greet v1.0.0, and the network that it is alone in.
type modules struct{ *httptest.Server }

func (modules) Resolve(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("198.41.0.4")}, nil
}

func (m modules) Dial(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", m.Listener.Addr().String())
}

// greets starts it, and gives the files of a repository that needs the module.
func greets(t *testing.T) (modules, files) {
	t.Helper()
	const mod, code = "module example.com/greet\n\ngo 1.24\n", "package greet\n\nconst Hello = 1\n"
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	var sums string
	for _, f := range [][2]string{{"go.mod", mod}, {"greet.go", code}} {
		name := "example.com/greet@v1.0.0/" + f[0]
		w, err := z.Create(name)
		require.NoError(t, err)
		_, _ = w.Write([]byte(f[1]))
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(f[1])), name)
	}
	require.NoError(t, z.Close())
	mux := http.NewServeMux()
	for path, body := range map[string]string{".info": `{"Version":"v1.0.0"}`, ".mod": mod, ".zip": archive.String()} {
		mux.HandleFunc("GET /example.com/greet/@v/v1.0.0"+path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	h1 := func(text string) string {
		h := sha256.Sum256([]byte(text))
		return "h1:" + base64.StdEncoding.EncodeToString(h[:])
	}
	return modules{server}, files{
		"go.mod": "module example.com/shop\n\ngo 1.24\n\nrequire example.com/greet v1.0.0\n",
		"go.sum": "example.com/greet v1.0.0 " + h1(sums) + "\nexample.com/greet v1.0.0/go.mod " + h1(fmt.Sprintf("%x  go.mod\n", sha256.Sum256([]byte(mod)))) + "\n",
		"a.go":   "package shop\n\nimport \"example.com/greet\"\n\nconst Hello = greet.Hello\n",
	}
}

// A repository whose module is nowhere on this machine builds once its packages were
// fetched, in every way that commands are run here.
func TestPackagesAreSeenByAllThatRuns(t *testing.T) {
	t.Parallel()
	can(t, "go version")
	network, tree := greets(t)
	m, commits := mirrorOf(t, tree)
	c := checker(t)
	c.ModuleCache = "-"
	c.Setup = &setup.Fetcher{Sandbox: c.Sandbox, Network: network}
	p := Project{Kind: "go", Build: "go build ./..."}

	r, err := c.Baseline(t.Context(), m, commits[0], p)
	require.NoError(t, err)
	require.False(t, r.BuildOK, "the control: without them it fails")
	require.Contains(t, r.BuildOutput, "example.com/greet")

	bound := c.For(m)
	have, err := bound.Fetch(t.Context(), m, commits[0], setup.Config{Env: []string{"GOPROXY=http://modules.example", "GONOSUMDB=*"}}, nil)
	require.NoError(t, err)
	require.NotNil(t, have)
	defer have.Close()
	bound.Use(have)
	r, err = bound.Baseline(t.Context(), m, commits[0], p)
	require.NoError(t, err)
	require.True(t, r.BuildOK, "what was remembered without them does not stand: %s", r.BuildOutput)
	require.True(t, run(t, bound, tree, p).BuildOK)
	require.False(t, run(t, c.For(m), tree, p).BuildOK)

	inScratch := func(line string) error {
		files := ownTree(t, tree)
		cmd := c.Sandbox.Command(files, "sh", "-c", line)
		cmd.Mounts, cmd.Env, err = bound.Scratch(m, files, filepath.Join(t.TempDir(), "scratch"))
		require.NoError(t, err)
		return cmd.Run(t.Context())
	}
	require.NoError(t, inScratch("go build ./..."))
	require.Error(t, inScratch("touch $GOMODCACHE/x"))
	require.Error(t, inScratch("GOPROXY=http://modules.example go mod download example.com/other@v1.0.0"))

	// Cleaning leaves them alone while they are used.
	dir, err := c.repository(m)
	require.NoError(t, err)
	kept := func() int { return len(setup.List(filepath.Join(dir, packagesDir))) }
	require.Equal(t, 1, kept())
	shelves := []*shelf{{dir: dir, keep: CacheKeep{Bytes: 1}, free: true}}
	_, err = shrink(shelves, CacheKeep{Bytes: 1})
	require.NoError(t, err)
	require.Equal(t, 1, kept())
	have.Close()
	gone, err := shrink(shelves, CacheKeep{Bytes: 1})
	require.NoError(t, err)
	require.Zero(t, kept())
	require.Len(t, gone, 1)
	require.Contains(t, gone[0].Why, "packages")
}
