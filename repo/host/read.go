package host

import (
	"strings"
	"time"
)

// An Issue is an issue or a pull request, with what people wrote below it.
type Issue struct {
	Number  int64
	Pull    bool // it is a pull request
	Title   string
	Body    string // Markdown
	Author  string // the author's login at the host
	State   string // in the host's word: open, opened, closed, merged
	Labels  []string
	Created time.Time
	// Confidential means that only some of those who may read the repository may read it.
	Confidential bool
	Comments     []Comment // oldest first; of a long list the newest
	More         int       // comments that are not in Comments

	// of a pull request:

	Branch, Base string
	Head         string // the commit of Branch
	Fork         bool   // Branch is in another repository
	Files        []File
}

// A File is a file that a pull request changes.
type File struct {
	Path           string
	Change         string // in one word: added, modified, removed, renamed
	Added, Removed int    // lines
}

// A Run is a run of CI at the host: a workflow run or a pipeline.
type Run struct {
	Name   string
	State  string // in the host's word: success, failure, failed, in_progress
	Branch string
	Commit string
	Fork   bool    // Branch is in another repository
	Pull   int64   // the pull request that it ran for; 0: none, or the host does not say it
	Checks []Check // its jobs
}

// A Kind is a kind of thing that people point at.
type Kind string

// The kinds of thing that people point at. A Host reads the first three.
const (
	AnIssue Kind = "issue"
	APull   Kind = "pull request"
	ARun    Kind = "run"
	ACommit Kind = "commit"
	AFile   Kind = "file"
	AFolder Kind = "folder"
	ABranch Kind = "branch"
	APage   Kind = "page" // of another kind
)

// RightsToRead returns what a credential needs to read a thing at a kind of host, in words.
func RightsToRead(kind string, thing Kind) string {
	switch {
	case kind == GitLab:
		return "the scope read_api and the role Reporter"
	case kind == Gitea && thing == ARun:
		return "the scope read:repository"
	case kind == Gitea:
		return "the scopes read:issue and read:repository"
	case thing == AnIssue:
		return "the permission Issues: Read-only"
	case thing == ARun:
		return "the permission Actions: Read-only"
	}
	return "the permission Pull requests: Read-only"
}

// maxIssuePages is how many pages of an issue's comments are read.
const maxIssuePages = 3

// firstPage returns the page from which on the newest of count comments are read, in pages of that size.
func firstPage(count, size int) int { return max(1, (count+size-1)/size-maxIssuePages+1) }

// more returns how many of count comments were not read.
func more(count, read int) int { return max(0, count-read) }

// countDiff returns the number of lines that a unified diff of one file adds and removes.
func countDiff(diff string) (added, removed int) {
	for line := range strings.Lines(diff) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
