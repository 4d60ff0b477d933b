package model

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ErrNoList means that an endpoint answers, but does not tell which models it has.
var ErrNoList = errors.New("the endpoint has no list of its models")

const maxList = 8 << 20

// List asks the endpoint once for the names of its models, sorted. It ends with an *Error,
// with ErrNoList, or with the context's cause.
func (c *Client) List(ctx context.Context) (names []string, took time.Duration, err error) {
	endpoint := c.endpoint("")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(endpoint.BaseURL, "/")+"/models", nil)
	if err != nil {
		return nil, 0, (&Error{Kind: KindAuth, Text: oneLine(err.Error()), Hint: hintAddress}).of("", endpoint.Key)
	}
	if endpoint.Key != "" {
		request.Header.Set("Authorization", "Bearer "+endpoint.Key)
	}
	began := time.Now()
	response, err := c.http.Do(request)
	if err != nil {
		return nil, 0, c.unlisted(ctx, endpoint, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxList))
	took = time.Since(began)
	if err != nil {
		return nil, took, c.unlisted(ctx, endpoint, err)
	}
	if code := response.StatusCode; code == http.StatusNotFound || code == http.StatusMethodNotAllowed || code == http.StatusNotImplemented {
		return nil, took, ErrNoList
	}
	if response.StatusCode != http.StatusOK || isPage(response) || webPage.Match(body) {
		return nil, took, endpointError(response.StatusCode, response.Header, body).of("", endpoint.Key)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || len(list.Data) == 0 {
		return nil, took, ErrNoList
	}
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	slices.Sort(names)
	return names, took, nil
}

func (c *Client) unlisted(ctx context.Context, endpoint Endpoint, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var network *url.Error
	if errors.As(err, &network) {
		err = network.Err
	}
	return (&Error{Kind: KindUnreachable, Text: oneLine(err.Error()), Hint: hintAddress, cause: err}).of("", endpoint.Key)
}

// Try asks a model for one call of a tool, in the fewest words there are, and tells how
// long it took. A model that answers without calling it is ErrNoTools.
func (c *Client) Try(ctx context.Context, name string) (took time.Duration, err error) {
	type nothing struct{}
	tool := NewTool("ready", "Call this when you are asked to.", func(context.Context, nothing) (Result, error) { return Result{}, nil })
	began := time.Now()
	answer, err := c.askModel(ctx, Request{Model: name, Tools: []Tool{tool}, Messages: []Message{{Role: User, Text: "Call the tool ready, and say nothing."}}})
	took = time.Since(began)
	if err == nil && len(answer.Message.Calls) == 0 {
		err = ErrNoTools
	}
	return took, err
}

// ErrNoTools means that a model answered without the call that it was asked for.
var ErrNoTools = errors.New("the model called no tool when it was asked to")
