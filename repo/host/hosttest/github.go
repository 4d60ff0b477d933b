package hosttest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
)

// gitHub answers with GitHub's REST API as an Enterprise Server has it.
type gitHub struct{ *Server }

// register registers the API, and returns its root.
func (g gitHub) register(mux *http.ServeMux) (root string) {
	in := func(pattern string, do func(w http.ResponseWriter, r *http.Request)) {
		method, path, _ := cut(pattern)
		mux.HandleFunc(method+" /api/v3/repos/{owner}/{name}"+path,
			func(w http.ResponseWriter, r *http.Request) {
				if g.admit(w, r, bearer(r), r.PathValue("owner")+"/"+r.PathValue("name")) {
					do(w, r)
				}
			})
	}
	mux.HandleFunc("/",
		func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusNotFound, "Not Found") })
	in("GET ", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, g.about(r.PathValue("owner")+"/"+r.PathValue("name")))
	})
	in("GET /rules/branches/{branch...}", g.listRules)
	in("GET /rulesets/{id}", g.showRuleset)
	g.registerCommits(in)
	mux.HandleFunc("GET /api/v3/user/ssh_signing_keys", g.showKeys)
	in("GET /pulls", g.listPulls)
	in("POST /pulls", g.createPull)
	in("GET /pulls/{number}", func(w http.ResponseWriter, r *http.Request) { g.showPull(w, r, g.pullForm) })
	in("PATCH /pulls/{number}",
		func(w http.ResponseWriter, r *http.Request) { g.reword(w, r, "body", g.pullForm) })
	in("POST /issues/0/labels", g.refuseLabel)
	in("POST /issues/{number}/labels", g.putOn("labels"))
	in("POST /issues/{number}/assignees", g.putOn("assignees"))
	in("POST /pulls/{number}/requested_reviewers", g.askReview("acme", g.pullForm))
	in("GET /assignees", g.listAssignees)
	in("GET /commits/{commit}/check-runs", g.listCheckRuns)
	in("GET /commits/{commit}/status", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, map[string]any{"state": "pending", "statuses": []any{}})
	})
	in("GET /actions/jobs/{id}/logs", g.redirectToLog)
	mux.HandleFunc("GET /elsewhere/{id}", g.storedLog)
	in("GET /issues/{number}/comments", g.listComments(false))
	in("GET /pulls/{number}/comments", g.listComments(true))
	in("GET /pulls/{number}/reviews", func(w http.ResponseWriter, r *http.Request) { show(w, r, []any{}) })
	in("POST /pulls/{number}/reviews",
		func(w http.ResponseWriter, r *http.Request) { g.takeReview(w, r, "line") })
	in("GET /commits", g.listCommits)
	in("GET /issues", g.listIssues(g.issueForm))
	in("POST /issues/{number}/comments", g.addComment)
	in("POST /issues", g.fileIssue("body", g.issueForm))
	in("GET /issues/{number}", g.showIssue(g.issueForm, g.pullIssueForm))
	in("GET /pulls/{number}/files", g.listFiles)
	in("GET /actions/runs", g.listRuns)
	in("GET /actions/runs/{id}", g.showRun)
	in("GET /actions/runs/{id}/jobs", g.listJobs)
	return "/api/v3"
}

// listPulls lists the pull requests of a branch, or all.
func (g gitHub) listPulls(w http.ResponseWriter, r *http.Request) {
	branch := ""
	if _, name, ok := strings.Cut(r.URL.Query().Get("head"), ":"); ok {
		branch = name
	}
	_, ours := g.fromFork(r.URL.Query().Get("head"))
	list := []map[string]any{}
	for _, p := range g.pullsOf(branch) {
		if r.URL.Query().Get("state") != "all" && p.State != "open" {
			continue
		}
		if branch == "" || !p.Fork && p.Ours == ours { // head names the owner, too
			list = append(list, g.pullForm(p))
		}
	}
	show(w, r, page(g.Server, w, r, list))
}

// createPull opens a pull request.
func (g gitHub) createPull(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Title, Head, Base, Body string
		Draft                   bool
	}
	readBody(r, &asked)
	branch, ours := g.fromFork(asked.Head)
	p, code, why := g.open(Pull{
		Branch: branch,
		Ours:   ours,
		Base:   asked.Base,
		Title:  asked.Title,
		Body:   asked.Body,
		Draft:  asked.Draft,
	})
	if why != "" {
		answer(w, code, why)
		return
	}
	show(w, r, g.pullForm(p))
}

// listCheckRuns lists the checks of a commit.
func (g gitHub) listCheckRuns(w http.ResponseWriter, r *http.Request) {
	runs := []map[string]any{}
	for _, c := range g.checksOf(r.PathValue("commit")) {
		if c.State == "action_required" {
			continue // a run that has not begun has no check runs
		}
		run := map[string]any{
			"id":         c.ID,
			"head_sha":   cmp.Or(c.Of, r.PathValue("commit")),
			"name":       c.Name,
			"status":     "completed",
			"conclusion": c.State,
			"html_url":   g.cfg.Web + "/actions/runs/1/job/" + c.Name,
			"app":        map[string]any{"slug": "github-actions"},
			"output":     map[string]any{"title": nil},
		}
		if c.State == "pending" {
			run["status"] = "in_progress"
			run["conclusion"] = nil
		}
		runs = append(runs, run)
	}
	show(w, r, map[string]any{"total_count": len(runs), "check_runs": page(g.Server, w, r, runs)})
}

// redirectToLog redirects to the storage of a job's log.
func (g gitHub) redirectToLog(w http.ResponseWriter, r *http.Request) {
	if _, ok := g.logOf(r.PathValue("id")); !ok {
		answer(w, http.StatusNotFound, "Not Found")
		return
	}
	http.Redirect(w, r, g.http.URL+"/elsewhere/"+r.PathValue("id"), http.StatusFound)
}

// storedLog answers with a log. Like real storage, it refuses a request with credentials of GitHub.
func (g gitHub) storedLog(w http.ResponseWriter, r *http.Request) {
	text, ok := g.logOf(r.PathValue("id"))
	if !ok || r.Header.Get("Authorization") != "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = w.Write([]byte(text))
}

// listComments returns a handler that lists the comments of a pull request, or those beside its lines.
func (g gitHub) listComments(beside bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		list := []map[string]any{}
		for _, c := range g.commentsOf(r.PathValue("number"), beside) {
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
		show(w, r, page(g.Server, w, r, slices.Clip(list)))
	}
}

// listCommits lists the commits of the base branch.
func (g gitHub) listCommits(w http.ResponseWriter, r *http.Request) {
	show(w, r, page(g.Server, w, r, g.base(func(hash, message string) map[string]any {
		return map[string]any{"sha": hash, "commit": map[string]any{"message": message}}
	})))
}

// pullForm describes a pull request as GitHub does.
func (g gitHub) pullForm(p Pull) map[string]any {
	v := map[string]any{
		"number":           p.Number,
		"html_url":         g.cfg.Web + "/pull/" + itoa(p.Number),
		"state":            p.State,
		"draft":            p.Draft,
		"title":            p.Title,
		"body":             p.Body,
		"merged_at":        nil,
		"merge_commit_sha": "0000000",
		"head":             g.endForm(p.Branch, p.Head, g.pathOf(p)),
		"base":             g.endForm(p.Base, "", g.cfg.Repository),
		"user":             map[string]any{"login": cmp.Or(p.Login, "bobbin")},
	}
	addPapers(v, p, "requested_teams", "slug")
	switch g.cfg.Merges(p.Branch, p.Base) {
	case "clean":
		v["mergeable"] = true
		v["mergeable_state"] = "clean"
	case "conflicts":
		v["mergeable"] = false
		v["mergeable_state"] = "dirty"
	default:
		v["mergeable"] = nil
		v["mergeable_state"] = "unknown"
	}
	if p.State == "merged" {
		v["state"] = "closed"
		v["merged_at"] = "2026-03-02T12:00:00Z"
		v["merge_commit_sha"] = "merged-" + itoa(p.Number)
	}
	return v
}

// endForm describes one of the two branches of a pull request, as GitHub and Gitea do.
func (s *Server) endForm(branch, commit, repository string) map[string]any {
	return map[string]any{
		"ref": branch, "sha": commit, "repo": map[string]any{"full_name": repository},
	}
}
