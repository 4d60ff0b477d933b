package hosttest

import (
	"net/http"
	"strings"
)

// Rules are what the host demands of branches whose names begin with Prefix.
type Rules struct {
	Prefix  string
	Signed  bool
	SignOff bool // GitLab; at GitHub as a pattern of messages
	Linear  bool
	Closed  bool   // nobody may push
	Bypass  bool   // GitHub: the token may bypass all of it
	Name    string // a regular expression
	Message string // a regular expression
	Email   string // a regular expression
}

// A Fork is a repository to which branches are pushed.
type Fork struct {
	Path     string // acme-bot/shop
	Of       string // default: the Server's repository; "-": it is no fork
	ReadOnly bool   // the token may not push
	Archived bool
	// Branch returns the commit of a branch, or an empty string if there is none.
	Branch func(name string) (string, error)
}

const forkID = repositoryID + 2

// SetRules sets what the host demands.
func (s *Server) SetRules(rules ...Rules) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = rules
}

// SetKeys sets the public keys of the token's account.
func (s *Server) SetKeys(keys ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
}

// SetFork changes the fork.
func (s *Server) SetFork(change func(f *Fork)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.cfg.Fork)
}

func (s *Server) rulesOf(branch string) (found []Rules) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		if strings.HasPrefix(branch, r.Prefix) {
			found = append(found, r)
		}
	}
	return found
}

// fork returns a copy of the fork; ok is false if there is none.
func (s *Server) fork() (f Fork, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.Fork == nil {
		return f, false
	}
	f = *s.cfg.Fork
	if f.Of == "" {
		f.Of = s.cfg.Repository
	}
	return f, true
}

// fromFork reports whether a branch is named as one of the fork: with its owner, or its path.
func (s *Server) fromFork(head string) (branch string, is bool) {
	f, ok := s.fork()
	owner, _, _ := strings.Cut(f.Path, "/")
	before, branch, named := strings.Cut(head, ":")
	if ok && named && (before == owner || before == f.Path) {
		return branch, true
	}
	return head, false
}

// branchAt returns the commit of a pull request's branch.
func (s *Server) branchAt(p Pull) (string, error) {
	if p.Ours {
		return s.cfg.Fork.Branch(p.Branch)
	}
	return s.cfg.Branch(p.Branch)
}

// showKeys lists the keys of the token's account.
func (s *Server) showKeys(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	list := []map[string]any{}
	for _, k := range s.keys {
		list = append(list, map[string]any{"key": k, "usage_type": "auth_and_signing"})
	}
	s.mu.Unlock()
	show(w, r, list)
}

// about returns what GitHub and Gitea say of the repository at that path.
func (s *Server) about(path string) map[string]any {
	v := map[string]any{
		"full_name": path, "default_branch": "main", "private": s.cfg.Private, "has_pull_requests": true,
		"permissions": map[string]any{"push": !s.cfg.NoPush, "pull": true},
	}
	if s.cfg.Internal {
		v["internal"] = true // at Gitea
		if s.cfg.Kind == "github" {
			v["visibility"] = "internal"
		}
	}
	f, ok := s.fork()
	if !ok || path != f.Path {
		return v
	}
	v["private"] = false
	v["archived"] = f.Archived
	v["permissions"] = map[string]any{"push": !f.ReadOnly, "pull": true}
	if f.Of != "-" {
		v["fork"] = true
		v["parent"] = map[string]any{"full_name": f.Of}
	}
	return v
}

// bypassed is the number of the ruleset that the token may bypass.
const bypassed = 2

// showRuleset shows a ruleset.
func (g gitHub) showRuleset(w http.ResponseWriter, r *http.Request) {
	bypass := "never"
	if r.PathValue("id") == itoa(bypassed) {
		bypass = "always"
	}
	show(w, r, map[string]any{"current_user_can_bypass": bypass})
}

// listRules lists the rules of a branch, as GitHub does.
func (g gitHub) listRules(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	ruleset := 0
	add := func(on bool, kind string, parameters map[string]any) {
		if on {
			list = append(list,
				map[string]any{"type": kind, "ruleset_id": ruleset, "parameters": parameters})
		}
	}
	like := func(pattern string) map[string]any {
		return map[string]any{"operator": "regex", "pattern": pattern, "negate": false}
	}
	for _, one := range g.rulesOf(r.PathValue("branch")) {
		ruleset = 1
		if one.Bypass {
			ruleset = bypassed
		}
		add(one.Signed, "required_signatures", nil)
		add(one.Linear, "required_linear_history", nil)
		add(one.Closed, "creation", nil)
		add(one.Name != "", "branch_name_pattern", like(one.Name))
		add(one.Message != "", "commit_message_pattern", like(one.Message))
		add(one.SignOff, "commit_message_pattern", like("Signed-off-by:"))
		add(one.Email != "", "committer_email_pattern", like(one.Email))
	}
	show(w, r, page(g.Server, w, r, list))
}

// showPushRule shows the rules of the project, as GitLab does.
func (g gitLab) showPushRule(w http.ResponseWriter, r *http.Request) {
	v := map[string]any{"commit_message_regex": "", "branch_name_regex": nil, "author_email_regex": ""}
	for _, one := range g.rulesOf("") {
		v["reject_unsigned_commits"] = one.Signed
		v["reject_non_dco_commits"] = one.SignOff
		v["commit_message_regex"] = one.Message
		v["branch_name_regex"] = one.Name
		v["author_email_regex"] = one.Email
	}
	show(w, r, v)
}

// aboutProject returns what GitLab says of a project.
func (g gitLab) aboutProject(path string) map[string]any {
	v := map[string]any{
		"id": repositoryID, "path_with_namespace": path, "visibility": "public",
		"permissions": map[string]any{
			"project_access": map[string]any{"access_level": 30}, "group_access": nil,
		},
	}
	if g.cfg.NoPush {
		v["permissions"] = map[string]any{"project_access": nil, "group_access": nil}
	}
	if g.cfg.Internal {
		v["visibility"] = "internal"
	}
	if g.cfg.Private {
		v["visibility"] = "private"
	}
	f, ok := g.fork()
	if !ok || path != f.Path {
		return v
	}
	v["id"] = forkID
	v["visibility"] = "public"
	v["archived"] = f.Archived
	v["permissions"] = map[string]any{"project_access": map[string]any{"access_level": 30}}
	if f.ReadOnly {
		v["permissions"] = map[string]any{"project_access": map[string]any{"access_level": 20}}
	}
	switch f.Of {
	case "-":
	case g.cfg.Repository:
		v["forked_from_project"] = map[string]any{"id": repositoryID, "path_with_namespace": f.Of}
	default:
		v["forked_from_project"] = map[string]any{"id": 99, "path_with_namespace": f.Of}
	}
	return v
}

// listProtections lists the protected branches, as Gitea does.
func (g gitea) listProtections(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	list := []map[string]any{}
	for _, one := range g.rules {
		name := one.Prefix
		if name == "" || strings.HasSuffix(name, "/") {
			name += "**"
		}
		list = append(list, map[string]any{
			"rule_name": name, "require_signed_commits": one.Signed, "enable_push": !one.Closed,
		})
	}
	g.mu.Unlock()
	show(w, r, list)
}

// pathOf returns the path of the repository that a pull request's branch is in.
func (s *Server) pathOf(p Pull) string {
	if f, ok := s.fork(); ok && p.Ours {
		return f.Path
	}
	if p.Fork {
		return "mallory/" + s.cfg.Repository
	}
	return s.cfg.Repository
}
