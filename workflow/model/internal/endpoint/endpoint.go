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

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// An Endpoint says where a model is served, and with which key and headers.
type Endpoint struct {
	BaseURL string
	Key     string
	// name of the header that holds the bare key; empty: Authorization, as a bearer token
	KeyHeader string
	// further headers; never the key's
	Headers map[string]string
	// the endpoint's name for the model; empty: the program's name
	Model string
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
	Request Request
}

// An Answer collects the chunks of a stream.
type Answer interface {
	// Add adds a chunk, and reports whether a finish reason has arrived.
	Add(Chunk) (finished bool, err error)
	// End is called after the last chunk.
	End() error
}

// Stream asks the endpoint once, and returns the size of the request in bytes. Its error is an *Error, or the
// context's cause.
func (e Endpoint) Stream(ctx context.Context, q Question, a Answer) (sent int, err error) {
	name := q.Request.Model
	q.Request.Model = cmp.Or(e.Model, name)
	inner, x := e.begin(ctx, q.Idle)
	defer x.end()
	if sent, err = x.ask(inner, q); err == nil {
		err = x.read(a)
	}
	switch {
	case err == nil:
		return sent, nil
	case ctx.Err() != nil:
		return sent, context.Cause(ctx)
	}
	return sent, failureOf(err, context.Cause(inner)).withModelMaskingKey(name, e.Key)
}

// ask sends the question, and returns its size in bytes. Without an error, the answer can be read.
func (e *exchange) ask(ctx context.Context, q Question) (sent int, err error) {
	if err := q.Request.refusal(); err != nil {
		return 0, err
	}
	body, err := json.Marshal(q.Request)
	if err != nil {
		return 0, fmt.Errorf("encode the request: %w", err)
	}
	return len(body), e.send(ctx, q.Client, body)
}

// read reads the stream to its end. An answer without a finish reason is an error. After the reason only
// figures follow, so a failure there is ignored.
func (e *exchange) read(a Answer) error {
	for finished := false; ; {
		chunk, err := e.next()
		switch {
		case err != nil && finished:
			return a.End()
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
			e.hurry(5 * time.Second)
		}
	}
}

// failureOf returns the reason why there is no answer. cause says why the context of the exchange ended.
func failureOf(err, cause error) *Error {
	var e *Error
	var network *url.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, errStalled) || errors.Is(cause, errStalled):
		return &Error{Kind: KindBadAnswer, Text: errStalled.Error(), Retry: true, cause: errStalled}
	case errors.Is(err, ErrTooLong):
		return &Error{Kind: KindBadAnswer, Text: ErrTooLong.Error(), cause: ErrTooLong}
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses):
		const hint = "choose a model that takes tools over chat completions, or effort none where it has one"
		return &Error{Kind: KindRefused, Text: err.Error(), Hint: hint, cause: err}
	case errors.Is(err, openai.ErrReasoningEffortUnsupported):
		const hint = "change the agent's effort in the configuration"
		return &Error{Kind: KindRefused, Text: err.Error(), Hint: hint, cause: err}
	case errors.As(err, &network):
		e = &Error{Kind: KindUnreachable, Hint: hintAddress, Retry: passes(network), cause: err}
		e.Text = cmp.Or(plaintext.NetworkError(err), oneLine(network.Err.Error()))
		return e
	}
	return &Error{Kind: KindBadAnswer, Text: oneLine(err.Error()), cause: err, Retry: true}
}

// passes reports whether a network error may be gone at the next try.
func passes(err *url.Error) bool {
	var certificate *tls.CertificateVerificationError
	text := err.Error()
	return !errors.As(err, &certificate) && !strings.Contains(text, "unsupported protocol") &&
		!strings.Contains(text, "no Host in request")
}

// withModelMaskingKey sets the model, and masks the key in the texts. It drops a
// cause whose text holds the key.
func (e *Error) withModelMaskingKey(model, key string) *Error {
	e.Model = model
	e.Text = hide(e.Text, key)
	e.Hint = hide(e.Hint, key)
	if e.cause != nil && hide(e.cause.Error(), key) != e.cause.Error() {
		e.cause = nil
	}
	return e
}
