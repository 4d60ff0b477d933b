// Package hosttest is a git host on this machine, as far as pull requests go: the part of the REST
// APIs of GitHub, GitLab and Gitea that opens them and tells of them. It goes by pages, answers
// 304 to whoever knows the newest, 404 to whoever may not see, 403 to whoever may not write, and
// 429 or 403 with Retry-After to whoever asks too much; it refuses a second open pull request of a
// branch; and it sends signed webhooks, again where a test wants them again.
package hosttest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Config says what a Server is.
type Config struct {
	Kind       string // github, gitlab or gitea
	Repository string // acme/shop
	Token      string // that may read and write
	Reader     string // another, that may read only
	PageSize   int    // most entries of a page; default 100
	Web        string // its own page of the repository; default: URL/acme/shop
	// Branch tells where a branch stands; empty: there is none. Default: all are at its name.
	Branch func(name string) string
	// Drafts: where false, the repository has none.
	NoDrafts bool
}

// Server is the host.
type Server struct {
	URL string // its pages: URL/acme/shop
	API string

	cfg  Config
	http *httptest.Server

	mu       sync.Mutex
	pulls    []*Pull
	checks   map[string][]Check
	comments []Comment
	commits  []string // messages of the base branch's, the oldest first
	asked    []Call
	limited  int // answers to come that say no
	wait     int // seconds that they ask to wait
	lose     string

	hookURL, hookSecret string
	delivered           []Delivery
}

// A Pull is a pull request.
type Pull struct {
	Number       int64
	Branch, Base string
	Title, Body  string
	Draft        bool
	State        string // open, merged or closed
	Head         string
}

// A Check is a job or status of a commit. State: pending, success or failure.
type Check struct {
	ID          int64
	Name, State string
	Log         string // empty: there is none
}

// A Comment is on a pull request.
type Comment struct {
	ID     int64
	Number int64
	Login  string
	Bot    bool
	Text   string
	Path   string
	Line   int
	At     time.Time
}

// A Call came to the API.
type Call struct {
	Method, Path string
	Status       int
}

// Listen starts a Server.
func Listen(cfg Config) *Server {
	if cfg.PageSize == 0 {
		cfg.PageSize = 100
	}
	if cfg.Branch == nil {
		cfg.Branch = func(name string) string { return "at-" + name }
	}
	s := &Server{cfg: cfg, checks: map[string][]Check{}}
	mux, root := http.NewServeMux(), ""
	switch cfg.Kind {
	case "github":
		root = s.serveGitHub(mux)
	case "gitlab":
		root = s.serveGitLab(mux)
	case "gitea":
		root = s.serveGitea(mux)
	default:
		panic("hosttest: no kind " + cfg.Kind)
	}
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(mux, w, r) }))
	s.URL, s.API = s.http.URL, s.http.URL+root
	if s.cfg.Web == "" {
		s.cfg.Web = s.URL + "/" + cfg.Repository
	}
	return s
}

// Close ends it.
func (s *Server) Close() { s.http.Close() }

// Pulls are all pull requests, oldest first.
func (s *Server) Pulls() (all []Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		all = append(all, *p)
	}
	return all
}

// Calls are all that came to the API.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// SetState merges or closes a pull request, or opens it again.
func (s *Server) SetState(number int64, state string) {
	s.change(func() {
		for _, p := range s.pulls {
			if p.Number == number {
				p.State = state
			}
		}
	}, "pull_request")
}

// Write gives a pull request the text that somebody wrote at the host.
func (s *Server) Write(number int64, body string) {
	s.setBody(itoa(number), body)
	s.tell("pull_request")
}

// Report tells of a check of a commit, in the place of an earlier one of that name.
func (s *Server) Report(commit string, c Check) {
	s.change(func() {
		s.checks[commit] = slices.DeleteFunc(s.checks[commit], func(o Check) bool { return o.Name == c.Name })
		c.ID = int64(1000 + len(s.asked) + len(s.checks[commit]))
		s.checks[commit] = append(s.checks[commit], c)
	}, "check_run")
}

// Say adds a comment.
func (s *Server) Say(c Comment) {
	s.change(func() {
		c.ID, c.At = int64(len(s.comments)+1), time.Date(2026, 3, 2, 10, len(s.comments), 0, 0, time.UTC)
		s.comments = append(s.comments, c)
	}, "issue_comment")
}

// Commit adds one to the base branch.
func (s *Server) Commit(message string) {
	s.change(func() { s.commits = append(s.commits, message) }, "push")
}

// base is the base branch, the newest commit first, each made into an entry.
func (s *Server) base(entry func(hash, message string) map[string]any) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for i, message := range slices.Backward(s.commits) {
		list = append(list, entry(fmt.Sprintf("ba5e%036d", i+1), message))
	}
	return list
}

// Limit has the next answers be a no that asks to wait.
func (s *Server) Limit(answers, seconds int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limited, s.wait = answers, seconds
}

// Lose carries out the next request of that method, and loses its answer.
func (s *Server) Lose(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = method
}

// change does something that webhooks tell of.
func (s *Server) change(do func(), event string) {
	s.mu.Lock()
	do()
	s.mu.Unlock()
	s.tell(event)
}

// serve keeps a book, and stands in the way where a test wants that.
func (s *Server) serve(mux http.Handler, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	limited, lost := s.limited > 0, s.lose == r.Method
	if limited {
		s.limited--
	} else if lost {
		s.lose = ""
	}
	wait := s.wait
	s.mu.Unlock()
	kept := httptest.NewRecorder()
	kept.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	if limited {
		kept.Header().Set("Retry-After", strconv.Itoa(wait))
		answer(kept, map[string]int{"github": http.StatusForbidden}[s.cfg.Kind], "You have exceeded a secondary rate limit.")
	} else {
		mux.ServeHTTP(kept, r)
	}
	s.mu.Lock()
	s.asked = append(s.asked, Call{r.Method, r.URL.RequestURI(), kept.Code})
	s.mu.Unlock()
	if lost && !limited {
		panic(http.ErrAbortHandler)
	}
	for name, values := range kept.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(kept.Code)
	_, _ = w.Write(kept.Body.Bytes())
}

// answer is a message, as all hosts have one.
func answer(w http.ResponseWriter, code int, message string) {
	if code == 0 {
		code = http.StatusTooManyRequests
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}

// show sends v, or 304 to who has it.
func show(w http.ResponseWriter, r *http.Request, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(text)
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", tag)
	if r.Method == http.MethodGet && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = w.Write(text)
}

// page is the part of a list that was asked for, with the address of the next.
func page[T any](s *Server, w http.ResponseWriter, r *http.Request, all []T) []T {
	size, number := s.cfg.PageSize, 1
	if n, err := strconv.Atoi(r.URL.Query().Get("per_page") + r.URL.Query().Get("limit")); err == nil {
		size = min(size, n)
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
		number = n
	}
	begin, end := min((number-1)*size, len(all)), min(number*size, len(all))
	if end < len(all) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(number+1))
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.http.URL, r.URL.EscapedPath(), q.Encode()))
	}
	return append([]T{}, all[begin:end]...)
}

// admit lets in who has a token, to what it may do; else it answers, and is false.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, token, repository string) bool {
	switch {
	case token != s.cfg.Token && (token != s.cfg.Reader || token == ""):
		answer(w, http.StatusUnauthorized, "Bad credentials")
	case repository != s.cfg.Repository:
		answer(w, http.StatusNotFound, "Not Found")
	case r.Method != http.MethodGet && token != s.cfg.Token:
		answer(w, http.StatusForbidden, "Resource not accessible by personal access token")
	default:
		return true
	}
	return false
}

// open makes a pull request, or says why there is none.
func (s *Server) open(p Pull) (Pull, int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.Title == "" || p.Branch == "" || p.Base == "":
		return p, http.StatusUnprocessableEntity, "Validation Failed: title, head and base are needed"
	case p.Draft && s.cfg.NoDrafts:
		return p, http.StatusUnprocessableEntity, "Draft pull requests are not supported in this repository."
	case s.cfg.Branch(p.Branch) == "":
		return p, http.StatusUnprocessableEntity, "head is no branch"
	case slices.ContainsFunc(s.pulls, func(o *Pull) bool { return o.State == "open" && o.Branch == p.Branch && o.Base == p.Base }):
		return p, http.StatusUnprocessableEntity, "A pull request already exists for " + p.Branch + "."
	}
	p.Number, p.State, p.Head = int64(len(s.pulls)+1), "open", s.cfg.Branch(p.Branch)
	s.pulls = append(s.pulls, &p)
	return p, http.StatusCreated, ""
}

// pull is one by its number; its head goes with its branch.
func (s *Server) pull(number string) (Pull, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		if strconv.FormatInt(p.Number, 10) == number {
			return s.current(*p), true
		}
	}
	return Pull{}, false
}

func (s *Server) current(p Pull) Pull {
	if at := s.cfg.Branch(p.Branch); at != "" {
		p.Head = at
	}
	return p
}

// reword gives the pull request of the path the text that stands under key, and answers with it.
func (s *Server) reword(w http.ResponseWriter, r *http.Request, key string, form func(Pull) map[string]any) {
	asked := map[string]any{}
	readBody(r, &asked)
	if body, ok := asked[key].(string); ok {
		s.setBody(r.PathValue("number"), body)
	}
	s.showPull(w, r, form)
}

func (s *Server) setBody(number, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		if itoa(p.Number) == number {
			p.Body = body
		}
	}
}

// showPull answers with the pull request of the path.
func (s *Server) showPull(w http.ResponseWriter, r *http.Request, form func(Pull) map[string]any) {
	p, ok := s.pull(r.PathValue("number"))
	if !ok {
		answer(w, http.StatusNotFound, "404 Not found")
		return
	}
	show(w, r, form(p))
}

func (s *Server) pullsOf(branch string) (all []Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range slices.Backward(s.pulls) {
		if branch == "" || p.Branch == branch {
			all = append(all, s.current(*p))
		}
	}
	return all
}

func (s *Server) checksOf(commit string) []Check {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.checks[commit])
}

func (s *Server) logOf(id string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.checks {
		for _, c := range list {
			if strconv.FormatInt(c.ID, 10) == id && c.Log != "" {
				return c.Log, true
			}
		}
	}
	return "", false
}

// sendLog answers with the log of the path's job.
func (s *Server) sendLog(w http.ResponseWriter, r *http.Request) {
	text, ok := s.logOf(r.PathValue("id"))
	if !ok {
		answer(w, http.StatusNotFound, "404 Not found")
		return
	}
	_, _ = w.Write([]byte(text))
}

func (s *Server) commentsOf(number string, beside bool) (all []Comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.comments {
		if strconv.FormatInt(c.Number, 10) == number && (c.Path != "") == beside {
			all = append(all, c)
		}
	}
	return all
}

func readBody(r *http.Request, v any) {
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, v)
}

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}
