package source

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// errTooLarge ends a message of more than MaxMessage bytes.
var errTooLarge = fmt.Errorf("it sends more than %s at once", plaintext.FormatSize(MaxMessage))

// An httpTransport reaches a server over streamable HTTP.
type httpTransport struct {
	*mcp.StreamableClientTransport
	guard *guard
}

func newHTTPTransport(c Config, most int64) (*httpTransport, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, &Error{Source: c.Name, Reason: "has no valid url", Cure: "correct url"}
	}
	g := &guard{at: u, header: c.Header, most: most, base: http.DefaultTransport.(*http.Transport).Clone()}
	return &httpTransport{
		StreamableClientTransport: &mcp.StreamableClientTransport{
			Endpoint: c.URL,
			HTTPClient: &http.Client{
				Transport:     g,
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			},
			MaxRetries:           -1,
			DisableStandaloneSSE: true,
			MaxEventSize:         int(most),
		},
		guard: g,
	}, nil
}

func (h *httpTransport) begin() { h.guard.forget() }

func (h *httpTransport) close() { h.guard.base.CloseIdleConnections() }

// explain returns what the last response says, if that was not a success.
func (h *httpTransport) explain(err error) (reason, cure string) {
	if errors.Is(err, errTooLarge) {
		return tooLarge()
	}
	return h.guard.explain()
}

// urlCure is the cure of an address at which no MCP server is.
const urlCure = "correct url; it often ends in /mcp, and the older transport HTTP+SSE is not spoken"

func (h *httpTransport) noMCP() string { return urlCure }

// tooLarge returns what is said of a message of more than MaxMessage bytes.
func tooLarge() (reason, cure string) {
	return fmt.Sprintf("sends more than %s at once: ask for less", plaintext.FormatSize(MaxMessage)),
		"set a limit in the server"
}

// A guard sends the configured header to the configured host alone, and bounds what is read.
type guard struct {
	at     *url.URL
	header map[string]string
	most   int64 // bytes of a response
	base   *http.Transport

	mu       sync.Mutex
	large    bool   // a response was too large
	status   int    // of the newest response that was not a success; 0: there was none
	location string // to which that response redirects
	failed   error  // why the newest request was not answered
}

func (g *guard) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.large = false
	g.status = 0
	g.location = ""
	g.failed = nil
}

// RoundTrip sends a request. The SDK sends none to another host; this is checked here all the same, since the
// token is added here.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != g.at.Host || r.URL.Scheme != g.at.Scheme {
		return nil, fmt.Errorf("a request to %s is refused", r.URL.Host)
	}
	r = r.Clone(r.Context())
	for name, value := range g.header {
		r.Header.Set(name, value)
	}
	response, err := g.base.RoundTrip(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		if r.Context().Err() == nil {
			g.failed = err
		}
		return nil, err
	}
	if response.StatusCode >= 300 && r.Method == http.MethodPost {
		g.status = response.StatusCode
		g.location = response.Header.Get("Location")
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: g.most, guard: g}
	return response, nil
}

// explain says what a status, a redirect or a failed request means.
func (g *guard) explain() (reason, cure string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	const token = "check token_env, and what that token may do"
	switch {
	case g.large:
		return tooLarge()
	case g.status == http.StatusUnauthorized:
		return "refuses the token (HTTP 401)", token
	case g.status == http.StatusForbidden:
		return "forbids it (HTTP 403)", token
	case g.status == http.StatusNotFound:
		return "is not at its url (HTTP 404)", urlCure
	case g.status == http.StatusMethodNotAllowed:
		return "takes no calls at its url (HTTP 405)", urlCure
	case g.status >= 300 && g.status < 400:
		to := "elsewhere"
		if u, err := g.at.Parse(g.location); err == nil && u.Host != "" {
			to = "to " + u.Host
		}
		return "redirects " + to + ", which is not followed", "write the address that is right as url"
	case g.status != 0:
		return fmt.Sprintf("answers with HTTP %d", g.status), "look at the server's log"
	case g.failed != nil:
		return "cannot be reached: " + g.failed.Error(), "check url, and that this machine reaches it"
	}
	return "", ""
}

// A boundedBody is a response that ends with errTooLarge after a number of bytes.
type boundedBody struct {
	io.ReadCloser
	left  int64
	guard *guard
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.guard.mu.Lock()
		b.guard.large = true
		b.guard.mu.Unlock()
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
