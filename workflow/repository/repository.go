// Package repository holds what the configuration says of a repository that Bobbin serves: where it is, who
// may approve, how it is built and tested, and how people see it.
package repository

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow"
)

// A Repository is a repository in the configuration.
type Repository struct {
	remote.Remote
	Base     string   // branch; empty: the remote's default
	Releases []string // patterns of branches and tags on which a bug is looked for, too
	Bases    []string // patterns of the branches and tags that a request may be about, too
	Channels []string
	Private  bool // only threads of its own channels can be about it
	// who may read it; empty: as its host says, and everybody if that is not known
	Visibility     host.Visibility
	Anonymous      bool // nobody is named in what leaves Slack
	Approvers      workflow.Approvers
	BranchPrefix   string // default bobbin/
	MembersOnly    bool   // its code is shown to full members only
	MentionsOwners bool   // owners of the code are mentioned, not only named
	Unreviewed     bool   // changes are pushed without a review by the critic
	Build, Test    string // commands; empty: found from the files
	Near           string // command for the tests near a change: project.Project.NearBy
	Warm           bool   // new commits of the base are built and tested in idle time
	CI             string // CIOn (the default), CIOff or CIRed
	Scope          string
	Setup          packages.Config // how the repository's packages are fetched
	Environment    environment.Config
	Naming         Naming
	Pulls          PullRequests
	Display
}

// What CI is offered to prove where nothing can be proven on this machine.
const (
	CIOff = "off"
	CIOn  = "on"
	CIRed = "red" // a branch with the new tests alone is pushed, too, and has to be red
)

// CIProof returns what CI may be offered to prove: nothing if the repository has no git host whose checks
// could be read.
func (r Repository) CIProof() workflow.CIProof {
	switch {
	case r.Pulls.Host == nil || r.CI == CIOff:
		return workflow.CINone
	case r.CI == CIRed:
		return workflow.CIRed
	}
	return workflow.CIGreen
}

// Closed reports whether the code of the repository of that name is shown to full members only. If the
// name is empty or not in the configuration, or not any more, it may be any repository, so Closed then
// reports whether any of them is closed.
func Closed(list []Repository, name string) bool {
	closed := false
	for _, r := range list {
		if r.Name == name {
			return r.MembersOnly
		}
		closed = closed || r.MembersOnly
	}
	return closed
}

// Display holds how people see a repository outside its threads.
type Display struct {
	// what people fetch pushed branches from, as a word of a command; empty: from origin, or the fork
	Fetch   string
	CodeURL string // URL of a line of code, with {commit}, {path} and {line}; empty: there are no such pages
	Visual  Visual
}

// Visual holds how pictures of a repository's pages are made.
type Visual struct {
	Off bool
	// paths within the repository, each perhaps with a query; empty: found from the
	// files that a change touches
	Pages []string
	// command that builds the pages; empty: they are shown as they are in the repository
	Build string
}

// PullRequests holds where and how a repository's pull requests are opened.
type PullRequests struct {
	Host  host.Host // nil: no pull requests are opened
	Kind  string    // kind of the host
	Draft bool      // they are opened as drafts
	Web   string    // URL of the repository's page at the host
	// URL of the page of the fork to which branches are pushed; empty: they are pushed to the repository
	ForkWeb string
	Hook    host.Webhook      // the webhook that the host calls; without a secret: none
	People  map[string]string // Slack ids by logins at the host, in lower case
	Papers  Papers
}

// Papers holds what a repository's pull requests have besides their text.
type Papers struct {
	Template  string   // TemplateOff, the path of a template, or empty: the one in the host's usual places
	Labels    []string // put on each
	Assignees []string // logins, Requester or Approver
	Reviewers []string // logins, Codeowners, Requester or Approver
}

// TemplateOff is the value of Papers.Template with which no template is read.
const TemplateOff = "off"

// The words that stand for people in Papers.
const (
	Codeowners = "codeowners" // the owners of the changed files
	Requester  = "requester"
	Approver   = "approver"
)

// Login returns the login at the host of a person in Slack, or an empty string if People does not know it.
func (p PullRequests) Login(user string) string {
	for _, login := range slices.Sorted(maps.Keys(p.People)) {
		if p.People[login] == user && user != "" && !strings.Contains(login, "@") {
			return login
		}
	}
	return ""
}

// An IssuePlace is where issues of a repository are filed.
type IssuePlace struct {
	Name    string           // for people; empty: there is no such place
	Tracker *tracker.Tracker // nil: at the repository's git host
}

// IssuePlace returns where issues of the repository are filed: in the tracker that is configured for that,
// otherwise at its git host.
func (r Repository) IssuePlace(trackers []*tracker.Tracker) IssuePlace {
	for _, t := range trackers {
		if t.CanFile() && t.For(r.Name) {
			return IssuePlace{Name: t.FileIn + " (" + t.Name() + ")", Tracker: t}
		}
	}
	if r.Pulls.Host == nil {
		return IssuePlace{}
	}
	return IssuePlace{Name: r.Pulls.Place()}
}

// Place returns where the repository is at its host, for people: "github.com/acme/shop".
func (p PullRequests) Place() string {
	_, place, _ := strings.Cut(p.Web, "://")
	return place
}

// Words returns how the host names a pull request.
func (p PullRequests) Words() host.Terms { return host.WordsOf(p.Kind) }

// Folder returns the folder of the repository that the work is limited to, or an empty string for the
// whole repository.
func (r Repository) Folder() string {
	if f := path.Clean(r.Scope); f != "." {
		return strings.TrimPrefix(f, "./")
	}
	return ""
}

// Project returns how a tree of the repository is built and tested: by the configured commands,
// otherwise by what its files say.
func (r Repository) Project(files fs.FS) project.Project {
	found := project.FindIn(files, r.Folder())
	found.NearBy = r.Near
	if r.Build != "" {
		found.Build = r.Build
	}
	if r.Test != "" {
		found.Test = r.Test
		found.From = ""
		found.Written = ""
	}
	return found
}

// Candidates returns the ways to build and test a tree of the repository, the best first: the configured test
// command alone, otherwise what its files say.
func (r Repository) Candidates(files fs.FS) []project.Candidate {
	if r.Test != "" {
		return []project.Candidate{project.Configured(r.Project(files))}
	}
	list := project.Candidates(files, r.Folder())
	for i := range list {
		list[i].NearBy = r.Near
		if r.Build != "" {
			list[i].Build = r.Build
		}
	}
	return list
}

// SetupFor returns how the packages are fetched for a command: those of the folder that the work is limited
// to, and the test runner of the command, which may be in no manifest. The versions that the repository does
// not fix are those of the week in which the work began.
func (r Repository) SetupFor(command string, began time.Time) packages.Config {
	how := r.Setup
	how.Folder = r.Folder()
	how.Began = began
	if strings.Contains(command, "pytest") {
		how.Runner = "pytest"
	}
	return how
}
