package model

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Config is how to reach models. Its zero value asks OpenAI without a key.
type Config struct {
	BaseURL string       // default https://api.openai.com/v1
	Key     string       // sent as a bearer token; empty sends none
	HTTP    *http.Client // default: http.DefaultTransport; redirects are never followed
	Log     *slog.Logger // default: discarded

	Endpoints map[string]Endpoint // by model: those that are served elsewhere
	Prices    map[string]Price    // by model; without one an answer counts as free
	Vision    map[string]bool     // by model: those that can see pictures
	Fallback  map[string][]string // by model: whom to ask when its quota is exhausted or its endpoint stays away

	Retry       Retry
	IdleTimeout time.Duration // longest silence of an endpoint, before and within an answer; default 5 minutes, for models that think before they speak
}

// An Endpoint is where a model is served.
type Endpoint struct {
	BaseURL string
	Key     string
}

// Retry bounds what is tried again.
type Retry struct {
	Tries   int           // of one model, the first included; default 5
	Wait    time.Duration // before the second try, growing and jittered after it; default 2 s
	MaxWait time.Duration // the longest wait, asked for by the endpoint or not; default 60 s
}

// A Client asks models. It can be used by many goroutines.
type Client struct {
	cfg  Config
	http *http.Client

	mu      sync.Mutex
	without map[string]map[string]bool // by model: fields that its endpoint does not know
}

// New makes a client. Nothing is sent before the first Ask.
func New(cfg Config) *Client {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, "https://api.openai.com/v1")
	cfg.IdleTimeout = cmp.Or(cfg.IdleTimeout, 5*time.Minute)
	cfg.Retry.Tries = cmp.Or(cfg.Retry.Tries, 5)
	cfg.Retry.Wait = cmp.Or(cfg.Retry.Wait, 2*time.Second)
	cfg.Retry.MaxWait = cmp.Or(cfg.Retry.MaxWait, time.Minute)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	client := http.Client{}
	if cfg.HTTP != nil {
		client = *cfg.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{cfg: cfg, http: &client, without: map[string]map[string]bool{}}
}

// Ask gets one whole answer. It ends with an *Error, or with the context's cause when
// that ended first.
func (c *Client) Ask(ctx context.Context, r Request) (Response, error) {
	models := append([]string{r.Model}, c.cfg.Fallback[r.Model]...)
	var failed *Error
	for i, name := range models {
		if i > 0 {
			c.announce(r, Again{Kind: failed.Kind, Model: models[i-1], Reason: failed.Text, Instead: name})
		}
		r.Model = name
		response, err := c.askModel(ctx, r)
		if err == nil {
			return response, nil
		}
		if !errors.As(err, &failed) {
			return Response{}, err
		}
		c.cfg.Log.Warn("model gave no answer", "model", name, "kind", failed.Kind, "status", failed.Status, "reason", failed.Text, "hint", failed.Hint)
		if failed.Kind != KindQuota && failed.Kind != KindUnreachable {
			break
		}
	}
	return Response{}, failed
}

// Sees reports whether a model is shown pictures.
func (c *Client) Sees(model string) bool {
	return c != nil && c.cfg.Vision[model] && !c.unknownFields(model)[fieldPictures]
}

func (c *Client) announce(r Request, a Again) {
	c.cfg.Log.Info("asking the model again", "model", a.Model, "instead", a.Instead, "kind", a.Kind, "reason", a.Reason, "wait", a.Wait)
	if r.OnRetry != nil {
		r.OnRetry(a)
	}
}

// once is one exchange with one model. Its errors are *Error, or the context's cause.
func (c *Client) once(ctx context.Context, r Request) (Response, error) {
	endpoint := c.endpoint(r.Model)
	request, extra := onWire(r, c.unknownFields(r.Model), c.Sees(r.Model))
	inner, x := begin(ctx, c.http, c.cfg.IdleTimeout, extra)
	defer x.end()
	x.key = endpoint.Key

	a := &answer{onText: r.OnText}
	err := c.stream(inner, x, endpoint, request, a)
	var response Response
	if err == nil {
		response, err = a.response(idsOf(r.Messages))
	}
	if err != nil {
		if ctx.Err() != nil {
			return Response{}, context.Cause(ctx)
		}
		return Response{}, failureOf(err, x.failure, context.Cause(inner)).of(r.Model, endpoint.Key)
	}
	response.Model = r.Model
	response.Usage = usageOf(a.usage, x.sent-drawn(request), a.size)
	response.Usage.USD = c.cfg.Prices[r.Model].Of(response.Usage)
	return response, nil
}

func (c *Client) stream(ctx context.Context, x *exchange, e Endpoint, request openai.ChatCompletionRequest, a *answer) error {
	cfg := openai.DefaultConfig(e.Key)
	cfg.BaseURL = e.BaseURL
	cfg.HTTPClient = x
	cfg.EmptyMessagesLimit = 1 << 30 // comments that keep a connection alive are no failure
	stream, err := openai.NewClientWithConfig(cfg).CreateChatCompletionStream(ctx, request)
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	return a.read(stream, func() { x.hurry(5 * time.Second) })
}

func (c *Client) endpoint(model string) Endpoint {
	if e, ok := c.cfg.Endpoints[model]; ok {
		return Endpoint{BaseURL: cmp.Or(e.BaseURL, c.cfg.BaseURL), Key: cmp.Or(e.Key, c.cfg.Key)}
	}
	return Endpoint{BaseURL: c.cfg.BaseURL, Key: c.cfg.Key}
}

// failureOf finds the reason that tells most: what the exchange saw, then why its context
// ended, then what go-openai says.
func failureOf(err, seen, cause error) *Error {
	var e *Error
	var network *url.Error
	switch {
	case errors.As(seen, &e) || errors.As(err, &e):
		return e
	case errors.Is(cause, errStalled):
		return &Error{Kind: KindBadAnswer, Text: errStalled.Error(), retry: true, cause: errStalled}
	case errors.Is(seen, errTooLong) || errors.Is(err, errTooLong):
		return &Error{Kind: KindBadAnswer, Text: errTooLong.Error(), cause: errTooLong}
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses):
		return &Error{Kind: KindRefused, Text: err.Error(), cause: err, Hint: "choose a model that takes tools over chat completions, or effort none where it has one"}
	case errors.Is(err, openai.ErrReasoningEffortUnsupported):
		return &Error{Kind: KindRefused, Text: err.Error(), cause: err, Hint: "change the agent's effort in the configuration"}
	case errors.As(seen, &network):
		return &Error{Kind: KindUnreachable, Text: oneLine(network.Err.Error()), cause: seen, Hint: hintAddress, retry: passes(network)}
	}
	return &Error{Kind: KindBadAnswer, Text: oneLine(err.Error()), cause: err, retry: true}
}

// passes tells whether a network error may be gone at the next try.
func passes(err *url.Error) bool {
	var certificate *tls.CertificateVerificationError
	return !errors.As(err, &certificate) && !strings.Contains(err.Error(), "unsupported protocol") && !strings.Contains(err.Error(), "no Host in request")
}

// of names the model, and takes the key out of every word.
func (e *Error) of(model, key string) *Error {
	e.Model, e.Text, e.Hint = model, hide(e.Text, key), hide(e.Hint, key)
	if e.cause != nil && hide(e.cause.Error(), key) != e.cause.Error() {
		e.cause = nil
	}
	return e
}
