package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// A responseCapture copies an answer of Slack to whoever asked for it by way of the
// context: slack-go returns the ts of a post only, and not whether it became a reply.
type responseCapture struct{ next Doer }

type responseKey struct{}

// Do sends the request.
func (w responseCapture) Do(r *http.Request) (*http.Response, error) {
	response, err := w.next.Do(r)
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

// ResponseBody is what Slack answered to the call that was made with its context.
type ResponseBody struct{ body bytes.Buffer }

// CaptureIn returns a context whose call leaves its answer here.
func (b *ResponseBody) CaptureIn(ctx context.Context) context.Context {
	return context.WithValue(ctx, responseKey{}, b)
}

// IsOutsideThread reports whether a post that was meant as a reply stands in the channel.
// An answer that does not say is taken as good.
func (b *ResponseBody) IsOutsideThread() bool {
	var answer struct {
		Message *struct {
			TS       string `json:"ts"`
			ThreadTS string `json:"thread_ts"`
		} `json:"message"`
	}
	return json.Unmarshal(b.body.Bytes(), &answer) == nil && answer.Message != nil && answer.Message.TS != "" && answer.Message.ThreadTS == ""
}
