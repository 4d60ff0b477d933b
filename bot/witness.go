package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// A witness shows what Slack answered to whoever asked for it by way of the context:
// slack-go gives the ts of a post only, and not whether it became a reply.
type witness struct{ next doer }

type answerKey struct{}

// Do sends the request.
func (w witness) Do(r *http.Request) (*http.Response, error) {
	response, err := w.next.Do(r)
	if seen, asked := r.Context().Value(answerKey{}).(*answerBody); asked && err == nil {
		seen.Reset()
		response.Body = tee{io.TeeReader(response.Body, seen), response.Body}
	}
	return response, err
}

type tee struct {
	io.Reader
	io.Closer
}

// answerBody is what Slack answered to a post.
type answerBody struct{ bytes.Buffer }

func (a *answerBody) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, answerKey{}, a)
}

// strayed reports whether a post that was meant as a reply stands in the channel. An
// answer that does not say is taken as good.
func (a *answerBody) strayed() bool {
	var answer struct {
		Message *struct {
			TS       string `json:"ts"`
			ThreadTS string `json:"thread_ts"`
		} `json:"message"`
	}
	return json.Unmarshal(a.Bytes(), &answer) == nil && answer.Message != nil && answer.Message.TS != "" && answer.Message.ThreadTS == ""
}
