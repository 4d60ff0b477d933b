package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// An exchange is one HTTP request and its streamed answer. The types of both are go-openai's. Its client is
// not used: it hides the headers of failed streams and errors behind comments, and does not end a silence.
type exchange struct {
	endpoint Endpoint // its answers may repeat its key
	idle     time.Duration
	cancel   context.CancelCauseFunc // of the request's context
	timer    *time.Timer

	body io.Closer
	in   *bufio.Reader
	size int       // bytes that have arrived
	last time.Time // when the last data arrived
}

// begin returns an exchange and its context. The context ends when the endpoint has been silent for the idle
// time, before the first byte or between any two.
func (e Endpoint) begin(ctx context.Context, idle time.Duration) (context.Context, *exchange) {
	ctx, cancel := context.WithCancelCause(ctx)
	x := &exchange{endpoint: e, idle: idle, cancel: cancel}
	x.timer = time.AfterFunc(idle, func() { cancel(errStalled) })
	return ctx, x
}

func (e *exchange) end() {
	e.timer.Stop()
	e.cancel(nil)
	if e.body != nil {
		_ = e.body.Close() // all of it that matters was read
	}
}

// hurry limits silence to d from now on: the answer is whole, and only its figures are still to come.
func (e *exchange) hurry(d time.Duration) {
	e.idle = min(e.idle, d)
	e.timer.Reset(e.idle)
}

// send sends a request. It returns nil if a stream begins.
func (e *exchange) send(ctx context.Context, client *http.Client, body []byte) error {
	address := strings.TrimRight(e.endpoint.BaseURL, "/") + "/chat/completions"
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Cache-Control", "no-cache")
	e.endpoint.setHeaders(r.Header)
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	e.timer.Reset(e.idle)
	e.body = res.Body
	if res.StatusCode == http.StatusOK && !isJSON(res) && !isPage(res) {
		e.in = bufio.NewReader(io.LimitReader(res.Body, maxStream))
		e.last = time.Now()
		return nil
	}
	whole, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if err != nil {
		return err
	}
	return wholeBody(res, e.masked(whole))
}

// masked masks the key in an endpoint's words, before they are cut to a length.
func (e *exchange) masked(words []byte) []byte { return []byte(hide(string(words), e.endpoint.Key)) }

// next returns the next chunk of the stream, and io.EOF after the last. Comments keep the exchange alive, but
// not for ever.
func (e *exchange) next() (Chunk, error) {
	for {
		line, err := e.in.ReadBytes('\n')
		e.timer.Reset(e.idle)
		e.size += len(line)
		data := dataOf(line)
		switch {
		case e.size >= maxStream:
			return Chunk{}, ErrTooLong
		case string(data) == "[DONE]":
			return Chunk{}, io.EOF
		case len(data) > 0:
			e.last = time.Now()
			return e.chunkOf(data, err != nil)
		case webPage.Match(line):
			return Chunk{}, endpointError(http.StatusOK, nil, e.masked(line))
		case err != nil:
			return Chunk{}, err
		case time.Since(e.last) > commentsFor*e.idle:
			return Chunk{}, errStalled
		}
	}
}

// dataOf returns the data of a line of an event stream; empty: the line is a comment, another field, or
// empty. Some endpoints send an error as a line without a field's name.
func dataOf(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte(`{"error"`)) {
		return line
	}
	data, _ := bytes.CutPrefix(line, []byte("data:"))
	if len(data) == len(line) {
		return nil
	}
	return bytes.TrimSpace(data)
}

// chunkOf reads a chunk. An error in its place has OpenAI's, OpenRouter's or vLLM's form. cut says that the
// stream ended within the line.
func (e *exchange) chunkOf(data []byte, cut bool) (Chunk, error) {
	var c Chunk
	err := json.Unmarshal(data, &c)
	switch {
	case present(c.Error):
		return Chunk{}, streamedError(e.masked(c.Error))
	case c.Object == "error":
		return Chunk{}, streamedError(e.masked(data))
	case cut && !json.Valid(data):
		return Chunk{}, io.ErrUnexpectedEOF
	}
	return c, err
}

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
		Kind:   KindBadAnswer,
		Status: res.StatusCode,
		Text:   "the endpoint answered with JSON instead of a stream: " + oneLine(string(body)),
		Hint:   "it has to support streamed chat completions",
		Retry:  true,
	}
}

func isJSON(res *http.Response) bool { return contentType(res) == "application/json" }
func isPage(res *http.Response) bool { return contentType(res) == "text/html" }

func contentType(res *http.Response) string {
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
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
