package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxStream    = 64 << 20 // bytes of one answer on the wire, with its JSON
	maxErrorBody = 64 << 10
	commentsFor  = 4 // idle times during which comments alone count as a sign of life
)

var errStalled = errors.New("the endpoint went silent in the middle of an answer")

// ErrTooLong means that an answer exceeds the limit of its size.
var ErrTooLong = errors.New("the answer is larger than any model's should be")

// An exchange is one HTTP request and its streamed answer. It is go-openai's HTTP client, and handles what
// that library drops or hides: headers of failed streams, errors that arrive as data, endless comments, and
// silence.
type exchange struct {
	client *http.Client
	extra  map[string]any // fields of the body that go-openai does not know
	idle   time.Duration
	cancel context.CancelCauseFunc // of the request's context
	timer  *time.Timer

	endpoint   Endpoint // its answers may repeat its key
	answer     Answer
	callExtras map[string]json.RawMessage
	sent       int   // bytes of the request
	failure    error // why there is no answer, such as an *Error or a network error
}

// begin returns an exchange and its context. The context ends when the endpoint has been silent for the idle
// time, before the first byte or between any two.
func begin(ctx context.Context, client *http.Client, idle time.Duration, extra map[string]any) (context.Context, *exchange) {
	ctx, cancel := context.WithCancelCause(ctx)
	x := &exchange{client: client, extra: extra, idle: idle, cancel: cancel}
	x.timer = time.AfterFunc(idle, func() { cancel(errStalled) })
	return ctx, x
}

func (x *exchange) end() {
	x.timer.Stop()
	x.cancel(nil)
}

// hurry limits silence to d from now on: the answer is whole, and only its figures are still to come.
func (x *exchange) hurry(d time.Duration) {
	x.idle = min(x.idle, d)
	x.timer.Reset(x.idle)
}

// Do sends the request of go-openai, with the extra fields added.
func (x *exchange) Do(r *http.Request) (*http.Response, error) {
	if err := x.addFields(r); err != nil {
		return nil, err
	}
	x.endpoint.setHeaders(r.Header)
	res, err := x.client.Do(r)
	if err != nil {
		x.failure = err
		return nil, err
	}
	x.timer.Reset(x.idle)
	if res.StatusCode == http.StatusOK && !isJSON(res) && !isPage(res) {
		res.Body = &lines{x: x, raw: res.Body, in: bufio.NewReader(io.LimitReader(res.Body, maxStream)), last: time.Now()}
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if err != nil {
		x.failure = err
		return nil, err
	}
	x.failure = wholeBody(res, x.without(body))
	return nil, x.failure
}

// without masks the key in an endpoint's words, before they are cut to a length.
func (x *exchange) without(said []byte) []byte { return []byte(hide(string(said), x.endpoint.Key)) }

// wholeBody returns the Error for a response that is not a stream. Only a stream was requested, so even a
// good answer is a failure. An error with status 200 is the usual case.
func wholeBody(res *http.Response, body []byte) *Error {
	if res.StatusCode != http.StatusOK || isPage(res) || webPage.Match(body) {
		return endpointError(res.StatusCode, res.Header, body)
	}
	var shape struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &shape) == nil && present(shape.Error) {
		return streamedError(shape.Error)
	}
	return &Error{
		Kind: KindBadAnswer, Status: res.StatusCode, Text: "the endpoint answered with JSON instead of a stream: " + oneLine(string(body)),
		Hint: "it has to support streamed chat completions", Retry: true,
	}
}

func isJSON(res *http.Response) bool { return contentType(res) == "application/json" }
func isPage(res *http.Response) bool { return contentType(res) == "text/html" }

func contentType(res *http.Response) string {
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// addFields inserts the extra fields before the others, whose bytes stay unchanged.
func (x *exchange) addFields(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("read the request's own body: %w", err)
	}
	if len(x.extra) > 0 {
		head, err := json.Marshal(x.extra)
		if err != nil {
			return fmt.Errorf("encode extra fields: %w", err)
		}
		body = append(append(head[:len(head)-1], ','), body[1:]...)
	}
	body = addCallExtras(body, x.callExtras)
	x.sent = len(body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}

// lines passes on only the data lines of an event stream. Comments keep the exchange alive, but do not reach
// go-openai, which would count them and mix them into errors.
type lines struct {
	x    *exchange
	raw  io.ReadCloser
	in   *bufio.Reader
	left []byte // rest of the line that is being passed on
	size int
	last time.Time // when the last data line arrived
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		line, err := l.in.ReadBytes('\n')
		l.x.timer.Reset(l.x.idle)
		if l.size += len(line); l.size >= maxStream {
			return 0, l.x.fail(ErrTooLong)
		}
		if err != nil && len(bytes.TrimSpace(line)) == 0 {
			return 0, l.x.fail(err)
		}
		if err := l.take(line, err != nil); err != nil {
			return 0, l.x.fail(err)
		}
		if len(l.left) > 0 {
			l.last = time.Now()
		} else if time.Since(l.last) > commentsFor*l.x.idle {
			return 0, l.x.fail(&Error{Kind: KindBadAnswer, Text: errStalled.Error(), Retry: true, cause: errStalled})
		}
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// take processes one line. cut says that the stream ended within it.
func (l *lines) take(line []byte, cut bool) error {
	data, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
	data = bytes.TrimSpace(data)
	switch {
	case !ok && webPage.Match(line):
		return endpointError(http.StatusOK, nil, l.x.without(line))
	case !ok && bytes.HasPrefix(bytes.TrimSpace(line), []byte(`{"error"`)):
		return errorIn(l.x.without(bytes.TrimSpace(line)))
	case !ok || len(data) == 0:
		return nil
	}
	if bytes.Contains(data, []byte(`"error"`)) {
		if err := errorIn(l.x.without(data)); err != nil {
			return err
		}
	}
	if bytes.Contains(data, []byte(`"extra_content"`)) {
		l.x.takeCallExtras(data)
	}
	if cut && string(data) != "[DONE]" && !json.Valid(data) {
		return io.ErrUnexpectedEOF
	}
	l.left = append(append([]byte("data: "), data...), '\n')
	return nil
}

func (l *lines) Close() error { return l.raw.Close() }

// fail records the first reason, because go-openai may hide it.
func (x *exchange) fail(err error) error {
	if x.failure == nil && !errors.Is(err, io.EOF) {
		x.failure = err
	}
	return err
}

// errorIn returns the error in a chunk, in OpenAI's, OpenRouter's or vLLM's form, or nil.
func errorIn(data []byte) error {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil
	}
	var shape struct {
		Object string          `json:"object"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &shape) != nil {
		return nil
	}
	switch {
	case present(shape.Error):
		return streamedError(shape.Error)
	case shape.Object == "error":
		return streamedError(data)
	}
	return nil
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// longestWait is far longer than anyone waits: a larger number is a mistake, and a much larger one does not
// fit into a Duration.
const longestWait = 1e6 // seconds

// retryAfter returns the wait that an endpoint asks for in milliseconds, in seconds or as a date; 0: none.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		// Use the clock of the sender if Date tells it: the program's clock may be an hour off.
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			now = sent
		}
		return seconds(at.Sub(now).Seconds())
	}
	return 0
}

func seconds(s float64) time.Duration {
	if !(s > 0) { // also for NaN
		return 0
	}
	return time.Duration(min(s, longestWait) * float64(time.Second))
}
