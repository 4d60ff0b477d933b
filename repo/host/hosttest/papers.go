package hosttest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Put is a name that a request put on a pull request, also if the pull request had it.
type Put struct {
	Number int64
	What   string // labels, assignees or reviewers
	Name   string
}

// Puts returns all names that were put on pull requests, in order.
func (s *Server) Puts() []Put {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.put)
}

func (p *Pull) names(what string) *[]string {
	switch what {
	case "labels":
		return &p.Labels
	case "assignees":
		return &p.Assignees
	}
	return &p.Reviewers
}

// refusesPapers reports whether nothing may be put on pull requests, and answers so.
func (s *Server) refusesPapers(w http.ResponseWriter) bool {
	if s.cfg.NoPapers {
		answer(w, http.StatusForbidden, "Resource not accessible by personal access token")
	}
	return s.cfg.NoPapers
}

// knows reports whether the host has a label or a person, or a team, of that name.
func (s *Server) knows(what, name string) bool {
	known := s.cfg.People
	if what == "labels" {
		known = s.cfg.Labels
	}
	return len(known) == 0 || slices.Contains(known, name)
}

// putNames puts the names on a pull request. It returns false if there is no such pull request.
func (s *Server) putNames(number, what string, names []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pulls {
		if strconv.FormatInt(p.Number, 10) != number {
			continue
		}
		has := p.names(what)
		for _, name := range names {
			s.put = append(s.put, Put{p.Number, what, name})
			if !slices.Contains(*has, name) {
				*has = append(*has, name)
			}
		}
		return true
	}
	return false
}

// replaceNames makes these the names on a pull request. Each counts as put, also if it was there.
func (s *Server) replaceNames(number, what string, names []string) {
	s.mu.Lock()
	for _, p := range s.pulls {
		if strconv.FormatInt(p.Number, 10) == number {
			*p.names(what) = nil
		}
	}
	s.mu.Unlock()
	s.putNames(number, what, names)
}

// putOn returns a handler for GitHub's requests for labels or assignees. It leaves out in silence whom it
// cannot assign, and makes labels that do not exist.
func (g gitHub) putOn(what string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked map[string][]string
		readBody(r, &asked)
		names := slices.DeleteFunc(asked[what],
			func(name string) bool { return what == "assignees" && !g.knows(what, name) })
		if g.refusesPapers(w) {
			return
		}
		if !g.putNames(r.PathValue("number"), what, names) {
			answer(w, http.StatusNotFound, "Not Found")
			return
		}
		show(w, r, []any{})
	}
}

// askReview answers GitHub's and Gitea's request for reviewers. It refuses all if it does not know one.
func (s *Server) askReview(owner string, form func(Pull) map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Reviewers []string
			Teams     []string `json:"team_reviewers"`
		}
		readBody(r, &asked)
		if s.refusesPapers(w) {
			return
		}
		for _, name := range append(asked.Reviewers, asked.Teams...) {
			if !s.knows("reviewers", name) {
				answer(w, http.StatusUnprocessableEntity,
					"Reviews may only be requested from collaborators.")
				return
			}
		}
		for _, team := range asked.Teams {
			asked.Reviewers = append(asked.Reviewers, owner+"/"+team)
		}
		s.putNames(r.PathValue("number"), "reviewers", asked.Reviewers)
		p, _ := s.pull(r.PathValue("number"))
		show(w, r, form(p))
	}
}

// usersForm lists people as GitHub and Gitea do, without teams.
func usersForm(names []string) []map[string]any {
	list := []map[string]any{}
	for _, name := range names {
		if !strings.Contains(name, "/") {
			list = append(list, map[string]any{"login": name})
		}
	}
	return list
}

// addPapers adds the names on a pull request as GitHub and Gitea show them; teams has the key of the teams,
// and name that of a team's name.
func addPapers(v map[string]any, p Pull, teams, name string) {
	labels := []map[string]any{}
	for i, l := range p.Labels {
		labels = append(labels, map[string]any{"id": i + 1, "name": l})
	}
	v["labels"] = labels
	v["assignees"] = usersForm(p.Assignees)
	v["requested_reviewers"] = usersForm(p.Reviewers)
	asked := []map[string]any{}
	for _, reviewer := range p.Reviewers {
		if _, team, ok := strings.Cut(reviewer, "/"); ok {
			asked = append(asked, map[string]any{name: team})
		}
	}
	v[teams] = asked
}

// listAssignees lists who can be assigned.
func (s *Server) listAssignees(w http.ResponseWriter, r *http.Request) {
	show(w, r, page(s, w, r, usersForm(s.cfg.People)))
}

// refuseLabel answers GitHub's request to set labels of no pull request: by the right, or that there is none.
func (g gitHub) refuseLabel(w http.ResponseWriter, _ *http.Request) {
	if !g.refusesPapers(w) {
		answer(w, http.StatusNotFound, "Not Found")
	}
}

// changePull answers GitLab's request to change a merge request.
func (g gitLab) changePull(w http.ResponseWriter, r *http.Request) {
	asked := map[string]any{}
	readBody(r, &asked)
	number := r.PathValue("number")
	if body, ok := asked["description"].(string); ok {
		g.setBody(number, body)
	}
	labels, _ := asked["add_labels"].(string)
	for what, key := range map[string]string{"assignees": "assignee_ids", "reviewers": "reviewer_ids"} {
		if ids, ok := asked[key].([]any); ok {
			if g.refusesPapers(w) {
				return
			}
			var names []string
			for _, id := range ids {
				names = append(names, g.users()[int(id.(float64))-1])
			}
			g.replaceNames(number, what, names)
		}
	}
	if labels != "" {
		if g.refusesPapers(w) {
			return
		}
		g.putNames(number, "labels", strings.Split(labels, ","))
	}
	g.showPull(w, r, g.requestForm)
}

// users returns the logins of the host's people, whose ids are their places in the list.
func (g gitLab) users() []string {
	if len(g.cfg.People) > 0 {
		return g.cfg.People
	}
	return []string{"ann-at-work", "bea-at-work", "dan-at-work"}
}

// listUsers lists the person of a login.
func (g gitLab) listUsers(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for i, name := range g.users() {
		if name == r.URL.Query().Get("username") {
			list = append(list, map[string]any{"id": i + 1, "username": name})
		}
	}
	show(w, r, list)
}

// gitLabUsers lists people as GitLab does.
func gitLabUsers(names []string) []map[string]any {
	list := []map[string]any{}
	for _, name := range names {
		list = append(list, map[string]any{"username": name})
	}
	return list
}

// listLabels lists the labels that exist.
func (g gitea) listLabels(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for i, name := range g.labels() {
		list = append(list, map[string]any{"id": i + 1, "name": name})
	}
	show(w, r, page(g.Server, w, r, list))
}

func (g gitea) labels() []string {
	if len(g.cfg.Labels) > 0 {
		return g.cfg.Labels
	}
	return []string{"bug", "bobbin"}
}

// changePull answers Gitea's request to change a pull request: what it names replaces what was there.
func (g gitea) changePull(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Body      *string
		Labels    []int
		Assignees []string
	}
	readBody(r, &asked)
	number := r.PathValue("number")
	if asked.Body != nil {
		g.setBody(number, *asked.Body)
	}
	if (asked.Labels != nil || asked.Assignees != nil) && g.refusesPapers(w) {
		return
	}
	for _, name := range asked.Assignees {
		if !g.knows("assignees", name) {
			answer(w, http.StatusUnprocessableEntity, "Assignee does not exist: [name: "+name+"]")
			return
		}
	}
	if asked.Assignees != nil {
		g.replaceNames(number, "assignees", asked.Assignees)
	}
	if asked.Labels != nil {
		var names []string
		for _, id := range asked.Labels {
			names = append(names, g.labels()[id-1])
		}
		g.replaceNames(number, "labels", names)
	}
	w.Header().Set("Content-Type", "application/json")
	g.showPull(w, r, g.pullForm)
}
