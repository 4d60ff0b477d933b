// Package commits finds the commits of a repository by their names, reads what they hold and where
// they come from, and makes new ones. A name is what git's revisions take: a branch before a tag of
// the same name, a whole hash, or the beginning of one that begins no other commit's.
//
// A Reader knows the branches and tags as they were when it was made; nothing here asks a remote or
// writes a file. How history is walked is package history's.
package commits

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/history"
	"github.com/bobbinhq/bobbin/repo/objects"
	"github.com/bobbinhq/bobbin/repo/transfer"
)

// A Reader reads the commits of one repository.
type Reader struct {
	Repository string // for errors
	Refs       transfer.Refs
	Store      *objects.Store
}

// Named is the commit of a name, as git's library has it.
func (r Reader) Named(name string) (*object.Commit, error) {
	full, err := r.Resolve(name)
	if err != nil {
		return nil, err
	}
	return r.Store.Commit(plumbing.NewHash(full))
}

// Has tells whether a commit, named by its whole hash, is here.
func (r Reader) Has(commit string) bool {
	if !plumbing.IsHash(commit) {
		return false
	}
	_, err := r.Store.Commit(plumbing.NewHash(commit))
	return err == nil
}

// Read gives one commit as people read it.
func (r Reader) Read(name string) (history.Commit, error) {
	c, err := r.Named(name)
	if err != nil {
		return history.Commit{}, err
	}
	return history.Of(c), nil
}

// Log gives the last n commits that changed a path ("" is all), newest first.
// When ctx ends while it looks, it gives what it found so far, and the error only
// when that is nothing.
func (r Reader) Log(ctx context.Context, commit, path string, n int) ([]history.Commit, error) {
	start, err := r.Named(commit)
	if err != nil {
		return nil, err
	}
	return history.Log(ctx, r.Store, start, path, n)
}

// Show gives a commit and its diff against its first parent, cut at 256 KB and without what
// stands in the files whose path is hidden; hidden may be nil.
func (r Reader) Show(ctx context.Context, commit, within string, hidden func(path string) bool) (history.Commit, string, error) {
	c, err := r.Named(commit)
	if err != nil {
		return history.Commit{}, "", err
	}
	return history.Show(ctx, r.Store, c, within, hidden)
}

// Blame gives the commit that a line of a file (from 1) came with. It follows
// that one line back and does not look through renames.
func (r Reader) Blame(ctx context.Context, commit, path string, line int) (history.Commit, error) {
	c, err := r.Named(commit)
	if err != nil {
		return history.Commit{}, err
	}
	return history.Blame(ctx, r.Store, c, path, line)
}

// MergeBase is the nearest commit that two commits both grew out of, the newest
// one where several are as near; "" when they have none in common.
func (r Reader) MergeBase(ctx context.Context, a, b string) (string, error) {
	one, err := r.Named(a)
	if err != nil {
		return "", err
	}
	other, err := r.Named(b)
	if err != nil {
		return "", err
	}
	return history.MergeBase(ctx, r.Store, one, other)
}

// Parents are the hashes of a commit's parents; cut: some are not here, as where a shallow clone
// ends.
func (r Reader) Parents(commit string) (parents []string, cut bool, err error) {
	c, err := r.Named(commit)
	if err != nil {
		return nil, false, err
	}
	return history.Parents(r.Store, c)
}

// ListPaths are the plain files of a commit, in git's order. Folders that skip says so of are
// not looked into.
func (r Reader) ListPaths(ctx context.Context, commit string, skip func(dir string) bool) ([]string, error) {
	c, err := r.Named(commit)
	if err != nil {
		return nil, err
	}
	return gittree.ListPaths(ctx, r.Store, c.TreeHash, skip)
}

// ReadFile gives a file of a commit. A path that is not there is fs.ErrNotExist.
func (r Reader) ReadFile(commit, path string) ([]byte, error) {
	c, err := r.Named(commit)
	if err != nil {
		return nil, err
	}
	n, err := gittree.FindNode(r.Store, c.TreeHash, strings.Trim(path, "/"))
	if err != nil {
		return nil, err
	}
	if !n.IsFile() && !n.IsLink() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return r.Store.GetTyped(plumbing.BlobObject, n.Hash)
}

// A Release is a branch or tag.
type Release struct {
	Name, Commit string
	Branch       bool
	At           time.Time // of the commit
}

// Releases are the branches and tags whose name is one that is wanted, newest first. Of a branch
// and a tag of one name it is the branch.
func (r Reader) Releases(wanted func(name string) bool) []Release {
	var all []Release
	for full := range r.Refs.Hashes {
		name, branch := strings.CutPrefix(full, "refs/heads/")
		if !branch {
			tag := false
			if name, tag = strings.CutPrefix(full, "refs/tags/"); !tag {
				continue
			}
			if _, taken := r.Refs.Hashes["refs/heads/"+name]; taken {
				continue
			}
		}
		if !wanted(name) {
			continue
		}
		c, err := r.Named(name)
		if err != nil {
			continue // a tag of something else
		}
		all = append(all, Release{Name: name, Commit: c.Hash.String(), Branch: branch, At: c.Committer.When})
	}
	slices.SortFunc(all, func(a, b Release) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Name, a.Name)) })
	return all
}
