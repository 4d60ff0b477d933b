package hosttest

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// gitea answers with the REST API that Gitea and Forgejo have.
type gitea struct{ *Server }

// register registers the API, and returns its root.
func (g gitea) register(mux *http.ServeMux) (root string) {
	in := func(pattern string, do func(w http.ResponseWriter, r *http.Request)) {
		method, path, _ := cut(pattern)
		mux.HandleFunc(method+" /api/v1/repos/{owner}/{name}"+path,
			func(w http.ResponseWriter, r *http.Request) {
				if g.admit(w, r, strings.TrimPrefix(r.Header.Get("Authorization"), "token "),
					r.PathValue("owner")+"/"+r.PathValue("name")) {
					do(w, r)
				}
			})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, "The target couldn't be found.")
	})
	in("GET ", func(w http.ResponseWriter, r *http.Request) {
		show(w, r, g.about(r.PathValue("owner")+"/"+r.PathValue("name")))
	})
	in("GET /branch_protections", g.listProtections)
	mux.HandleFunc("GET /api/v1/user/keys", g.showKeys)
	in("GET /pulls", g.listPulls)
	in("POST /pulls", g.createPull)
	in("GET /pulls/{number}", func(w http.ResponseWriter, r *http.Request) { g.showPull(w, r, g.pullForm) })
	in("PATCH /pulls/{number}", g.changePull)
	in("GET /labels", g.listLabels)
	in("POST /pulls/{number}/requested_reviewers", g.askReview("acme", g.pullForm))
	in("GET /assignees", g.listAssignees)
	in("GET /commits/{commit}/statuses", g.listStatuses)
	in("GET /actions/jobs/{id}", g.showJob)
	in("GET /actions/jobs/{id}/logs", g.sendLog)
	in("GET /issues/{number}/comments", g.listComments(false))
	in("GET /pulls/{number}/reviews/7/comments", g.listComments(true))
	in("GET /pulls/{number}/reviews", g.listReviews)
	in("POST /pulls/{number}/reviews",
		func(w http.ResponseWriter, r *http.Request) { g.takeReview(w, r, "new_position") })
	in("GET /commits", g.listCommits)
	in("GET /issues", g.listIssues(g.issueForm))
	in("POST /issues/{number}/comments", g.addComment)
	in("POST /issues", g.fileIssue("body", g.issueForm))
	in("GET /issues/{number}", g.showIssue(g.issueForm, g.pullIssueForm))
	in("GET /pulls/{number}/files", g.listFiles)
	in("GET /actions/runs/{id}", g.showRun)
	in("GET /actions/runs/{id}/jobs", g.listJobs)
	return "/api/v1"
}

// listPulls lists the pull requests.
func (g gitea) listPulls(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for _, p := range g.pullsOf("") {
		list = append(list, g.pullForm(p))
	}
	show(w, r, page(g.Server, w, r, list))
}

// createPull opens a pull request.
func (g gitea) createPull(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Title, Head, Base, Body string }
	readBody(r, &asked)
	title, draft := strings.CutPrefix(asked.Title, "WIP: ")
	branch, ours := g.fromFork(asked.Head)
	p, code, why := g.open(Pull{
		Branch: branch,
		Ours:   ours,
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
	show(w, r, g.pullForm(p))
}

// listStatuses lists the checks of a commit. Each change of a check is a status of its own.
func (g gitea) listStatuses(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for _, c := range g.checksOf(r.PathValue("commit")) {
		status := func(id int64, state, target string) map[string]any {
			v := map[string]any{"id": id, "context": c.Name, "status": state, "target_url": target}
			if state == "blocked" { // as a job that waits for a person
				v["status"] = "pending"
				v["description"] = "Blocked by required conditions"
			}
			return v
		}
		list = append(list, status(2*c.ID, c.State, g.jobPath(c.ID)), status(2*c.ID-1, "pending", ""))
	}
	show(w, r, page(g.Server, w, r, list))
}

// showJob describes the job of a check.
func (g gitea) showJob(w http.ResponseWriter, r *http.Request) {
	if _, ok := g.logOf(r.PathValue("id")); !ok {
		answer(w, http.StatusNotFound, "not found")
		return
	}
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	show(w, r, map[string]any{"id": id, "html_url": g.jobPage(id)})
}

// listComments returns a handler that lists the comments of a pull request, or those beside its lines.
func (g gitea) listComments(beside bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		list := []map[string]any{}
		for _, c := range g.commentsOf(r.PathValue("number"), beside) {
			list = append(list, map[string]any{
				"id":         c.ID,
				"user":       map[string]any{"login": c.Login},
				"body":       c.Text,
				"path":       c.Path,
				"position":   c.Line,
				"created_at": c.At.Format(time.RFC3339),
			})
		}
		show(w, r, page(g.Server, w, r, list))
	}
}

// listReviews lists the one review that holds the comments beside lines, if there are any.
func (g gitea) listReviews(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	if n := len(g.commentsOf(r.PathValue("number"), true)); n > 0 {
		list = append(list, map[string]any{
			"id":             7,
			"user":           map[string]any{"login": "ann"},
			"body":           "",
			"submitted_at":   "2026-03-02T11:00:00Z",
			"comments_count": n,
		})
	}
	show(w, r, page(g.Server, w, r, list))
}

// listCommits lists the commits of the base branch.
func (g gitea) listCommits(w http.ResponseWriter, r *http.Request) {
	show(w, r, page(g.Server, w, r, g.base(func(hash, message string) map[string]any {
		return map[string]any{"sha": hash, "commit": map[string]any{"message": message}}
	})))
}

// jobPath returns the address of a job's page, without the host.
func (g gitea) jobPath(id int64) string {
	web, err := url.Parse(g.cfg.Web)
	if err != nil {
		panic(err)
	}
	return web.Path + "/actions/runs/1/jobs/" + itoa(id)
}

// pullForm describes a pull request as Gitea does.
func (g gitea) pullForm(p Pull) map[string]any {
	title := p.Title
	state := p.State
	if p.Draft {
		title = "WIP: " + title
	}
	if state == "merged" {
		state = "closed"
	}
	head := g.endForm(p.Branch, p.Head, g.pathOf(p))
	head["repo_id"] = p.project()
	base := g.endForm(p.Base, "", g.cfg.Repository)
	base["repo_id"] = repositoryID
	v := map[string]any{
		"number":           p.Number,
		"html_url":         g.cfg.Web + "/pulls/" + itoa(p.Number),
		"state":            state,
		"title":            title,
		"body":             p.Body,
		"draft":            p.Draft,
		"merged":           p.State == "merged",
		"merge_commit_sha": nil,
		"head":             head,
		"base":             base,
		"user":             map[string]any{"login": cmp.Or(p.Login, "bobbin")},
	}
	addPapers(v, p, "requested_reviewers_teams", "name")
	v["mergeable"] = g.cfg.Merges(p.Branch, p.Base) == "clean" && !p.Draft
	if p.State == "merged" {
		v["merge_commit_sha"] = "merged-" + itoa(p.Number)
		v["merged_at"] = "2026-03-02T12:00:00Z"
	}
	return v
}
