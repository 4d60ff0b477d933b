package git

import "github.com/bobbinhq/bobbin/repo/git/internal/history"

// A Commit is a commit in the form that people read.
type Commit = history.Commit

// A Window says which commits are meant. A zero field is no bound.
type Window = history.Window

// ErrShallow says that the remote itself has no older history, so what the commit changed is unknown.
var ErrShallow = history.ErrShallow
