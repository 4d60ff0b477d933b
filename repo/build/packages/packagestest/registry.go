// Package packagestest provides a fake network for tests of programs that fetch packages. All its hosts lead
// to one real HTTP server, which is also a Go module proxy.
package packagestest

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
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
var addresses = map[string]string{
	Host:      "198.41.0.4",
	Elsewhere: "198.41.0.66",
	Inside:    "127.0.0.1",
	Private:   "10.9.8.7",
}

// A Registry is the fake network with its server. Its module proxy at /go has the module example.com/greet
// v1.0.0, which exists nowhere else.
type Registry struct {
	Mux *http.ServeMux

	server *httptest.Server
	secure *httptest.Server // the same server over TLS, for port 443; only Roots trusts its certificate
	roots  *x509.CertPool

	mu      sync.Mutex
	given   map[string][]byte
	asked   []string
	dialled []string
	reached func(context.Context)
	demands map[string]string

	redirects map[string]string
	sent      []Request
}

// A Request is a request that the server received.
type Request struct{ Host, Path, Authorization string }

// New starts a Registry. It is closed at the end of the test.
func New(t testing.TB) *Registry {
	t.Helper()
	r := &Registry{Mux: http.NewServeMux(), given: map[string][]byte{}}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	r.secure = httptest.NewUnstartedServer(http.HandlerFunc(r.serve))
	r.roots = x509.NewCertPool()
	certificate, err := newCertificate(r.roots)
	if err != nil {
		t.Fatal(err)
	}
	r.secure.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	r.secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
	r.secure.StartTLS()
	t.Cleanup(func() {
		r.server.Close()
		r.secure.Close()
	})
	archive, err := moduleZip("v1.0.0", module)
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
	login := req.Header.Get("Authorization")
	r.sent = append(r.sent, Request{req.Host, req.URL.Path, login})
	demanded := ""
	for prefix, header := range r.demands {
		if strings.HasPrefix(req.URL.Path, prefix) && header != login {
			demanded = prefix
		}
	}
	elsewhere := r.redirects[req.URL.Path]
	r.mu.Unlock()
	if demanded == "" && elsewhere != "" {
		http.Redirect(w, req, elsewhere, http.StatusFound)
		return
	}
	if demanded != "" {
		w.Header().Set("WWW-Authenticate", `Basic realm="packages"`)
		http.Error(w, "a login is needed", http.StatusUnauthorized)
		return
	}
	if reached != nil {
		reached(req.Context())
	}
	if strings.Contains(req.URL.EscapedPath(), "%2f") { // a scope of npm, which no pattern of a mux matches
		r.serveGiven(w, req)
		return
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

// Redirect makes the server redirect requests for a path to an address.
func (r *Registry) Redirect(path, address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.redirects == nil {
		r.redirects = map[string]string{}
	}
	r.redirects[path] = address
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

// Roots returns the authorities that trust the server's certificate.
func (r *Registry) Roots() *x509.CertPool { return r.roots }

// Demand makes the server answer 401 to requests below a path, unless they have this Authorization header.
func (r *Registry) Demand(prefix, header string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.demands == nil {
		r.demands = map[string]string{}
	}
	r.demands[prefix] = header
}

// Sent returns all requests.
func (r *Registry) Sent() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// newCertificate returns a certificate for the hosts above, and adds it to the authorities.
func newCertificate(roots *x509.CertPool) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		DNSNames:     slices.Sorted(maps.Keys(addresses)),
	}
	raw, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(raw)
	if err == nil {
		roots.AddCert(leaf)
	}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, err
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
	{
		"greet.go",
		"// Package greet is polite.\npackage greet\n\n// Hello is what one says.\nconst Hello = \"hello\"\n",
	},
}

// AddVersion serves another version of example.com/greet, whose Hello names the version.
func (r *Registry) AddVersion(version string) error {
	archive, err := moduleZip(version, []file{
		module[0], {"greet.go", "package greet\n\nconst Hello = \"hello from " + version + "\"\n"},
	})
	if err != nil {
		return err
	}
	const at = "/go/example.com/greet/@v/"
	r.Give(at+version+".info", []byte(`{"Version":"`+version+`"}`))
	r.Give(at+version+".mod", []byte(module[0].text))
	r.Give(at+version+".zip", archive)
	r.Give(at+"list", []byte("v1.0.0\n"+version+"\n"))
	return nil
}

func moduleZip(version string, files []file) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		w, err := z.Create("example.com/greet@" + version + "/" + f.name)
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
