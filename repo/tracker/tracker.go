// Package tracker reads the one issue that a message names, by its link or by its key, from the configured
// trackers: Jira, Linear, Sentry, GitHub and GitLab. Where the configuration allows it, it files issues there
// and adds comments (write.go).
//
// Find returns which issues a text names: links to a tracker's url, and keys such as SHOP-12 of its projects.
// Read asks the tracker for one of them. The forms of keys, requests and answers of each kind are in a file
// of its own. Only the configured addresses are asked; redirects are refused, so that a token reaches no
// other host; an answer is read up to maxAnswer bytes, and each request has requestTime. What goes wrong is
// an *Error that says in one line what is missing.
//
// What a tracker answers was written by others: it is data, and Issue.Text bounds it.
package tracker

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The kinds of trackers.
const (
	Jira   = "jira"
	Linear = "linear"
	Sentry = "sentry"
	GitHub = "github"
	GitLab = "gitlab"
)

// Kinds are all of them.
var Kinds = []string{Jira, Linear, Sentry, GitHub, GitLab}

// A Config says where a tracker is and which of its issues may be read.
type Config struct {
	Kind string
	// with which links to its issues begin: https://acme.atlassian.net
	URL string
	// of its API; empty: by Kind and URL
	API string
	// empty: no token is sent
	Token string
	// of Jira Cloud: the account of the token, an email address; empty: the token is a bearer token
	User string
	// keys of projects (Jira), keys of teams (Linear), slugs of projects (Sentry), or paths (acme/shop)
	Projects []string
	// names of the repositories in whose sessions issues are read; empty: all
	Repositories []string
	// issues are read in channels with guests, too, or with people of other workspaces
	Guests bool
	// the project in which issues are filed for threads; empty: none is
	FileIn string
	// of Jira: the type of these issues; default Task
	IssueType string
	// the result of a thread is added as a comment to the issues that its request names
	Comments bool
}

// A Tracker is one configured tracker.
type Tracker struct {
	Config
	client *client
	kind   kind
}

// A kind is what differs between the trackers.
type kind interface {
	// keyIn returns the issue that the path and query of a link name; ok is false if they name none.
	keyIn(link *url.URL) (key Key, ok bool)
	// keysIn returns the issues that a text without links names by their keys.
	keysIn(text string) []Key
	// read asks for an issue.
	read(ctx context.Context, key Key) (Issue, error)
	// check asks for one project.
	check(ctx context.Context, project string) error
	writer
}

// A Key names an issue of a tracker.
type Key struct {
	Project string // as Config.Projects names it, if it is configured; of a link to Sentry it may be empty
	ID      string // its number, or the whole key
	Shown   string // as people name it: SHOP-12, acme/shop#12
}

// A Ref is an issue that a text names.
type Ref struct {
	*Tracker
	Key
}

// An Error says what is missing in order to read an issue, in words for people.
type Error struct {
	Reason string // a clause: "the tracker refuses the token (HTTP 401)"
	Cure   string // what the operator can do; may be empty
	Retry  bool   // it may pass by itself

	forbidden bool   // the token lacks the right
	status    int    // of the answer; 0: there was none
	message   string // what the answer says, in one line
}

// Error returns the reason.
func (e *Error) Error() string { return e.Reason }

// New returns the tracker of a configuration. It sends no request.
func New(c Config) (*Tracker, error) {
	t := &Tracker{Config: c}
	api, err := apiOf(c)
	if err != nil {
		return nil, err
	}
	t.client = newClient(c, api)
	switch c.Kind {
	case Jira:
		t.kind = jira{t}
	case Linear:
		t.kind = linear{t}
	case Sentry:
		t.kind = sentry{t}
	case GitHub:
		t.kind = github{t}
	case GitLab:
		t.kind = gitlab{t}
	default:
		return nil, fmt.Errorf("there is no kind of tracker %q", c.Kind)
	}
	return t, nil
}

// apiOf returns the address of the tracker's API, without a slash at its end.
func apiOf(c Config) (string, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("url %q has no host", c.URL)
	}
	site := u.Scheme + "://" + u.Host
	api := map[string]string{
		Jira:   strings.TrimRight(c.URL, "/") + "/rest/api/2",
		Linear: "https://api.linear.app/graphql",
		Sentry: site + "/api/0",
		GitHub: site + "/api/v3",
		GitLab: strings.TrimRight(c.URL, "/") + "/api/v4",
	}[c.Kind]
	if c.Kind == GitHub && u.Host == "github.com" {
		api = "https://api.github.com"
	}
	if c.Kind == Sentry && strings.HasSuffix(u.Host, ".sentry.io") {
		api = "https://sentry.io/api/0"
	}
	if c.API != "" {
		api = strings.TrimRight(c.API, "/")
	}
	return api, nil
}

// For reports whether issues of the tracker are read in sessions of that repository.
func (t *Tracker) For(repository string) bool {
	return len(t.Repositories) == 0 || slices.Contains(t.Repositories, repository)
}

// Name returns the tracker's kind and host, for people: "jira at acme.atlassian.net".
func (t *Tracker) Name() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return t.Kind
	}
	return t.Kind + " at " + u.Host
}

// project returns the configured name of a project, in any case. ok is false for another project.
func (t *Tracker) project(name string) (configured string, ok bool) {
	at := slices.IndexFunc(t.Projects, func(p string) bool { return strings.EqualFold(p, name) })
	if at < 0 {
		return name, false
	}
	return t.Projects[at], true
}

// Read asks the tracker for an issue. The error is an *Error, or that of ctx.
func (t *Tracker) Read(ctx context.Context, key Key) (Issue, error) {
	if key.Project != "" {
		if _, ok := t.project(key.Project); !ok {
			return Issue{}, &Error{
				Reason: "the project " + key.Project + " is not among the projects of trackers",
				Cure:   "add it to projects of " + t.Name(),
			}
		}
	}
	issue, err := t.kind.read(ctx, key)
	if err != nil {
		return Issue{}, err
	}
	return issue, nil
}

// Check asks for one of the configured projects. The error is an *Error, or that of ctx.
func (t *Tracker) Check(ctx context.Context, project string) error { return t.kind.check(ctx, project) }

// requestTime is the limit of one request.
const requestTime = 20 * time.Second
