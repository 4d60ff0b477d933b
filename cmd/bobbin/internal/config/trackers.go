package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/repo/tracker"
)

// A Tracker holds issues of which the one that a message names is read.
type Tracker struct {
	Kind string `yaml:"kind"` // jira, linear, sentry, github or gitlab
	URL  string `yaml:"url"`  // with which links to its issues begin
	API  string `yaml:"api_url"`
	// needed but for public issues of GitHub and GitLab
	TokenEnv string `yaml:"token_env"`
	// of Jira Cloud: the email address of the token's account; default: the token is a bearer token
	User string `yaml:"user"`
	// keys (Jira, Linear), slugs (Sentry) or paths (GitHub, GitLab) of the projects that may be read
	Projects []string `yaml:"projects"`
	// names of repositories; default: all
	Repositories []string `yaml:"repositories"`
	// issues are read in channels with guests, too; default: false
	Guests bool `yaml:"guests"`
	// the project in which issues are filed at people's word; default: at the repository's git host
	FileIn string `yaml:"file_in"`
	// of Jira: the type of these issues; default: Task
	IssueType string `yaml:"issue_type"`
	// what was pushed is told in a comment on the issues that a request named; default: false
	Comment bool `yaml:"comment"`
}

// trackerProjects matches the names of projects, by kind, with a word for what they are.
var trackerProjects = map[string]struct {
	form *regexp.Regexp
	want string
}{
	tracker.Jira:   {regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,30}$`), "the key of a project, such as SHOP"},
	tracker.Linear: {regexp.MustCompile(`^[A-Z][A-Z0-9]{0,30}$`), "the key of a team, such as SHOP"},
	tracker.Sentry: {
		regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`), "the slug of a project, such as shop-api",
	},
	tracker.GitHub: {regexp.MustCompile(`^[\w.-]+/[\w.-]+$`), "the path of a repository, such as acme/shop"},
	tracker.GitLab: {
		regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+$`), "the path of a project, such as acme/web/shop",
	},
}

// checkTrackers adds the problems of the trackers to p.
func (c *Config) checkTrackers(p *strictyaml.Problems) {
	owners := map[string]string{}
	for i, t := range c.Trackers {
		at := fmt.Sprintf("$.trackers[%d]", i)
		if !slices.Contains(tracker.Kinds, t.Kind) {
			t.checkKind(p, at+".kind")
			continue
		}
		checkOutsideURL(p, at, t.URL)
		if t.API != "" && !strings.HasPrefix(t.API, "https://") && !strings.HasPrefix(t.API, "http://") {
			p.At(at+".api_url", "api_url has to begin with https:// or http://")
		}
		checkToken(p, at, t.TokenEnv, t.Kind != tracker.GitHub && t.Kind != tracker.GitLab)
		if t.User != "" && t.Kind != tracker.Jira {
			p.At(at+".user", "user is for Jira Cloud only; remove it")
		}
		if len(t.Projects) == 0 {
			p.At(at+".projects", "projects is missing: what may be read, each "+
				"%s", trackerProjects[t.Kind].want)
		}
		p.InForm(at+".projects", t.Projects, trackerProjects[t.Kind].form, trackerProjects[t.Kind].want)
		checkRepositories(p, at, c.Repositories, t.Repositories)
		checkFiling(p, at, t)
		c.checkFilers(p, at, i)
		for n, name := range t.Projects {
			key := keyForm(t.Kind) + " " + name
			if other, twice := owners[key]; twice {
				p.At(fmt.Sprintf("%s.projects[%d]", at, n), "%q is a project of %s, too, and its keys would "+
					"name two issues; remove one", name, other)
			}
			owners[key] = t.Kind
		}
	}
}

// checkKind adds the problem of a kind that no tracker has.
func (t Tracker) checkKind(p *strictyaml.Problems, at string) {
	if t.Kind == "" {
		p.At(at, "kind is missing: one of %s", strings.Join(tracker.Kinds, ", "))
		return
	}
	p.OneOf(at, "kind of a tracker", t.Kind, tracker.Kinds)
}

// checkFiling adds the problems of what is written to a tracker to p.
func checkFiling(p *strictyaml.Problems, at string, t Tracker) {
	switch {
	case t.FileIn != "" && !slices.Contains(tracker.Files, t.Kind):
		p.At(at+".file_in", "file_in is for %s: issues cannot be filed in %s; remove it",
			strings.Join(tracker.Files, ", "), t.Kind)
	case t.FileIn != "" && !slices.Contains(t.Projects, t.FileIn):
		p.At(at+".file_in", "%q is not among projects (%s); add it there, or name one of them%s", t.FileIn,
			strings.Join(t.Projects, ", "), cli.DidYouMean(t.FileIn, t.Projects))
	}
	if t.IssueType != "" && (t.Kind != tracker.Jira || t.FileIn == "") {
		p.At(at+".issue_type", "issue_type is for Jira with file_in; remove it, or add file_in")
	}
	if (t.FileIn != "" || t.Comment) && t.TokenEnv == "" {
		p.At(at+".token_env", "token_env is missing: file_in and comment write to the tracker, which needs "+
			"the name of the variable with a token")
	}
}

// checkFilers adds a problem to p if an earlier tracker files the issues of the same repositories.
func (c *Config) checkFilers(p *strictyaml.Problems, at string, i int) {
	t := c.Trackers[i]
	for _, other := range c.Trackers[:i] {
		shared := len(t.Repositories) == 0 || len(other.Repositories) == 0 ||
			slices.ContainsFunc(t.Repositories, func(name string) bool {
				return slices.Contains(other.Repositories, name)
			})
		files := t.FileIn != "" && slices.Contains(tracker.Files, t.Kind)
		if files && other.FileIn != "" && shared {
			p.At(at+".file_in", "issues of the same repositories are filed in %s of %s already; give each "+
				"of "+
				"these trackers its own repositories, or remove one file_in", other.FileIn, other.Kind)
			return
		}
	}
}

// keyForm returns the form of the keys of a kind: trackers with the same form may not share a project.
func keyForm(kind string) string {
	switch kind {
	case tracker.Jira, tracker.Linear:
		return "key"
	case tracker.GitHub, tracker.GitLab:
		return "path"
	}
	return kind
}

// Open returns the tracker, with the values of variables by name.
func (t Tracker) Open(values map[string]string) (*tracker.Tracker, error) {
	return tracker.New(tracker.Config{
		Kind:         t.Kind,
		URL:          t.URL,
		API:          t.API,
		Token:        values[t.TokenEnv],
		User:         t.User,
		Projects:     t.Projects,
		Repositories: t.Repositories,
		Guests:       t.Guests,
		FileIn:       t.FileIn,
		IssueType:    t.IssueType,
		Comments:     t.Comment,
	})
}
