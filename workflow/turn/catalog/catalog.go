package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/project"
	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
)

// A Catalog holds the repositories that a session may be about.
type Catalog struct {
	*ledger.Ledger
	Repositories []Repository
}

// ChangeButton returns the button that asks for another repository, or nil if there is only one to
// choose from, or if work was approved already. The button's value holds the names to choose from.
func (c *Catalog) ChangeButton(label string) []workflow.Button {
	if len(c.Repositories) < 2 || len(c.allowed()) < 2 || c.Session().Branch != "" {
		return nil
	}
	return []workflow.Button{{ActionID: workflow.ButtonRepository, Label: label, Value: store.NewToken(), Means: strings.Join(c.Names(), "\n")}}
}

func (c *Catalog) Names() (names []string) {
	for _, r := range c.allowed() {
		names = append(names, r.Name)
	}
	return names
}

// ChoiceButtons returns one button for each repository, for when no modal can be opened.
func (c *Catalog) ChoiceButtons() (buttons []workflow.Button) {
	for _, name := range c.Names() {
		buttons = append(buttons, workflow.Button{ActionID: workflow.ButtonChoose, Label: name, Value: store.NewToken(), Means: name})
	}
	return buttons
}

// Current returns the session's repository, or the one that its request is about. ok is false if a person has to
// choose one, or if the configuration does not name it. It fails if the request cannot be read: a repository that
// is chosen by a part of the words may be another one.
func (c *Catalog) Current(ctx context.Context) (r Repository, ok bool, err error) {
	s := c.Session()
	name := s.Repository
	if name == "" {
		text, err := c.requestText(ctx)
		if err != nil {
			return r, false, fmt.Errorf("choose the repository: %w", err)
		}
		name = choose(text, s.Thread.Channel, c.allowed())
	}
	for _, r := range c.Repositories {
		if r.Name == name {
			return r, true, nil
		}
	}
	return r, false, nil
}

// allowed returns the repositories that the thread may be about. A private one is allowed only in its
// own channels.
func (c *Catalog) allowed() []Repository {
	channel := c.Session().Thread.Channel
	return slices.DeleteFunc(slices.Clone(c.Repositories), func(r Repository) bool { return r.Private && !slices.Contains(r.Channels, channel) })
}

// requestText returns the session's title and the messages that no agent has read yet, to choose a
// repository by.
func (c *Catalog) requestText(ctx context.Context) (string, error) {
	text := c.Session().Title
	unseen, err := c.Inbox().Unseen(ctx, 0)
	for _, m := range unseen {
		text += "\n" + m.Text
	}
	return text, err
}

// BranchName returns the name of the branch for the session's work.
func (c *Catalog) BranchName(ctx context.Context) (string, error) {
	s := c.Session()
	if s.Branch != "" {
		return s.Branch, nil
	}
	title, err := c.WorkTitle(ctx)
	if err != nil {
		return "", err
	}
	r, _, err := c.Current(ctx)
	if err != nil {
		return "", err
	}
	prefix := cmp.Or(r.BranchPrefix, "bobbin/")
	return prefix + plaintext.Slug(c.SecretFinder().Mask(title)) + "-" + s.ID, nil
}

// WorkTitle returns the title of the work: from the newest report if there is one, otherwise from the
// request. The branch and the commit are named by it, so it makes no claims.
func (c *Catalog) WorkTitle(ctx context.Context) (string, error) {
	s := c.Session()
	if s.Revision == 0 || s.ReportKind == workflow.ReportRequest {
		return s.Title, nil
	}
	r, err := c.Store.Report(ctx, s.ID, s.Revision)
	if err != nil {
		return "", fmt.Errorf("title of the work: %w", err)
	}
	var body struct{ Summary, Bug, Title string }
	if json.Unmarshal(r.Body, &body) != nil {
		return s.Title, nil
	}
	return cmp.Or(c.Headline(cmp.Or(body.Title, body.Bug, body.Summary)), s.Title), nil
}

// A Repository is a repository in the configuration.
type Repository struct {
	remote.Remote
	Base           string // branch; empty: the remote's default
	Channels       []string
	Private        bool // only threads of its own channels can be about it
	Approvers      workflow.Approvers
	BranchPrefix   string // default bobbin/
	MembersOnly    bool   // its code is shown to full members only
	MentionsOwners bool   // owners of the code are mentioned, not only named
	Unreviewed     bool   // changes are pushed without a review by the critic
	Build, Test    string // commands; empty: found from the files
	Scope          string
	Setup          packages.Config // how the repository's packages are fetched
	Pulls          PullRequests
	Shown
}

// MembersOnly reports whether the code of the repository of that name is shown to full members only. If the name is empty
// or not in the configuration, or not any more, it may be such a one, so MembersOnly then reports whether any of them is.
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

// Shown holds how people see a repository outside its threads.
type Shown struct {
	CodeURL string // URL of a line of code, with {commit}, {path} and {line}; empty: there are no such pages
	Visual  Visual
}

// Visual holds how pictures of a repository's pages are made.
type Visual struct {
	Off   bool
	Pages []string // paths within the repository, each perhaps with a query; empty: found from the files that a change touches
	Build string   // command that builds the pages; empty: they are shown as they are in the repository
}

// PullRequests holds where and how a repository's pull requests are opened.
type PullRequests struct {
	Host   host.Host         // nil: no pull requests are opened
	Kind   string            // kind of the host
	Draft  bool              // they are opened as drafts
	Web    string            // URL of the repository's page at the host
	Hook   host.Webhook      // the webhook that the host calls; without a secret: none
	People map[string]string // Slack ids by logins at the host, in lower case
}

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
	if r.Build != "" {
		found.Build = r.Build
	}
	if r.Test != "" {
		found.Test, found.From, found.Written = r.Test, "", ""
	}
	return found
}

// SetupFor returns how the packages are fetched for a command: those of the folder that the work is limited to,
// and the test runner of the command, which may be in no manifest. The versions that the repository does not fix
// are those of the week in which the work began.
func (r Repository) SetupFor(command string, began time.Time) packages.Config {
	how := r.Setup
	how.Folder, how.Began = r.Folder(), began
	if strings.Contains(command, "pytest") {
		how.Runner = "pytest"
	}
	return how
}
