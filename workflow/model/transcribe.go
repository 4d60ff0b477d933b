package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
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
	text, err := t.request(ctx, name, clip)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("transcribe a clip: %s", hideKey(err.Error(), t.Key))
	}
	return text, nil
}

// Try has half a second of silence transcribed, and returns how long that took. The error is an *Error
// without the key, or the context's cause.
func (t Transcriber) Try(ctx context.Context) (took time.Duration, err error) {
	began := time.Now()
	_, err = t.request(ctx, "silence.wav", bytes.NewReader(silence()))
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil:
		return 0, t.explain(err)
	}
	return time.Since(began), nil
}

// ModelName returns the model that is asked.
func (t Transcriber) ModelName() string { return cmp.Or(t.Model, openai.Whisper1) }

// request sends a clip and returns what is said in it.
func (t Transcriber) request(ctx context.Context, name string, clip io.Reader) (string, error) {
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
	got, err := openai.NewClientWithConfig(config).CreateTranscription(ctx, openai.AudioRequest{
		Model: t.ModelName(), FilePath: path.Base(name), Reader: clip, Format: openai.AudioResponseFormatJSON,
	})
	return got.Text, err
}

// explain returns what went wrong with a request, and what the operator can do about it.
func (t Transcriber) explain(err error) *Error {
	e := &Error{Model: t.ModelName()}
	var answered *openai.APIError
	var failed *openai.RequestError
	var network *url.Error
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &answered):
		e.Status = answered.HTTPStatusCode
		e.Text = answered.Message
	case errors.As(err, &failed):
		e.Status = failed.HTTPStatusCode
		e.Text = strings.ToLower(http.StatusText(failed.HTTPStatusCode))
	case errors.As(err, &network):
		e.Text = cmp.Or(plaintext.NetworkError(err), network.Err.Error())
	case errors.As(err, &syntax), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Text = "the endpoint answers with something that is no transcript"
	default:
		e.Text = err.Error()
	}
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		e.Hint = "check key_env of transcription, and that the key may use " + t.ModelName()
	case e.Status == http.StatusTooManyRequests || e.Status >= 500:
		e.Hint = "look at the endpoint, and try again later"
	case e.Status == http.StatusNotFound || e.Status == 0:
		e.Hint = "check url and model of transcription: url ends before /audio/transcriptions, usually in /v1"
	default:
		e.Hint = "check model of transcription"
	}
	e.Text = hideKey(plaintext.SafeLine(e.Text, 300), t.Key)
	return e
}

// silence returns half a second of silence as a WAV file.
func silence() []byte {
	const (
		rate   = 16000 // samples of two bytes a second
		size   = rate
		header = 36 // bytes behind the first size
	)
	var b bytes.Buffer
	for _, part := range []any{
		[]byte("RIFF"), uint32(header + size), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1),
		uint32(rate), uint32(2 * rate), uint16(2), uint16(16), []byte("data"), uint32(size),
		make([]byte, size),
	} {
		_ = binary.Write(&b, binary.LittleEndian, part) // a buffer takes everything
	}
	return b.Bytes()
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
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		_ = response.Body.Close()
		return nil, fmt.Errorf("the endpoint redirects to %q, which is not followed",
			response.Header.Get("Location"))
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, maxTranscription), response.Body}
	return response, nil
}
