// Package lfs fetches objects of Git LFS over its batch API, with the basic transfer. It never uploads.
//
// The server is asked with the credential that the caller gives, and nobody else gets it. The server names
// for each object where it is: that address gets the headers that the server gave with it, and nothing of
// ours. Another host than the server's is asked over https only, and only if Client.Dial connects to it.
package lfs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Client fetches objects from one server. Set all exported fields before the first use.
type Client struct {
	Server *url.URL // without /objects/batch
	// Login returns the value of the header Authorization for the server, right before a request; empty:
	// none. Name is that of the credential, for people.
	Login func(ctx context.Context) (header, name string, err error)
	// Own reports whether the server is connected to as the rest of the program connects, without Dial.
	Own bool
	// Dial connects to a host of the internet, or says in words for people why it does not.
	Dial    func(ctx context.Context, host string, port uint16) (net.Conn, error)
	Roots   *x509.CertPool // authorities of servers; nil: those of this machine
	Silence time.Duration  // the longest wait for a byte; default 30 s

	once   sync.Once
	own    *http.Client
	others *http.Client

	mu    sync.Mutex
	fails map[string]int // requests that a host did not answer
}

// maxFails is how often a host may not answer until it is not asked any more.
const maxFails = 3

// An Object is what a pointer names.
type Object struct {
	OID  string // SHA-256, in hex
	Size int64
}

// A Failure says why objects were not fetched.
type Failure struct {
	Host string // that failed
	Why  string // one line for people
	Cure string
	All  bool // nothing else can be had of the server either
}

func (f *Failure) Error() string { return f.Why }

// The most objects of one request, and the largest answer to it in bytes.
const (
	maxBatch  = 100
	maxAnswer = 4 << 20
)

// A place is where an object is.
type place struct {
	Href   string
	Header map[string]string
}

// setUp makes the two clients for HTTP. Neither follows redirects by itself.
func (c *Client) setUp() {
	c.Silence = cmp.Or(c.Silence, 30*time.Second)
	transport := func() *http.Transport {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.ResponseHeaderTimeout = c.Silence
		t.IdleConnTimeout = c.Silence
		if c.Roots != nil {
			t.TLSClientConfig = &tls.Config{RootCAs: c.Roots}
		}
		return t
	}
	client := func(t *http.Transport) *http.Client {
		return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	c.own = client(transport())
	outside := transport()
	outside.Proxy = nil
	outside.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) {
		host, text, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return nil, err
		}
		conn, err := c.Dial(ctx, host, uint16(port))
		if err != nil {
			return nil, &dialError{err}
		}
		return conn, nil
	}
	c.others = client(outside)
	if !c.Own {
		c.own = c.others
	}
}

// A dialError is an error of Client.Dial, whose words are for people.
type dialError struct{ error }

// Close closes idle connections.
func (c *Client) Close() {
	c.once.Do(c.setUp)
	c.own.CloseIdleConnections()
	c.others.CloseIdleConnections()
}

// Fetch fetches objects: for each of them, save is called with its content, or failed with the reason; both
// may be called concurrently. An error of save is that of Fetch, and ends it.
func (c *Client) Fetch(
	ctx context.Context, wanted []Object, save func(Object, io.Reader) error, failed func(Object, *Failure),
) error {
	c.once.Do(c.setUp)
	for len(wanted) > 0 {
		batch := wanted[:min(len(wanted), maxBatch)]
		places, problem := c.ask(ctx, batch)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if problem != nil {
			for _, o := range wanted {
				failed(o, problem)
			}
			return nil
		}
		if err := c.fetchBatch(ctx, batch, places, save, failed); err != nil {
			return err
		}
		wanted = wanted[len(batch):]
	}
	return nil
}

// fetchBatch fetches the objects of one answer, a few at a time.
func (c *Client) fetchBatch(
	ctx context.Context, batch []Object, places map[string]answer,
	save func(Object, io.Reader) error, failed func(Object, *Failure),
) error {
	var working sync.WaitGroup
	queue := make(chan Object)
	errs := make([]error, parallel)
	for i := range parallel {
		working.Go(func() {
			for o := range queue {
				if errs[i] != nil || ctx.Err() != nil {
					continue
				}
				problem := (*Failure)(nil)
				err := c.fetchOne(ctx, o, places[o.OID], save)
				if errors.As(err, &problem) {
					failed(o, problem)
				} else {
					errs[i] = err
				}
			}
		})
	}
	for _, o := range batch {
		queue <- o
	}
	close(queue)
	working.Wait()
	return cmp.Or(errors.Join(errs...), ctx.Err())
}

// parallel is how many objects are fetched at the same time.
const parallel = 4

// An answer is what the server says of one object.
type answer struct {
	OID     string
	Actions struct{ Download *place }
	Error   *struct {
		Code    int
		Message string
	}
}

// ask asks the server where objects are.
func (c *Client) ask(ctx context.Context, batch []Object) (map[string]answer, *Failure) {
	header, name, err := c.Login(ctx)
	if err != nil {
		return nil, c.failure(plaintext.SafeLine(err.Error(), 300), "give the repository a token")
	}
	body := map[string]any{
		"operation": "download", "transfers": []string{"basic"}, "objects": asked(batch),
		"hash_algo": "sha256",
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, c.failure(err.Error(), "")
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		c.Server.JoinPath("objects", "batch").String(), bytes.NewReader(text))
	if err != nil {
		return nil, c.failure("its address cannot be used", "correct lfs.url of `.lfsconfig`")
	}
	req.Header.Set("Accept", mediaType)
	req.Header.Set("Content-Type", mediaType)
	if header != "" {
		req.Header.Set("Authorization", header)
	}
	res, err := c.own.Do(req)
	if err != nil {
		return nil, c.networkFailure(c.Server, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, c.statusFailure(res, name, header != "")
	}
	watched := watch(res.Body, c.Silence, stop)
	defer watched.alarm.Stop()
	read, err := io.ReadAll(io.LimitReader(watched, maxAnswer))
	if err != nil {
		return nil, c.networkFailure(c.Server, cmp.Or(context.Cause(ctx), err))
	}
	places, transfer, ok := readAnswer(read)
	switch {
	case !ok:
		return nil, c.failure("what answers there does not speak Git LFS", "check the address")
	case transfer != "" && transfer != "basic":
		return nil, c.failure(fmt.Sprintf("it offers only the transfer %q",
			plaintext.SafeLine(transfer, 40)), "only the basic transfer is used")
	}
	return places, nil
}

// readAnswer reads what a server says of objects, by their OID. ok is false if it is no answer of the API.
func readAnswer(text []byte) (places map[string]answer, transfer string, ok bool) {
	var got struct {
		Transfer string
		Objects  []answer
	}
	if json.Unmarshal(text, &got) != nil || got.Objects == nil {
		return nil, "", false
	}
	places = map[string]answer{}
	for _, o := range got.Objects {
		places[o.OID] = o
	}
	return places, got.Transfer, true
}

const mediaType = "application/vnd.git-lfs+json"

func asked(batch []Object) (out []map[string]any) {
	for _, o := range batch {
		out = append(out, map[string]any{"oid": o.OID, "size": o.Size})
	}
	return out
}

func (c *Client) failure(why, cure string) *Failure {
	return &Failure{Host: c.Server.Hostname(), Why: why, Cure: cure, All: true}
}

// statusFailure explains an answer of the server that is not 200.
func (c *Client) statusFailure(res *http.Response, name string, sent bool) *Failure {
	const seeToken = "renew it, and check that it may read this repository"
	switch code := res.StatusCode; {
	case code == http.StatusUnauthorized && !sent:
		return c.failure("it asks for a login", "give the repository a token")
	case code == http.StatusUnauthorized:
		return c.failure("it does not accept "+name, seeToken)
	case code == http.StatusForbidden:
		return c.failure(cmp.Or(name, "who asks without a login")+" may not read there", seeToken)
	case code == http.StatusNotFound:
		return c.failure("there is no server for Git LFS, or no right to see it", "check that Git LFS is on "+
			"for the repository there, and what the token covers")
	case code >= 300 && code < 400:
		return c.failure("it sends us to "+hostOf(res.Header.Get("Location"), c.Server)+
			", and what asks with a login follows no redirect", "put the right address into lfs.url of "+
			"`.lfsconfig`, or into url of the repository")
	default:
		return c.failure(fmt.Sprintf("it answered %d %s", code, http.StatusText(code)),
			"nothing is lost; the next session tries again")
	}
}

func hostOf(address string, base *url.URL) string {
	if to, err := base.Parse(address); err == nil && to.Host != "" {
		return plaintext.SafeLine(to.Host, 100)
	}
	return "nowhere"
}

// networkFailure explains an error of a request.
func (c *Client) networkFailure(at *url.URL, err error) *Failure {
	f := &Failure{
		Host: at.Hostname(), Cure: "nothing is lost; the next session tries again", All: at == c.Server,
	}
	var refused *dialError
	var netErr net.Error
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	switch {
	case errors.As(err, &refused):
		f.Why = plaintext.SafeLine(refused.Error(), 300)
		f.Cure = "objects are fetched from the internet, and from hosts under setup.private"
	case errors.As(err, &unknown), errors.As(err, &host):
		f.Why = "its certificate is not trusted"
		f.Cure = "add its authority to this machine's certificates"
	case errors.Is(err, errSilent), errors.As(err, &netErr) && netErr.Timeout():
		f.Why = "it fell silent"
	default:
		text := plaintext.SafeLine(err.Error(), 300)
		f.Why = "it cannot be reached or broke off: " +
			strings.TrimSpace(text[strings.LastIndex(text, ": ")+1:])
	}
	return f
}

// maxRedirects is how many redirects of a download are followed.
const maxRedirects = 3

// fetchOne fetches one object. An error is a *Failure, or one of save.
func (c *Client) fetchOne(
	ctx context.Context, o Object, said answer, save func(Object, io.Reader) error,
) error {
	switch {
	case said.Error != nil:
		return &Failure{
			Host: c.Server.Hostname(),
			Why: strings.TrimSpace(fmt.Sprintf("it answers %d: %s", said.Error.Code,
				plaintext.SafeLine(said.Error.Message, 200))),
			Cure: "have somebody who has them push them (git lfs push --all)",
		}
	case said.Actions.Download == nil:
		return &Failure{
			Host: c.Server.Hostname(), Why: "it does not say where they are",
			Cure: "have somebody who has them push them (git lfs push --all)",
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	res, at, err := c.open(ctx, said.Actions.Download)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body := watch(res.Body, c.Silence, stop)
	defer body.alarm.Stop()
	counted := &counter{Reader: io.LimitReader(body, o.Size+1), sum: sha256.New()}
	err = save(o, verified{counted, o})
	switch {
	case errors.Is(err, errOther):
		return &Failure{
			Host: at.Hostname(), Why: "what it sent is not what the pointer names: " + err.Error(),
			Cure: "see to the server's storage (git lfs fsck)",
		}
	case counted.failed != nil:
		return c.noteFailure(at, cmp.Or(context.Cause(ctx), counted.failed))
	}
	return err
}

// noteFailure is networkFailure, and counts it.
func (c *Client) noteFailure(at *url.URL, err error) *Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fails == nil {
		c.fails = map[string]int{}
	}
	c.fails[at.Host]++
	return c.networkFailure(at, err)
}

// gaveUp reports whether a host has not answered too often.
func (c *Client) gaveUp(at *url.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fails[at.Host] >= maxFails
}

// open sends the request for an object, and follows redirects. Only the first host gets the headers.
func (c *Client) open(ctx context.Context, p *place) (*http.Response, *url.URL, error) {
	at, err := c.Server.Parse(p.Href)
	headers := p.Header
	for range maxRedirects + 1 {
		if problem := c.judge(at, err); problem != nil {
			return nil, nil, problem
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
		if err != nil {
			return nil, nil, c.networkFailure(at, err)
		}
		req.Header.Set("Accept-Encoding", "identity")
		for name, value := range headers {
			req.Header.Set(name, value)
		}
		client := c.others
		if c.isServer(at) {
			client = c.own
		}
		res, err := client.Do(req)
		if err != nil {
			return nil, nil, c.noteFailure(at, err)
		}
		if res.StatusCode == http.StatusOK {
			return res, at, nil
		}
		res.Body.Close()
		if res.StatusCode < 300 || res.StatusCode >= 400 || res.Header.Get("Location") == "" {
			return nil, nil, &Failure{
				Host: at.Hostname(),
				Why:  fmt.Sprintf("it answered %d %s", res.StatusCode, http.StatusText(res.StatusCode)),
				Cure: "nothing is lost; the next session tries again",
			}
		}
		var to *url.URL
		if to, err = at.Parse(res.Header.Get("Location")); err == nil &&
			(to.Host != at.Host || to.Scheme != at.Scheme) {
			headers = nil
		}
		at = to
	}
	return nil, nil, &Failure{
		Host: c.Server.Hostname(), Why: "it sends us from one place to another", Cure: "check the server",
	}
}

// isServer reports whether an address is at the server itself.
func (c *Client) isServer(at *url.URL) bool {
	return at.Scheme == c.Server.Scheme && strings.EqualFold(at.Host, c.Server.Host)
}

// judge returns why nothing is asked for at an address, or nil.
func (c *Client) judge(at *url.URL, err error) *Failure {
	f := &Failure{Host: c.Server.Hostname(), Cure: "the server has to name addresses with https"}
	switch {
	case err != nil || at.Host == "":
		f.Why = "the address that it names cannot be read"
	case c.gaveUp(at):
		f.Host = at.Hostname()
		f.Why = "it did not answer several times"
		f.Cure = "nothing is lost; the next session tries again"
	case c.isServer(at):
		return nil
	case at.Scheme != "https":
		f.Why = "it sends us to " + plaintext.SafeLine(at.Scheme+"://"+at.Host, 100) +
			", and another host is asked over https only"
	default:
		return nil
	}
	return f
}

// errOther says that a content is not that of the object.
var errOther = errors.New("not the object")

// A counter counts and hashes what is read.
type counter struct {
	io.Reader
	sum    hash.Hash
	read   int64
	failed error // of reading, but io.EOF
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.read += int64(n)
	_, _ = c.sum.Write(b[:n]) // never fails
	if err != nil && err != io.EOF {
		c.failed = err
	}
	return n, err
}

// A verified reads the content of an object, and ends with an error that is errOther if it is another one.
type verified struct {
	*counter
	object Object
}

func (v verified) Read(b []byte) (int, error) {
	n, err := v.counter.Read(b)
	switch {
	case v.read > v.object.Size:
		return n, otherError{fmt.Sprintf("more than %d bytes", v.object.Size)}
	case err != io.EOF:
		return n, err
	case v.read < v.object.Size:
		return n, otherError{fmt.Sprintf("%d of %d bytes", v.read, v.object.Size)}
	case hex.EncodeToString(v.sum.Sum(nil)) != v.object.OID:
		return n, otherError{"another SHA-256"}
	}
	return n, err
}

type otherError struct{ text string }

func (e otherError) Error() string { return e.text }

func (e otherError) Is(target error) bool { return target == errOther }

// Verify returns a reader of the content of an object, which fails if it is another one.
func Verify(o Object, r io.Reader) io.Reader {
	return verified{&counter{Reader: io.LimitReader(r, o.Size+1), sum: sha256.New()}, o}
}

// errSilent ends a request whose answer stops.
var errSilent = errors.New("it fell silent")

// A watched reader ends its request if no byte comes for a time.
type watched struct {
	io.Reader
	alarm   *time.Timer
	silence time.Duration
}

func watch(r io.Reader, silence time.Duration, stop context.CancelCauseFunc) *watched {
	return &watched{r, time.AfterFunc(silence, func() { stop(errSilent) }), silence}
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	if err != nil {
		w.alarm.Stop()
	} else {
		w.alarm.Reset(w.silence)
	}
	return n, err
}

// Store writes a file of a folder with the content of an object, and gives it its name when it is whole.
func Store(root *os.Root, temporary, name string, content io.Reader, mode os.FileMode) error {
	f, err := root.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	err = cmp.Or(err, f.Close(), root.Chmod(temporary, mode))
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary)
	}
	return err
}
