// Package packagestest is a network for the tests of programs that fetch packages: one host with a
// real HTTP server behind it, which is also a module proxy, and nothing else.
package packagestest

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"testing"
)

// Host is the one host that answers. Elsewhere answers like it, and is to be allowed by
// nobody; Inside is at an address of the machine itself, and Private in a private network.
const (
	Host      = "packages.example"
	Elsewhere = "evil.example"
	Inside    = "inside.example"
	Private   = "private.example"
)

// addresses are what the names answer to; the network leads all of them to the server.
var addresses = map[string]string{Host: "198.41.0.4", Elsewhere: "198.41.0.66", Inside: "127.0.0.1", Private: "10.9.8.7"}

// A Registry is the network with its server. Its module proxy at /go has
// example.com/greet v1.0.0, which is nowhere else.
type Registry struct {
	Mux *http.ServeMux

	server *httptest.Server
	secure *httptest.Server // the same on port 443, with a certificate that nobody knows

	mu      sync.Mutex
	given   map[string][]byte
	asked   []string
	dialled []string
	reached func(context.Context)
}

// New starts it for as long as the test runs.
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

// Give offers a file, or another in the place of one that was there.
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

// Reached has f called with each request, before it is answered; nil ends that.
func (r *Registry) Reached(f func(context.Context)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = f
}

// Asked are the paths that were asked for.
func (r *Registry) Asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

// Dialled are the addresses that were dialled.
func (r *Registry) Dialled() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.dialled)
}

// Resolve knows the names above.
func (r *Registry) Resolve(_ context.Context, host string) ([]netip.Addr, error) {
	if a, ok := addresses[host]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, errors.New("no such host")
}

// Dial leads to the server.
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

// Mirrors is how an operator names the server as his mirror of the module proxy.
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

// Require is the line of a go.mod that needs the module.
func Require() string { return "require example.com/greet v1.0.0\n" }

// Sums is the go.sum of whoever needs the module.
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

// Files are a module that needs the other.
func Files() map[string]string {
	return map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.24\n\n" + Require(),
		"go.sum": Sums(),
		"a.go":   "package shop\n\nimport \"example.com/greet\"\n\nconst Hello = greet.Hello\n",
	}
}
