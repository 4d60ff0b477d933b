// Package host accesses the API of a git host: it opens a pull request for a pushed branch, reads its state,
// checks and comments, files issues, and reads the issues, pull requests and runs that people point at. A
// Host is one repository at one host. The kinds of host are GitHub, GitLab and Gitea (or Forgejo), each in a
// file; they share Client.
//
// Open and FileIssue must not be repeated blindly: a caller that does not know whether an earlier call
// succeeded calls Find or FindIssue first. A refusal is a *remote.Error with a cure for people; it wraps
// ErrNotFound if the host has nothing at the address or does not show it. A host's responses are foreign
// data: addresses outside the repository's own pages are dropped, and sizes are limited.
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
	// Find returns the newest pull request of a branch, or nil if there is none.
	Find(ctx context.Context, branch string) (*PullRequest, error)
	// Open opens a pull request. If the repository does not support drafts, it opens an ordinary one.
	Open(ctx context.Context, o Opening) (PullRequest, error)
	// Look returns the current state of a pull request.
	Look(ctx context.Context, number int64) (PullRequest, error)
	// Reword replaces the text of a pull request.
	Reword(ctx context.Context, number int64, body string) error
	// Put adds names to a pull request: labels, or people who are asked. Those that it has stay, and a
	// repeated Put changes nothing. It returns the names that the host does not know or did not take.
	Put(ctx context.Context, number int64, of Paper, names []string) (left []string, err error)
	// LackingFor returns in words what is missing for labels and people on pull requests: rights of the
	// credential, labels and logins.
	LackingFor(ctx context.Context, labels, people []string) ([]string, error)
	// Checks returns the jobs that the host ran on a commit, and the statuses that others reported for it.
	Checks(ctx context.Context, commit string) ([]Check, error)
	// Log returns the end of a check's output, or an empty string if the host does not keep it.
	Log(ctx context.Context, c Check) (string, error)
	// Comments returns what people and programs wrote on a pull request, oldest first.
	Comments(ctx context.Context, number int64) ([]Comment, error)
	// Commits returns the newest commits of a branch, back to since or a little further.
	Commits(ctx context.Context, branch string, since time.Time) ([]Commit, error)
	// Missing returns in words the rights that the credential lacks for the methods above.
	Missing(ctx context.Context) ([]string, error)
	// Issue returns an issue or, if pull is set, a pull request. Where the host numbers them together, pull
	// only says which is likelier.
	Issue(ctx context.Context, number int64, pull bool) (Issue, error)
	// Run returns a run of CI with its jobs or, if job is set, with that job alone.
	Run(ctx context.Context, run, job string) (Run, error)
	// Unreadable returns in words the rights that the credential lacks for Issue and Run.
	Unreadable(ctx context.Context) ([]string, error)
	// Rules returns what the host demands of a branch: of one of the repository, or, if pushed is set, of one
	// of the repository to which branches are pushed, which may be a fork.
	Rules(ctx context.Context, branch string, pushed bool) (Rules, error)
	// Fork returns what the host says of the fork to which branches are pushed, or nil if there is none.
	Fork(ctx context.Context) (*Fork, error)
	// Visibility returns who may read the repository. An error means that it may be public.
	Visibility(ctx context.Context) (Visibility, error)
	// KnowsKey reports whether the credential's account has a public key of OpenSSH for its signatures.
	KnowsKey(ctx context.Context, public string) (bool, error)
	// PostReview writes a review on a pull request. Like Open, it must not be repeated blindly: Comments
	// holds what was posted.
	PostReview(ctx context.Context, number int64, review Review) error
	// FileIssue opens an issue. body is Markdown.
	FileIssue(ctx context.Context, title, body string) (FiledIssue, error)
	// FindIssue returns the issue, filed since then, whose text holds mark, or nil if there is none.
	FindIssue(ctx context.Context, mark string, since time.Time) (*FiledIssue, error)
	// Unfilable returns in words the rights that the credential lacks for FileIssue. It files nothing.
	Unfilable(ctx context.Context) ([]string, error)
}

// An Opening is the pull request to open.
type Opening struct {
	Branch string // a branch that was pushed
	Base   string // the branch to merge into
	Title  string
	Body   string // Markdown
	Draft  bool
}

// Terms are the terms for a pull request at a kind of host.
type Terms struct {
	Noun string
	Mark string // written before the number
	Host string // how people call the host
}

// WordsOf returns the terms for that kind of host.
func WordsOf(kind string) Terms {
	switch kind {
	case GitLab:
		return Terms{"merge request", "!", "GitLab"}
	case GitHub:
		return Terms{"pull request", "#", "GitHub"}
	case Gitea:
		return Terms{"pull request", "#", "Gitea"}
	}
	return Terms{"pull request", "#", "the host"}
}

// A PullRequest is a pull request in the form of its host.
type PullRequest struct {
	Number int64
	URL    string // its page; empty if the host returned an address outside the repository's pages
	State  State
	Draft  bool
	Body   string // the description, in Markdown
	Head   string // the commit of the branch
	Base   string // the branch to merge into
	Merged string // the commit of the merge, if the host returns it
	// names of each Paper
	Labels, Assignees, Reviewers []string
	// whether it can be merged into its base without conflicts; only Look returns it
	Merges Mergeability
}

// Mergeability is what a host knows of the conflicts of a pull request with its base.
type Mergeability string

// What a host knows of conflicts.
const (
	MergeUnknown   Mergeability = "" // it has not looked yet, or its answer may have another reason
	MergeClean     Mergeability = "clean"
	MergeConflicts Mergeability = "conflicts"
)

// State is the state of a pull request.
type State string

// The states of a pull request.
const (
	Open   State = "open"
	Merged State = "merged"
	Closed State = "closed" // closed without a merge
)

// A Check is one job or status of a commit.
type Check struct {
	ID      string // the id for Log; empty if there is no log
	Name    string
	State   CheckState
	URL     string
	Summary string // one line
	// the host's word for an end that shows nothing, such as skipped, neutral or cancelled; empty: it passed,
	// failed or is pending
	Inconclusive string
}

// CheckState is the result of a check.
type CheckState string

// The states of a check. A check that was skipped, was cancelled or may fail counts as passed, because it
// needs no attention.
const (
	Pending CheckState = "pending"
	Held    CheckState = "held" // it begins, or goes on, when a person presses a button at the host
	Passed  CheckState = "passed"
	Failed  CheckState = "failed"
)

// A Comment is a comment on a pull request.
type Comment struct {
	ID    string // unique within the pull request
	Login string // the author's login at the host
	Bot   bool
	Text  string
	Path  string // the file that the comment is about; empty if there is none
	Line  int
	At    time.Time
}

// A Commit is a commit of a branch.
type Commit struct {
	Hash    string
	Message string
}

// ErrNotFound means that there is nothing at an address or that the credential may not see it.
var ErrNotFound = errors.New("not found, or not to be seen")

// ErrForbidden means that the credential lacks a right.
var ErrForbidden = errors.New("not with these rights")

// ErrExists means that the branch already has a pull request.
var ErrExists = errors.New("the branch has one already")
