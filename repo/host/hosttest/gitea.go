package hosttest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// serveGitea registers the REST API that Gitea and Forgejo have, and returns its root.
func (s *Server) serveGitea(mux *http.ServeMux) (root string) {
	in := func(pattern string, do func(w http.ResponseWriter, r *http.Request)) {
		method, path, _ := cut(pattern)
		mux.HandleFunc(method+" /api/v1/repos/{owner}/{name}"+path,
			func(w http.ResponseWriter, r *http.Request) {
				if s.admit(w, r, strings.TrimPrefix(r.Header.Get("Authorization"), "token "),
					r.PathValue("owner")+"/"+r.PathValue("name")) {
					do(w, r)
				}
			})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, "The target couldn't be found.")
	})
	in("GET ", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, map[string]any{
			"permissions":       map[string]any{"push": true, "pull": true},
			"has_pull_requests": true,
		})
	})
	in("GET /pulls", func(w http.ResponseWriter, r *http.Request) {
		list := []map[string]any{}
		for _, p := range s.pullsOf("") {
			list = append(list, s.giteaPull(p))
		}
		show(w, r, page(s, w, r, list))
	})
	in("POST /pulls", func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Title, Head, Base, Body string }
		readBody(r, &asked)
		title, draft := strings.CutPrefix(asked.Title, "WIP: ")
		p, code, why := s.open(Pull{
			Branch: asked.Head,
			Base:   asked.Base,
			Title:  title,
			Body:   asked.Body,
			Draft:  draft,
		})
		if strings.Contains(why, "already exists") {
			code = http.StatusConflict
		}
		if why != "" {
			answer(w, code, why)
			return
		}
		show(w, r, s.giteaPull(p))
	})
	in("GET /pulls/{number}", func(w http.ResponseWriter, r *http.Request) { s.showPull(w, r, s.giteaPull) })
	in("PATCH /pulls/{number}",
		func(w http.ResponseWriter, r *http.Request) { s.reword(w, r, "body", s.giteaPull) })
	in("GET /commits/{commit}/statuses", func(w http.ResponseWriter, r *http.Request) {
		list := []map[string]any{}
		for _, c := range s.checksOf(r.PathValue("commit")) {
			// Each change of a check is a new status.
			list = append(list, map[string]any{
				"id":         2 * c.ID,
				"context":    c.Name,
				"status":     c.State,
				"target_url": s.giteaJob(c.ID),
			},
				map[string]any{"id": 2*c.ID - 1, "context": c.Name, "status": "pending", "target_url": ""})
		}
		show(w, r, page(s, w, r, list))
	})
	in("GET /actions/jobs/{id}", func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.logOf(r.PathValue("id")); !ok {
			answer(w, http.StatusNotFound, "not found")
			return
		}
		id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
		show(w, r, map[string]any{"id": id, "html_url": s.cfg.Web + "/actions/runs/1/jobs/" + itoa(id)})
	})
	in("GET /actions/jobs/{id}/logs", s.sendLog)
	comments := func(beside bool) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			list := []map[string]any{}
			for _, c := range s.commentsOf(r.PathValue("number"), beside) {
				list = append(list, map[string]any{
					"id":         c.ID,
					"user":       map[string]any{"login": c.Login},
					"body":       c.Text,
					"path":       c.Path,
					"position":   c.Line,
					"created_at": c.At.Format(time.RFC3339),
				})
			}
			show(w, r, page(s, w, r, list))
		}
	}
	in("GET /issues/{number}/comments", comments(false))
	in("GET /pulls/{number}/reviews/7/comments", comments(true))
	in("GET /pulls/{number}/reviews", func(w http.ResponseWriter, r *http.Request) {
		list := []map[string]any{}
		if n := len(s.commentsOf(r.PathValue("number"), true)); n > 0 {
			list = append(list, map[string]any{
				"id":             7,
				"user":           map[string]any{"login": "ann"},
				"body":           "",
				"submitted_at":   "2026-03-02T11:00:00Z",
				"comments_count": n,
			})
		}
		show(w, r, page(s, w, r, list))
	})
	in("GET /commits", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, page(s, w, r, s.base(func(hash, message string) map[string]any {
			return map[string]any{"sha": hash, "commit": map[string]any{"message": message}}
		})))
	})
	return "/api/v1"
}

// giteaJob returns the address of a job's page, without the host.
func (s *Server) giteaJob(id int64) string {
	web, err := url.Parse(s.cfg.Web)
	if err != nil {
		panic(err)
	}
	return web.Path + "/actions/runs/1/jobs/" + itoa(id)
}

func (s *Server) giteaPull(p Pull) map[string]any {
	title := p.Title
	state := p.State
	if p.Draft {
		title = "WIP: " + title
	}
	if state == "merged" {
		state = "closed"
	}
	v := map[string]any{
		"number":           p.Number,
		"html_url":         s.cfg.Web + "/pulls/" + itoa(p.Number),
		"state":            state,
		"title":            title,
		"body":             p.Body,
		"draft":            p.Draft,
		"merged":           p.State == "merged",
		"merge_commit_sha": nil,
		"head":             map[string]any{"ref": p.Branch, "sha": p.Head, "repo_id": p.project()},
		"base":             map[string]any{"ref": p.Base, "repo_id": repositoryID},
	}
	if p.State == "merged" {
		v["merge_commit_sha"] = "merged-" + itoa(p.Number)
	}
	return v
}
