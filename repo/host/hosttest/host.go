// Package hosttest runs a fake git host on this machine, with the part of the REST APIs of GitHub, GitLab
// and Gitea that is about pull requests. It splits lists into pages and answers 304 to a client with the
// newest version, 401 for an unknown token, 404 for another repository, 403 for a token that may not write,
// and 429 or 403 with Retry-After if the test sets a limit. It refuses a second open pull request of a
// branch, and sends signed webhooks, repeatedly if a test asks for it.
package hosttest

import (
	"cmp"
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

// Config configures a Server.
type Config struct {
	Kind       string // github, gitlab or gitea
	Repository string // acme/shop
	Token      string // the token that may read and write
	Reader     string // the token that may only read
	PageSize   int    // the most entries of a page; default 100
	Web        string // the repository's page; default: URL/acme/shop
	// NoIssues makes the server refuse to show issues, as to a token without that right.
	NoIssues bool
	// NoFiling makes the server refuse to open issues, as to a token without that right.
	NoFiling bool
	// NoPush makes the server say that the token may not push to the repository, as to one of a fork's bot.
	NoPush bool
	// Branch returns the commit of a branch, or an empty string if there is none. If it fails, the
	// host responds with the status 500 to a request for a new pull request. Default: every branch is
	// at a commit named after it.
	Branch  func(name string) (string, error)
	Fork    *Fork // default: branches are pushed to the repository itself
	Private bool  // not everybody may read the repository; a fork can be read by everybody
	// everybody who can sign in may read it
	Internal bool
	// Git is the folder of the bare repository in which GitHub makes commits; empty: it makes none.
	Git string
	// SigningKey is the file of the key with which it signs them; empty: it does not sign.
	SigningKey string
	// Merges returns whether a branch merges into base: "clean", "conflicts", or "" if the host has not
	// looked yet. Default: every branch is clean.
	Merges func(branch, base string) string
	// NoDrafts makes the repository refuse drafts.
	NoDrafts bool
	// NoPapers makes the server refuse labels and people on pull requests, as to a token without that right.
	NoPapers bool
	// People are the logins that can be assigned and asked; default: every one. Labels are those that
	// exist; default: every one.
	People, Labels []string
}

// A Server is a fake git host.
type Server struct {
	URL string // the address of its pages: URL/acme/shop
	API string

	cfg  Config
	http *httptest.Server

	mu       sync.Mutex
	pulls    []*Pull
	checks   map[string][]Check
	comments []Comment
	issues   []Issue
	runs     []Run
	files    map[int64][]File // by the number of a pull request
	instead  map[string]http.HandlerFunc
	commits  []string // messages of the base branch's commits, the oldest first
	asked    []Call
	limited  int // the number of next requests to refuse
	wait     int // the seconds to wait that these responses ask for
	lose     string
	put      []Put

	made  int // commits that GitHub made
	rules []Rules
	keys  []string

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
	Fork         bool // its branch is in somebody's fork
	Ours         bool // its branch is in the fork to which branches are pushed
	Login        string
	// names that were put on it
	Labels, Assignees, Reviewers []string
}

// project returns the number of the repository that the branch is in.
func (p Pull) project() int64 {
	if p.Fork {
		return repositoryID + 1
	}
	if p.Ours {
		return forkID
	}
	return repositoryID
}

const repositoryID = 7

// A Check is a job or status of a commit. State is pending, success, failure, or the host's own word for
// another end, such as skipped.
type Check struct {
	ID          int64
	Name, State string
	Log         string // empty if there is none
	Of          string // the commit that the answer names; empty: the one that it is reported for
	MayFail     bool   // GitLab: its failure does not matter
}

// A Comment is a comment on a pull request.
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

// A Call is a request to the API, with the status of its response.
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
		cfg.Branch = func(name string) (string, error) { return "at-" + name, nil }
	}
	if cfg.Merges == nil {
		cfg.Merges = func(string, string) string { return "clean" }
	}
	s := &Server{cfg: cfg, checks: map[string][]Check{}}
	mux := http.NewServeMux()
	root := ""
	switch cfg.Kind {
	case "github":
		root = gitHub{s}.register(mux)
	case "gitlab":
		root = gitLab{s}.register(mux)
	case "gitea":
		root = gitea{s}.register(mux)
	default:
		panic("hosttest: no kind " + cfg.Kind)
	}
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serve(mux, w, r)
	}))
	s.URL = s.http.URL
	s.API = s.http.URL + root
	if s.cfg.Web == "" {
		s.cfg.Web = s.URL + "/" + cfg.Repository
	}
	return s
}

// Close stops the server.
func (s *Server) Close() { s.http.Close() }

// Pulls returns all pull requests, oldest first.
func (s *Server) Pulls() (all []Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		all = append(all, *p)
	}
	return all
}

// Calls returns all requests to the API.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// SetState merges, closes or reopens a pull request.
func (s *Server) SetState(number int64, state string) {
	s.change(func() {
		for _, p := range s.pulls {
			if p.Number == number {
				p.State = state
			}
		}
	}, "pull_request")
}

// SetBase changes the branch into which a pull request is to be merged.
func (s *Server) SetBase(number int64, base string) {
	s.change(func() {
		for _, p := range s.pulls {
			if p.Number == number {
				p.Base = base
			}
		}
	}, "pull_request")
}

// SetHead puts the branch of a pull request into a fork, or moves it there.
func (s *Server) SetHead(number int64, commit string) {
	s.change(func() {
		for _, p := range s.pulls {
			if p.Number == number {
				p.Head = commit
				p.Fork = true
			}
		}
	}, "pull_request")
}

// OpenFork opens a pull request from a fork, as somebody else does.
func (s *Server) OpenFork(branch string) {
	s.change(func() {
		s.pulls = append(s.pulls, &Pull{
			Number: int64(len(s.pulls) + 1),
			Branch: branch,
			Base:   "main",
			Title:  "Mine",
			State:  "open",
			Head:   "of-the-fork",
			Fork:   true,
		})
	}, "pull_request")
}

// OpenPull opens a pull request as somebody else does, with the next number, and returns that.
func (s *Server) OpenPull(p Pull) (number int64) {
	s.change(func() {
		p.Number = int64(len(s.pulls) + 1)
		p.State = cmp.Or(p.State, "open")
		p = s.current(p)
		s.pulls = append(s.pulls, &p)
	}, "pull_request")
	return p.Number
}

// Write replaces the text of a pull request, as a person does at the host.
func (s *Server) Write(number int64, body string) {
	s.setBody(itoa(number), body)
	s.tell("pull_request")
}

// Report adds a check to a commit, replacing an earlier one of the same name.
func (s *Server) Report(commit string, c Check) {
	s.change(func() {
		s.checks[commit] = slices.DeleteFunc(s.checks[commit], func(o Check) bool { return o.Name == c.Name })
		c.ID = int64(1000 + len(s.asked) + len(s.checks[commit]))
		s.checks[commit] = append(s.checks[commit], c)
	}, "check_run")
}

// Say adds a comment. If it has no time, it is a minute younger than a comment that was added before it.
func (s *Server) Say(c Comment) {
	s.change(func() {
		c.ID = int64(len(s.comments) + 1)
		if c.At.IsZero() {
			c.At = time.Date(2026, 3, 2, 10, len(s.comments), 0, 0, time.UTC)
		}
		s.comments = append(s.comments, c)
	}, "issue_comment")
}

// Commit adds a commit to the base branch.
func (s *Server) Commit(message string) {
	s.change(func() { s.commits = append(s.commits, message) }, "push")
}

// base returns the commits of the base branch, newest first, each turned into an entry.
func (s *Server) base(entry func(hash, message string) map[string]any) []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for i, message := range slices.Backward(s.commits) {
		list = append(list, entry(fmt.Sprintf("ba5e%036d", i+1), message))
	}
	return list
}

// Limit makes the next requests fail with a response that asks to wait for that many seconds. answers is
// the number of these requests.
func (s *Server) Limit(answers, seconds int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limited = answers
	s.wait = seconds
}

// Lose makes the next request of that method take effect without a response.
func (s *Server) Lose(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = method
}

// change makes a change and sends the event about it.
func (s *Server) change(do func(), event string) {
	s.mu.Lock()
	do()
	s.mu.Unlock()
	s.tell(event)
}

// serve records each request, and refuses it or drops its response if the test wants that.
func (s *Server) serve(mux http.Handler, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	limited := s.limited > 0
	lost := s.lose == r.Method
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
		answer(kept, map[string]int{"github": http.StatusForbidden}[s.cfg.Kind],
			"You have exceeded a secondary rate limit.")
	} else if do := s.insteadOf(r.URL.Path); do != nil {
		do(kept, r)
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

// answer sends a message in the form that all hosts share.
func answer(w http.ResponseWriter, code int, message string) {
	if code == 0 {
		code = http.StatusTooManyRequests
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}

// show sends v, or 304 if the client already has it.
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

// page returns the requested part of a list, and sets the address of the next page.
func page[T any](s *Server, w http.ResponseWriter, r *http.Request, all []T) []T {
	size := s.cfg.PageSize
	number := 1
	if n, err := strconv.Atoi(r.URL.Query().Get("per_page") + r.URL.Query().Get("limit")); err == nil {
		size = min(size, n)
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
		number = n
	}
	begin := min((number-1)*size, len(all))
	end := min(number*size, len(all))
	if end < len(all) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(number+1))
		w.Header().Set("Link",
			fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.http.URL, r.URL.EscapedPath(), q.Encode()))
	}
	return append([]T{}, all[begin:end]...)
}

// admit reports whether the token may make the request. If not, it sends the refusal.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, token, repository string) bool {
	switch {
	case token != s.cfg.Token && (token != s.cfg.Reader || token == ""):
		answer(w, http.StatusUnauthorized, "Bad credentials")
	case repository != s.cfg.Repository && (s.cfg.Fork == nil || repository != s.cfg.Fork.Path):
		answer(w, http.StatusNotFound, "Not Found")
	case r.Method != http.MethodGet && token != s.cfg.Token:
		answer(w, http.StatusForbidden, "Resource not accessible by personal access token")
	default:
		return true
	}
	return false
}

// open makes a pull request, or returns the status and the message of the refusal.
func (s *Server) open(p Pull) (Pull, int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := s.branchAt(p)
	switch {
	case err != nil:
		return p, http.StatusInternalServerError, err.Error()
	case p.Title == "" || p.Branch == "" || p.Base == "":
		return p, http.StatusUnprocessableEntity, "Validation Failed: title, head and base are needed"
	case p.Draft && s.cfg.NoDrafts:
		return p, http.StatusUnprocessableEntity, "Draft pull requests are not supported in this repository."
	case at == "":
		return p, http.StatusUnprocessableEntity, "head is no branch"
	case slices.ContainsFunc(s.pulls, func(o *Pull) bool {
		return o.State == "open" && o.Branch == p.Branch && o.Base == p.Base && !o.Fork
	}):
		return p, http.StatusUnprocessableEntity, "A pull request already exists for " + p.Branch + "."
	}
	p.Number = s.nextPull()
	p.State = "open"
	p.Head = at
	s.pulls = append(s.pulls, &p)
	return p, http.StatusCreated, ""
}

// nextPull returns the number of the next pull request, which no pull request and, except at GitLab, no issue
// has.
func (s *Server) nextPull() (number int64) {
	for _, o := range s.pulls {
		number = max(number, o.Number)
	}
	for _, o := range s.issues {
		if s.cfg.Kind != "gitlab" && o.Login == "bobbin" {
			number = max(number, o.Number)
		}
	}
	return number + 1
}

// pull returns the pull request with that number. Its head follows its branch.
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
	if at, err := s.branchAt(p); err == nil && at != "" && !p.Fork {
		p.Head = at
	}
	return p
}

// reword sets the text of the request's pull request to the value of key, and responds with the pull
// request.
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

// showPull responds with the pull request of the path.
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

// sendLog responds with the log of the path's job.
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
