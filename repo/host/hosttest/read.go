package hosttest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Issue is an issue. Its comments are those of its number.
type Issue struct {
	Number       int64
	Title, Body  string
	Login        string
	State        string // open or closed; default open
	Labels       []string
	Confidential bool // GitLab
}

// A File is a file that a pull request changes.
type File struct {
	Path, Change   string
	Added, Removed int
}

// A Run is a run of CI with its jobs, whose ids the test chooses.
type Run struct {
	ID             int64
	Name, State    string // State as of a Check
	Branch, Commit string
	Fork           bool // Branch is in somebody's fork
	Jobs           []Check
}

// SetIssue adds an issue, or replaces the one with its number.
func (s *Server) SetIssue(i Issue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.State == "" {
		i.State = "open"
	}
	for n, o := range s.issues {
		if o.Number == i.Number {
			s.issues[n] = i
			return
		}
	}
	s.issues = append(s.issues, i)
}

// SetFiles sets the files that a pull request changes.
func (s *Server) SetFiles(number int64, files ...File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[int64][]File{}
	}
	s.files[number] = files
}

// AddRun adds a run.
func (s *Server) AddRun(r Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, r)
	s.checks[r.Commit] = append(s.checks[r.Commit], r.Jobs...)
}

// Instead has requests whose path ends so answered by do, as by a host that is broken or hostile.
func (s *Server) Instead(path string, do http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.instead == nil {
		s.instead = map[string]http.HandlerFunc{}
	}
	s.instead[path] = do
}

func (s *Server) insteadOf(path string) http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	for end, do := range s.instead {
		if strings.HasSuffix(path, end) {
			return do
		}
	}
	return nil
}

// refusesIssues reports whether issues are not shown, and answers so.
func (s *Server) refusesIssues(w http.ResponseWriter) bool {
	if s.cfg.NoIssues {
		answer(w, http.StatusForbidden, "Resource not accessible by personal access token")
	}
	return s.cfg.NoIssues
}

// listIssues returns a handler that lists the issues in that form.
func (s *Server) listIssues(form func(Issue) map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.refusesIssues(w) {
			return
		}
		s.mu.Lock()
		list := []map[string]any{}
		for _, i := range slices.Backward(s.issues) {
			list = append(list, form(i))
		}
		s.mu.Unlock()
		show(w, r, page(s, w, r, list))
	}
}

// AllowFiling says whether the token may open issues from now on.
func (s *Server) AllowFiling(may bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg.NoFiling = !may
}

// refusesFiling reports whether issues may not be opened, and answers so.
func (s *Server) refusesFiling(w http.ResponseWriter) bool {
	s.mu.Lock()
	no := s.cfg.NoFiling
	s.mu.Unlock()
	if no {
		answer(w, http.StatusForbidden, "Resource not accessible by personal access token")
	}
	return no
}

// Issues returns all issues, oldest first.
func (s *Server) Issues() []Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.issues)
}

// fileIssue returns a handler that opens an issue with the text at key, and answers in that form. Pull
// requests and issues have their numbers in common, except at GitLab.
func (s *Server) fileIssue(key string, form func(Issue) map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.refusesFiling(w) {
			return
		}
		asked := map[string]any{}
		readBody(r, &asked)
		title, _ := asked["title"].(string)
		text, _ := asked[key].(string)
		if title == "" {
			code := http.StatusUnprocessableEntity
			if s.cfg.Kind == "gitlab" {
				code = http.StatusBadRequest
			}
			answer(w, code, "Validation Failed: title is missing")
			return
		}
		s.mu.Lock()
		i := Issue{Title: title, Body: text, Login: "bobbin", State: "open"}
		for _, o := range s.issues {
			i.Number = max(i.Number, o.Number)
		}
		if s.cfg.Kind != "gitlab" {
			i.Number = max(i.Number, int64(len(s.pulls)))
		}
		i.Number++
		s.issues = append(s.issues, i)
		made := form(i)
		s.mu.Unlock()
		show(w, r, made)
	}
}

// addComment adds the comment of the request to its issue or pull request.
func (s *Server) addComment(w http.ResponseWriter, r *http.Request) {
	if s.refusesFiling(w) {
		return
	}
	var asked struct{ Body string }
	readBody(r, &asked)
	number, _ := strconv.ParseInt(r.PathValue("number"), 10, 64)
	s.mu.Lock()
	s.comments = append(s.comments, Comment{
		ID: int64(len(s.comments) + 1), Number: number, Login: "bobbin", Text: asked.Body, At: time.Now(),
	})
	s.mu.Unlock()
	show(w, r, map[string]any{"id": len(s.comments), "body": asked.Body})
}

// Said returns the comments that the bot added.
func (s *Server) Said() (all []Comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.comments {
		if c.Login == "bobbin" {
			all = append(all, c)
		}
	}
	return all
}

// showIssue returns a handler that shows the issue of the path. If pull is set, a pull request is an issue,
// too.
func (s *Server) showIssue(
	form func(Issue) map[string]any, pull func(Pull) map[string]any,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.refusesIssues(w) {
			return
		}
		number := r.PathValue("number")
		s.mu.Lock()
		var found map[string]any
		for _, i := range s.issues {
			if itoa(i.Number) == number {
				found = form(i)
			}
		}
		s.mu.Unlock()
		if p, ok := s.pull(number); ok && found == nil && pull != nil {
			found = pull(p)
		}
		if found == nil {
			answer(w, http.StatusNotFound, "Not Found")
			return
		}
		show(w, r, found)
	}
}

// issueForm describes an issue as GitHub and Gitea do.
func issueForm(s *Server, i Issue) map[string]any {
	labels := []map[string]any{}
	for _, l := range i.Labels {
		labels = append(labels, map[string]any{"name": l})
	}
	count := 0
	for _, c := range s.comments {
		if c.Number == i.Number && c.Path == "" {
			count++
		}
	}
	return map[string]any{
		"number":       i.Number,
		"title":        i.Title,
		"body":         i.Body,
		"state":        i.State,
		"html_url":     s.cfg.Web + "/issues/" + itoa(i.Number),
		"user":         map[string]any{"login": i.Login},
		"labels":       labels,
		"comments":     count,
		"created_at":   "2026-03-01T09:00:00Z",
		"pull_request": nil,
	}
}

// pullIssueForm describes a pull request as GitHub and Gitea describe it as an issue.
func pullIssueForm(p Pull) map[string]any {
	return map[string]any{
		"number":       p.Number,
		"title":        p.Title,
		"body":         p.Body,
		"state":        p.State,
		"user":         map[string]any{"login": cmp.Or(p.Login, "bobbin")},
		"labels":       []any{},
		"pull_request": map[string]any{"merged": p.State == "merged"},
	}
}

func (g gitHub) issueForm(i Issue) map[string]any    { return issueForm(g.Server, i) }
func (g gitea) issueForm(i Issue) map[string]any     { return issueForm(g.Server, i) }
func (g gitHub) pullIssueForm(p Pull) map[string]any { return pullIssueForm(p) }
func (g gitea) pullIssueForm(p Pull) map[string]any  { return pullIssueForm(p) }

func (g gitLab) issueForm(i Issue) map[string]any {
	labels := append([]string{}, i.Labels...)
	state := i.State
	if state == "open" {
		state = "opened"
	}
	return map[string]any{
		"iid":          i.Number,
		"title":        i.Title,
		"description":  i.Body,
		"state":        state,
		"web_url":      g.cfg.Web + "/-/issues/" + itoa(i.Number),
		"author":       map[string]any{"username": i.Login},
		"labels":       labels,
		"confidential": i.Confidential,
		"created_at":   "2026-03-01T09:00:00Z",
	}
}

func (s *Server) filesOf(number string) (all []File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, files := range s.files {
		if itoa(n) == number {
			all = files
		}
	}
	return all
}

// listFiles lists the files of a pull request as GitHub and Gitea do.
func (s *Server) listFiles(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for _, f := range s.filesOf(r.PathValue("number")) {
		list = append(list, map[string]any{
			"filename":  f.Path,
			"status":    f.Change,
			"additions": f.Added,
			"deletions": f.Removed,
		})
	}
	show(w, r, page(s, w, r, list))
}

// listDiffs lists the files of a merge request with their diffs.
func (g gitLab) listDiffs(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for _, f := range g.filesOf(r.PathValue("number")) {
		diff := "@@ -1 +1 @@\n" + strings.Repeat("-a\n", f.Removed) + strings.Repeat("+b\n", f.Added)
		list = append(list, map[string]any{
			"new_path":     f.Path,
			"new_file":     f.Change == "added",
			"renamed_file": f.Change == "renamed",
			"deleted_file": f.Change == "removed",
			"diff":         diff,
		})
	}
	show(w, r, page(g.Server, w, r, list))
}

func (s *Server) runOf(id string) (Run, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if itoa(r.ID) == id {
			return r, true
		}
	}
	return Run{}, false
}

// showRun shows the run of the path as GitHub and Gitea do.
func (s *Server) showRun(w http.ResponseWriter, r *http.Request) {
	run, ok := s.runOf(r.PathValue("id"))
	if !ok {
		answer(w, http.StatusNotFound, "Not Found")
		return
	}
	show(w, r, map[string]any{
		"id":          run.ID,
		"name":        run.Name,
		"status":      "completed",
		"conclusion":  run.State,
		"head_branch": run.Branch,
		"head_sha":    run.Commit,
		"html_url":    s.cfg.Web + "/actions/runs/" + itoa(run.ID),

		"repository":      map[string]any{"full_name": s.cfg.Repository},
		"head_repository": map[string]any{"full_name": s.pathOf(Pull{Fork: run.Fork})},
	})
}

// listRuns lists the runs of a commit as GitHub does, with the checks that wait for a person as runs of their
// own: such a run has no jobs yet.
func (g gitHub) listRuns(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	commit := r.URL.Query().Get("head_sha")
	for _, c := range g.checksOf(commit) {
		if c.State == "action_required" {
			list = append(list, map[string]any{
				"id": c.ID, "name": c.Name, "status": "completed", "conclusion": c.State,
				"head_sha": commit, "html_url": g.cfg.Web + "/actions/runs/" + itoa(c.ID),
			})
		}
	}
	show(w, r, map[string]any{"workflow_runs": page(g.Server, w, r, list)})
}

// listJobs lists the jobs of the path's run as GitHub and Gitea do.
func (s *Server) listJobs(w http.ResponseWriter, r *http.Request) {
	run, _ := s.runOf(r.PathValue("id"))
	list := []map[string]any{}
	for _, c := range run.Jobs {
		list = append(list, map[string]any{
			"id":         c.ID,
			"name":       c.Name,
			"status":     "completed",
			"conclusion": c.State,
			"html_url":   s.jobPage(c.ID),
		})
	}
	show(w, r, map[string]any{"total_count": len(list), "jobs": page(s, w, r, list)})
}

// jobPage returns the address of a job's page: in the run that has it, otherwise in run 1.
func (s *Server) jobPage(id int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := int64(1)
	for _, r := range s.runs {
		if slices.ContainsFunc(r.Jobs, func(c Check) bool { return c.ID == id }) {
			of = r.ID
		}
	}
	return s.cfg.Web + "/actions/runs/" + itoa(of) + "/jobs/" + itoa(id)
}

// showPipeline shows the pipeline of the path.
func (g gitLab) showPipeline(w http.ResponseWriter, r *http.Request) {
	run, ok := g.runOf(r.PathValue("id"))
	if !ok {
		answer(w, http.StatusNotFound, "404 Not found")
		return
	}
	show(w, r, map[string]any{
		"id":     run.ID,
		"name":   run.Name,
		"status": gitLabState(run.State),
		"ref":    run.Branch,
		"sha":    run.Commit,
	})
}

// gitLabState returns GitLab's word for the state of a check.
func gitLabState(state string) string {
	if state == "failure" {
		return "failed"
	}
	return state
}

// listPipelineJobs lists the jobs of the path's pipeline.
func (g gitLab) listPipelineJobs(w http.ResponseWriter, r *http.Request) {
	run, _ := g.runOf(r.PathValue("id"))
	list := []map[string]any{}
	for _, c := range run.Jobs {
		list = append(list, g.jobForm(run, c))
	}
	show(w, r, page(g.Server, w, r, list))
}

func (g gitLab) jobForm(run Run, c Check) map[string]any {
	return map[string]any{
		"id":            c.ID,
		"name":          c.Name,
		"status":        gitLabState(c.State),
		"ref":           run.Branch,
		"web_url":       g.cfg.Web + "/-/jobs/" + itoa(c.ID),
		"allow_failure": c.MayFail,
		"commit":        map[string]any{"id": run.Commit},
	}
}

// showJob shows the job of the path.
func (g gitLab) showJob(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	var found map[string]any
	for _, run := range g.runs {
		for _, c := range run.Jobs {
			if itoa(c.ID) == r.PathValue("id") {
				found = g.jobForm(run, c)
			}
		}
	}
	g.mu.Unlock()
	if found == nil {
		answer(w, http.StatusNotFound, "404 Not found")
		return
	}
	show(w, r, found)
}
