package remote

import (
	"cmp"
	"context"
)

// Commits says how commits for a remote are made. The zero value stands for commits of Bobbin, unsigned and
// made on this machine.
type Commits struct {
	// of the committer, who is also the author unless the commit names another; default: Bobbin and
	// bobbin@localhost
	Name, Email string
	SignOff     bool   // the message of each commit ends with a Signed-off-by of the committer
	Signer      Signer // nil: commits are not signed here
	// Host makes the commits in place of this machine, and signs them. nil: this machine makes them.
	Host CommitHost
}

// A Signer returns the signature of a commit, given the bytes of the commit without it. The same bytes have
// the same signature, so that a commit that is made again has the same hash.
type Signer interface {
	Sign(commit []byte) (signature string, err error)
}

// Committer returns the name and address of the committer.
func (c Commits) Committer() (name, email string) {
	return cmp.Or(c.Name, "Bobbin"), cmp.Or(c.Email, "bobbin@localhost")
}

// Signed reports whether the commits have signatures.
func (c Commits) Signed() bool { return c.Signer != nil || c.Host != nil }

// A CommitHost makes commits through the API of a git host. No branch leads to such a commit before it is
// pushed, so one that is made twice leaves nothing but objects that the host removes some day. Each has
// another hash: a caller that knows the hash reads the commit instead of making another one.
type CommitHost interface {
	MakeCommit(ctx context.Context, r CommitRequest) (HostCommit, error)
	ReadCommit(ctx context.Context, hash string) (HostCommit, error)
}

// A CommitRequest describes the commit that a host is to make. The host chooses author, committer and time.
type CommitRequest struct {
	Tree     string   // the hash that the host has to find for the files, too
	BaseTree string   // of the first parent, which the host has
	Parents  []string // whole hashes
	Message  string
	SignOff  bool         // the message is to end with a Signed-off-by of the author that the host chooses
	Files    []CommitFile // what differs from BaseTree
}

// A CommitFile is a file, link or submodule of a commit.
type CommitFile struct {
	Path string
	Mode string // as git writes it: 100644
	Hash string // empty: the file is removed
	// Content is nil for a submodule.
	Content func() ([]byte, error)
}

// A HostCommit is a commit that a host made: its hash, and its bytes as git stores them.
type HostCommit struct {
	Hash string
	Raw  []byte
}
