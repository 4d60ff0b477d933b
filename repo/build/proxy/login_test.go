package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

const token = "s3cr3t-token-0123456789"

// A vault is a server over TLS at vault.example, with a trap that keeps what was sent to other hosts.
type vault struct {
	*world
	roots *x509.CertPool

	mu   sync.Mutex
	sent map[string][]string // values of Authorization and Cookie by host and path
}

// openVault starts a server for vault.example, with a certificate for exactly that name, and one without TLS
// for evil.example and inside.example.
func openVault(t *testing.T, h http.HandlerFunc) *vault {
	t.Helper()
	v := &vault{world: newWorld(t), roots: x509.NewCertPool(), sent: map[string][]string{}}
	record := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		v.sent[r.Host+r.URL.Path] = append(v.sent[r.Host+r.URL.Path],
			r.Header.Get("Authorization")+r.Header.Get("Cookie"))
		v.mu.Unlock()
		h(w, r)
	})
	secure := httptest.NewUnstartedServer(record)
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{certificateOf(t, v.roots, "vault.example")}}
	secure.StartTLS()
	plain := httptest.NewServer(record)
	t.Cleanup(secure.Close)
	t.Cleanup(plain.Close)
	for host, a := range map[string]string{
		"vault.example": "198.41.0.10", "evil.example": "198.41.0.66", "inside.example": "10.1.2.3",
	} {
		v.names[host] = []string{a}
		v.at[a+":80"] = plain.Listener.Addr().String()
		v.at[a+":443"] = secure.Listener.Addr().String()
		v.at[a+":8443"] = secure.Listener.Addr().String()
	}
	return v
}

func certificateOf(t *testing.T, roots *x509.CertPool, host string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	about := certificateFor(host)
	about.DNSNames = []string{host}
	raw, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(raw)
	require.NoError(t, err)
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

// login opens a proxy with these logins, and a client that trusts its authority.
func (v *vault) login(t *testing.T, c Config, logins ...Login) (*Proxy, *http.Client) {
	t.Helper()
	c.Roots = v.roots
	c.Logins = logins
	p := v.open(c)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(p.Authority())
	return p, client(p, func(tr *http.Transport) { tr.TLSClientConfig = &tls.Config{RootCAs: trusted} })
}

// leaks returns the requests with a login, other than those to vault.example and inside.example.
func (v *vault) leaks() (out []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for at, values := range v.sent {
		if !strings.HasPrefix(at, "vault.example/") && !strings.HasPrefix(at, "inside.example/") &&
			strings.Contains(strings.Join(values, " "), token) {
			out = append(out, at)
		}
	}
	return out
}

var atVault = Login{Host: "vault.example", Token: token, Name: "the token in NPM_TOKEN"}

func TestLoginIsAddedForItsHost(t *testing.T) {
	t.Parallel()
	v := openVault(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=1")
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, r.URL.EscapedPath())
	})
	p, c := v.login(t, Config{}, atVault)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://vault.example/@acme%2fui", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer ${NPM_TOKEN}") // of a tool that has the repository's settings
	r.Header.Set("Cookie", "a=b")
	answer, err := c.Do(r)
	require.NoError(t, err)
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	require.Equal(t, "/@acme%2fui", string(text))
	require.Empty(t, answer.Header.Get("Set-Cookie"), "it may stand for the login")
	require.Equal(t, []string{"Bearer " + token}, v.sent["vault.example/@acme/ui"])
	require.Empty(t, p.Report().Denied)

	wrong := atVault
	wrong.Token = "wrong"
	p, c = v.login(t, Config{}, wrong)
	get(t, c, "https://vault.example/@acme%2fui")
	require.Equal(t, []Denial{{
		Host: "vault.example", Path: "/@acme/ui", Status: 401,
		Why:  "answered 401: the token in NPM_TOKEN is not accepted",
		Cure: "renew it, and check that it may read packages there",
	}}, p.Report().Denied)

	other := atVault
	other.User = "ann"
	_, c = v.login(t, Config{}, other)
	get(t, c, "https://vault.example/basic")
	require.Equal(t, []string{"Basic " + base64.StdEncoding.EncodeToString([]byte("ann:"+token))},
		v.sent["vault.example/basic"])
}

// addsEverywhere is the control: it adds the token to the requests for every host, and follows redirects.
func (v *vault) addsEverywhere(t *testing.T) *http.Client {
	t.Helper()
	p := v.open(Config{Allow: []string{"vault.example", "vault.example:8443", "evil.example"}})
	c := client(p, func(tr *http.Transport) { tr.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} })
	return &http.Client{Transport: addToken{c.Transport}}
}

type addToken struct{ http.RoundTripper }

func (a addToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+token)
	return a.RoundTripper.RoundTrip(r)
}

// The login goes to no other host, port or scheme, whatever the registry's redirect is. Control: with a
// client that adds it to each request, every redirect leaks it.
func TestLoginGoesNowhereElse(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]string{
		"another host":           "https://evil.example/x",
		"another host, plain":    "http://evil.example/x",
		"without TLS":            "http://vault.example/plain",
		"another port":           "https://vault.example:8443/port",
		"the token in a query":   "http://evil.example/?t=" + token,
		"the token in a path":    "http://evil.example/" + token,
		"a host that ends alike": "http://evil.example/vault.example",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := openVault(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/start" {
					w.Header().Set("Location", to)
					w.WriteHeader(http.StatusFound)
				}
			})
			p, c := v.login(t,
				Config{Allow: []string{"vault.example", "vault.example:8443", "evil.example"}}, atVault)
			if r, err := c.Get("https://vault.example/start"); err == nil {
				r.Body.Close()
			}
			require.Len(t, v.sent["vault.example/start"], 1)
			require.Empty(t, v.leaks())
			for at, values := range v.sent {
				if at != "vault.example/start" {
					require.Equal(t, []string{""}, values, at)
				}
				require.NotContains(t, at, token)
			}
			if strings.Contains(to, token) {
				require.Equal(t, "sent the token in NPM_TOKEN back in its answer, which was not passed on",
					p.Report().Denied[0].Why)
			}

			v.mu.Lock()
			clear(v.sent)
			v.mu.Unlock()
			if r, err := v.addsEverywhere(t).Get("https://vault.example/start"); err == nil { // the control
				r.Body.Close()
			}
			var all string
			for at, values := range v.sent {
				if at != "vault.example/start" {
					all += strings.Join(values, " ")
				}
			}
			require.Contains(t, all, token)
		})
	}
}

// A login comes back neither in a header nor in a body, in whatever pieces it is sent.
func TestLoginThatComesBack(t *testing.T) {
	t.Parallel()
	v := openVault(t, func(w http.ResponseWriter, r *http.Request) {
		login := r.Header.Get("Authorization")
		switch r.URL.Path {
		case "/header":
			w.Header().Set("X-Echo", login)
		case "/pieces":
			for i := range login {
				_, _ = io.WriteString(w, login[i:i+1])
				w.(http.Flusher).Flush()
			}
		case "/body":
			_, _ = io.WriteString(w, strings.Repeat("x", 100_000)+login+strings.Repeat("y", 100_000))
		default:
			_, _ = io.WriteString(w, strings.Repeat("z", 100_000))
		}
	})
	for _, user := range []string{"", "ann"} {
		with := atVault
		with.User = user
		p, c := v.login(t, Config{}, with)
		for _, path := range []string{"/header", "/pieces", "/body"} {
			r, err := c.Get("https://vault.example" + path)
			if err != nil {
				continue
			}
			text, err := io.ReadAll(r.Body)
			r.Body.Close()
			require.True(t, err != nil || r.StatusCode == http.StatusBadGateway, path)
			require.NotContains(t, string(text), token)
			require.NotContains(t, string(text), base64.StdEncoding.EncodeToString([]byte("ann:"+token)))
			require.Empty(t, r.Header.Get("X-Echo"))
		}
		require.Len(t, p.Report().Denied, 3)
		_, text := get(t, c, "https://vault.example/whole") // the control
		require.Len(t, text, 100_000)
	}
}

// With a login only reading is let through: nothing is published with it.
func TestLoginOnlyReads(t *testing.T) {
	t.Parallel()
	v := openVault(t, func(http.ResponseWriter, *http.Request) {})
	p, c := v.login(t, Config{}, atVault)
	for _, request := range [][2]string{
		{"PUT", "/ui"},
		{"POST", "/ui"},
		{"DELETE", "/ui"},
		{"PATCH", "/ui"},
		{"POST", "/acme/lib.git/git-receive-pack"},
		{"POST", "/acme/lib.git/info/lfs/objects/batch"},
		{"GET", ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), request[0], "https://vault.example"+request[1],
			strings.NewReader("x"))
		require.NoError(t, err)
		answer, err := c.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, http.StatusForbidden, answer.StatusCode, request)
	}
	require.Empty(t, v.sent)
	require.Equal(t, "with a login only reading is let through, not PUT", p.Report().Refused[0].Why)
	r, err := c.Post("https://vault.example/acme/lib.git/git-upload-pack", "", strings.NewReader("0000"))
	require.NoError(t, err)
	r.Body.Close()
	require.Equal(t, []string{"Basic " + base64.StdEncoding.EncodeToString(
		[]byte(remote.BasicUser+":"+token))}, v.sent["vault.example/acme/lib.git/git-upload-pack"])
}

// Without TLS a login goes to an address in a private network only.
func TestLoginWithoutTLS(t *testing.T) {
	t.Parallel()
	v := openVault(t, func(http.ResponseWriter, *http.Request) {})
	_, c := v.login(t, Config{Private: []string{"inside.example"}},
		Login{Host: "http://inside.example", Token: token})
	code, _ := get(t, c, "http://inside.example/x")
	require.Equal(t, 200, code)
	require.Equal(t, []string{"Bearer " + token}, v.sent["inside.example/x"])

	p, c := v.login(t, Config{Private: []string{"evil.example"}},
		Login{Host: "http://evil.example", Token: token})
	code, _ = get(t, c, "http://evil.example/x")
	require.Equal(t, http.StatusForbidden, code)
	require.Empty(t, v.sent["evil.example/x"])
	require.Contains(t, p.Report().Refused[0].Why, "where a login needs TLS")
}

// The proxy verifies the host as usual, and its authority signs for no other host.
func TestLoginNeedsTheHostsOwnCertificate(t *testing.T) {
	t.Parallel()
	v := openVault(t, func(http.ResponseWriter, *http.Request) {})
	evil := atVault
	evil.Host = "evil.example" // its server has the certificate of another host
	p, c := v.login(t, Config{}, evil)
	code, _ := get(t, c, "https://evil.example/x")
	require.Equal(t, http.StatusBadGateway, code)
	require.Empty(t, v.sent)
	require.Contains(t, p.Report().Missed[0].Why, "its certificate is not trusted")

	a, err := newAuthority([]string{"vault.example"})
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(a.cert))
	leaf, err := x509.ParseCertificate(a.host["vault.example"].Certificate[0])
	require.NoError(t, err)
	_, err = leaf.Verify(x509.VerifyOptions{DNSName: "vault.example", Roots: trusted})
	require.NoError(t, err)
	_, err = leaf.Verify(x509.VerifyOptions{DNSName: "evil.example", Roots: trusted})
	require.Error(t, err)
}

func TestHostsThatCannotHaveALogin(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "https://a.example", "a.example/x", "*.example", "a.example:80", "10.0.0.1", "http://a.example/x",
		"http://", "me@a.example", "A.example", "ftp://a.example", "http://http://a.example",
	} {
		require.Error(t, CheckLogin(bad), bad)
		_, err := Open(Config{Logins: []Login{{Host: bad}}})
		require.Error(t, err, bad)
	}
	for _, fine := range []string{
		"a.example", "a.example:8443", "http://a.example", "http://a.example:4873",
	} {
		require.NoError(t, CheckLogin(fine), fine)
	}
}
