package repo

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"
)

var errNotYet = errors.New("repo: not built yet")

// Identity is who wrote or committed something.
type Identity struct{ Name, Email string }

// Remote is a repository elsewhere.
type Remote struct {
	Name  string
	URL   string                                    // https, ssh, file:// or a local path
	Token func(ctx context.Context) (string, error) // for https; nil: none
}

// Mirrors is where the bare mirrors of this machine live. One a process.
type Mirrors struct {
	Dir      string
	Log      *slog.Logger
	Identity Identity // committer; default Bobbin <bobbin@localhost>
}

func (m *Mirrors) Open(ctx context.Context, r Remote) (*Mirror, error) { return nil, errNotYet }

type Mirror struct{}

func (m *Mirror) Fetch(ctx context.Context) error               { return errNotYet }
func (m *Mirror) DefaultBranch() string                         { return "" }
func (m *Mirror) Resolve(branchOrCommit string) (string, error) { return "", errNotYet }
func (m *Mirror) Workspace(ctx context.Context, dir, commit string) (*Workspace, error) {
	return nil, errNotYet
}
func (m *Mirror) Materialise(ctx context.Context, commit, dir string) error { return errNotYet }
func (m *Mirror) ReadFile(commit, path string) ([]byte, error)              { return nil, errNotYet }
func (m *Mirror) Log(ctx context.Context, commit, path string, n int) ([]Commit, error) {
	return nil, errNotYet
}
func (m *Mirror) Blame(ctx context.Context, commit, path string, line int) (Commit, error) {
	return Commit{}, errNotYet
}
func (m *Mirror) Show(ctx context.Context, commit string) (Commit, string, error) {
	return Commit{}, "", errNotYet
}

// Commit is one commit as people read it.
type Commit struct {
	Hash, Author, Email, Subject, Body string
	When                               time.Time
}

type Workspace struct{}

func (w *Workspace) Files() string                                 { return "" }
func (w *Workspace) Base() string                                  { return "" }
func (w *Workspace) Root() *os.Root                                { return nil }
func (w *Workspace) Close() error                                  { return errNotYet }
func (w *Workspace) Remove() error                                 { return errNotYet }
func (w *Workspace) Changes(ctx context.Context) ([]Change, error) { return nil, errNotYet }
func (w *Workspace) Diff(ctx context.Context) (string, error)      { return "", errNotYet }
func (w *Workspace) Tree(ctx context.Context) (string, error)      { return "", errNotYet }
func (w *Workspace) Restore(ctx context.Context, tree string) error {
	return errNotYet
}
func (w *Workspace) Commit(ctx context.Context, c CommitSpec) (string, error) { return "", errNotYet }
func (w *Workspace) Push(ctx context.Context, p PushSpec) (PushResult, error) {
	return PushResult{}, errNotYet
}

// Change is one path that differs from the base.
type Change struct {
	Path           string
	Kind           string // added, modified, deleted
	Mode           string // "", symlink, executable, or the change of mode in words
	Added, Removed int    // lines
	Binary         bool
}

// CommitSpec says what to commit.
type CommitSpec struct {
	Tree, Parent, Message string
	Author                Identity
	When                  time.Time
	Trailers              [][2]string
}

// PushSpec says what to push where.
type PushSpec struct {
	Commit, Branch string
	Prefix         string // Branch has to begin with it; default bobbin/
	Protected      []string
}

// PushResult says what stands on the remote.
type PushResult struct {
	Branch, Commit string
	Already        bool // it stood there before
}

// RemoteError is a no from a remote, in words for people.
type RemoteError struct {
	Op, Reason, Cure string
	Retry            bool
}

func (e *RemoteError) Error() string { return e.Op + ": " + e.Reason }
