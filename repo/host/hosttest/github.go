package hosttest

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// serveGitHub registers GitHub's REST API as an Enterprise Server has it, and returns its root.
func (s *Server) serveGitHub(mux *http.ServeMux) (root string) {
	in := func(pattern string, do func(w http.ResponseWriter, r *http.Request)) {
		method, path, _ := cut(pattern)
		mux.HandleFunc(method+" /api/v3/repos/{owner}/{name}"+path,
			func(w http.ResponseWriter, r *http.Request) {
				if s.admit(w, r, bearer(r), r.PathValue("owner")+"/"+r.PathValue("name")) {
					do(w, r)
				}
			})
	}
	mux.HandleFunc("/",
		func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusNotFound, "Not Found") })
	in("GET ",
		func(w http.ResponseWriter, r *http.Request) { show(w, r, map[string]any{"default_branch": "main"}) })
	in("GET /pulls", func(w http.ResponseWriter, r *http.Request) {
		branch := ""
		if _, name, ok := strings.Cut(r.URL.Query().Get("head"), ":"); ok {
			branch = name
		}
		list := []map[string]any{}
		for _, p := range s.pullsOf(branch) {
			if state := r.URL.Query().Get("state"); (state == "all" || p.State == "open") &&
				(branch == "" || !p.Fork) {
				// head names the owner, too
				list = append(list, s.gitHubPull(p))
			}
		}
		show(w, r, page(s, w, r, list))
	})
	in("POST /pulls", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Title, Head, Base, Body string
			Draft                   bool
		}
		readBody(r, &asked)
		p, code, why := s.open(Pull{
			Branch: asked.Head,
			Base:   asked.Base,
			Title:  asked.Title,
			Body:   asked.Body,
			Draft:  asked.Draft,
		})
		if why != "" {
			answer(w, code, why)
			return
		}
		show(w, r, s.gitHubPull(p))
	})
	in("GET /pulls/{number}", func(w http.ResponseWriter, r *http.Request) { s.showPull(w, r, s.gitHubPull) })
	in("PATCH /pulls/{number}",
		func(w http.ResponseWriter, r *http.Request) { s.reword(w, r, "body", s.gitHubPull) })
	in("GET /commits/{commit}/check-runs", func(w http.ResponseWriter, r *http.Request) {
		runs := []map[string]any{}
		for _, c := range s.checksOf(r.PathValue("commit")) {
			run := map[string]any{
				"id":         c.ID,
				"name":       c.Name,
				"status":     "completed",
				"conclusion": c.State,
				"html_url":   s.cfg.Web + "/actions/runs/1/job/" + c.Name,
				"app":        map[string]any{"slug": "github-actions"},
				"output":     map[string]any{"title": nil},
			}
			if c.State == "pending" {
				run["status"] = "in_progress"
				run["conclusion"] = nil
			}
			runs = append(runs, run)
		}
		show(w, r, map[string]any{"total_count": len(runs), "check_runs": page(s, w, r, runs)})
	})
	in("GET /commits/{commit}/status", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, map[string]any{"state": "pending", "statuses": []any{}})
	})
	in("GET /actions/jobs/{id}/logs", func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.logOf(r.PathValue("id")); !ok {
			answer(w, http.StatusNotFound, "Not Found")
			return
		}
		http.Redirect(w, r, s.http.URL+"/elsewhere/"+r.PathValue("id"), http.StatusFound)
	})
	mux.HandleFunc("GET /elsewhere/{id}", func(w http.ResponseWriter, r *http.Request) {
		text, ok := s.logOf(r.PathValue("id"))
		if !ok || r.Header.Get("Authorization") != "" {
			// like storage that refuses a request with a foreign credential
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(text))
	})
	comments := func(beside bool) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			list := []map[string]any{}
			for _, c := range s.commentsOf(r.PathValue("number"), beside) {
				kind := "User"
				if c.Bot {
					kind = "Bot"
				}
				list = append(list, map[string]any{
					"id":         c.ID,
					"user":       map[string]any{"login": c.Login, "type": kind},
					"body":       c.Text,
					"path":       c.Path,
					"line":       c.Line,
					"created_at": c.At.Format(time.RFC3339),
				})
			}
			show(w, r, page(s, w, r, slices.Clip(list)))
		}
	}
	in("GET /issues/{number}/comments", comments(false))
	in("GET /pulls/{number}/comments", comments(true))
	in("GET /pulls/{number}/reviews", func(w http.ResponseWriter, r *http.Request) { show(w, r, []any{}) })
	in("GET /commits", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, page(s, w, r, s.base(func(hash, message string) map[string]any {
			return map[string]any{"sha": hash, "commit": map[string]any{"message": message}}
		})))
	})
	return "/api/v3"
}

func (s *Server) gitHubPull(p Pull) map[string]any {
	v := map[string]any{
		"number":           p.Number,
		"html_url":         s.cfg.Web + "/pull/" + itoa(p.Number),
		"state":            p.State,
		"draft":            p.Draft,
		"title":            p.Title,
		"body":             p.Body,
		"merged_at":        nil,
		"merge_commit_sha": "0000000",
		"head":             map[string]any{"ref": p.Branch, "sha": p.Head},
		"base":             map[string]any{"ref": p.Base},
	}
	if p.State == "merged" {
		v["state"] = "closed"
		v["merged_at"] = "2026-03-02T12:00:00Z"
		v["merge_commit_sha"] = "merged-" + itoa(p.Number)
	}
	return v
}
