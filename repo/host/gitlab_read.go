package host

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A gitLabIssue is an issue or a merge request in GitLab's form.
type gitLabIssue struct {
	IID    int64  `json:"iid"`
	Title  string `json:"title"`
	Body   string `json:"description"`
	State  string `json:"state"`
	Author struct {
		Username string `json:"username"`
	} `json:"author"`
	Labels       []string  `json:"labels"`
	Created      time.Time `json:"created_at"`
	Confidential bool      `json:"confidential"`
	Notes        int       `json:"user_notes_count"`
	Source       string    `json:"source_branch"`
	Target       string    `json:"target_branch"`
	SHA          string    `json:"sha"`
	SourceID     int64     `json:"source_project_id"`
	TargetID     int64     `json:"target_project_id"`
}

// Issue returns an issue with its newest comments, or a merge request with its comments and files. GitLab
// numbers the two apart.
func (p *GitLabProject) Issue(ctx context.Context, number int64, pull bool) (Issue, error) {
	path := p.client.At("/issues/%d", number)
	if pull {
		path = p.client.At("/merge_requests/%d", number)
	}
	var i gitLabIssue
	if err := p.client.Get(ctx, path, &i); err != nil {
		return Issue{}, err
	}
	if i.IID != number {
		return Issue{}, p.client.invalidResponse()
	}
	out := Issue{
		Number:       i.IID,
		Pull:         pull,
		Title:        i.Title,
		Body:         i.Body,
		Author:       i.Author.Username,
		State:        i.State,
		Labels:       i.Labels,
		Created:      i.Created,
		Confidential: i.Confidential,
		Branch:       i.Source,
		Base:         i.Target,
		Head:         i.SHA,
		Fork:         i.SourceID != i.TargetID,
	}
	if out.Confidential {
		return out, nil
	}
	notes, err := listPages[gitLabNote](ctx, p.client,
		path+"/notes?sort=desc&order_by=created_at&per_page=100", maxIssuePages)
	if err != nil {
		return Issue{}, err
	}
	slices.Reverse(notes)
	for _, n := range notes {
		if n.shown() {
			out.Comments = append(out.Comments, n.comment())
		}
	}
	out.More = more(i.Notes, len(out.Comments))
	if pull {
		out.Files, err = p.files(ctx, number)
	}
	return out, err
}

// files returns the files that a merge request changes.
func (p *GitLabProject) files(ctx context.Context, number int64) (files []File, err error) {
	some, err := List[struct {
		Path    string `json:"new_path"`
		New     bool   `json:"new_file"`
		Renamed bool   `json:"renamed_file"`
		Deleted bool   `json:"deleted_file"`
		Diff    string `json:"diff"`
	}](ctx, p.client, p.client.At("/merge_requests/%d/diffs?per_page=100", number))
	for _, f := range some {
		file := File{Path: f.Path, Change: "modified"}
		file.Added, file.Removed = countDiff(f.Diff)
		switch {
		case f.New:
			file.Change = "added"
		case f.Deleted:
			file.Change = "removed"
		case f.Renamed:
			file.Change = "renamed"
		}
		files = append(files, file)
	}
	return files, err
}

// A gitLabPipeline is a pipeline in GitLab's form.
type gitLabPipeline struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Ref    string `json:"ref"`
	SHA    string `json:"sha"`
}

// A gitLabJob is a job of a pipeline in GitLab's form.
type gitLabJob struct {
	gitLabStatus
	Web    string `json:"web_url"`
	Ref    string `json:"ref"`
	Commit struct {
		ID string `json:"id"`
	} `json:"commit"`
}

// Run returns a pipeline with its jobs or, if job is set, that job alone.
func (p *GitLabProject) Run(ctx context.Context, run, job string) (Run, error) {
	check := func(j gitLabJob) Check {
		j.Target = j.Web
		return p.check(p.client, j.gitLabStatus)
	}
	if job != "" {
		var j gitLabJob
		if err := p.client.Get(ctx, p.client.At("/jobs/%s", url.PathEscape(job)), &j); err != nil {
			return Run{}, err
		}
		if strconv.FormatInt(j.ID, 10) != job {
			return Run{}, p.client.invalidResponse()
		}
		return gitLabRun(Run{
			State:  j.Status,
			Branch: j.Ref,
			Commit: j.Commit.ID,
			Checks: []Check{check(j)},
		}), nil
	}
	var g gitLabPipeline
	if err := p.client.Get(ctx, p.client.At("/pipelines/%s", url.PathEscape(run)), &g); err != nil {
		return Run{}, err
	}
	if strconv.FormatInt(g.ID, 10) != run {
		return Run{}, p.client.invalidResponse()
	}
	out := gitLabRun(Run{Name: g.Name, State: g.Status, Branch: g.Ref, Commit: g.SHA})
	jobs, err := List[gitLabJob](ctx, p.client,
		p.client.At("/pipelines/%s/jobs?per_page=100", url.PathEscape(run)))
	for _, j := range jobs {
		out.Checks = append(out.Checks, check(j))
	}
	return out, err
}

// gitLabRun returns a run with the merge request that it ran for, which the name of its reference tells.
func gitLabRun(r Run) Run {
	if m := requestRef.FindStringSubmatch(r.Branch); m != nil {
		r.Pull, _ = strconv.ParseInt(m[1], 10, 64)
	}
	return r
}

var requestRef = regexp.MustCompile(`^refs/merge-requests/(\d{1,9})/(?:head|merge|train)$`)

// Unreadable asks GitLab for its newest issue and pipeline.
func (p *GitLabProject) Unreadable(ctx context.Context) (missing []string, err error) {
	return refusedPaths(ctx, p.client, []readable{
		{"the right to read issues (" + RightsToRead(GitLab, AnIssue) + ")", "/issues?per_page=1"},
		{"the right to read pipelines (" + RightsToRead(GitLab, ARun) + ")", "/pipelines?per_page=1"},
	})
}

// shown reports whether a note is for everybody who may read the project.
func (n gitLabNote) shown() bool {
	return !n.System && !n.Internal && !n.Confidential && strings.TrimSpace(n.Body) != ""
}

func (n gitLabNote) comment() Comment {
	return Comment{
		ID:    "note:" + strconv.FormatInt(n.ID, 10),
		Login: n.Author.Username,
		Bot:   n.Author.Bot || botName(n.Author.Username),
		Text:  n.Body,
		Path:  n.Position.Path,
		Line:  n.Position.Line,
		At:    n.Created,
	}
}
