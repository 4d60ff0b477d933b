package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// A responseCapture copies Slack's response into the ResponseBody in the request's context, if there is one.
// slack-go returns the ts of a post, but not whether the post became a reply.
type responseCapture struct{ next Doer }

type responseKey struct{}

// Do sends the request and copies its response.
func (rc responseCapture) Do(r *http.Request) (*http.Response, error) {
	response, err := rc.next.Do(r)
	if seen, asked := r.Context().Value(responseKey{}).(*ResponseBody); asked && err == nil {
		seen.body.Reset()
		response.Body = copiedBody{io.TeeReader(response.Body, &seen.body), response.Body}
	}
	return response, err
}

type copiedBody struct {
	io.Reader
	io.Closer
}

// A ResponseBody holds Slack's response to a call that was made with its context.
type ResponseBody struct{ body bytes.Buffer }

// CaptureIn returns a context. The response to a call with that context is copied into b.
func (r *ResponseBody) CaptureIn(ctx context.Context) context.Context {
	return context.WithValue(ctx, responseKey{}, r)
}

// IsOutsideThread reports whether a post that was meant as a reply appeared in the channel instead. It
// returns false if the response does not say.
func (r *ResponseBody) IsOutsideThread() bool {
	var answer struct {
		Message *struct {
			TS       string `json:"ts"`
			ThreadTS string `json:"thread_ts"`
		} `json:"message"`
	}
	return json.Unmarshal(r.body.Bytes(), &answer) == nil && answer.Message != nil &&
		answer.Message.TS != "" && answer.Message.ThreadTS == ""
}
