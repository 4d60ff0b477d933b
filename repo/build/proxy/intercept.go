package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// dialLogin opens the connections for requests that get a login.
func (p *Proxy) dialLogin(ctx context.Context, _, address string) (net.Conn, error) {
	t, err := p.admitTarget(address, 0) // checked again, because this is the address that is dialled
	if err != nil {
		return nil, err
	}
	return p.dialJudged(ctx, t)
}

// serveIntercepted serves a CONNECT request for a host with a login: it answers in the place of the host, and
// asks the host itself, with the login. The host's own certificate is verified as usual.
func (p *Proxy) serveIntercepted(
	w http.ResponseWriter, r *http.Request, t target, login *Login,
) (string, int64, error) {
	raw, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return t.host, 0, p.denyRequest(w, r.RequestURI, err)
	}
	near := &oneConn{Conn: raw, reader: buffered, ended: make(chan struct{})}
	defer near.Close()
	defer context.AfterFunc(p.ctx, func() { near.Close() })()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return t.host, 0, err
	}
	var sum countedBytes
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.serveInside(w, r, t, login, &sum)
		}),
		ReadHeaderTimeout: min(p.cfg.Limits.Silence, 10*time.Second),
		IdleTimeout:       p.cfg.Limits.Silence,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          p.server.ErrorLog,
		BaseContext:       func(net.Listener) context.Context { return p.ctx },
	}
	config := &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName != t.host {
				why := refusal("the TLS inside is for another host")
				p.addRefused(t.String(), why)
				return nil, why
			}
			return p.authority.host[t.host], nil
		},
	}
	_ = server.Serve(tls.NewListener(near, config)) // it ends with the connection
	return t.host, sum.total(), nil
}

// A oneConn is a connection, and the listener that accepts it once. A second Accept waits for its end.
type oneConn struct {
	net.Conn
	reader io.Reader
	taken  bool
	once   sync.Once
	ended  chan struct{}
}

func (c *oneConn) Read(b []byte) (int, error) { return c.reader.Read(b) }

func (c *oneConn) Close() error {
	c.once.Do(func() { close(c.ended) })
	return c.Conn.Close()
}

func (c *oneConn) Addr() net.Addr { return c.LocalAddr() }

// Accept returns the connection, and an error after its end.
func (c *oneConn) Accept() (net.Conn, error) {
	if c.taken {
		<-c.ended
		return nil, net.ErrClosed
	}
	c.taken = true
	return c, nil
}

type countedBytes struct {
	mu sync.Mutex
	n  int64
}

func (c *countedBytes) add(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
}

func (c *countedBytes) total() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// serveInside serves a request that a client sent within its TLS to the host.
func (p *Proxy) serveInside(
	w http.ResponseWriter, r *http.Request, t target, login *Login, sum *countedBytes,
) {
	host, _, _ := strings.Cut(r.Host, ":")
	_, git := gitRepository(r, t.host)
	switch {
	case host != t.host:
		p.denyRequest(w, t.String(), refusal("the request inside is for another host")) //nolint:errcheck
		return
	case r.Method == http.MethodPost && git:
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		p.denyRequest(w, t.String(), //nolint:errcheck // recorded
			refusal("with a login only reading is let through, not "+short(r.Method)))
		return
	case r.ContentLength != 0:
		p.denyRequest(w, t.String(), refusal("a request may not bring a body")) //nolint:errcheck // recorded
		return
	}
	n, err := p.forwardWithLogin(w, r, t, login)
	sum.add(n)
	if cut := (cutError{}); errors.As(err, &cut) {
		panic(http.ErrAbortHandler) // the client must not take a truncated response for a complete one
	}
}

// forwardWithLogin asks the host of the login, and passes its answer on. It returns the bytes of the answer.
func (p *Proxy) forwardWithLogin(
	w http.ResponseWriter, r *http.Request, t target, login *Login,
) (int64, error) {
	sent, err := login.prepare(r.Context(), r, t)
	if err != nil {
		why := "there is no login for it: " + err.Error()
		p.addDenied(Denial{Host: t.host, Path: r.URL.Path, Why: why, Cure: "the log has the details"})
		return 0, p.denyRequest(w, t.String(), errors.New(why))
	}
	p.countVisit(t.host)
	answer, err := p.logins.RoundTrip(p.withLogin(r, t, login, sent))
	if err != nil {
		return 0, p.denyRequest(w, t.String(), p.explainTrust(t, err))
	}
	defer answer.Body.Close()
	if err := p.checkReturned(answer.Header, t, r.URL.Path, sent); err != nil {
		return 0, p.denyRequest(w, t.String(), err)
	}
	if d, ok := denialOf(t, r.URL.Path, answer.StatusCode, sent); ok {
		p.addDenied(d)
	}
	for name, values := range forwardedHeaders(answer.Header) {
		w.Header()[name] = values
	}
	w.Header().Del("Set-Cookie") // it may stand for the login
	w.WriteHeader(answer.StatusCode)
	return p.copyAnswer(w, answer, t, r.URL.Path, sent)
}

// withLogin returns the request for the host. What a client sent as its own login is replaced. The answer
// must not be compressed, so that a login in it is seen.
func (p *Proxy) withLogin(r *http.Request, t target, login *Login, sent sentLogin) *http.Request {
	at := url.URL{
		Scheme: "https", Host: t.String(), Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery,
	}
	if login.IsPlain() {
		at.Scheme = "http"
	}
	out := (&http.Request{
		Method: r.Method,
		URL:    &at,
		Host:   r.Host,
		Header: forwardedHeaders(r.Header),
		Body:   r.Body,

		ContentLength: r.ContentLength,
	}).WithContext(r.Context())
	for _, name := range []string{"Authorization", "Cookie", "Accept-Encoding"} {
		out.Header.Del(name)
	}
	if sent.header != "" {
		out.Header.Set("Authorization", sent.header)
	}
	return out
}

// explainTrust records a certificate that is not trusted, and returns the error for the client.
func (p *Proxy) explainTrust(t target, err error) error {
	var invalid *tls.CertificateVerificationError
	if errors.As(err, &invalid) {
		return p.addMissed(t, "its certificate is not trusted: "+invalid.Err.Error(), err)
	}
	return err
}

// checkReturned returns an error if the headers of an answer have the login in them, such as a redirect that
// would carry it to another host.
func (p *Proxy) checkReturned(h http.Header, t target, path string, sent sentLogin) error {
	for _, values := range h {
		if sent.mentions(strings.Join(values, "\n")) {
			return p.addReturned(t, path, sent)
		}
	}
	return nil
}

// addReturned records that a host sent the login back, and returns the error for the client.
func (p *Proxy) addReturned(t target, path string, sent sentLogin) error {
	p.addDenied(Denial{
		Host: t.host, Path: path,
		Why:  "sent " + sent.name + " back in its answer, which was not passed on",
		Cure: "ask its operator why; renew the token if that answer was seen elsewhere",
	})
	return errors.New(t.host + " sent its login back")
}

// copyAnswer passes the body of an answer on, up to a place where the login is in it.
func (p *Proxy) copyAnswer(
	w io.Writer, answer *http.Response, t target, path string, sent sentLogin,
) (int64, error) {
	stop := time.AfterFunc(p.cfg.Limits.Silence, func() { answer.Body.Close() })
	defer stop.Stop()
	body := &countingReader{Reader: answer.Body, count: func(n int) error {
		stop.Reset(p.cfg.Limits.Silence)
		return p.countBytes(t.host, n)
	}}
	filter := &loginFilter{w: w, sent: sent}
	n, err := io.Copy(filter, body)
	if err == nil {
		err = filter.flush()
	}
	if errors.Is(err, errReturned) {
		err = p.addReturned(t, path, sent)
	}
	if err != nil {
		err = cutError{err}
	}
	return n, err
}

// errReturned ends the copying of an answer that has the login in it.
var errReturned = errors.New("the login is in the answer")

// A loginFilter passes on what is written to it, unless the login is in it. It holds back the last bytes, in
// which a login may begin.
type loginFilter struct {
	w    io.Writer
	sent sentLogin
	held []byte
}

func (f *loginFilter) Write(b []byte) (int, error) {
	all := append(f.held, b...)
	longest := 1
	for _, secret := range f.sent.secrets {
		if bytes.Contains(all, []byte(secret)) {
			return 0, errReturned
		}
		longest = max(longest, len(secret))
	}
	free := max(0, len(all)-longest+1)
	if _, err := f.w.Write(all[:free]); err != nil {
		return 0, err
	}
	f.held = append([]byte(nil), all[free:]...)
	return len(b), nil
}

func (f *loginFilter) flush() error {
	_, err := f.w.Write(f.held)
	return err
}

// Authority returns the certificate, in PEM, of the authority that signs for the hosts with logins over TLS,
// or nil if there are none. Clients must trust it; it may sign for these hosts only.
func (p *Proxy) Authority() []byte {
	if p.authority == nil {
		return nil
	}
	return p.authority.cert
}

// openLogins parses the logins, and prepares for them.
func (p *Proxy) openLogins() error {
	var hosts []string
	for _, l := range p.cfg.Logins {
		t, err := parseLogin(l.Host)
		if err != nil {
			return errors.New("login for " + l.Host + ": " + err.Error())
		}
		p.loginTargets = append(p.loginTargets, t)
		p.allowed = append(p.allowed, t.target)
		if !t.plain {
			hosts = append(hosts, t.target.host)
		}
	}
	var err error
	p.authority, err = newAuthority(hosts)
	p.logins = &http.Transport{
		DialContext: p.dialLogin, DisableCompression: true,
		TLSClientConfig:       &tls.Config{RootCAs: p.cfg.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   p.cfg.Limits.Silence,
		ResponseHeaderTimeout: p.cfg.Limits.Silence, MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConnsPerHost: 8, IdleConnTimeout: p.cfg.Limits.Silence,
	}
	return err
}
