package model

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// A Transcriber has clips written down by an endpoint that offers OpenAI's audio transcriptions
// (POST /audio/transcriptions). The zero value asks OpenAI without a key.
type Transcriber struct {
	BaseURL string       // before /audio/transcriptions; default: OpenAI's
	Key     string       // sent as a bearer token; empty: none is sent
	Model   string       // default whisper-1
	HTTP    *http.Client // default: http.DefaultTransport; redirects are never followed
}

const (
	transcribeTime   = 3 * time.Minute // of one clip
	maxTranscription = 2 << 20         // bytes of an answer
)

// Transcribe returns what is said in a clip. The extension of name tells its form. The error does not hold
// the key.
func (t Transcriber) Transcribe(ctx context.Context, name string, clip io.Reader) (string, error) {
	config := openai.DefaultConfig(t.Key)
	if t.BaseURL != "" {
		config.BaseURL = t.BaseURL
	}
	client := http.Client{}
	if t.HTTP != nil {
		client = *t.HTTP
	}
	client.Timeout = transcribeTime
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	config.HTTPClient = boundedDoer{&client}
	request := openai.AudioRequest{
		Model: t.Model, FilePath: path.Base(name), Reader: clip, Format: openai.AudioResponseFormatJSON,
	}
	if request.Model == "" {
		request.Model = openai.Whisper1
	}
	got, err := openai.NewClientWithConfig(config).CreateTranscription(ctx, request)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("transcribe a clip: %s", hideKey(err.Error(), t.Key))
	}
	return got.Text, nil
}

// hideKey returns a text without the key, which some endpoints repeat.
func hideKey(text, key string) string {
	if key == "" {
		return text
	}
	return strings.ReplaceAll(text, key, "[key]")
}

// A boundedDoer limits the size of answers.
type boundedDoer struct{ client *http.Client }

func (b boundedDoer) Do(r *http.Request) (*http.Response, error) {
	response, err := b.client.Do(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxTranscription), response.Body}
	}
	return response, err
}
