package proxy

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var proxyURL = &url.URL{Scheme: "http", Host: "proxy"}

// good is an internet address that leads to the test's server.
const good = "198.41.0.4"

// served returns a world with a server at good.example and a trap at evil.example.
func served(t *testing.T, h http.Handler) *world {
	t.Helper()
	w := newWorld(t)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	w.names["good.example"], w.names["evil.example"] = []string{good}, []string{"198.41.0.66"}
	w.at[good+":80"] = s.Listener.Addr().String()
	return w
}

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

func get(t *testing.T, c *http.Client, address string) (int, string) {
	t.Helper()
	r, err := c.Get(address)
	require.NoError(t, err)
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(text)
}

func TestLetsThroughWhatIsAllowed(t *testing.T) {
	t.Parallel()
	w := served(t, says("a package"))
	tlsServer := httptest.NewTLSServer(says("over TLS"))
	t.Cleanup(tlsServer.Close)
	w.names["example.com"] = []string{"198.41.0.5"}
	w.at["198.41.0.5:443"] = tlsServer.Listener.Addr().String()
	var log bytes.Buffer
	p := w.open(Config{Allow: []string{"good.example", "example.com"}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	roots := x509.NewCertPool()
	roots.AddCert(tlsServer.Certificate())
	c := client(p, func(tr *http.Transport) { tr.TLSClientConfig = &tls.Config{RootCAs: roots} })
	code, text := get(t, c, "http://good.example/a")
	require.Equal(t, 200, code)
	require.Equal(t, "a package", text)
	_, text = get(t, c, "https://example.com/b")
	require.Equal(t, "over TLS", text)
	p.Close() // after Close, all requests are counted and logged
	r := p.Report()
	require.Empty(t, r.Refused)
	require.Len(t, r.Visits, 2)
	require.Equal(t, Visit{Host: "good.example", Requests: 1, Bytes: 9}, r.Visits[1])
	require.Greater(t, r.Visits[0].Bytes, int64(500))
	require.Contains(t, log.String(), "host=good.example method=GET bytes=9")
	require.Contains(t, log.String(), "host=example.com method=CONNECT")
}

// refusedRequests holds requests that must be refused. Each one reaches a server through a proxy without
// checks.
var refusedRequests = map[string]string{
	"another host":               "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
	"another host, plain":        "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
	"a host that ends alike":     "CONNECT evil-good.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"a host below":               "CONNECT evil.good.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"a host that begins alike":   "CONNECT good.example.evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"a zero byte":                "CONNECT evil.example\x00good.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"a zero byte, plain":         "GET http://evil.example\x00.good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"a zero byte in code":        "GET http://evil.example%00.good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"a user":                     "GET http://good.example@evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"a user of a good host":      "GET http://me:pw@good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"a user in CONNECT":          "CONNECT good.example:443@evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"an address":                 "CONNECT 198.41.0.4:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"a short address":            "CONNECT 127.1:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"an address in one number":   "CONNECT 2130706433:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"an address in hex":          "CONNECT 0x7f000001:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"an address in octal":        "CONNECT 0177.0.0.1:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"an IPv6 address":            "CONNECT [::1]:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"an IPv6 address, plain":     "GET http://[::ffff:127.0.0.1]/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"the metadata service":       "GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"a dot at the end":           "CONNECT good.example.:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"capitals":                   "CONNECT GOOD.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"letters that look alike":    "CONNECT gооd.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"a letter in code":           "GET http://g%6Fod.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"a backslash":                "GET http://evil.example\\.good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"the port of ssh":            "CONNECT good.example:22 HTTP/1.1\r\nHost: x\r\n\r\n",
	"the port of a database":     "GET http://good.example:5432/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"a port with a zero":         "CONNECT good.example:0443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"a port with a sign":         "CONNECT good.example:+443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"a port that wraps":          "CONNECT good.example:65979 HTTP/1.1\r\nHost: x\r\n\r\n",
	"two ports":                  "CONNECT good.example:443:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	"no port":                    "CONNECT good.example HTTP/1.1\r\nHost: x\r\n\r\n",
	"a tunnel to port 80":        "CONNECT good.example:80 HTTP/1.1\r\nHost: x\r\n\r\n",
	"what is sent away":          "POST http://good.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
	"a body in GET":              "GET http://good.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
	"a body in pieces":           "GET http://good.example/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
	"two lengths":                "GET http://good.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 40\r\n\r\n",
	"another scheme":             "GET ftp://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"https without a tunnel":     "GET https://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"a path alone":               "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n",
	"another protocol":           "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"an unknown method":          "TRACE http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"ten thousand headers":       "GET http://good.example/ HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", 10_000) + "\r\n",
	"a header without an end":    "GET http://good.example/ HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("b", 100_000) + "\r\n\r\n",
	"a name that is no hostname": "CONNECT good_example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
}

func TestRefusesWhatIsNotAllowed(t *testing.T) {
	t.Parallel()
	for name, request := range refusedRequests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := served(t, says("a package"))
			w.names["evil.good.example"], w.names["evil-good.example"] = []string{good}, []string{good}
			p := w.open(Config{Allow: []string{"good.example"}})
			require.Regexp(t, `^HTTP/1.[01] 4\d\d |^HTTP/1.[01] 505 `, raw(t, p.Socket(), request))
			require.Empty(t, w.dialled, "nothing was reached")
			// The control: a proxy without checks reaches the trap with the same bytes.
			require.Contains(t, raw(t, w.naive(), request), "200")
			require.Equal(t, 1, w.traps())
		})
	}
}

func TestRefusedHostsAreNamedOnce(t *testing.T) {
	t.Parallel()
	w := served(t, says("a package"))
	p := w.open(Config{Allow: []string{"good.example"}})
	for range 3 {
		raw(t, p.Socket(), refusedRequests["another host"])
		raw(t, p.Socket(), refusedRequests["the port of ssh"])
		raw(t, p.Socket(), "CONNECT "+strings.Repeat("a", 200)+"!:443 HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	for i := range 100 {
		raw(t, p.Socket(), fmt.Sprintf("CONNECT a%d.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", i))
	}
	r := p.Report().Refused
	require.Len(t, r, maxRefused)
	require.Equal(t, "evil.example:443: it is not among the hosts that setup.allow names", r[0].String())
	require.Equal(t, "good.example:22: port 22 is not allowed; name good.example:22 under setup.allow if it is meant", r[1].String())
	require.Less(t, len(r[2].Target), 90)
}

// A port that is configured together with its host is let through, and no other port of that host.
func TestPortsThatAreNamed(t *testing.T) {
	t.Parallel()
	w := served(t, says("a package"))
	w.at[good+":3000"] = w.at[good+":80"]
	p := w.open(Config{Allow: []string{"good.example:3000"}})
	require.Contains(t, raw(t, p.Socket(), "GET http://good.example:3000/ HTTP/1.1\r\nHost: x\r\n\r\n"), "200")
	require.Contains(t, raw(t, p.Socket(), "GET http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n"), "403")
}

// unfitAddresses holds addresses that nothing may be sent to, whatever the host name.
var unfitAddresses = []string{
	"127.0.0.1", "127.8.9.10", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "169.254.0.1", "100.64.0.1", "100.100.100.200",
	"168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "239.1.2.3", "255.255.255.255", "240.0.0.1", "192.0.2.1",
	"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2001::1", "2001:db8::1",
	"fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "3fff::1",
}

func TestAddressesThatAreNotOfTheInternet(t *testing.T) {
	t.Parallel()
	for _, a := range unfitAddresses {
		w := served(t, says("a package"))
		w.names["inside.example"] = []string{a}
		w.names["both.example"] = []string{good + " " + a}
		p := w.open(Config{Allow: []string{"inside.example", "both.example"}})
		for _, host := range []string{"inside.example", "both.example"} {
			require.Contains(t, raw(t, p.Socket(), "GET http://"+host+"/ HTTP/1.1\r\nHost: x\r\n\r\n"), "403", a)
			require.Contains(t, raw(t, p.Socket(), "CONNECT "+host+":443 HTTP/1.1\r\nHost: x\r\n\r\n"), "403", a)
		}
		require.Empty(t, w.dialled, a)
		require.Contains(t, p.Report().Refused[0].Why, "its address")
	}
	// The control: addresses of the internet are allowed.
	for _, a := range []string{good, "1.1.1.1", "100.63.255.255", "172.32.0.1", "2606:4700:4700::1111", "2a00:1450::1"} {
		require.Empty(t, whyUnfit(netip.MustParseAddr(a), false), a)
	}
	w := served(t, says("a package"))
	p := w.open(Config{Allow: []string{"good.example"}})
	require.Contains(t, raw(t, p.Socket(), "GET http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n"), "200")
}

// ownNetworks holds those of unfitAddresses where an operator may run a mirror.
var ownNetworks = []string{"10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "192.0.2.1", "::ffff:10.0.0.1", "fc00::1"}

// A mirror in a private network is allowed only if Config.Private names it, and gives access to no other
// address.
func TestPrivateMirrors(t *testing.T) {
	t.Parallel()
	for _, a := range unfitAddresses {
		addr := netip.MustParseAddr(a)
		require.Equal(t, slices.Contains(ownNetworks, a), whyUnfit(addr, true) == "", a)
	}
	w := served(t, says("a package"))
	w.names["mirror.example"] = []string{"10.1.2.3"}
	w.at["10.1.2.3:80"] = w.at[good+":80"]
	const request = "GET http://mirror.example/ HTTP/1.1\r\nHost: x\r\n\r\n"
	p := w.open(Config{Allow: []string{"mirror.example"}, Private: []string{"mirror.example"}})
	require.Contains(t, raw(t, p.Socket(), request), "200")
	p = w.open(Config{Allow: []string{"mirror.example"}})
	require.Contains(t, raw(t, p.Socket(), request), "403")
	require.Contains(t, p.Report().Refused[0].Why, "name the host under setup.private if that is meant")
}

// The other addresses of this machine and the program's database cannot be reached.
func TestOwnServices(t *testing.T) {
	t.Parallel()
	w := served(t, says("a package"))
	w.names["db.example"] = []string{"198.41.0.7"}
	w.names["alias.example"] = []string{"198.41.0.7"}
	const request = "GET http://alias.example/ HTTP/1.1\r\nHost: x\r\n\r\n"
	p := w.open(Config{Allow: []string{"alias.example"}, BlockedHosts: []string{"db.example", "nowhere.example", "198.41.0.9"}})
	require.Contains(t, raw(t, p.Socket(), request), "403")
	require.Empty(t, w.dialled)
	require.Equal(t, "a service of Bobbin's own is there", p.Report().Refused[0].Why)
	w.names["db"+searchDomain] = []string{"198.41.0.7"}
	p = w.open(Config{Allow: []string{"alias.example"}, BlockedHosts: []string{"db"}})
	require.Contains(t, raw(t, p.Socket(), request), "403", "the program itself reaches it by a search domain")
	require.Empty(t, w.dialled)

	w.names["db.example"] = []string{"timeout"}
	p = w.open(Config{Allow: []string{"alias.example"}, BlockedHosts: []string{"db.example"}})
	require.Contains(t, raw(t, p.Socket(), request), "403")
	require.Empty(t, w.dialled, "without an answer of the resolver no address is known to be another one")
	require.Contains(t, p.Report().Refused[0].Why, "cannot be looked up now")
	raw(t, w.open(Config{Allow: []string{"alias.example"}}).Socket(), request)
	require.Equal(t, 1, w.traps(), "the control: it is reached by whoever does not know")

	addresses, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok {
			mine, _ := netip.AddrFromSlice(ip.IP)
			require.True(t, isOwnAddr(mine), a)
		}
	}
	require.False(t, isOwnAddr(netip.MustParseAddr(good)))
}

// A name is resolved once per request, so a second, different answer is not used.
func TestRebinding(t *testing.T) {
	t.Parallel()
	w := served(t, says("a package"))
	w.names["good.example"] = []string{good, "127.0.0.1"}
	p := w.open(Config{Allow: []string{"good.example"}})
	const request = "GET http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n"
	require.Contains(t, raw(t, p.Socket(), request), "200")
	require.Equal(t, []string{good + ":80"}, w.dialled)
	require.Equal(t, 1, w.asked["good.example"])
	require.Contains(t, raw(t, p.Socket(), request), "403", "and the next request is judged anew")

	// The control: code that checks the first answer and dials the second one connects to this machine.
	w = served(t, says("a package"))
	w.names["good.example"] = []string{good, "127.0.0.1"}
	first, err := w.Resolve(t.Context(), "good.example")
	require.NoError(t, err)
	require.Empty(t, whyUnfit(first[0], false))
	second, err := w.Resolve(t.Context(), "good.example")
	require.NoError(t, err)
	require.NotEmpty(t, whyUnfit(second[0], false))
}

// An allowed host that cannot be reached is reported as missed, not as refused.
func TestMissedHosts(t *testing.T) {
	t.Parallel()
	w := served(t, says("a package"))
	p := w.open(Config{Allow: []string{"nowhere.example", "good.example"}})
	require.Contains(t, raw(t, p.Socket(), "CONNECT nowhere.example:443 HTTP/1.1\r\nHost: x\r\n\r\n"), "502")
	require.Contains(t, raw(t, p.Socket(), "GET http://nowhere.example/ HTTP/1.1\r\nHost: x\r\n\r\n"), "502")
	require.Contains(t, raw(t, p.Socket(), "GET http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n"), "200")
	r := p.Report()
	require.Empty(t, r.Refused)
	require.Equal(t, []Refusal{{"nowhere.example", "its name cannot be resolved"}}, r.Missed)
}

func TestRedirectsAreJudgedLikeTheFirst(t *testing.T) {
	t.Parallel()
	w := served(t, http.RedirectHandler("http://evil.example/", http.StatusFound))
	code, text := get(t, client(w.open(Config{Allow: []string{"good.example"}}), nil), "http://good.example/")
	require.Equal(t, http.StatusForbidden, code)
	require.Equal(t, "bobbin: it is not among the hosts that setup.allow names\n", text)
	require.Zero(t, w.traps())
	// The control: if the redirect's host is allowed, the client reaches it.
	_, text = get(t, client(w.open(Config{Allow: []string{"good.example", "evil.example"}}), nil), "http://good.example/")
	require.Equal(t, "trap", text)
	require.Equal(t, 1, w.traps())
}

// Many hosts share one address. The TLS in the tunnel must be for the host of the CONNECT request.
func TestTunnelsToAnotherHostBehindTheSameAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := httptest.NewTLSServer(says("front"))
	t.Cleanup(s.Close)
	w.names["example.com"] = []string{good}
	w.at[good+":443"] = s.Listener.Addr().String()
	p := w.open(Config{Allow: []string{"example.com"}})
	for name, first := range map[string]func(net.Conn) error{
		"another host": func(c net.Conn) error { return tls.Client(c, &tls.Config{ServerName: "evil.example"}).Handshake() },
		"no host":      func(c net.Conn) error { return tls.Client(c, &tls.Config{InsecureSkipVerify: true}).Handshake() },
		"no TLS": func(c net.Conn) error {
			_, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.9\r\nand some more\r\n")
			n, err := c.Read(make([]byte, 1))
			if n > 0 {
				return nil
			}
			return err
		},
	} {
		c, err := net.Dial("unix", p.Socket())
		require.NoError(t, err)
		_, _ = io.WriteString(c, "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n")
		answer := make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n"))
		_, err = io.ReadFull(c, answer)
		require.NoError(t, err)
		require.Error(t, first(c), name)
		c.Close()
	}
	p.Close()
	require.Len(t, p.Report().Refused, 2)
	for _, v := range p.Report().Visits {
		require.Zero(t, v.Bytes, "no byte came through")
	}
	// The control: without the check, the server answers a handshake for another host.
	c, err := tls.Dial("tcp", s.Listener.Addr().String(), &tls.Config{ServerName: "evil.example", InsecureSkipVerify: true})
	require.NoError(t, err)
	c.Close()
}

// endless is a handler that writes until the client disconnects.
var endless = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	piece := make([]byte, 64<<10)
	for r.Context().Err() == nil {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
})

func TestEndlessBodies(t *testing.T) {
	t.Parallel()
	w := served(t, endless)
	s := httptest.NewTLSServer(endless)
	t.Cleanup(s.Close)
	w.names["example.com"] = []string{"198.41.0.5"}
	w.at["198.41.0.5:443"] = s.Listener.Addr().String()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	fetch := func(limit int64, address string) (int64, bool) {
		p := w.open(Config{Allow: []string{"good.example", "example.com"}, Limits: Limits{Bytes: limit}})
		r, err := client(p, func(tr *http.Transport) { tr.TLSClientConfig = &tls.Config{RootCAs: roots} }).Get(address)
		require.NoError(t, err)
		defer r.Body.Close()
		n, err := io.CopyN(io.Discard, r.Body, 4<<20)
		require.True(t, err == nil || n < 4<<20)
		return n, p.Report().Full
	}
	for _, address := range []string{"http://good.example/", "https://example.com/"} {
		n, full := fetch(1<<20, address)
		require.LessOrEqual(t, n, int64(1<<20)+64<<10, address)
		require.True(t, full)
		n, full = fetch(1<<30, address) // the control
		require.Equal(t, int64(4<<20), n, address)
		require.False(t, full)
	}
}

// The size of a response's headers is limited, too.
func TestEndlessHeadersOfAnAnswer(t *testing.T) {
	t.Parallel()
	answer := func(lines int) string {
		w := served(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i := range lines {
				w.Header().Set(fmt.Sprintf("A-%d", i), "b")
			}
		}))
		return raw(t, w.open(Config{Allow: []string{"good.example"}}).Socket(), "GET http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	require.Contains(t, answer(10_000), "502")
	require.Contains(t, answer(100), "200", "the control")
}

// A silent connection is closed: before the headers, in the middle of a response, and in a tunnel.
func TestSilence(t *testing.T) {
	t.Parallel()
	stalls := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "some")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	w := served(t, stalls)
	w.at[good+":443"] = w.at[good+":80"]
	p := w.open(Config{Allow: []string{"good.example"}, Limits: Limits{Silence: 200 * time.Millisecond}})
	for name, first := range map[string]string{
		"half a header":     "GET http://good.example/ HTTP/1.1\r\nHos",
		"nothing":           "",
		"a stalling answer": "GET http://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"a silent tunnel":   "CONNECT good.example:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		c, err := net.Dial("unix", p.Socket())
		require.NoError(t, err)
		_, _ = io.WriteString(c, first)
		_, err = io.Copy(io.Discard, c) // ends when the proxy hangs up; the time limit of the test run guards against a hang
		// On a busy machine the proxy may hang up before it has read what is written here.
		require.True(t, err == nil || errors.Is(err, syscall.ECONNRESET), "%s: %v", name, err)
		c.Close()
	}
}

// The proxy serves no more than Limits.Connections connections at a time.
func TestConnectionsAtATime(t *testing.T) {
	t.Parallel()
	const clients = 8
	run := func(limit int, each func(now int32)) {
		var now atomic.Int32
		w := served(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			each(now.Add(1))
			now.Add(-1)
		}))
		p := w.open(Config{Allow: []string{"good.example"}, Limits: Limits{Connections: limit}})
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				raw(t, p.Socket(), "GET http://good.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			})
		}
		all.Wait()
	}
	var most atomic.Int32
	run(2, func(now int32) {
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
	})
	require.LessOrEqual(t, most.Load(), int32(2))
	together := make(chan struct{}) // the control: all requests run at the same time
	run(clients, func(now int32) {
		if now == clients {
			close(together)
		}
		<-together
	})
}

func TestSocketIsNobodyElses(t *testing.T) {
	t.Parallel()
	p := newWorld(t).open(Config{})
	info, err := os.Stat(p.dir)
	require.NoError(t, err)
	require.Equal(t, "drwx------", info.Mode().String())
	p.Close()
	_, err = os.Stat(p.dir)
	require.Error(t, err)
}

func TestHostsThatCannotBeAllowed(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "https://a.example", "a.example/x", "*.example", "a.example:", "a.example:0", "10.0.0.1", "[::1]", "::1", "A.example", "a..example", "-a.example", "a.example.", "a b"} {
		require.Error(t, CheckHost(bad), bad)
		_, err := Open(Config{Allow: []string{bad}})
		require.Error(t, err, bad)
	}
	for _, fine := range []string{"a.example", "mirror", "a-1.b.example:3000", "xn--bcher-kva.example"} {
		require.NoError(t, CheckHost(fine), fine)
	}
}

var strict = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*$`)

// Every name that parseTarget accepts is read as the same host name by other parsers, and never as an
// address.
func FuzzTarget(f *testing.F) {
	for _, r := range refusedRequests {
		f.Add(strings.Fields(r)[1])
	}
	f.Add("good.example:443")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseTarget(s, 0)
		if err != nil {
			return
		}
		require.Regexp(t, strict, got.host)
		require.Equal(t, s, got.String())
		u, err := url.Parse("http://" + s)
		require.NoError(t, err)
		require.Equal(t, got.host, u.Hostname())
		_, err = netip.ParseAddr(got.host)
		require.Error(t, err)
	})
}
