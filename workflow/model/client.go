package model

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/workflow/model/internal/endpoint"
)

// A Config holds the settings of a Client. Its zero value asks OpenAI without a key.
type Config struct {
	// default https://api.openai.com/v1
	BaseURL string
	// sent as a bearer token; empty: none is sent
	Key string
	// default: http.DefaultTransport; redirects are never followed
	HTTP *http.Client
	// default: discarded
	Log *slog.Logger

	// by model: endpoints of models that are served elsewhere; Key is not sent there
	Endpoints map[string]endpoint.Endpoint
	// by model; the tokens of a model without a price are Unpriced
	Prices map[string]Price
	// by model: whether it accepts pictures
	Vision map[string]bool
	// by model: its window in tokens; without it, learnt when the endpoint reports it
	Windows map[string]int
	// by model: models to ask instead when its quota is exhausted or its endpoint is unreachable
	Fallback map[string][]string

	// called for each answer, with the bytes of its request; may be nil
	Answered func(sent int, r Response)

	Retry Retry
	// longest silence of an endpoint, before and within an answer; default 5 minutes, for models
	// that think before they answer
	IdleTimeout time.Duration
}

// Retry limits how often and when a request is tried again.
type Retry struct {
	// tries of one model, including the first; default 5
	Tries int
	// wait before the second try; later waits grow, with jitter; default 2 s
	Wait time.Duration
	// limit of a wait; a request whose endpoint asks for more is not tried again; default 60 s
	MaxWait time.Duration
}

// A Client asks models. It is safe for use by many goroutines.
type Client struct {
	cfg  Config
	http *http.Client

	mu sync.Mutex
	// by model: request fields that its endpoint does not know
	without map[string]map[string]bool
	// by model: its window in tokens, as its endpoint reported or showed it
	windows map[string]int
	// by model: of its last answer that was cut at a limit of tokens
	cut map[string]Usage
}

// New returns a Client. Nothing is sent before the first Ask.
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
	return &Client{
		cfg:     cfg,
		http:    &client,
		without: map[string]map[string]bool{},
		windows: map[string]int{},
		cut:     map[string]Usage{},
	}
}

// Ask returns one whole answer, of the request's model or of the next in its fallback chain. Its error is an
// *endpoint.Error, or the cause of ctx if that ended first.
func (c *Client) Ask(ctx context.Context, r Request) (Response, error) {
	models := append([]string{r.Model}, c.cfg.Fallback[r.Model]...)
	var failed *endpoint.Error
	for i, name := range models {
		if i > 0 {
			c.announce(r,
				RetryNotice{Kind: failed.Kind, Model: models[i-1], Reason: failed.Text, Instead: name})
		}
		r.Model = name
		response, err := c.askModel(ctx, r)
		if err == nil {
			c.learnWindowByCut(response)
			return response, nil
		}
		if !errors.As(err, &failed) {
			return Response{}, err
		}
		c.learnWindow(failed)
		c.cfg.Log.Warn("model gave no answer", "model", name, "kind", failed.Kind, "status", failed.Status,
			"reason", failed.Text, "hint", failed.Hint)
		if failed.Kind != endpoint.KindQuota && failed.Kind != endpoint.KindUnreachable {
			break
		}
	}
	return Response{}, failed
}

// Sees reports whether a model is sent pictures.
func (c *Client) Sees(model string) bool {
	return c != nil && c.sees(model, c.unknownFields(model))
}

func (c *Client) sees(model string, without map[string]bool) bool {
	return c.cfg.Vision[model] && !without[fieldPictures]
}

// Window returns how many tokens a model reads: the smaller of what is configured and what its endpoint
// reported when a conversation was too long, or showed by where it cuts answers. It
// returns 0 if neither is known.
func (c *Client) Window(model string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	reported := c.windows[model]
	configured := c.cfg.Windows[model]
	if reported == 0 || configured == 0 {
		return max(reported, configured)
	}
	return min(reported, configured)
}

func (c *Client) learnWindow(e *endpoint.Error) {
	if e.Kind == endpoint.KindOverflow && e.Window > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.windows[e.Model] = e.Window
	}
}

// learnWindowByCut learns a window that nobody named. Some endpoints let an answer fill what the request has
// left of the window, and cut it there: two such answers to different requests end at the same size. Answers
// that are cut at a limit of their own do not.
func (c *Client) learnWindowByCut(r Response) {
	if r.Finish != FinishLength || r.Usage.Estimated || c.cfg.Windows[r.Model] > 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.cut[r.Model]
	size := r.Usage.Input + r.Usage.Output
	c.cut[r.Model] = r.Usage
	if c.windows[r.Model] == 0 && before.Input != r.Usage.Input && before.Input+before.Output == size {
		c.windows[r.Model] = size
	}
}

func (c *Client) announce(r Request, a RetryNotice) {
	c.cfg.Log.Info("asking the model again", "model", a.Model, "instead", a.Instead, "kind", a.Kind,
		"reason", a.Reason, "wait", a.Wait)
	if r.OnRetry != nil {
		r.OnRetry(a)
	}
}

// once makes one exchange with one model, without some fields. Its error is an
// *endpoint.Error, or the context's cause.
func (c *Client) once(ctx context.Context, r Request, without map[string]bool) (Response, error) {
	at := c.endpoint(r.Model)
	wired := r
	wired.Model = cmp.Or(at.Model, r.Model)
	request := onWire(wired, without, c.sees(r.Model, without))
	request.Model = r.Model
	a := &answer{taken: idsOf(r.Messages)}
	question := endpoint.Question{Client: c.http, Idle: c.cfg.IdleTimeout, Request: request}
	sent, err := at.Stream(ctx, question, a)
	if err != nil {
		return Response{}, err
	}
	response := a.response
	response.Model = r.Model
	response.Usage = usageOf(a.usage, sent-pictureBytesNotCounted(request), a.size)
	if price, known := c.cfg.Prices[r.Model]; known {
		response.Usage.USD = price.Of(response.Usage)
	} else {
		response.Usage.Unpriced = response.Usage.Input + response.Usage.Output
	}
	if c.cfg.Answered != nil {
		c.cfg.Answered(sent, response)
	}
	return response, nil
}

func (c *Client) endpoint(model string) endpoint.Endpoint {
	if e, ok := c.cfg.Endpoints[model]; ok {
		if e.BaseURL == "" {
			e.BaseURL = c.cfg.BaseURL
			e.Key = cmp.Or(e.Key, c.cfg.Key)
		}
		return e
	}
	return endpoint.Endpoint{BaseURL: c.cfg.BaseURL, Key: c.cfg.Key}
}
