package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/source"
)

// A Source is an MCP server that agents may ask for logs, errors or metrics. It is reached at URL, or Command
// is started for it.
type Source struct {
	Name string `yaml:"name"` // lower-case letters and digits; agents see its tools as source_NAME_TOOL
	// over streamable HTTP
	URL         string            `yaml:"url"`
	TokenEnv    string            `yaml:"token_env"`    // default: no token is sent to URL
	TokenHeader string            `yaml:"token_header"` // default: Authorization, as a bearer token
	Headers     map[string]string `yaml:"headers"`      // sent with each request to URL; default: none
	// a program and its arguments; it runs outside of the sandbox
	Command []string `yaml:"command"`
	// the whole environment of Command: values, and names of variables of this program's environment
	Env     map[string]string `yaml:"env"`
	EnvFrom []string          `yaml:"env_from"`
	// names of the tools that may be called
	Tools []string `yaml:"tools"`
	// those of Tools that may be called although the server does not mark them read-only; default: none
	Allow []string `yaml:"allow"`
	// names of repositories; default: all
	Repositories []string `yaml:"repositories"`

	Calls   int       `yaml:"calls"`   // in one session; default 50
	Bytes   Kilobytes `yaml:"bytes"`   // of an answer that agents are shown; default 30 KB
	Seconds int       `yaml:"seconds"` // for one call; default 30
}

// The largest values of a source's limits.
const (
	maxSourceCalls   = 10_000
	maxSourceKB      = 150
	maxSourceSeconds = 600
)

var (
	sourceName = regexp.MustCompile(`^[a-z0-9]{1,20}$`)
	// servers may have spaces and brackets in the names of their tools
	mcpTool = regexp.MustCompile(`^[^\pC\pZ]([^\pC]{0,126}[^\pC\pZ])?$`)
)

// checkSources adds the problems of the sources to p.
func (c *Config) checkSources(p *strictyaml.Problems) {
	lines := map[string]int{}
	for i, s := range c.Sources {
		at := fmt.Sprintf("$.sources[%d]", i)
		first, twice := lines[s.Name]
		switch {
		case s.Name == "":
			p.At(at+".name", "name is missing: lower-case letters and digits, such as name: loki")
		case !sourceName.MatchString(s.Name):
			p.At(at+".name", "the name %q has to be at most 20 lower-case letters and digits, since agents "+
				"see its tools as source_NAME_TOOL", s.Name)
		case twice:
			p.At(at+".name", "there are two sources named %q; the other is in line %d", s.Name, first)
		default:
			lines[s.Name] = p.Line(at + ".name")
		}
		s.checkServer(p, at)
		s.checkTools(p, at)
		checkRepositories(p, at, c.Repositories, s.Repositories)
	}
}

// checkRepositories adds a problem for each name that no repository has.
func checkRepositories(p *strictyaml.Problems, at string, all []Repository, named []string) {
	var known []string
	for _, r := range all {
		known = append(known, r.Name)
	}
	for i, name := range named {
		if !slices.Contains(known, name) {
			p.At(fmt.Sprintf("%s.repositories[%d]", at, i), "there is no repository %q%s", name,
				cli.DidYouMean(name, known))
		}
	}
}

func (s Source) checkServer(p *strictyaml.Problems, at string) {
	switch {
	case s.URL == "" && len(s.Command) == 0:
		p.At(at, "a source needs a url, or a command that is started")
	case s.URL != "" && len(s.Command) > 0:
		p.At(at+".command", "a source has a url or a command, not both")
	case s.URL != "":
		s.checkHTTP(p, at)
	default:
		s.checkCommand(p, at)
	}
}

func (s Source) checkHTTP(p *strictyaml.Problems, at string) {
	checkOutsideURL(p, at, s.URL)
	checkToken(p, at, s.TokenEnv, false)
	if s.TokenHeader != "" && !httpguts.ValidHeaderFieldName(s.TokenHeader) {
		p.At(at+".token_header", "token_header %q is not the name of a header", s.TokenHeader)
	}
	for name, value := range s.Headers {
		switch {
		case !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
			p.At(at+".headers", "%q is no header that can be sent", name)
		case slices.Contains(keptHeaders, textproto.CanonicalMIMEHeaderKey(name)):
			p.At(at+".headers", "the header %s is set by Bobbin; put a token into a variable, and name it "+
				"with token_env", name)
		}
	}
	if len(s.Env)+len(s.EnvFrom) > 0 {
		p.At(at+".env", "env and env_from are for a command")
	}
}

// checkOutsideURL checks the address of a service that is asked with a token. Its problems never repeat a
// user or password.
func checkOutsideURL(p *strictyaml.Problems, at, value string) {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		p.At(at+".url", "url has to begin with https:// or http:// and a host")
	case u.User != nil:
		p.At(at+".url", "url %s has a user or password in it; name a variable with token_env",
			address.HideSecret(value))
	case u.Fragment != "":
		p.At(at+".url", "url has a fragment (#…), which no request would keep; leave it out")
	}
}

// checkToken checks the name of a variable with a token. It never repeats the value, which may be the token.
func checkToken(p *strictyaml.Problems, at, name string, needed bool) {
	switch {
	case name == "" && needed:
		p.At(at+".token_env", "token_env is missing: the name of the variable with the token")
	case name == "":
	case !secrets.IsVariable(name):
		p.At(at+".token_env", "token_env has to be the name of a variable of the environment, such as "+
			"LOKI_TOKEN; the token itself does not belong here")
	case slices.Contains(secrets.SecretNames, name):
		p.At(at+".token_env", "token_env %s is a secret for something else", name)
	}
}

func (s Source) checkCommand(p *strictyaml.Problems, at string) {
	if strings.TrimSpace(s.Command[0]) == "" {
		p.At(at+".command", "command needs a program: [npx, -y, some-mcp-server]")
	}
	if slices.ContainsFunc(s.Command, func(a string) bool { return strings.ContainsRune(a, 0) }) {
		p.At(at+".command", "command has a NUL character in it")
	}
	if s.TokenEnv != "" || s.TokenHeader != "" || len(s.Headers) > 0 {
		p.At(at+".command", "token_env, token_header and headers are for a url; give the command its token "+
			"with env_from")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if value := s.Env[name]; !commandEnvName.MatchString(name) || strings.ContainsRune(value, 0) {
			p.At(at+".env", "env %q: a name has letters, digits and underscores", name)
		} else if secretName.MatchString(name) {
			p.At(at+".env."+name, "env %s looks like a secret: put it into a variable, and name that under "+
				"env_from", name)
		}
	}
	for i, name := range s.EnvFrom {
		at := fmt.Sprintf("%s.env_from[%d]", at, i)
		switch _, twice := s.Env[name]; {
		case !secrets.IsVariable(name):
			p.At(at, "env_from has names of variables of the environment; their values do not belong here")
		case slices.Contains(secrets.SecretNames, name):
			p.At(at, "env_from %s is a secret for something else", name)
		case twice:
			p.At(at, "%s is in env, too; remove one", name)
		}
	}
}

func (s Source) checkTools(p *strictyaml.Problems, at string) {
	if len(s.Tools) == 0 {
		p.At(at+".tools", "tools names the tools that may be called; bobbin doctor lists what a server "+
			"offers")
	}
	p.InForm(at+".tools", s.Tools, mcpTool, "the name of a tool")
	for i, name := range s.Allow {
		if !slices.Contains(s.Tools, name) {
			p.At(fmt.Sprintf("%s.allow[%d]", at, i), "allow names %q, which is not among tools%s", name,
				cli.DidYouMean(name, s.Tools))
		}
	}
	for _, l := range []struct {
		key         string
		value, most int
		unit        string
	}{
		{"calls", s.Calls, maxSourceCalls, ""},
		{"bytes", int(s.Bytes), maxSourceKB, " KB"},
		{"seconds", s.Seconds, maxSourceSeconds, ""},
	} {
		if l.value < 0 || l.value > l.most {
			p.At(at+"."+l.key, "%s has to be between 1 and %d%s", l.key, l.most, l.unit)
		}
	}
}

// Options returns the settings as package source takes them, with the values of variables by name.
func (s Source) Options(values map[string]string) source.Config {
	c := source.Config{
		Name:         s.Name,
		URL:          s.URL,
		Header:       maps.Clone(s.Headers),
		Command:      s.Command,
		Tools:        s.Tools,
		Allow:        s.Allow,
		Repositories: s.Repositories,
		Limits: source.Limits{
			Calls: s.Calls,
			Bytes: int(s.Bytes) << 10,
			Time:  time.Duration(s.Seconds) * time.Second,
		},
	}
	if token := values[s.TokenEnv]; s.TokenEnv != "" && token != "" {
		if c.Header == nil {
			c.Header = map[string]string{}
		}
		if s.TokenHeader == "" {
			token = "Bearer " + token
		}
		c.Header[cmp.Or(s.TokenHeader, "Authorization")] = token
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		c.Env = append(c.Env, name+"="+s.Env[name])
	}
	for _, name := range s.EnvFrom {
		c.Env = append(c.Env, name+"="+values[name])
	}
	return c
}
