package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A Client sends requests to a host's REST API. Sizes, times and the number of pages are limited, and
// unchanged responses are taken from memory. It never follows a redirect with a credential.
type Client struct {
	API  string // the address of the API, without a slash at its end
	Name string // the host's name for people: GitHub
	// Repository is the repository's name for people: acme/shop.
	Repository string
	// Root is the path of the repository below API: /repos/acme/shop.
	Root string
	// Web is the repository's own page. Only addresses below it are shown; if it is empty, none is.
	Web string
	// Sign adds the credential to a request. write means that the request changes something.
	Sign func(ctx context.Context, r *http.Request, write bool) (remote.Credential, error)
	// Rights says what a credential needs, for the cure of a refusal.
	Rights string
	Accept string

	mu    sync.Mutex
	known map[string]answer // responses by address
}

// An answer is a response kept with the ETag by which the host reports whether it has changed.
type answer struct {
	tag, next string
	text      []byte
}

const (
	maxAnswer  = 8 << 20
	maxKnown   = 64
	maxPages   = 10
	askTimeout = 30 * time.Second
	maxWait    = 24 * time.Hour
	maxRefusal = 300
	maxTail    = 64 << 10
)

// At returns a path below Root.
func (c *Client) At(format string, args ...any) string { return c.Root + fmt.Sprintf(format, args...) }

// Get reads one response into out.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	a, err := c.get(ctx, c.API+path)
	if err != nil {
		return err
	}
	return c.decode(a.text, out)
}

// Pages reads a list of several pages, at most maxPages, and calls add with each.
func (c *Client) Pages(ctx context.Context, path string, add func(page []byte) error) error {
	return c.somePages(ctx, path, maxPages, add)
}

func (c *Client) somePages(ctx context.Context, path string, most int, add func(page []byte) error) error {
	address := c.API + path
	for range most {
		a, err := c.get(ctx, address)
		if err != nil {
			return err
		}
		if err := add(a.text); err != nil {
			return c.invalidResponse()
		}
		// A next page elsewhere is not requested, because the request would send the credential there.
		if a.next == "" || !strings.HasPrefix(a.next, c.API+"/") {
			return nil
		}
		address = a.next
	}
	return nil
}

// List reads all pages of a list, at most maxPages.
func List[T any](ctx context.Context, c *Client, path string) (all []T, err error) {
	return listPages[T](ctx, c, path, maxPages)
}

// listPages reads the first pages of a list.
func listPages[T any](ctx context.Context, c *Client, path string, most int) (all []T, err error) {
	err = c.somePages(ctx, path, most, func(page []byte) error {
		var some []T
		if err := json.Unmarshal(page, &some); err != nil {
			return err
		}
		all = append(all, some...)
		return nil
	})
	return all, err
}

// Send sends a request that changes something, and reads the response into out, which may be nil.
func (c *Client) Send(ctx context.Context, method, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	res, said, err := c.do(ctx, method, c.API+path, text, "")
	if err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return c.refusal(res, said, true)
	}
	if out == nil {
		return nil
	}
	return c.decode(said, out)
}

// Tail returns the end of a long text, at most maxTail bytes. If the host redirects to another address, it
// is fetched from there without the credential.
func (c *Client) Tail(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*askTimeout)
	defer cancel()
	req, _, err := c.request(ctx, http.MethodGet, c.API+path, nil)
	if err != nil {
		return "", err
	}
	res, err := transport().Do(req)
	if err == nil && res.StatusCode/100 == 3 {
		to, where := res.Location()
		_ = res.Body.Close()
		if where != nil || to.Scheme != "https" && to.Hostname() != "127.0.0.1" {
			return "", nil
		}
		elsewhere, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
		if err != nil {
			return "", nil
		}
		if res, err = transport().Do(elsewhere); err != nil {
			return "", c.unreachable(ctx, err)
		}
	}
	if err != nil {
		return "", c.unreachable(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer)) // the status is enough
		return "", c.refusal(res, text, false)
	}
	return tail(io.LimitReader(res.Body, 64<<20), maxTail), nil
}

// tail returns the last most bytes of r.
func tail(r io.Reader, most int) string {
	var end []byte
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		end = append(end, chunk[:n]...)
		if len(end) > most {
			end = append([]byte(nil), end[len(end)-most:]...)
			if at := bytes.IndexByte(end, '\n'); at >= 0 && err != nil {
				end = end[at+1:]
			}
		}
		if err != nil {
			return strings.ToValidUTF8(string(end), "�")
		}
	}
}

// get requests an address, or returns the kept response if the host says that it has not changed.
func (c *Client) get(ctx context.Context, address string) (answer, error) {
	c.mu.Lock()
	before, asked := c.known[address]
	c.mu.Unlock()
	res, text, err := c.do(ctx, http.MethodGet, address, nil, before.tag)
	switch {
	case err != nil:
		return answer{}, err
	case res.StatusCode == http.StatusNotModified && asked:
		if next := nextPage(res.Header.Values("Link")); next != "" {
			// a full page stays the same when another page is added after it
			before.next = next
		}
		return before, nil
	case res.StatusCode/100 != 2:
		return answer{}, c.refusal(res, text, false)
	}
	a := answer{tag: res.Header.Get("ETag"), next: nextPage(res.Header.Values("Link")), text: text}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxKnown {
		c.known = map[string]answer{}
	}
	if a.tag != "" {
		c.known[address] = a
	}
	return a, nil
}

// nextPage returns the address of rel="next".
func nextPage(links []string) string {
	for _, link := range strings.Split(strings.Join(links, ","), ",") {
		address, rel, _ := strings.Cut(link, ";")
		if strings.Contains(rel, `rel="next"`) {
			return strings.Trim(strings.TrimSpace(address), "<>")
		}
	}
	return ""
}

func (c *Client) do(
	ctx context.Context, method, address string, body []byte, tag string,
) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	req, used, err := c.request(ctx, method, address, body)
	if err != nil {
		return nil, nil, err
	}
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	res, err := transport().Do(req)
	if err != nil {
		return nil, nil, c.unreachable(ctx, used.CleanError(err))
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, nil, c.unreachable(ctx, used.CleanError(err))
	}
	if res.StatusCode/100 > 3 { // hosts and proxies sometimes repeat what they were sent
		text = []byte(used.HideIn(string(text)))
	}
	return res, text, nil
}

func (c *Client) request(
	ctx context.Context, method, address string, body []byte,
) (*http.Request, remote.Credential, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, remote.Credential{}, &remote.Error{
			Reason: "the address of " + c.Name + "'s API cannot be read",
			Cure:   "Check url under host",
		}
	}
	req.Header.Set("Accept", c.Accept)
	req.Header.Set("User-Agent", "bobbin")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	used, err := c.Sign(ctx, req, method != http.MethodGet)
	return req, used, err
}

// transport returns an HTTP client that keeps no connections open and follows no redirects.
func transport() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableKeepAlives = true
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (c *Client) decode(text []byte, out any) error {
	if json.Unmarshal(text, out) != nil {
		return c.invalidResponse()
	}
	return nil
}

func (c *Client) invalidResponse() error {
	return &remote.Error{
		Op:     c.op(),
		Reason: c.Name + "'s API answered with something that cannot be read",
		Cure:   "Check url under host, and what stands between it and the bot",
		Retry:  true,
	}
}

// op returns what was attempted, in words for operators.
func (c *Client) op() string { return "ask " + c.Name + " about " + c.Repository }

// unreachable returns the error of a request without a response, with no part of the request in its text.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	e := &remote.Error{
		Op:     c.op(),
		Reason: c.Name + "'s API cannot be reached",
		Cure:   "Nothing is lost; it is tried again",
		Retry:  true,
		Err:    err,
	}
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Reason += ": it did not answer in time"
	case errors.As(err, &op):
		e.Reason += ": " + op.Err.Error()
	}
	return e
}

// refusal turns a response that refuses the request into an error.
func (c *Client) refusal(res *http.Response, text []byte, write bool) error {
	message := errorMessage(text)
	low := strings.ToLower(message)
	e := &remote.Error{Op: c.op(), After: wait(res.Header), Cure: "Check host in the configuration"}
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests,
		code == http.StatusForbidden && (e.After > 0 || strings.Contains(low, "rate limit")):
		e.Reason = c.Name + " has had too many requests"
		e.Cure = "It is asked again later"
		e.Retry = true
		if e.After == 0 {
			e.After = time.Minute
		}
	case code >= 500, code == http.StatusRequestTimeout:
		e.Reason = fmt.Sprintf("%s's API answered %d %s", c.Name, code, http.StatusText(code))
		e.Cure = "Its trouble, most likely; it is tried again"
		e.Retry = true
	case code/100 == 3:
		e.Reason = c.Name + "'s API sends us elsewhere for " + c.Repository
		e.Cure = "It was renamed or moved, most likely: put its new address into the configuration"
	case code == http.StatusUnauthorized:
		e.Reason = c.Name + " does not accept the token" + after(message)
		e.Cure = "Check that it is current, and of this host; it needs " + c.Rights
	case code == http.StatusNotFound:
		e.Reason = "there is no " + c.Repository + " at " + c.Name + ", or the token may not see it"
		e.Cure = "Check the repository's url; the token needs " + c.Rights
		e.Err = ErrNotFound
	case code == http.StatusForbidden:
		e.Reason = "the token may not read this at " + c.Name + after(message)
		e.Cure = "It needs " + c.Rights
		e.Err = ErrForbidden
		if write {
			e.Reason = "the token may not do this at " + c.Name + after(message)
		}
	case code == http.StatusConflict,
		code == http.StatusUnprocessableEntity && strings.Contains(low, "already exists"):
		e.Reason = c.Name + " refuses it" + after(message)
		e.Err = ErrExists
	default:
		e.Reason = fmt.Sprintf("%s refuses it (%d)", c.Name, code) + after(message)
	}
	return e
}

func after(text string) string {
	if text == "" {
		return ""
	}
	return ": " + strings.TrimSuffix(text, ".")
}

// errorMessage returns the host's own message in one line, or an empty string if there is none for people.
func errorMessage(text []byte) string {
	var answer struct {
		Message json.RawMessage `json:"message"`
		Error   json.RawMessage `json:"error"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	if json.Unmarshal(text, &answer) != nil {
		var other struct {
			Message string `json:"message"` // with errors in another form
		}
		if json.Unmarshal(text, &other) != nil {
			return ""
		}
		return asciiLine(other.Message)
	}
	var parts []string
	for _, raw := range []json.RawMessage{answer.Message, answer.Error} {
		var one string
		var several []string
		if json.Unmarshal(raw, &one) == nil && one != "" {
			parts = append(parts, one)
		} else if json.Unmarshal(raw, &several) == nil {
			parts = append(parts, several...)
		}
	}
	for _, e := range answer.Errors {
		if e.Message != "" {
			parts = append(parts, e.Message)
		}
	}
	return asciiLine(strings.Join(parts, "; "))
}

func asciiLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, s)
	return s[:min(len(s), maxRefusal)]
}

// wait returns how long a host asks to wait: by Retry-After, or until its rate limit is reset. It is at
// most maxWait.
func wait(h http.Header) time.Duration {
	if seconds, err := strconv.ParseUint(h.Get("Retry-After"), 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxWait)
	}
	for _, name := range []string{"X-RateLimit-", "RateLimit-"} {
		at, err := strconv.ParseInt(h.Get(name+"Reset"), 10, 64)
		now, dated := http.ParseTime(h.Get("Date"))
		if err == nil && dated == nil && h.Get(name+"Remaining") == "0" && at > now.Unix() {
			return min(time.Unix(at, 0).Sub(now), maxWait)
		}
	}
	return 0
}

// Page returns the address if it is below the repository's own page, and an empty string otherwise.
func (c *Client) Page(address string) string {
	u, err := url.Parse(address)
	own, broken := url.Parse(c.Web)
	if err != nil || broken != nil || c.Web == "" || u.User != nil ||
		u.Scheme != own.Scheme || !strings.EqualFold(u.Host, own.Host) ||
		!strings.HasPrefix(strings.ToLower(u.Path), strings.ToLower(strings.TrimSuffix(own.Path, "/"))+"/") ||
		strings.ContainsAny(address, " <>|\"`()\n") {
		return ""
	}
	return address
}
