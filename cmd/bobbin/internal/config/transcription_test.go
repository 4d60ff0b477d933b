package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTranscription(t *testing.T) {
	t.Parallel()
	read := func(text string) (Config, error) {
		return parseConfig("bobbin.yaml", []byte("repositories: [{name: shop, url: /tmp}]\n"+text))
	}
	c, err := read("transcription: {url: 'https://api.openai.com/v1', model: whisper-1, key_env: CLIP_KEY}\n")
	require.NoError(t, err)
	require.Equal(t, Transcription{"https://api.openai.com/v1", "whisper-1", "CLIP_KEY"}, c.Transcription)
	for text, want := range map[string]string{
		"{model: whisper-1}":     "transcription needs the url of an endpoint",
		"{url: api.example.com}": "url has to begin with http:// or https://",
		"{url: 'https://k@a.de'}": "url has a user or key in it; name a variable " +
			"with key_env",
		"{url: 'https://a.de/v1/audio/transcriptions'}": "url ends in /audio/transcriptions; leave that out",
		"{url: 'https://a.de', key_env: sk-123}":        "key_env has to be the name of a variable",
		"{url: 'https://a.de', key: sk-123}":            "key",
	} {
		_, err := read("transcription: " + text + "\n")
		require.ErrorContains(t, err, "bobbin.yaml:2: ", text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "sk-123", text)
	}
}
