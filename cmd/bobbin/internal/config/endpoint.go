package config

import (
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// A ModelEndpoint says where a model is served, if not at the shared endpoint.
type ModelEndpoint struct {
	URL string `yaml:"url"` // default: OPENAI_BASE_URL, or OpenAI's
	// variable with the key; default: none for a model with a url, else OPENAI_API_KEY
	KeyEnv    string            `yaml:"key_env"`
	KeyHeader string            `yaml:"key_header"` // default: Authorization, as a bearer token
	Headers   map[string]string `yaml:"headers"`    // sent with each request; default: none
	// the endpoint's name of the model; default: its name in the configuration
	ServedAs string `yaml:"served_as"`
}

// keptHeaders are the headers that the program sets itself.
var keptHeaders = []string{
	"Authorization", "Content-Type", "Content-Length", "Host", "Accept", "Transfer-Encoding", "Connection",
}

// check checks the endpoint of a model and adds the problems to p.
func (m ModelEndpoint) check(p *strictyaml.Problems, at string) {
	if m.URL != "" {
		switch u, err := url.Parse(m.URL); {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			p.At(at+".url", "url has to begin with http:// or https:// and end before /chat/completions")
		case u.User != nil:
			p.At(at+".url", "url has a user or key in it; name a variable with key_env")
		case u.RawQuery != "" || u.Fragment != "":
			p.At(at+".url", "url has a query or fragment, which no request would keep; leave it out")
		case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"):
			p.At(at+".url", "url ends in /chat/completions; leave that out")
		}
	}
	if m.KeyEnv != "" && !secrets.IsVariable(m.KeyEnv) {
		p.At(at+".key_env", "key_env has to be the name of a variable such as OPENROUTER_API_KEY; "+
			"the key itself does not belong here")
	}
	if m.KeyHeader != "" && !httpguts.ValidHeaderFieldName(m.KeyHeader) {
		p.At(at+".key_header", "key_header %q is not the name of a header", m.KeyHeader)
	}
	if strings.TrimSpace(m.ServedAs) != m.ServedAs {
		p.At(at+".served_as", "served_as %q has white space around it", m.ServedAs)
	}
	for name, value := range m.Headers {
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			p.At(at+".headers", "%q is not the name of a header", name)
		case slices.Contains(keptHeaders, textproto.CanonicalMIMEHeaderKey(name)):
			p.At(at+".headers",
				"the header %s is set by Bobbin; put a key into a variable, and name it with key_env", name)
		case !httpguts.ValidHeaderFieldValue(value):
			p.At(at+".headers", "the value of the header %s has characters that a header cannot have", name)
		}
	}
}

// NeedsSharedEndpoint reports whether a model in use has neither a url nor a key of its own, so that it is
// served by the shared endpoint with the shared key.
func (mt *ModelTable) NeedsSharedEndpoint() bool {
	return slices.ContainsFunc(mt.ModelsAsked(), func(name string) bool {
		m := mt.Models[name]
		return m.URL == "" && m.KeyEnv == ""
	})
}

// ModelKeys returns the keys of the models' endpoints, by the names of their variables.
func (mt *ModelTable) ModelKeys(env func(name string) string) map[string]string {
	keys := map[string]string{secrets.ModelKey: env(secrets.ModelKey)}
	for _, m := range mt.Models {
		if secrets.IsVariable(m.KeyEnv) {
			keys[m.KeyEnv] = env(m.KeyEnv)
		}
	}
	return keys
}
