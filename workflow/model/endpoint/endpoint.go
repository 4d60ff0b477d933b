// Package endpoint talks to one endpoint that offers OpenAI's chat completions. Stream sends one request and
// passes on the chunks of the streamed answer. Any other outcome is an *Error, in the endpoint's own words if
// it sent any, and without the key. Nothing is retried here.
package endpoint

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// An Endpoint says where a model is served, and with which key and headers.
type Endpoint struct {
	BaseURL   string
	Key       string
	KeyHeader string            // name of the header that holds the bare key; empty: Authorization, as a bearer token
	Headers   map[string]string // further headers; never the key's
	Model     string            // the endpoint's name for the model; empty: the program's name
}

// setHeaders sets the configured headers and the key.
func (e Endpoint) setHeaders(h http.Header) {
	for name, value := range e.Headers {
		h.Set(name, value)
	}
	switch {
	case e.Key == "":
		h.Del("Authorization")
	case e.KeyHeader != "":
		h.Del("Authorization")
		h.Set(e.KeyHeader, e.Key)
	default:
		h.Set("Authorization", "Bearer "+e.Key)
	}
}

// A Question is one request for a streamed answer.
type Question struct {
	Client  *http.Client
	Idle    time.Duration // the longest silence, before and within the answer
	Request openai.ChatCompletionRequest
	Extra   map[string]any // fields of the body that go-openai does not know
	// CallExtras is sent back with earlier calls, by their ids, as the endpoint sent it.
	CallExtras map[string]json.RawMessage
}

// An Answer collects the chunks of a stream.
type Answer interface {
	// Add adds a chunk, and reports whether a finish reason has arrived.
	Add(openai.ChatCompletionStreamResponse) (finished bool, err error)
	// AddExtra adds data that the endpoint has to get back with a call of the answer. The call has the id, or
	// the index if the id is empty.
	AddExtra(index int, id string, extra json.RawMessage)
	// End is called after the last chunk.
	End() error
}

// Stream asks the endpoint once, and returns the size of the request in bytes. Its error is an *Error, or the
// context's cause.
func (e Endpoint) Stream(ctx context.Context, q Question, a Answer) (sent int, err error) {
	inner, x := begin(ctx, q.Client, q.Idle, q.Extra)
	defer x.end()
	x.endpoint, x.answer, x.callExtras = e, a, q.CallExtras
	name := q.Request.Model
	q.Request.Model = cmp.Or(e.Model, name)
	if err = e.stream(inner, x, q.Request, a); err == nil {
		err = a.End()
	}
	switch {
	case err == nil:
		return x.sent, nil
	case ctx.Err() != nil:
		return x.sent, context.Cause(ctx)
	}
	return x.sent, failureOf(err, x.failure, context.Cause(inner)).withModelMaskingKey(name, e.Key)
}

// stream reads a stream to its end. An answer without a finish reason is an error. After the reason only
// figures follow, so a failure there is ignored.
func (e Endpoint) stream(ctx context.Context, x *exchange, request openai.ChatCompletionRequest, a Answer) error {
	cfg := openai.DefaultConfig(e.Key)
	cfg.BaseURL = e.BaseURL
	cfg.HTTPClient = x
	cfg.EmptyMessagesLimit = 1 << 30 // comments that keep a connection alive are no failure
	stream, err := openai.NewClientWithConfig(cfg).CreateChatCompletionStream(ctx, request)
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	for finished := false; ; {
		chunk, err := stream.Recv()
		switch {
		case err != nil && finished:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the stream ended without a finish reason: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return err
		}
		before := finished
		if finished, err = a.Add(chunk); err != nil {
			return err
		}
		if finished && !before {
			x.hurry(5 * time.Second)
		}
	}
}

// failureOf returns the most specific reason: what the exchange saw, then why its context ended, then what
// go-openai says.
func failureOf(err, seen, cause error) *Error {
	var e *Error
	var network *url.Error
	switch {
	case errors.As(seen, &e) || errors.As(err, &e):
		return e
	case errors.Is(cause, errStalled):
		return &Error{Kind: KindBadAnswer, Text: errStalled.Error(), Retry: true, cause: errStalled}
	case errors.Is(seen, ErrTooLong) || errors.Is(err, ErrTooLong):
		return &Error{Kind: KindBadAnswer, Text: ErrTooLong.Error(), cause: ErrTooLong}
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses):
		return &Error{Kind: KindRefused, Text: err.Error(), cause: err, Hint: "choose a model that takes tools over chat completions, or effort none where it has one"}
	case errors.Is(err, openai.ErrReasoningEffortUnsupported):
		return &Error{Kind: KindRefused, Text: err.Error(), cause: err, Hint: "change the agent's effort in the configuration"}
	case errors.As(seen, &network):
		return &Error{Kind: KindUnreachable, Text: oneLine(network.Err.Error()), cause: seen, Hint: hintAddress, Retry: passes(network)}
	}
	return &Error{Kind: KindBadAnswer, Text: oneLine(err.Error()), cause: err, Retry: true}
}

// passes reports whether a network error may be gone at the next try.
func passes(err *url.Error) bool {
	var certificate *tls.CertificateVerificationError
	return !errors.As(err, &certificate) && !strings.Contains(err.Error(), "unsupported protocol") && !strings.Contains(err.Error(), "no Host in request")
}

// withModelMaskingKey sets the model, and masks the key in the texts. It drops a cause whose text holds the key.
func (e *Error) withModelMaskingKey(model, key string) *Error {
	e.Model, e.Text, e.Hint = model, hide(e.Text, key), hide(e.Hint, key)
	if e.cause != nil && hide(e.cause.Error(), key) != e.cause.Error() {
		e.cause = nil
	}
	return e
}
