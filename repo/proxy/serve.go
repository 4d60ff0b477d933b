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

// serveRequest answers one request.
func (p *Proxy) serveRequest(w http.ResponseWriter, r *http.Request) {
	if !p.beginRequest() {
		return
	}
	defer p.working.Done()
	began, do := time.Now(), p.servePlain
	if r.Method == http.MethodConnect {
		do = p.serveTunnel
	}
	host, n, err := do(w, r)
	if said := refusal(""); errors.As(err, &said) {
		return // and is logged
	}
	p.cfg.Log.Info("setup: fetched", "host", host, "method", r.Method, "bytes", n, "took", time.Since(began).Round(time.Millisecond), "err", err)
	if cut := (cutError{}); errors.As(err, &cut) {
		panic(http.ErrAbortHandler) // what was cut must not look whole
	}
}

// cutError says that an answer was broken off.
type cutError struct{ error }

func (e cutError) Unwrap() error { return e.error }

// beginRequest counts a request, unless the proxy is being closed.
func (p *Proxy) beginRequest() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.working.Add(1)
	}
	return !p.closed
}

// denyRequest answers a request that is not let through, and gives why. What is refused is kept
// before whoever asked can know of it.
func (p *Proxy) denyRequest(w http.ResponseWriter, name string, why error) error {
	code := http.StatusBadGateway
	if said := refusal(""); errors.As(why, &said) {
		p.addRefused(name, said)
		code, why = http.StatusForbidden, said
	}
	w.Header().Set("Connection", "close")
	http.Error(w, "bobbin: "+why.Error(), code)
	return why
}

// servePlain carries out a request for an http address.
func (p *Proxy) servePlain(w http.ResponseWriter, r *http.Request) (string, int64, error) {
	t, err := p.admitPlain(r)
	if err != nil {
		return r.Host, 0, p.denyRequest(w, r.Host, err)
	}
	p.countVisit(t.host)
	out := (&http.Request{Method: r.Method, URL: r.URL, Host: r.URL.Host, Header: forwardedHeaders(r.Header)}).WithContext(r.Context())
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
	n, err := io.Copy(w, &metered{Reader: answer.Body, count: func(n int) error {
		stop.Reset(p.cfg.Limits.Silence)
		return p.countBytes(t.host, n)
	}})
	if err != nil {
		err = cutError{err}
	}
	return t.host, n, err
}

// admitPlain judges a request without a tunnel.
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

// dialPlain is how requests without a tunnel connect.
func (p *Proxy) dialPlain(ctx context.Context, _, address string) (net.Conn, error) {
	t, err := p.admitTarget(address, 0) // once more: this is what is dialled
	if err != nil {
		return nil, err
	}
	return p.dialJudged(ctx, t)
}

// hop are the headers that concern one connection alone, or us.
var hop = []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func forwardedHeaders(h http.Header) http.Header {
	out := h.Clone()
	for _, name := range hop {
		out.Del(name)
	}
	return out
}

// metered counts what is read; an error of the counting ends the reading.
type metered struct {
	io.Reader
	count func(int) error
}

func (m *metered) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if over := m.count(n); over != nil {
		return n, over
	}
	return n, err
}

// serveTunnel connects the client with a host, once it has said hello to that host.
func (p *Proxy) serveTunnel(w http.ResponseWriter, r *http.Request) (string, int64, error) {
	t, err := p.admitTarget(r.RequestURI, 0)
	if err == nil && t.port == portPlain {
		err = refusal("port 80 has no TLS; ask for the address itself")
	}
	if err != nil {
		return r.Host, 0, p.denyRequest(w, r.RequestURI, err)
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
	defer context.AfterFunc(p.ctx, func() { near.Close(); far.Close() })()
	p.countVisit(t.host)
	n, err := p.copyBothWays(t, near, far, buffered.Reader)
	if said := refusal(""); errors.As(err, &said) {
		p.addRefused(t.String(), said)
	}
	return t.host, n, err
}

// copyBothWays passes bytes both ways until one side ends.
func (p *Proxy) copyBothWays(t target, near, far net.Conn, from *bufio.Reader) (int64, error) {
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return 0, err
	}
	near.SetDeadline(time.Now().Add(min(p.cfg.Limits.Silence, 10*time.Second))) //nolint:errcheck // a dead connection says so by itself
	hello, err := readTLSHello(from, t.host)
	if err != nil {
		return 0, err
	}
	ended := make(chan int64, 2)
	pass := func(to net.Conn, from net.Conn, r io.Reader) {
		n, _ := io.Copy(to, &metered{Reader: r, count: func(n int) error { //nolint:errcheck // any end is the end
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

// errGreeted ends a handshake that is only listened to.
var errGreeted = errors.New("greeted")

// readTLSHello reads the first message of TLS, and refuses one that means another host: many
// hosts share an address, and the name in CONNECT is only a claim.
func readTLSHello(r io.Reader, host string) ([]byte, error) {
	var raw bytes.Buffer
	var name *string
	err := tls.Server(listening{io.TeeReader(r, &raw)}, &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		name = &h.ServerName
		return nil, errGreeted
	}}).Handshake()
	switch {
	case name == nil:
		return nil, refusal("what was sent is no TLS: " + err.Error())
	case *name != host:
		return nil, refusal("the TLS inside is for another host")
	}
	return raw.Bytes(), nil
}

// listening is a connection that can only be read.
type listening struct{ r io.Reader }

func (l listening) Read(b []byte) (int, error) { return l.r.Read(b) }

func (listening) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func (listening) Close() error { return nil }

func (listening) LocalAddr() net.Addr { return nil }

func (listening) RemoteAddr() net.Addr { return nil }

func (listening) SetDeadline(time.Time) error { return nil }

func (listening) SetReadDeadline(time.Time) error { return nil }

func (listening) SetWriteDeadline(time.Time) error { return nil }
