// Package packagestest provides a fake network for tests of programs that fetch packages. All its hosts lead
// to one real HTTP server, which is also a Go module proxy.
package packagestest

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
	"slices"
	"strings"
	"sync"
	"testing"
)

// Host is the host of the registry. Elsewhere leads to the same server, but is not allowed by default. Inside
// has a loopback address, and Private an address in a private network.
const (
	Host      = "packages.example"
	Elsewhere = "evil.example"
	Inside    = "inside.example"
	Private   = "private.example"
)

// addresses maps the hosts to the addresses that they resolve to. Dial connects all of them with the server.
var addresses = map[string]string{Host: "198.41.0.4", Elsewhere: "198.41.0.66", Inside: "127.0.0.1", Private: "10.9.8.7"}

// A Registry is the fake network with its server. Its module proxy at /go has the module example.com/greet
// v1.0.0, which exists nowhere else.
type Registry struct {
	Mux *http.ServeMux

	server *httptest.Server
	secure *httptest.Server // the same server over TLS, for port 443; its certificate is not trusted

	mu      sync.Mutex
	given   map[string][]byte
	asked   []string
	dialled []string
	reached func(context.Context)
}

// New starts a Registry. It is closed at the end of the test.
func New(t testing.TB) *Registry {
	t.Helper()
	r := &Registry{Mux: http.NewServeMux(), given: map[string][]byte{}}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	r.secure = httptest.NewTLSServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() { r.server.Close(); r.secure.Close() })
	archive, err := moduleZip()
	if err != nil {
		t.Fatal(err)
	}
	r.Give("/go/example.com/greet/@v/v1.0.0.info", []byte(`{"Version":"v1.0.0"}`))
	r.Give("/go/example.com/greet/@v/v1.0.0.mod", []byte(module[0].text))
	r.Give("/go/example.com/greet/@v/v1.0.0.zip", archive)
	return r
}

func (r *Registry) serve(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.asked = append(r.asked, req.URL.Path)
	reached := r.reached
	r.mu.Unlock()
	if reached != nil {
		reached(req.Context())
	}
	r.Mux.ServeHTTP(w, req)
}

// Give serves body at path, and replaces what was served there before.
func (r *Registry) Give(path string, body []byte) {
	r.mu.Lock()
	_, known := r.given[path]
	r.given[path] = body
	r.mu.Unlock()
	if !known {
		r.Mux.HandleFunc("GET "+path, r.serveGiven)
	}
}

func (r *Registry) serveGiven(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	body := r.given[req.URL.Path]
	r.mu.Unlock()
	_, _ = w.Write(body)
}

// Reached makes the server call f with the context of each request before it responds; nil stops that.
func (r *Registry) Reached(f func(context.Context)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = f
}

// Asked returns the paths of all requests.
func (r *Registry) Asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

// Dialled returns the addresses of all connections.
func (r *Registry) Dialled() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.dialled)
}

// Resolve returns the address of one of the hosts above, and an error for other hosts.
func (r *Registry) Resolve(_ context.Context, host string) ([]netip.Addr, error) {
	if a, ok := addresses[strings.TrimSuffix(host, ".")]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// Dial connects with the server, whatever the address.
func (r *Registry) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	r.mu.Lock()
	r.dialled = append(r.dialled, to.String())
	r.mu.Unlock()
	real := r.server
	if to.Port() == 443 {
		real = r.secure
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", real.Listener.Addr().String())
}

// Mirrors returns the environment with which an operator uses the server as a mirror of the module proxy.
func Mirrors() []string {
	return []string{"GOPROXY=http://" + Host + "/go", "GONOSUMDB=*"}
}

type file struct{ name, text string }

var module = []file{
	{"go.mod", "module example.com/greet\n\ngo 1.24\n"},
	{"greet.go", "// Package greet is polite.\npackage greet\n\n// Hello is what one says.\nconst Hello = \"hello\"\n"},
}

func moduleZip() ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range module {
		w, err := z.Create("example.com/greet@v1.0.0/" + f.name)
		if err != nil {
			return nil, err
		}
		_, _ = w.Write([]byte(f.text))
	}
	err := z.Close()
	return out.Bytes(), err
}

// Require returns the line of a go.mod that requires the module.
func Require() string { return "require example.com/greet v1.0.0\n" }

// Sums returns the go.sum of a module that requires the module.
func Sums() string {
	h1 := func(text string) string {
		h := sha256.Sum256([]byte(text))
		return "h1:" + base64.StdEncoding.EncodeToString(h[:])
	}
	var all string
	for _, f := range module {
		all += fmt.Sprintf("%x  example.com/greet@v1.0.0/%s\n", sha256.Sum256([]byte(f.text)), f.name)
	}
	own := fmt.Sprintf("%x  go.mod\n", sha256.Sum256([]byte(module[0].text)))
	return "example.com/greet v1.0.0 " + h1(all) + "\nexample.com/greet v1.0.0/go.mod " + h1(own) + "\n"
}

// Files returns the files of a module that requires the module.
func Files() map[string]string {
	return map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.24\n\n" + Require(),
		"go.sum": Sums(),
		"a.go":   "package shop\n\nimport \"example.com/greet\"\n\nconst Hello = greet.Hello\n",
	}
}
