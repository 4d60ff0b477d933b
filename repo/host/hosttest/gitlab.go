package hosttest

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// gitLab answers with GitLab's REST API.
type gitLab struct{ *Server }

// register registers the API, and returns its root.
func (g gitLab) register(mux *http.ServeMux) (root string) {
	in := func(pattern string, do func(w http.ResponseWriter, r *http.Request)) {
		method, path, _ := cut(pattern)
		mux.HandleFunc(method+" /api/v4/projects/{project}"+path,
			func(w http.ResponseWriter, r *http.Request) {
				project, err := url.PathUnescape(r.PathValue("project"))
				if err == nil && g.admit(w, r, r.Header.Get("PRIVATE-TOKEN"), project) {
					do(w, r)
				}
			})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, "404 Project Not Found")
	})
	mux.HandleFunc("GET /api/v4/personal_access_tokens/self", g.showToken)
	mux.HandleFunc("GET /api/v4/users", g.listUsers)
	in("GET ", func(w http.ResponseWriter, r *http.Request) {
		project, _ := url.PathUnescape(r.PathValue("project"))
		show(w, r, g.aboutProject(project))
	})
	in("GET /push_rule", g.showPushRule)
	mux.HandleFunc("GET /api/v4/user/keys", g.showKeys)
	in("GET /merge_requests", g.listRequests)
	in("POST /merge_requests", g.createRequest)
	in("GET /merge_requests/{number}",
		func(w http.ResponseWriter, r *http.Request) { g.showPull(w, r, g.requestForm) })
	in("PUT /merge_requests/{number}", g.changePull)
	in("GET /repository/commits/{commit}/statuses", g.listStatuses)
	in("GET /jobs/{id}/trace", g.sendLog)
	in("GET /merge_requests/{number}/notes", g.listNotes)
	in("POST /merge_requests/{number}/notes", g.takeNote)
	in("GET /repository/commits", g.listCommits)
	in("GET /issues", g.listIssues(g.issueForm))
	in("POST /issues/{number}/notes", g.addComment)
	in("POST /issues", g.fileIssue("description", g.issueForm))
	in("GET /issues/{number}", g.showIssue(g.issueForm, nil))
	in("GET /issues/{number}/notes", g.listNotes)
	in("GET /merge_requests/{number}/diffs", g.listDiffs)
	in("GET /pipelines", func(w http.ResponseWriter, r *http.Request) { show(w, r, []any{}) })
	in("GET /pipelines/{id}", g.showPipeline)
	in("GET /pipelines/{id}/jobs", g.listPipelineJobs)
	in("GET /jobs/{id}", g.showJob)
	return "/api/v4"
}

// showToken says what the token of the request may do.
func (g gitLab) showToken(w http.ResponseWriter, r *http.Request) {
	scope := "read_api"
	if r.Header.Get("PRIVATE-TOKEN") == g.cfg.Token {
		scope = "api"
	}
	show(w, r, map[string]any{"scopes": []string{scope}})
}

// listRequests lists the merge requests of a branch, or all.
func (g gitLab) listRequests(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for _, p := range g.pullsOf(r.URL.Query().Get("source_branch")) {
		list = append(list, g.requestForm(p))
	}
	show(w, r, page(g.Server, w, r, list))
}

// createRequest opens a merge request.
func (g gitLab) createRequest(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Source      string `json:"source_branch"`
		Target      string `json:"target_branch"`
		Title       string
		Description string
		Into        int64 `json:"target_project_id"`
	}
	readBody(r, &asked)
	project, _ := url.PathUnescape(r.PathValue("project"))
	ours := project != g.cfg.Repository
	if ours && asked.Into != repositoryID {
		answer(w, http.StatusBadRequest, "target_project_id is missing")
		return
	}
	title, draft := strings.CutPrefix(asked.Title, "Draft: ")
	p, code, why := g.open(Pull{
		Branch: asked.Source,
		Ours:   ours,
		Base:   asked.Target,
		Title:  title,
		Body:   asked.Description,
		Draft:  draft,
	})
	if strings.Contains(why, "already exists") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(
			`{"message": ["Another open merge request already exists for this source branch: !1"]}`))
		return
	}
	if why != "" {
		answer(w, code, why)
		return
	}
	show(w, r, g.requestForm(p))
}

// listStatuses lists the checks of a commit.
func (g gitLab) listStatuses(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for _, c := range g.checksOf(r.PathValue("commit")) {
		state := map[string]string{"failure": "failed", "pending": "running"}[c.State]
		if state == "" {
			state = c.State
		}
		list = append(list, map[string]any{
			"id":            c.ID,
			"sha":           cmp.Or(c.Of, r.PathValue("commit")),
			"name":          c.Name,
			"status":        state,
			"target_url":    g.cfg.Web + "/-/jobs/" + itoa(c.ID),
			"description":   nil,
			"allow_failure": c.MayFail,
		})
	}
	show(w, r, page(g.Server, w, r, list))
}

// listNotes lists the comments of a merge request, after a note of GitLab's own.
func (g gitLab) listNotes(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{{
		"id":         9000,
		"body":       "added 1 commit",
		"system":     true,
		"author":     map[string]any{"username": "bobbin"},
		"created_at": "2026-03-02T09:00:00Z",
	}}
	for _, beside := range []bool{false, true} {
		for _, c := range g.commentsOf(r.PathValue("number"), beside) {
			v := map[string]any{
				"id":         c.ID,
				"body":       c.Text,
				"system":     false,
				"author":     map[string]any{"username": c.Login, "bot": c.Bot},
				"created_at": c.At.Format(time.RFC3339),
				"position":   nil,
			}
			if c.Path != "" {
				v["position"] = map[string]any{"new_path": c.Path, "new_line": c.Line}
			}
			list = append(list, v)
		}
	}
	if r.URL.Query().Get("sort") == "desc" {
		slices.Reverse(list)
	}
	show(w, r, page(g.Server, w, r, list))
}

// listCommits lists the commits of the base branch.
func (g gitLab) listCommits(w http.ResponseWriter, r *http.Request) {
	show(w, r, page(g.Server, w, r, g.base(func(hash, message string) map[string]any {
		return map[string]any{"id": hash, "message": message}
	})))
}

// requestForm describes a merge request as GitLab does.
func (g gitLab) requestForm(p Pull) map[string]any {
	state := map[string]string{"open": "opened"}[p.State]
	if state == "" {
		state = p.State
	}
	v := map[string]any{
		"iid":               p.Number,
		"title":             p.Title,
		"author":            map[string]any{"username": cmp.Or(p.Login, "bobbin")},
		"source_branch":     p.Branch,
		"target_branch":     p.Base,
		"web_url":           g.cfg.Web + "/-/merge_requests/" + itoa(p.Number),
		"state":             state,
		"draft":             p.Draft,
		"description":       p.Body,
		"sha":               p.Head,
		"merge_commit_sha":  nil,
		"squash_commit_sha": nil,
		"source_project_id": p.project(),
		"target_project_id": repositoryID,
		"labels":            append([]string{}, p.Labels...),
		"assignees":         gitLabUsers(p.Assignees),
		"reviewers":         gitLabUsers(p.Reviewers),
	}
	v["has_conflicts"] = false
	switch g.cfg.Merges(p.Branch, p.Base) {
	case "clean":
		v["detailed_merge_status"] = "mergeable"
	case "conflicts":
		v["detailed_merge_status"] = "conflict"
		v["has_conflicts"] = true
	default:
		v["detailed_merge_status"] = "checking"
	}
	if p.Draft && v["detailed_merge_status"] == "mergeable" {
		v["detailed_merge_status"] = "draft_status"
	}
	if p.State == "merged" {
		v["merge_commit_sha"] = "merged-" + itoa(p.Number)
	}
	return v
}
