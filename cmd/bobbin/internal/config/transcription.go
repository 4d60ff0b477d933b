package config

import (
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// A Transcription says where voice clips are written down that Slack has no transcript of. The zero value is
// off.
type Transcription struct {
	URL    string `yaml:"url"`     // before /audio/transcriptions; default: none, clips are not sent anywhere
	Model  string `yaml:"model"`   // default whisper-1
	KeyEnv string `yaml:"key_env"` // variable with the key; default: none is sent
}

// check adds the problems to p.
func (t Transcription) check(p *strictyaml.Problems) {
	const at = "$.transcription"
	switch {
	case t.URL == "" && (t.Model != "" || t.KeyEnv != ""):
		p.At(at, "transcription needs the url of an endpoint, such as https://api.openai.com/v1")
	case strings.HasSuffix(strings.TrimRight(t.URL, "/"), "/audio/transcriptions"):
		p.At(at+".url", "url ends in /audio/transcriptions; leave that out")
	case t.URL != "" && !strings.HasPrefix(t.URL, "http://") && !strings.HasPrefix(t.URL, "https://"):
		p.At(at+".url", "url has to begin with http:// or https:// and end before /audio/transcriptions")
	default:
		ModelEndpoint{URL: t.URL, KeyEnv: t.KeyEnv}.check(p, at)
	}
	if strings.TrimSpace(t.Model) != t.Model {
		p.At(at+".model", "model %q has white space around it", t.Model)
	}
}
