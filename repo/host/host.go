// Package host is what Bobbin asks of a git host beside git itself: that a pull request is opened
// for a branch that was pushed, and what becomes of it. A Host is one repository at one host;
// its kinds are the packages below, which share Client.
//
// Opening is not repeated blindly: a caller that does not know whether an earlier try got through
// asks Find first. A refusal is a *remote.Error with a cure for people; ErrNotFound is in it
// where the host has nothing there, or does not show it. What a host answers is data of others:
// addresses outside of the repository's own pages are left out, and texts are bounded.
package host

import (
	"context"
	"errors"
	"time"
)

// The kinds of host.
const (
	GitHub = "github"
	GitLab = "gitlab"
	Gitea  = "gitea" // and Forgejo
)

// A Host is one repository at a git host.
type Host interface {
	// Find is the newest pull request of a branch; nil where there is none.
	Find(ctx context.Context, branch string) (*PullRequest, error)
	// Open opens one. Where the repository has no drafts, it is opened as an ordinary one.
	Open(ctx context.Context, o Opening) (PullRequest, error)
	// Look is how a pull request stands.
	Look(ctx context.Context, number int64) (PullRequest, error)
	// Reword gives a pull request another text.
	Reword(ctx context.Context, number int64, body string) error
	// Checks are what the host ran on a commit, or was told of it.
	Checks(ctx context.Context, commit string) ([]Check, error)
	// Log is the end of what a check printed; empty where the host does not keep it.
	Log(ctx context.Context, c Check) (string, error)
	// Comments are what people and programs wrote on a pull request, oldest first.
	Comments(ctx context.Context, number int64) ([]Comment, error)
	// Commits are the newest of a branch, as far back as that time, or some more.
	Commits(ctx context.Context, branch string, since time.Time) ([]Commit, error)
	// Missing are the rights that the credential lacks for all of this, in words.
	Missing(ctx context.Context) ([]string, error)
}

// An Opening is a pull request that is to be.
type Opening struct {
	Branch string // which was pushed
	Base   string // the branch that it is to go into
	Title  string
	Body   string // Markdown
	Draft  bool
}

// Words are how people at a kind of host name a pull request.
type Words struct {
	Noun string
	Mark string // before its number
}

// WordsOf are those at a host of that kind.
func WordsOf(kind string) Words {
	if kind == GitLab {
		return Words{"merge request", "!"}
	}
	return Words{"pull request", "#"}
}

// A PullRequest is one as its host has it.
type PullRequest struct {
	Number int64
	URL    string // its page; empty where the host named one that is not the repository's
	State  State
	Draft  bool
	Body   string // its text, in Markdown
	Head   string // commit
	Merged string // the commit that it was merged as, where the host says so
}

// State is where a pull request stands.
type State string

// The states.
const (
	Open   State = "open"
	Merged State = "merged"
	Closed State = "closed" // without a merge
)

// A Check is one job or status of a commit.
type Check struct {
	ID      string // by which Log knows it; empty: it has no log here
	Name    string
	State   CheckState
	URL     string
	Summary string // one line
}

// CheckState is what came of a check.
type CheckState string

// The states of a check. What was skipped, cancelled or may fail counts as passed: nobody is to
// be called for it.
const (
	Pending CheckState = "pending"
	Passed  CheckState = "passed"
	Failed  CheckState = "failed"
)

// A Comment is what somebody wrote on a pull request.
type Comment struct {
	ID    string // unique among those of the pull request
	Login string // at the host
	Bot   bool
	Text  string
	Path  string // of the file that it is about; empty: of none
	Line  int
	At    time.Time
}

// A Commit is one of a branch.
type Commit struct {
	Hash    string
	Message string
}

// ErrNotFound means that there is nothing at an address, or that the credential may not see it.
var ErrNotFound = errors.New("not found, or not to be seen")

// ErrForbidden means that the credential lacks a right.
var ErrForbidden = errors.New("not with these rights")

// ErrExists means that the branch has a pull request already.
var ErrExists = errors.New("the branch has one already")
