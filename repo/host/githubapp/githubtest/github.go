// Package githubtest is a fake GitHub on this machine, as far as Apps need one: the part of the REST
// API that makes tokens, and the repositories over git's own HTTP backend. It accepts only a token that
// it made itself, for that repository, with that permission, and that has not expired. It checks every
// assertion as GitHub does.
package githubtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Config configures a Server.
type Config struct {
	Dir   string // its bare repositories are at Dir/OWNER/NAME.git
	AppID string
	Key   *rsa.PublicKey
	Now   func() time.Time // default time.Now
	// Print is the beginning of every token. Default ghs_, as at GitHub.
	Print string
	// Permissions are those of the App's installations. Default: all that are known here.
	Permissions map[string]string
}

// allPermissions returns the permissions of an App that may do all that this program asks for.
func allPermissions() map[string]string {
	return map[string]string{"contents": "write", "pull_requests": "write", "checks": "read", "statuses": "read", "actions": "read"}
}

// Server is a fake GitHub.
type Server struct {
	URL string // of repositories: URL/OWNER/NAME.git
	API string // for the App's configuration

	cfg  Config
	http *httptest.Server

	mu        sync.Mutex
	installed map[string]int64 // id by OWNER/NAME
	suspended map[int64]bool
	tokens    []*Token
	asked     []Request
	spoil     Spoiler
}

// A Token is a token that the Server made.
type Token struct {
	Value      string
	Repository string // OWNER/NAME
	Contents   string // read or write; empty: neither
	// Permissions are all permissions that the token was made with.
	Permissions map[string]string
	Expires     time.Time
	Uses        int // number of git requests that it was accepted for
}

// A Request is a request that the API received.
type Request struct {
	Method, Path string
	Body         string
	Status       int // of the answer
}

// A Spoiler may answer in the Server's place and returns true if it did. real is the Server's own
// handler.
type Spoiler func(w http.ResponseWriter, r *http.Request, real http.Handler) bool

// tokenLife is the life of a token, as at GitHub.
const tokenLife = time.Hour

// Listen starts a Server.
func Listen(cfg Config) (*Server, error) {
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return nil, fmt.Errorf("githubtest: git is not installed: %w", err)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Permissions == nil {
		cfg.Permissions = allPermissions()
	}
	if cfg.Print == "" {
		cfg.Print = "ghs_"
	}
	s := &Server{cfg: cfg, installed: map[string]int64{}, suspended: map[int64]bool{}}
	backend := &cgi.Handler{Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"), Stderr: io.Discard, Env: []string{
		"GIT_PROJECT_ROOT=" + cfg.Dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bot",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=http.receivepack", "GIT_CONFIG_VALUE_1=true",
	}}
	real := http.NewServeMux()
	real.HandleFunc("GET /api/v3/repos/{owner}/{name}/installation", s.api(s.findInstallation))
	real.HandleFunc("POST /api/v3/app/installations/{id}/access_tokens", s.api(s.makeToken))
	real.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusNotFound, said("Not Found")) })
	real.Handle("/", s.guarded(backend))
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		spoil := s.spoil
		s.mu.Unlock()
		if spoil == nil || !spoil(w, r, real) {
			real.ServeHTTP(w, r)
		}
	}))
	s.URL, s.API = s.http.URL, s.http.URL+"/api/v3"
	return s, nil
}

// Close stops the Server.
func (s *Server) Close() { s.http.Close() }

// Install installs the App for a repository, OWNER/NAME.
func (s *Server) Install(repository string, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.installed[repository] = id
}

// Suspend suspends an installation or lifts its suspension.
func (s *Server) Suspend(id int64, suspended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspended[id] = suspended
}

// Spoil puts a Spoiler in front of every request; nil removes it.
func (s *Server) Spoil(how Spoiler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoil = how
}

// Expire makes all tokens made so far expire.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tokens {
		t.Expires = s.cfg.Now().Add(-time.Second)
	}
}

// Tokens returns all tokens that were made.
func (s *Server) Tokens() (all []Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tokens {
		all = append(all, *t)
	}
	return all
}

// Requests returns all requests that the API received.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// api answers requests that have a valid assertion, and records all requests.
func (s *Server) api(do func(r *http.Request, body []byte) (int, any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		status, out := http.StatusUnauthorized, any(nil)
		if wrong := s.believe(r); wrong != "" {
			out = said(wrong)
		} else {
			status, out = do(r, body)
		}
		s.mu.Lock()
		s.asked = append(s.asked, Request{r.Method, strings.TrimPrefix(r.URL.Path, "/api/v3"), string(body), status})
		s.mu.Unlock()
		answer(w, status, out)
	}
}

func said(message string) any { return map[string]string{"message": message} }

func answer(w http.ResponseWriter, status int, out any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out)
}

// believe checks an assertion: its form, its signature, its issuer and its times. It returns what is
// wrong in GitHub's words, or an empty string.
func (s *Server) believe(r *http.Request) (wrong string) {
	assertion, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	parts := strings.Split(assertion, ".")
	if !ok || len(parts) != 3 {
		return "A JSON web token could not be decoded"
	}
	var head struct{ Alg, Typ string }
	var claims struct {
		Iat, Exp int64
		Iss      string
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	now := s.cfg.Now().Unix()
	switch {
	case err != nil || decode(parts[0], &head) != nil || decode(parts[1], &claims) != nil || head.Alg != "RS256" || head.Typ != "JWT",
		rsa.VerifyPKCS1v15(s.cfg.Key, crypto.SHA256, sum[:], signature) != nil:
		return "A JSON web token could not be decoded"
	case claims.Iss != s.cfg.AppID:
		return "Integration not found"
	case claims.Iat > now:
		return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
	case claims.Exp <= now:
		return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	case claims.Exp > now+600:
		return "'Expiration time' claim ('exp') is too far in the future"
	}
	return ""
}

func decode(part string, v any) error {
	b, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

func (s *Server) findInstallation(r *http.Request, _ []byte) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.installed[r.PathValue("owner")+"/"+r.PathValue("name")]
	if !ok {
		return http.StatusNotFound, said("Not Found")
	}
	var since any
	if s.suspended[id] {
		since = s.cfg.Now().UTC().Format(time.RFC3339)
	}
	return http.StatusOK, map[string]any{"id": id, "suspended_at": since, "permissions": s.cfg.Permissions}
}

// makeToken accepts a request for exactly one repository. A token that may write contents may have no
// other permission.
func (s *Server) makeToken(r *http.Request, body []byte) (int, any) {
	var wish struct {
		Repositories []string
		Permissions  map[string]string
	}
	if json.Unmarshal(body, &wish) != nil || len(wish.Repositories) != 1 || len(wish.Permissions) == 0 || wish.Permissions["contents"] == "write" && len(wish.Permissions) != 1 {
		return http.StatusUnprocessableEntity, said("githubtest: one repository is enough, and one permission to write")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	repository, known := "", false
	for name, id := range s.installed {
		if fmt.Sprint(id) != r.PathValue("id") {
			continue
		}
		known = true
		if strings.HasSuffix(name, "/"+wish.Repositories[0]) {
			repository = name
		}
		if s.suspended[id] {
			return http.StatusForbidden, said("This installation has been suspended")
		}
	}
	contents := wish.Permissions["contents"]
	switch {
	case !known:
		return http.StatusNotFound, said("Not Found")
	case repository == "":
		return http.StatusUnprocessableEntity, said("There is at least one repository that does not exist or is not accessible to the parent installation.")
	case !granted(s.cfg.Permissions, wish.Permissions):
		return http.StatusUnprocessableEntity, said("The permissions requested are not granted to this installation.")
	}
	random := make([]byte, 18)
	_, _ = rand.Read(random)
	t := &Token{Value: s.cfg.Print + hex.EncodeToString(random), Repository: repository, Contents: contents, Permissions: wish.Permissions, Expires: s.cfg.Now().Add(tokenLife).Truncate(time.Second)}
	s.tokens = append(s.tokens, t)
	return http.StatusCreated, map[string]any{
		"token": t.Value, "expires_at": t.Expires.UTC().Format(time.RFC3339), "permissions": wish.Permissions,
	}
}

// granted reports whether every permission that is asked for was given.
func granted(given, asked map[string]string) bool {
	for right, level := range asked {
		if level != "read" && level != "write" || given[right] == "" || level == "write" && given[right] != "write" {
			return false
		}
	}
	return true
}

// guarded passes on requests that have a token for what they ask.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch status := s.admit(r, user, password); status {
		case http.StatusOK:
			next.ServeHTTP(w, r)
		case http.StatusUnauthorized:
			w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
			http.Error(w, "Bad credentials", status)
		default:
			http.Error(w, "Write access to repository not granted.", status)
		}
	})
}

func (s *Server) admit(r *http.Request, user, password string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.tokens, func(t *Token) bool { return t.Value == password })
	switch {
	case at < 0 || user != "x-access-token" || !s.cfg.Now().Before(s.tokens[at].Expires):
		return http.StatusUnauthorized
	case !strings.HasPrefix(r.URL.Path, "/"+s.tokens[at].Repository+".git/"):
		return http.StatusNotFound
	case strings.Contains(r.URL.RequestURI(), "git-receive-pack") && s.tokens[at].Contents != "write":
		return http.StatusForbidden
	}
	s.tokens[at].Uses++
	return http.StatusOK
}
