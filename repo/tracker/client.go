package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 4 << 20

// A client sends requests to the API of one tracker, with its token.
type client struct {
	api    string
	host   string
	header http.Header
	user   string
	token  string
	http   *http.Client
}

// newClient returns the client of a tracker.
func newClient(c Config, api string) *client {
	own := &client{api: api, header: http.Header{}, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if u, err := url.Parse(api); err == nil {
		own.host = u.Host
	}
	own.header.Set("Accept", "application/json")
	own.header.Set("User-Agent", "bobbin")
	switch {
	case c.Token == "":
	case c.Kind == GitLab:
		own.header.Set("PRIVATE-TOKEN", c.Token)
	case c.Kind == Linear:
		own.header.Set("Authorization", c.Token) // a personal key is sent as it is
	case c.User != "":
		own.user = c.User
		own.token = c.Token
	default:
		own.header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.Kind == GitHub {
		own.header.Set("Accept", "application/vnd.github+json")
		own.header.Set("X-GitHub-Api-Version", "2022-11-28")
	}
	return own
}

// get reads the JSON at a path of the API into v.
func (c *client) get(ctx context.Context, path string, v any) error {
	return c.send(ctx, http.MethodGet, c.api+path, nil, v)
}

// post sends a JSON body to the API itself and reads the answer into v.
func (c *client) post(ctx context.Context, body, v any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.send(ctx, http.MethodPost, c.api, b, v)
}

// write sends a JSON body to a path of the API and reads the answer into v.
func (c *client) write(ctx context.Context, path string, body, v any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.send(ctx, http.MethodPost, c.api+path, b, v)
}

func (c *client) send(ctx context.Context, method, address string, body []byte, v any) error {
	within, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	r, err := http.NewRequestWithContext(within, method, address, bytes.NewReader(body))
	if err != nil {
		return &Error{Reason: "its address cannot be asked", Cure: "correct url"}
	}
	r.Header = c.header.Clone()
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.user != "" {
		r.SetBasicAuth(c.user, c.token)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return c.unreachable(ctx, within, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case response.StatusCode < 200 || response.StatusCode > 299:
		return c.refused(response, text)
	case err != nil:
		return c.unreachable(ctx, within, err)
	case len(text) > maxAnswer:
		return &Error{Reason: "the tracker answers with more than " + plaintext.FormatSize(maxAnswer)}
	}
	if err := json.Unmarshal(text, v); err != nil {
		return &Error{
			Reason: "the tracker's answer is no JSON of the expected form",
			Cure:   "check that url is the address of the tracker itself, and not of a login page or a proxy",
		}
	}
	return nil
}

// unreachable returns an error for a request that was not answered.
func (c *client) unreachable(ctx, within context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case within.Err() != nil:
		return &Error{
			Reason: fmt.Sprintf("the tracker does not answer within %s", requestTime),
			Cure:   "check url, and that this machine reaches it",
			Retry:  true,
		}
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the address
	}
	return &Error{
		Reason: plaintext.SafeLine("the tracker cannot be reached ("+err.Error()+")", maxLine),
		Cure:   "check url, and that this machine reaches it",
		Retry:  true,
	}
}

// refused returns an error that says what a status means. text is the answer.
func (c *client) refused(r *http.Response, text []byte) error {
	err := c.meaning(r)
	err.status = r.StatusCode
	err.Retry = r.StatusCode == http.StatusTooManyRequests || r.StatusCode >= 500
	err.message = errorText(text)
	return err
}

// errorText returns the messages of an answer that refuses something, in one line.
func errorText(text []byte) string {
	var answer struct {
		Message  string            `json:"message"`
		Messages []string          `json:"errorMessages"` // Jira
		Errors   map[string]string `json:"errors"`        // Jira, by field
	}
	_ = json.Unmarshal(text, &answer) // of another form, it says nothing
	all := append([]string{}, answer.Messages...)
	for _, field := range slices.Sorted(maps.Keys(answer.Errors)) {
		all = append(all, field+": "+answer.Errors[field])
	}
	if answer.Message != "" {
		all = append(all, answer.Message)
	}
	return plaintext.SafeLine(strings.Join(all, "; "), maxLine)
}

// meaning returns what a status means.
func (c *client) meaning(r *http.Response) *Error {
	switch status := r.StatusCode; {
	case status == http.StatusUnauthorized:
		return errToken(status)
	case status == http.StatusForbidden:
		return errForbidden(status)
	case status == http.StatusTooManyRequests:
		return &Error{
			Reason: "the tracker is asked too often at the moment (HTTP 429)", Cure: "try again later",
		}
	case status == http.StatusNotFound || status == http.StatusGone:
		return errNotThere(status)
	case status >= 300 && status < 400:
		to := "elsewhere"
		if u, err := r.Request.URL.Parse(r.Header.Get("Location")); err == nil && u.Host != c.host {
			to = "to " + plaintext.SafeLine(u.Host, 100)
		}
		return &Error{
			Reason: fmt.Sprintf("the tracker redirects %s, and is not followed (HTTP %d): the issue was "+
				"moved, or url is not its right address", to, status),
			Cure: "name the address and the project that are right now",
		}
	default:
		return &Error{
			Reason: fmt.Sprintf("the tracker answers with HTTP %d", status), Cure: "try again later",
		}
	}
}

func errToken(status int) *Error {
	return &Error{
		Reason: fmt.Sprintf("the tracker refuses the token (HTTP %d)", status),
		Cure:   "set the variable that token_env names to a token that is valid",
	}
}

func errForbidden(status int) *Error {
	return &Error{
		Reason: fmt.Sprintf("the token may not read it (HTTP %d)", status),
		Cure:   "let the token read issues of the project",

		forbidden: true,
	}
}

func errNotThere(status int) *Error {
	return &Error{
		Reason: fmt.Sprintf("the tracker has no such issue or project, or the token may not see it (HTTP %d)",
			status),
		Cure: "check the key, and that the token's account is a member of the project",
	}
}
