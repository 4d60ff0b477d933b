package proxy

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// Limits holds the limits of a proxy. A zero field means the default that its comment names.
type Limits struct {
	// total bytes of all requests in both directions; default 4 GiB
	Bytes int64
	// concurrent connections, further ones wait; default 64
	Connections int
	// timeout between two bytes and for headers, request headers at most 10 s; default one minute
	Silence time.Duration
}

// Config holds the configuration of a proxy.
type Config struct {
	Allow        []string     // host (ports 443 and 80) or host:port
	Private      []string     // hosts of Allow whose addresses may be in a private network
	BlockedHosts []string     // hosts and addresses of the program's own services
	Logins       []Login      // for hosts that want one; they are let through, at most one for each host
	Network      Network      // default: the network of this machine
	Limits       Limits       // zero fields have the defaults of Limits
	Log          *slog.Logger // default: discarded

	Roots *x509.CertPool // authorities that hosts with a login are verified by; nil: those of this machine
}

// A Visit counts the requests to one host that were let through.
type Visit struct {
	Host     string
	Requests int
	Bytes    int64
}

// A Refusal is a request that failed, with the reason.
type Refusal struct{ Target, Why string }

// String returns "target: why".
func (r Refusal) String() string { return r.Target + ": " + r.Why }

// A Report holds what a proxy has done so far.
type Report struct {
	Visits  []Visit   // sorted by host
	Refused []Refusal // without duplicates, at most 20
	Missed  []Refusal // allowed but unreachable; without duplicates, at most 20
	Denied  []Denial  // answers of hosts with logins; without duplicates, at most 20
	Full    bool      // whether Limits.Bytes is used up
}

// A refusal is the reason why a request is not let through, as a text for people.
type refusal string

func (r refusal) Error() string { return string(r) }

// A Proxy is a running proxy. It runs until Close.
type Proxy struct {
	cfg     Config
	allowed []target
	dir     string
	server  *http.Server
	plain   *http.Transport
	ctx     context.Context
	stop    context.CancelFunc
	working sync.WaitGroup // counts the running requests

	loginTargets []loginTarget   // of Config.Logins, in the same order
	authority    *authority      // nil: there are no logins over TLS
	logins       *http.Transport // for requests that get a login

	mu      sync.Mutex // guards the fields below
	closed  bool
	used    int64
	visits  map[string]*Visit
	refused []Refusal

	unreached []Refusal
	denied    []Denial
}

// setDefaults sets the fields that have a default.
func (c *Config) setDefaults() {
	c.Limits.Bytes = cmp.Or(c.Limits.Bytes, 4<<30)
	c.Limits.Connections = cmp.Or(c.Limits.Connections, 64)
	c.Limits.Silence = cmp.Or(c.Limits.Silence, time.Minute)
	if c.Network == nil {
		c.Network = machine{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// Open starts a proxy on a unix socket. A sandbox that the socket is mounted into can use it; other users of
// this machine cannot, because only the proxy's user can enter the socket's folder.
func Open(cfg Config) (*Proxy, error) {
	cfg.setDefaults()
	p := &Proxy{cfg: cfg, visits: map[string]*Visit{}}
	for _, s := range cfg.Allow {
		t, err := parseTarget(s, portTLS)
		if err != nil {
			return nil, fmt.Errorf("proxy: %q: %w", s, err)
		}
		p.allowed = append(p.allowed, t)
		if !strings.Contains(s, ":") {
			p.allowed = append(p.allowed, target{t.host, portPlain})
		}
	}
	if err := p.openLogins(); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if err := p.listen(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Proxy) listen() (err error) {
	// The system's temporary folder is used because the path of a unix socket must be short. MkdirTemp opens
	// the new folder to this user only.
	if p.dir, err = os.MkdirTemp("", "bobbin-out-"); err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	l, err := net.Listen("unix", p.Socket())
	if err == nil {
		err = os.Chmod(p.Socket(), 0o666)
	}
	if err != nil {
		os.RemoveAll(p.dir)
		return fmt.Errorf("proxy: %w", err)
	}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.plain = &http.Transport{
		DialContext: p.dialPlain, DisableKeepAlives: true, DisableCompression: true,
		ResponseHeaderTimeout: p.cfg.Limits.Silence, MaxResponseHeaderBytes: 64 << 10,
	}
	p.server = &http.Server{
		Handler:           http.HandlerFunc(p.serveRequest),
		ReadHeaderTimeout: min(p.cfg.Limits.Silence, 10*time.Second),
		IdleTimeout:       p.cfg.Limits.Silence,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(p.cfg.Log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return p.ctx },
	}
	// it ends with Close
	go p.server.Serve(netutil.LimitListener(l, p.cfg.Limits.Connections)) //nolint:errcheck
	return nil
}

// Socket returns the path of the unix socket.
func (p *Proxy) Socket() string { return filepath.Join(p.dir, "out") }

// Close ends the proxy and all its connections, and waits for the running requests. After Close, the Report
// is final.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.stop()
	p.server.Close()
	p.working.Wait()
	p.logins.CloseIdleConnections()
	os.RemoveAll(p.dir)
}

// Report returns what the proxy has done so far.
func (p *Proxy) Report() Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := Report{
		Refused: slices.Clone(p.refused),
		Missed:  slices.Clone(p.unreached),
		Denied:  slices.Clone(p.denied),
		Full:    p.used >= p.cfg.Limits.Bytes,
	}
	for _, v := range p.visits {
		r.Visits = append(r.Visits, *v)
	}
	slices.SortFunc(r.Visits, func(a, b Visit) int { return strings.Compare(a.Host, b.Host) })
	return r
}

// errFull ends a running request when Limits.Bytes is used up.
var errFull = errors.New("more was asked for than may be fetched at once")

// countBytes adds n bytes to the counts, and returns errFull if Limits.Bytes is reached.
func (p *Proxy) countBytes(host string, n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used += int64(n)
	p.visits[host].Bytes += int64(n)
	if p.used >= p.cfg.Limits.Bytes {
		return errFull
	}
	return nil
}

// countVisit counts a request to the host that is let through.
func (p *Proxy) countVisit(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.visits[host] == nil {
		p.visits[host] = &Visit{Host: host}
	}
	p.visits[host].Requests++
}

// maxRefused is the maximum length of Report.Refused and of Report.Missed.
const maxRefused = 20

// addRefused records a refused request. The name comes from the client, so a long or invalid one is quoted
// and cut.
func (p *Proxy) addRefused(name string, why error) {
	r := Refusal{Target: name, Why: why.Error()}
	if checked, _, _ := strings.Cut(name, ":"); checkName(checked) != nil {
		r.Target = fmt.Sprintf("%.80q", name)
	}
	p.cfg.Log.Warn("setup: refused", "target", r.Target, "why", r.Why)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.refused) < maxRefused && !slices.Contains(p.refused, r) {
		p.refused = append(p.refused, r)
	}
}

// admitTarget parses the target of a request, and returns a refusal if the target is not allowed.
func (p *Proxy) admitTarget(name string, port uint16) (target, error) {
	t, err := parseTarget(name, port)
	if err != nil {
		return t, refusal(err.Error())
	}
	if slices.Contains(p.allowed, t) {
		return t, nil
	}
	if slices.ContainsFunc(p.allowed, func(a target) bool { return a.host == t.host }) {
		return t, refusal(fmt.Sprintf("port %d is not allowed; name %s under setup.allow if it is meant",
			t.port, t))
	}
	return t, refusal("it is not among the hosts that setup.allow names")
}
