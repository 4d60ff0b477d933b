package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// serveRequest serves one request and logs it.
func (p *Proxy) serveRequest(w http.ResponseWriter, r *http.Request) {
	if !p.beginRequest() {
		return
	}
	defer p.working.Done()
	began := time.Now()
	do := p.servePlain
	if r.Method == http.MethodConnect {
		do = p.serveTunnel
	}
	host, n, err := do(w, r)
	if refused := refusal(""); errors.As(err, &refused) {
		return // addRefused has logged it
	}
	p.cfg.Log.Info("setup: fetched", "host", host, "method", r.Method, "bytes", n,
		"took", time.Since(began).Round(time.Millisecond), "err", err)
	if cut := (cutError{}); errors.As(err, &cut) {
		panic(http.ErrAbortHandler) // the client must not take a truncated response for a complete one
	}
}

// A cutError is the error of a response that ended before it was complete.
type cutError struct{ error }

func (c cutError) Unwrap() error { return c.error }

// beginRequest counts a request as running, and returns false if the proxy is being closed.
func (p *Proxy) beginRequest() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.working.Add(1)
	}
	return !p.closed
}

// denyRequest answers a request that is not let through, and returns the reason. A refusal is recorded before
// the response is sent, so a client that has the response finds the refusal in the Report.
func (p *Proxy) denyRequest(w http.ResponseWriter, name string, why error) error {
	code := http.StatusBadGateway
	if refused := refusal(""); errors.As(why, &refused) {
		p.addRefused(name, refused)
		code = http.StatusForbidden
		why = refused
	}
	w.Header().Set("Connection", "close")
	http.Error(w, "bobbin: "+why.Error(), code)
	return why
}

// servePlain serves a GET or HEAD request for an http address.
func (p *Proxy) servePlain(w http.ResponseWriter, r *http.Request) (string, int64, error) {
	t, err := p.admitPlain(r)
	if err != nil {
		return r.Host, 0, p.denyRequest(w, r.Host, err)
	}
	if login := p.loginFor(t, true); login != nil {
		n, err := p.forwardWithLogin(w, r, t, login)
		return t.host, n, err
	}
	p.countVisit(t.host)
	out := (&http.Request{
		Method: r.Method,
		URL:    r.URL,
		Host:   r.URL.Host,
		Header: forwardedHeaders(r.Header),
	}).WithContext(r.Context())
	answer, err := p.plain.RoundTrip(out)
	if err != nil {
		return t.host, 0, p.denyRequest(w, r.Host, err)
	}
	defer answer.Body.Close()
	for name, values := range forwardedHeaders(answer.Header) {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	stop := time.AfterFunc(p.cfg.Limits.Silence, func() { answer.Body.Close() })
	defer stop.Stop()
	n, err := io.Copy(w, &countingReader{Reader: answer.Body, count: func(n int) error {
		stop.Reset(p.cfg.Limits.Silence)
		return p.countBytes(t.host, n)
	}})
	if err != nil {
		err = cutError{err}
	}
	return t.host, n, err
}

// admitPlain checks a request without a tunnel, and returns its target or a refusal.
func (p *Proxy) admitPlain(r *http.Request) (target, error) {
	switch {
	case r.URL.Scheme != "http" || r.URL.Host == "" || r.URL.Opaque != "":
		return target{}, refusal("only http addresses can be asked for without CONNECT")
	case r.URL.User != nil:
		return target{}, refusal("a user does not belong in an address")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return target{}, refusal("only GET and HEAD are let through, not " + short(r.Method))
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		return target{}, refusal("a request may not bring a body")
	}
	return p.admitTarget(r.URL.Host, portPlain)
}

func short(s string) string { return s[:min(len(s), 20)] }

// dialPlain opens the connections for requests without a tunnel.
func (p *Proxy) dialPlain(ctx context.Context, _, address string) (net.Conn, error) {
	t, err := p.admitTarget(address, 0) // checked again, because this is the address that is dialled
	if err != nil {
		return nil, err
	}
	return p.dialJudged(ctx, t)
}

// hop lists the hop-by-hop headers and the headers for the proxy itself. They are not forwarded.
var hop = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade",
}

func forwardedHeaders(h http.Header) http.Header {
	out := h.Clone()
	for _, name := range hop {
		out.Del(name)
	}
	return out
}

// A countingReader reports to count how many bytes were read. An error of count ends the reading.
type countingReader struct {
	io.Reader
	count func(int) error
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if over := c.count(n); over != nil {
		return n, over
	}
	return n, err
}

// serveTunnel serves a CONNECT request. It passes bytes on only after a TLS ClientHello for the requested
// host.
func (p *Proxy) serveTunnel(w http.ResponseWriter, r *http.Request) (string, int64, error) {
	t, err := p.admitTarget(r.RequestURI, 0)
	if err == nil && t.port == portPlain {
		err = refusal("port 80 has no TLS; ask for the address itself")
	}
	if err != nil {
		return r.Host, 0, p.denyRequest(w, r.RequestURI, err)
	}
	if login := p.loginFor(t, false); login != nil {
		return p.serveIntercepted(w, r, t, login)
	}
	far, err := p.dialJudged(r.Context(), t)
	if err != nil {
		return t.host, 0, p.denyRequest(w, r.RequestURI, err)
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return t.host, 0, p.denyRequest(w, r.RequestURI, err)
	}
	defer near.Close()
	defer context.AfterFunc(p.ctx, func() {
		near.Close()
		far.Close()
	})()
	p.countVisit(t.host)
	n, err := p.copyBothWays(t, near, far, buffered.Reader)
	if refused := refusal(""); errors.As(err, &refused) {
		p.addRefused(t.String(), refused)
	}
	return t.host, n, err
}

// copyBothWays reads the TLS ClientHello, then copies bytes in both directions until one side ends.
func (p *Proxy) copyBothWays(t target, near, far net.Conn, from *bufio.Reader) (int64, error) {
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return 0, err
	}
	// a dead connection says so by itself
	near.SetDeadline(time.Now().Add(min(p.cfg.Limits.Silence, 10*time.Second))) //nolint:errcheck
	hello, err := readTLSHello(from, t.host)
	if err != nil {
		return 0, err
	}
	ended := make(chan int64, 2)
	pass := func(to net.Conn, from net.Conn, r io.Reader) {
		n, _ := io.Copy(to, &countingReader{Reader: r, count: func(n int) error { //nolint:errcheck
			// any end is the end
			from.SetDeadline(time.Now().Add(p.cfg.Limits.Silence)) //nolint:errcheck // as above
			to.SetDeadline(time.Now().Add(p.cfg.Limits.Silence))   //nolint:errcheck // as above
			return p.countBytes(t.host, n)
		}})
		ended <- n
	}
	go pass(far, near, io.MultiReader(bytes.NewReader(hello), from))
	go pass(near, far, far)
	n := <-ended
	near.Close()
	far.Close()
	return n + <-ended, nil
}

// errGreeted ends the TLS handshake of readTLSHello after the ClientHello.
var errGreeted = errors.New("greeted")

// readTLSHello reads the TLS ClientHello and returns its bytes. It returns a refusal if the ClientHello is
// for another host: many hosts share one address, and the name in CONNECT is only a claim of the client.
func readTLSHello(r io.Reader, host string) ([]byte, error) {
	var raw bytes.Buffer
	var name *string
	err := tls.Server(readOnlyConn{io.TeeReader(r, &raw)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name = &h.ServerName
			return nil, errGreeted
		},
	}).Handshake()
	switch {
	case name == nil:
		return nil, refusal("what was sent is no TLS: " + err.Error())
	case *name != host:
		return nil, refusal("the TLS inside is for another host")
	}
	return raw.Bytes(), nil
}

// A readOnlyConn is a net.Conn that can only be read.
type readOnlyConn struct{ r io.Reader }

func (r readOnlyConn) Read(b []byte) (int, error) { return r.r.Read(b) }

func (readOnlyConn) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func (readOnlyConn) Close() error { return nil }

func (readOnlyConn) LocalAddr() net.Addr { return nil }

func (readOnlyConn) RemoteAddr() net.Addr { return nil }

func (readOnlyConn) SetDeadline(time.Time) error { return nil }

func (readOnlyConn) SetReadDeadline(time.Time) error { return nil }

func (readOnlyConn) SetWriteDeadline(time.Time) error { return nil }
