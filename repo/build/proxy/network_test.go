package proxy

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A world is a fake Network with configured names and listeners. An address without a configured server leads
// to a trap: a server that answers every request. The world records each connection to the trap.
type world struct {
	t     *testing.T
	names map[string][]string // answers per name: each query gets the next answer, the last one repeats; "timeout" is an error
	at    map[string]string   // maps address:port to the address of the real server

	mu       sync.Mutex
	asked    map[string]int
	dialled  []string
	trapped  []string
	trapping net.Listener
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, names: map[string][]string{}, at: map[string]string{}, asked: map[string]int{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	w.trapping = l
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = c.Read(make([]byte, 1))
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrap")
			}()
		}
	}()
	return w
}

func (w *world) Resolve(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	host, absolute := strings.CutSuffix(host, ".")
	answers := w.names[host]
	if !absolute && len(answers) == 0 {
		answers = w.names[host+searchDomain]
	}
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	n := min(w.asked[host], len(answers)-1)
	w.asked[host]++
	if answers[n] == "timeout" {
		return nil, &net.DNSError{Err: "i/o timeout", Name: host, IsTimeout: true}
	}
	var out []netip.Addr
	for s := range strings.FieldsSeq(answers[n]) {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

func (w *world) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dialled = append(w.dialled, to.String())
	real, ok := w.at[to.String()]
	if !ok {
		w.trapped = append(w.trapped, to.String())
		real = w.trapping.Addr().String()
	}
	w.mu.Unlock()
	return (&net.Dialer{}).DialContext(ctx, "tcp", real)
}

func (w *world) traps() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.trapped)
}

// searchDomain is appended to a name without a trailing dot that does not exist.
const searchDomain = ".inside.example"

// open starts a proxy that uses the world as its Network.
func (w *world) open(cfg Config) *Proxy {
	w.t.Helper()
	cfg.Network = w
	p, err := Open(cfg)
	require.NoError(w.t, err)
	w.t.Cleanup(p.Close)
	return p
}

// naive is the control: it starts a proxy that connects every client with every host, and returns its socket.
func (w *world) naive() string {
	w.t.Helper()
	dir, err := os.MkdirTemp("", "naive-")
	require.NoError(w.t, err)
	w.t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "out")
	l, err := net.Listen("unix", socket)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.connect(c)
		}
	}()
	return socket
}

func (w *world) connect(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	line, err := in.ReadString('\n')
	words := strings.Fields(line)
	if err != nil || len(words) < 2 {
		return
	}
	for { // reads all headers, however many and however long
		header, err := in.ReadString('\n')
		if err != nil || strings.TrimSpace(header) == "" {
			break
		}
	}
	far, err := w.Dial(context.Background(), netip.MustParseAddrPort("198.41.0.99:1"))
	if err != nil {
		return
	}
	defer far.Close()
	if words[0] == http.MethodConnect {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
	}
	_, _ = io.WriteString(far, line)
	_, _ = io.Copy(c, far)
}

// raw sends bytes to the socket and returns the first line of the response.
func raw(t *testing.T, socket, bytes string) string {
	t.Helper()
	c, err := net.Dial("unix", socket)
	require.NoError(t, err)
	defer c.Close()
	go io.WriteString(c, bytes) //nolint:errcheck // the other side may hang up
	line, _ := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(line)
}

// client returns an HTTP client that uses the proxy and follows redirects.
func client(p *Proxy, change func(*http.Transport)) *http.Client {
	tr := &http.Transport{
		Proxy: func(*http.Request) (*url.URL, error) { return proxyURL, nil },
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", p.Socket())
		},
		DisableKeepAlives: true,
	}
	if change != nil {
		change(tr)
	}
	return &http.Client{Transport: tr}
}
