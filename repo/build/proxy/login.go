package proxy

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A Login is added to the requests for one host, and to no others. Nobody but the proxy and that host sees
// it.
type Login struct {
	// host (port 443) or host:port, over TLS; or http://host[:port], whose addresses must all be in a private
	// network
	Host string
	User string // for basic authentication; empty: the token is sent as a bearer token
	// the token or password. Requests of git get it as a password, since git hosts expect that. A token with
	// a scheme before it, such as "Token abc", is sent as it is, and so is every token in requests of cargo.
	Token remote.Secret
	Name  string // where the token comes from, for messages: the variable NPM_TOKEN
	// Git, if it is set, is asked instead of Token, and only for requests of git that read a repository.
	Git remote.Credentials
}

// CheckLogin returns an error if host is not valid as the host of a Login.
func CheckLogin(host string) error {
	_, err := parseLogin(host)
	return err
}

// Target returns the host and port of the login as one of Config.Allow. The host must be valid.
func (l Login) Target() string {
	parsed, _ := parseLogin(l.Host)
	return parsed.target.String()
}

// IsPlain reports whether the login is for http.
func (l Login) IsPlain() bool { return strings.HasPrefix(l.Host, "http://") }

// A loginTarget is the address that a login is for.
type loginTarget struct {
	target target
	plain  bool // over http
}

func parseLogin(host string) (loginTarget, error) {
	bare, plain := strings.CutPrefix(host, "http://")
	port := uint16(portTLS)
	if plain {
		port = portPlain
	}
	if strings.Contains(bare, "/") {
		return loginTarget{}, errors.New("a host's name is expected, without a scheme or path")
	}
	t, err := parseTarget(bare, port)
	if err == nil && !plain && t.port == portPlain {
		err = errors.New("port 80 has no TLS; write http://" + t.host + " if its address is in a private " +
			"network")
	}
	return loginTarget{t, plain}, err
}

// loginFor returns the login for a target, or nil if it has none.
func (p *Proxy) loginFor(t target, plain bool) *Login {
	if i := slices.Index(p.loginTargets, loginTarget{t, plain}); i >= 0 {
		return &p.cfg.Logins[i]
	}
	return nil
}

// A sentLogin is what was added to one request.
type sentLogin struct {
	header  string   // the value of Authorization; empty: nothing was added
	secrets []string // the forms of the token that must not come back
	name    string
}

// gitRepository returns the address of the repository that a request of git reads, if it is such a request.
func gitRepository(r *http.Request, host string) (string, bool) {
	const service = "git-upload-pack"
	at, reads := strings.CutSuffix(r.URL.Path, "/"+service)
	if !reads && r.URL.Query().Get("service") == service {
		at, reads = strings.CutSuffix(r.URL.Path, "/info/refs")
	}
	return (&url.URL{Scheme: "https", Host: host, Path: at}).String(), reads
}

// isCargo reports whether cargo asks. It sends its tokens as they are, with a scheme only if the token begins
// with one.
func isCargo(r *http.Request) bool {
	agent := r.UserAgent()
	return strings.HasPrefix(agent, "cargo/") || strings.HasPrefix(agent, "cargo ")
}

// prepare returns what to add to a request.
func (l *Login) prepare(ctx context.Context, r *http.Request, t target) (sentLogin, error) {
	host := t.String()
	if t.port == portTLS {
		host = t.host
	}
	repository, git := gitRepository(r, host)
	user := l.User
	token := l.Token
	name := l.Name
	if git {
		user = cmp.Or(user, remote.BasicUser)
	}
	if l.Git != nil {
		if !git {
			return sentLogin{}, nil
		}
		c, err := l.Git.For(ctx, repository, remote.Read)
		if err != nil {
			return sentLogin{}, err
		}
		token = c.Password
		name = cmp.Or(c.Name, "the token")
	}
	if token == "" {
		return sentLogin{}, nil
	}
	header := "Bearer " + string(token)
	if user == "" && (strings.Contains(string(token), " ") || isCargo(r)) {
		header = string(token)
	}
	sent := sentLogin{
		header:  header,
		secrets: []string{string(token), url.QueryEscape(string(token))},
		name:    name,
	}
	if scheme, bare, two := strings.Cut(string(token), " "); two && scheme != "" {
		sent.secrets = append(sent.secrets, strings.TrimSpace(bare))
	}
	if user != "" {
		basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + string(token)))
		sent.header = "Basic " + basic
		sent.secrets = append(sent.secrets, basic)
	}
	return sent, nil
}

// mentions reports whether a text has the login in it.
func (s sentLogin) mentions(text string) bool {
	return slices.ContainsFunc(s.secrets, func(secret string) bool { return strings.Contains(text, secret) })
}

// A Denial is an answer of a host with a login that keeps a package from being fetched.
type Denial struct {
	Host   string
	Path   string // as it was asked for, without the query
	Status int    // of the answer: 401, 403 or 404; 0: the answer was not passed on
	Why    string // what happened, beginning with a verb
	Cure   string
}

// String returns the host, the path and what happened, in one line.
func (d Denial) String() string { return fmt.Sprintf("%s%s: %s", d.Host, d.Path, d.Why) }

// denialOf returns the denial in an answer with that status, or false if it is none.
func denialOf(t target, path string, status int, sent sentLogin) (Denial, bool) {
	d := Denial{Host: t.host, Path: path, Status: status}
	switch {
	case status == http.StatusUnauthorized && sent.header == "":
		d.Why = "answered 401: it wants a login for this"
		d.Cure = "name it under setup.auth"
	case status == http.StatusUnauthorized:
		d.Why = "answered 401: " + sent.name + " is not accepted"
		d.Cure = "renew it, and check that it may read packages there"
	case status == http.StatusForbidden:
		d.Why = "answered 403: " + cmp.Or(sent.name, "who asks without a login") + " may not read it"
		d.Cure = "give it the right to read that package"
	case status == http.StatusNotFound:
		d.Why = "answered 404: it is not there, or " + cmp.Or(sent.name, "who asks without a login") +
			" may not see it"
		d.Cure = "check its name, and what the token may read"
	default:
		return d, false
	}
	return d, true
}

// addDenied records a denial.
func (p *Proxy) addDenied(d Denial) {
	d.Path = d.Path[:min(len(d.Path), 300)]
	p.cfg.Log.Warn("setup: denied", "host", d.Host, "path", d.Path, "why", d.Why)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.denied) < maxRefused && !slices.Contains(p.denied, d) {
		p.denied = append(p.denied, d)
	}
}
