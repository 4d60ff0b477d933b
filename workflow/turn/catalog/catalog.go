package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
)

// A Catalog is the repositories that a session may be about.
type Catalog struct {
	*ledger.Ledger
	Repositories []Repository
}

// ChangeButton is the button that asks for another repository: where there are several, and no
// work was approved yet. Its row holds what there is to choose from.
func (c *Catalog) ChangeButton(label string) []outgoing.Button {
	if len(c.Repositories) < 2 || len(c.allowed()) < 2 || c.Session().Branch != "" {
		return nil
	}
	return []outgoing.Button{{ActionID: button.Repository, Label: label, Value: store.NewToken(), Means: strings.Join(c.Names(), "\n")}}
}

func (c *Catalog) Names() (names []string) {
	for _, r := range c.allowed() {
		names = append(names, r.Name)
	}
	return names
}

// ChoiceButtons are one for each, where no modal opened.
func (c *Catalog) ChoiceButtons() (buttons []outgoing.Button) {
	for _, name := range c.Names() {
		buttons = append(buttons, outgoing.Button{ActionID: button.Choose, Label: name, Value: store.NewToken(), Means: name})
	}
	return buttons
}

// Current is the session's, or the one its request is about.
func (c *Catalog) Current() (Repository, bool) {
	s := c.Session()
	name := s.Repository
	if name == "" {
		name = choose(c.requestText(), s.Thread.Channel, c.allowed())
	}
	for _, r := range c.Repositories {
		if r.Name == name {
			return r, true
		}
	}
	return Repository{}, false
}

// allowed are those that the thread may be about: a private one in its own channels only.
func (c *Catalog) allowed() []Repository {
	channel := c.Session().Thread.Channel
	return slices.DeleteFunc(slices.Clone(c.Repositories), func(r Repository) bool { return r.Private && !slices.Contains(r.Channels, channel) })
}

// requestText is what people asked for, as far as it matters to the choice of a repository.
func (c *Catalog) requestText() string {
	text := c.Session().Title
	if unseen, err := c.Inbox().Unseen(context.Background(), 0); err == nil {
		for _, m := range unseen {
			text += "\n" + m.Text
		}
	}
	return text
}

// BranchName is where the session's work goes.
func (c *Catalog) BranchName() string {
	s := c.Session()
	if s.Branch != "" {
		return s.Branch
	}
	prefix := "bobbin/"
	if r, ok := c.Current(); ok && r.BranchPrefix != "" {
		prefix = r.BranchPrefix
	}
	return prefix + plaintext.Slug(c.SecretFinder().Mask(c.WorkTitle())) + "-" + s.ID
}

// WorkTitle names the work: the report's summary where there is one, else the request.
func (c *Catalog) WorkTitle() string {
	s := c.Session()
	if r, err := c.Store.Report(context.Background(), s.ID, s.Revision); err == nil {
		var body struct{ Summary, Bug, Title string }
		if json.Unmarshal(r.Body, &body) == nil && r.Kind != workflow.ReportRequest {
			return cmp.Or(body.Title, body.Bug, body.Summary, s.Title)
		}
	}
	return s.Title
}

// A Repository is one that the configuration names.
type Repository struct {
	remote.Remote
	Base         string // branch; empty: the remote's default
	Channels     []string
	Private      bool // threads of other channels cannot be about it
	Approvers    permit.Approvers
	BranchPrefix string // default bobbin/
	Closed       bool   // its code is shown to full members only
	CallsOwners  bool   // who knows the code is called, and not only named
	Unreviewed   bool   // changes are pushed without another agent's review
	Build, Test  string // found out where empty
	Scope        string
	Setup        packages.Config // how the packages that it names are fetched
	Pulls        PullRequests
	Shown
}

// Shown says how people see a repository beside its threads.
type Shown struct {
	CodeURL string // of a line of code, with {commit}, {path} and {line}; empty: there are no such pages
	Visual  Visual
}

// Visual says how pictures of a repository's pages come about.
type Visual struct {
	Off   bool
	Pages []string // within the repository, each perhaps with a query; empty: found by what a change touches
	Build string   // command that makes them; empty: they are shown as they stand in the repository
}

// PullRequests say where a repository's are opened.
type PullRequests struct {
	Host   host.Host         // nil: nowhere
	Kind   string            // of the host
	Draft  bool              // they are opened as drafts
	Web    string            // the repository's own page at the host
	Hook   host.Webhook      // that is listened to; without a secret: none
	People map[string]string // Slack ids by logins at the host, in lower case
}

// Folder is the part of the repository that the work is limited to; empty: all of it.
func (r Repository) Folder() string {
	if f := path.Clean(r.Scope); f != "." {
		return strings.TrimPrefix(f, "./")
	}
	return ""
}

// Project is how a tree of the repository is built and tested: as configured, or as its files say.
func (r Repository) Project(files fs.FS) project.Project {
	found := project.FindIn(files, r.Folder())
	if r.Build != "" {
		found.Build = r.Build
	}
	if r.Test != "" {
		found.Test, found.From, found.Written = r.Test, "", ""
	}
	return found
}
