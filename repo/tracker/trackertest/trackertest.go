// Package trackertest runs a fake Jira, Linear or Sentry on this machine, with the part of the API by which
// issues are filed, found and commented on. It answers 401 to an unknown token and 403 to one that may not
// write, and can lose an answer after it did what was asked. GitHub and GitLab are in package hosttest.
package trackertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Token is the token that the server accepts.
const Token = "token-of-the-tracker"

// A Server is a fake tracker with one project.
type Server struct {
	URL string // of its pages
	API string // of its API

	kind, project string
	http          *httptest.Server

	mu       sync.Mutex
	issues   []Issue
	readOnly bool
	fields   string // the fields that Jira demands
	lose     bool
	search   bool // Jira has the older address for searching
	broken   int  // requests to answer with 503
}

// An Issue is an issue with the texts of its comments.
type Issue struct {
	Key, Type, Title, Text string
	Comments               []string
	id                     string   // as the client chose it (Linear)
	commentIDs             []string // the same
}

// Listen starts a fake tracker of that kind: jira, linear or sentry.
func Listen(kind, project string) *Server {
	s := &Server{kind: kind, project: project}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	s.API = s.URL + map[string]string{"jira": "/rest/api/2", "linear": "/graphql", "sentry": "/api/0"}[kind]
	return s
}

// Close stops the server.
func (s *Server) Close() { s.http.Close() }

// Add adds an issue that somebody else filed.
func (s *Server) Add(i Issue) { s.do(func() { s.issues = append(s.issues, i) }) }

// ReadOnly makes the token one that may not write.
func (s *Server) ReadOnly() { s.do(func() { s.readOnly = true }) }

// Demand makes Jira refuse issues without a field.
func (s *Server) Demand(field string) { s.do(func() { s.fields = field }) }

// Older makes Jira one that has the older address for searching only, as Data Center.
func (s *Server) Older() { s.do(func() { s.search = true }) }

// Lose makes the next request that writes take effect without an answer.
func (s *Server) Lose() { s.do(func() { s.lose = true }) }

// Break makes the next requests fail with 503.
func (s *Server) Break(requests int) { s.do(func() { s.broken = requests }) }

// Issues returns all issues.
func (s *Server) Issues() (all []Issue) {
	s.do(func() { all = slices.Clone(s.issues) })
	return all
}

func (s *Server) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// An answer is the status and the JSON of a response. wrote says that something was changed.
type answer struct {
	status int
	json   any
	wrote  bool
}

var (
	unknown   = answer{status: http.StatusNotFound, json: map[string]any{"message": "Not Found"}}
	forbidden = answer{status: http.StatusForbidden, json: map[string]any{"message": "no"}}
)

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	asked := map[string]any{}
	_ = json.Unmarshal(body, &asked)
	s.mu.Lock()
	var a answer
	switch {
	case s.broken > 0:
		s.broken--
		a = answer{status: http.StatusServiceUnavailable}
	case !strings.HasSuffix(r.Header.Get("Authorization"), Token):
		a = answer{status: http.StatusUnauthorized}
	case s.kind == "jira":
		a = s.jira(r, asked)
	case s.kind == "linear":
		a = s.linear(asked)
	default:
		a = s.sentry(r, asked)
	}
	lost := a.wrote && s.lose
	s.lose = s.lose && !lost
	s.mu.Unlock()
	if lost {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_ = json.NewEncoder(w).Encode(a.json)
}

// issue returns the issue with that key, or nil.
func (s *Server) issue(key string) *Issue {
	for i := range s.issues {
		if s.issues[i].Key == key {
			return &s.issues[i]
		}
	}
	return nil
}

func (s *Server) nextKey() string { return fmt.Sprintf("%s-%d", s.project, len(s.issues)+1) }

// text returns the text at a path of keys.
func text(v any, keys ...string) string {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	s, _ := v.(string)
	return s
}

func (s *Server) jira(r *http.Request, asked map[string]any) answer {
	path := strings.TrimPrefix(r.URL.Path, "/rest/api/2")
	key, below, _ := strings.Cut(strings.TrimPrefix(path, "/issue/"), "/")
	switch {
	case path == "/project/"+s.project:
		return answer{json: map[string]any{"key": s.project}}
	case path == "/mypermissions":
		right := r.URL.Query().Get("permissions")
		return answer{json: map[string]any{"permissions": map[string]any{
			right: map[string]any{"havePermission": !s.readOnly},
		}}}
	case path == "/search" || path == "/search/jql" && !s.search:
		return s.searchJira(r)
	case r.Method == http.MethodPost && s.readOnly:
		return forbidden
	case path == "/issue":
		return s.fileAtJira(asked)
	case s.issue(key) != nil && below == "comment" && r.Method == http.MethodPost:
		i := s.issue(key)
		i.Comments = append(i.Comments, text(asked, "body"))
		return answer{status: http.StatusCreated, json: map[string]any{"id": "1"}, wrote: true}
	case s.issue(key) != nil:
		return s.showAtJira(*s.issue(key), below)
	}
	return unknown
}

func (s *Server) fileAtJira(asked map[string]any) answer {
	project := text(asked, "fields", "project", "key")
	title := text(asked, "fields", "summary")
	if project != s.project || title == "" || s.fields != "" {
		return answer{status: http.StatusBadRequest, json: map[string]any{
			"errorMessages": []string{}, "errors": map[string]string{s.fields: s.fields + " is required."},
		}}
	}
	i := Issue{
		Key: s.nextKey(), Title: title, Type: text(asked, "fields", "issuetype", "name"),
		Text: text(asked, "fields", "description"),
	}
	s.issues = append(s.issues, i)
	return answer{status: http.StatusCreated, json: map[string]any{"id": "1", "key": i.Key}, wrote: true}
}

func (s *Server) searchJira(r *http.Request) answer {
	list := []any{}
	for _, i := range slices.Backward(s.issues) {
		if strings.Contains(r.URL.Query().Get("jql"), `project = "`+s.project+`" AND created >= "-`) {
			list = append(list, map[string]any{"key": i.Key, "fields": map[string]any{"description": i.Text}})
		}
	}
	return answer{json: map[string]any{"issues": list}}
}

func (s *Server) showAtJira(i Issue, below string) answer {
	comments := []any{}
	for _, c := range i.Comments {
		comments = append(comments, map[string]any{"body": c})
	}
	list := map[string]any{"comments": comments, "total": len(comments)}
	if below == "comment" {
		return answer{json: list}
	}
	return answer{json: map[string]any{"key": i.Key, "fields": map[string]any{
		"summary": i.Title, "description": i.Text, "status": map[string]any{"name": "Open"}, "comment": list,
	}}}
}

func (s *Server) linear(asked map[string]any) answer {
	of := func(key string) string { return text(asked, "variables", key) }
	data := func(name string, v any) answer {
		return answer{json: map[string]any{"data": map[string]any{name: v}}}
	}
	fails := func(message, code string) answer {
		return answer{json: map[string]any{"errors": []any{map[string]any{
			"message": message, "extensions": map[string]any{"code": code},
		}}}}
	}
	nodes := func(list ...any) map[string]any { return map[string]any{"nodes": append([]any{}, list...)} }
	shown := func(i Issue) any {
		return map[string]any{
			"identifier": i.Key, "title": i.Title, "description": i.Text,
			"url": s.URL + "/issue/" + i.Key + "/a-title",
		}
	}
	query := text(asked, "query")
	switch {
	case strings.HasPrefix(query, "mutation") && s.readOnly:
		return fails("no", "FORBIDDEN")
	case strings.Contains(query, "teams("):
		return data("teams", nodes(map[string]any{"id": "team-1", "key": s.project}))
	case strings.Contains(query, "issueCreate"):
		if slices.ContainsFunc(s.issues, func(i Issue) bool { return i.id == of("id") }) {
			return fails("Entity already exists", "INPUT_ERROR")
		}
		i := Issue{Key: s.nextKey(), Title: of("title"), Text: of("text"), id: of("id")}
		s.issues = append(s.issues, i)
		a := data("issueCreate", map[string]any{"success": true, "issue": shown(i)})
		a.wrote = true
		return a
	case strings.Contains(query, "commentCreate"):
		return s.commentAtLinear(of, data, fails)
	case strings.Contains(query, "comments(filter"):
		for _, i := range s.issues {
			if slices.Contains(i.commentIDs, of("id")) {
				return data("comments", nodes(map[string]any{"id": of("id")}))
			}
		}
		return data("comments", nodes())
	case strings.Contains(query, "issues(filter"):
		for _, i := range s.issues {
			if i.id == of("id") {
				return data("issues", nodes(shown(i)))
			}
		}
		return data("issues", nodes())
	}
	if i := s.issue(of("id")); i != nil {
		return data("issue", shown(*i))
	}
	return fails("Entity not found: Issue", "INPUT_ERROR")
}

func (s *Server) commentAtLinear(
	of func(string) string, data func(string, any) answer, fails func(string, string) answer,
) answer {
	i := s.issue(of("issue"))
	if i == nil {
		return fails("Entity not found: Issue", "INPUT_ERROR")
	}
	if slices.Contains(i.commentIDs, of("id")) {
		return fails("Entity already exists", "INPUT_ERROR")
	}
	i.Comments = append(i.Comments, of("text"))
	i.commentIDs = append(i.commentIDs, of("id"))
	a := data("commentCreate", map[string]any{"success": true})
	a.wrote = true
	return a
}

func (s *Server) sentry(r *http.Request, asked map[string]any) answer {
	// api/0/organizations/acme/issues/4509/comments
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 6 || s.issue(parts[5]) == nil {
		return unknown
	}
	i := s.issue(parts[5])
	switch {
	case parts[4] == "shortids":
		return answer{json: map[string]any{"groupId": "4509", "shortId": i.Key}}
	case r.Method == http.MethodPost && s.readOnly:
		return forbidden
	case r.Method == http.MethodPost:
		i.Comments = append(i.Comments, text(asked, "text"))
		return answer{status: http.StatusCreated, json: map[string]any{"id": "1"}, wrote: true}
	}
	list := []any{}
	for _, c := range i.Comments {
		list = append(list, map[string]any{"data": map[string]any{"text": c}})
	}
	return answer{json: list}
}
