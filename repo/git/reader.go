package git

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/history"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
)

// Commits reads the commits of one repository.
type Commits struct {
	Repository string // for error messages
	Refs       transfer.Refs
	Store      *objects.Store
}

// named returns the commit with a name, as Resolve takes it.
func (cs Commits) named(name string) (*object.Commit, error) {
	full, err := cs.Resolve(name)
	if err != nil {
		return nil, err
	}
	return cs.Store.Commit(plumbing.NewHash(full))
}

// Has reports whether the store has a commit, named by its whole hash.
func (cs Commits) Has(commit string) bool {
	if !plumbing.IsHash(commit) {
		return false
	}
	_, err := cs.Store.Commit(plumbing.NewHash(commit))
	return err == nil
}

// Read returns a commit in the form that people read.
func (cs Commits) Read(name string) (history.Commit, error) {
	c, err := cs.named(name)
	if err != nil {
		return history.Commit{}, err
	}
	return history.Of(c), nil
}

// Log returns the last n commits that changed a path ("" means any), newest first. If ctx ends first,
// it returns the commits found so far, and the error only if there are none.
func (cs Commits) Log(ctx context.Context, commit, path string, n int) ([]history.Commit, error) {
	start, err := cs.named(commit)
	if err != nil {
		return nil, err
	}
	return history.Log(ctx, cs.Store, start, path, n)
}

// LogWithin is Log for the commits of a window.
func (cs Commits) LogWithin(
	ctx context.Context, commit, path string, within history.Window, n int,
) ([]history.Commit, error) {
	start, err := cs.named(commit)
	if err != nil {
		return nil, err
	}
	return history.LogWithin(ctx, cs.Store, start, path, within, n)
}

// Find returns the newest commit from commit on for which match returns true. found is false if there is none
// among the newest tens of thousands.
func (cs Commits) Find(
	ctx context.Context, commit string, match func(history.Commit) bool,
) (_ history.Commit, found bool, err error) {
	start, err := cs.named(commit)
	if err != nil {
		return history.Commit{}, false, err
	}
	return history.Find(ctx, cs.Store, start, match)
}

// Show returns a commit and its diff against its first parent, cut at 256 KB. within limits the diff to
// a path ("" means all). The content of files for which hidden returns true is left out; hidden may be
// nil.
func (cs Commits) Show(
	ctx context.Context, commit, within string, hidden func(path string) bool,
) (history.Commit, string, error) {
	c, err := cs.named(commit)
	if err != nil {
		return history.Commit{}, "", err
	}
	return history.Show(ctx, cs.Store, c, within, hidden)
}

// Brought returns the diff of what a branch's commit brought since it left another branch: from their nearest
// common ancestor, which it returns, too. The other arguments are those of Show.
func (cs Commits) Brought(
	ctx context.Context, commit, into, within string, hidden func(path string) bool,
) (from, diff string, err error) {
	if from, err = cs.mergeBase(ctx, commit, into); err != nil {
		return "", "", err
	}
	after, err := cs.named(commit)
	if err != nil {
		return "", "", err
	}
	var before plumbing.Hash
	if from != "" {
		c, err := cs.named(from)
		if err != nil {
			return "", "", err
		}
		before = c.TreeHash
	}
	diff, err = history.Diff(ctx, cs.Store, before, after.TreeHash, within, hidden)
	return from, diff, err
}

// Blame returns the commit that introduced a line of a file (from 1). It follows only that line back
// and does not follow renames.
func (cs Commits) Blame(ctx context.Context, commit, path string, line int) (history.Commit, error) {
	c, err := cs.named(commit)
	if err != nil {
		return history.Commit{}, err
	}
	return history.Blame(ctx, cs.Store, c, path, line)
}

// mergeBase returns the nearest common ancestor of two commits, the newest if several are as near, or
// "" if they have none.
func (cs Commits) mergeBase(ctx context.Context, a, b string) (string, error) {
	one, err := cs.named(a)
	if err != nil {
		return "", err
	}
	other, err := cs.named(b)
	if err != nil {
		return "", err
	}
	return history.MergeBase(ctx, cs.Store, one, other)
}

// Parents returns the hashes of a commit's parents. cut is true if some of them are not here, as at the
// end of a shallow clone.
func (cs Commits) Parents(commit string) (parents []string, cut bool, err error) {
	c, err := cs.named(commit)
	if err != nil {
		return nil, false, err
	}
	return history.Parents(cs.Store, c)
}

// ListPaths returns the plain files of a commit, in git's order. It does not read folders for which
// skip returns true.
func (cs Commits) ListPaths(
	ctx context.Context, commit string, skip func(dir string) bool,
) ([]string, error) {
	c, err := cs.named(commit)
	if err != nil {
		return nil, err
	}
	return gittree.ListPaths(ctx, cs.Store, c.TreeHash, skip)
}

// PathsSince returns the paths of the plain files that one commit has, and another does not have with the
// same content. It reads only the folders that differ.
func (cs Commits) PathsSince(ctx context.Context, before, after string) (paths []string, err error) {
	deltas, err := cs.compare(ctx, before, after)
	for _, d := range deltas {
		if d.After.IsFile() {
			paths = append(paths, d.Path)
		}
	}
	return paths, err
}

// ChangedPaths returns the paths that differ between two commits, deleted ones too. It reads only the folders
// that differ.
func (cs Commits) ChangedPaths(ctx context.Context, before, after string) (paths []string, err error) {
	deltas, err := cs.compare(ctx, before, after)
	for _, d := range deltas {
		paths = append(paths, d.Path)
	}
	return paths, err
}

// compare returns what differs between the files of two commits.
func (cs Commits) compare(ctx context.Context, before, after string) ([]gittree.Delta, error) {
	a, err := cs.named(before)
	if err != nil {
		return nil, err
	}
	b, err := cs.named(after)
	if err != nil {
		return nil, err
	}
	return gittree.Compare(ctx, cs.Store, a.TreeHash, b.TreeHash, "")
}

// HasPath reports whether a commit has a file or a folder.
func (cs Commits) HasPath(commit, path string) bool {
	c, err := cs.named(commit)
	if err != nil {
		return false
	}
	n, err := gittree.FindNode(cs.Store, c.TreeHash, strings.Trim(path, "/"))
	return err == nil && !n.None()
}

// ReadFile returns the content of a file in a commit, or the target of a link. A path that does not
// exist is fs.ErrNotExist.
func (cs Commits) ReadFile(commit, path string) ([]byte, error) {
	c, err := cs.named(commit)
	if err != nil {
		return nil, err
	}
	n, err := gittree.FindNode(cs.Store, c.TreeHash, strings.Trim(path, "/"))
	if err != nil {
		return nil, err
	}
	if !n.IsFile() && !n.IsLink() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return cs.Store.GetTyped(plumbing.BlobObject, n.Hash)
}

// FileSize returns the size in bytes of a file in a commit. A path that is no file is fs.ErrNotExist.
func (cs Commits) FileSize(commit, path string) (int64, error) {
	c, err := cs.named(commit)
	if err != nil {
		return 0, err
	}
	n, err := gittree.FindNode(cs.Store, c.TreeHash, strings.Trim(path, "/"))
	if err != nil {
		return 0, err
	}
	if !n.IsFile() {
		return 0, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	return cs.Store.EncodedObjectSize(n.Hash)
}

// A ReleaseBranch is a branch or tag of a release.
type ReleaseBranch struct {
	Name, Commit string
	Branch       bool
	At           time.Time // time of the commit
}

// Names returns the names of all branches, and then of all tags, both in reverse order: of versions the
// newest are mostly first.
func (cs Commits) Names() (names []string) {
	for _, folder := range []string{"refs/heads/", "refs/tags/"} {
		var here []string
		for full := range cs.Refs.Hashes {
			if name, ok := strings.CutPrefix(full, folder); ok && !slices.Contains(names, name) {
				here = append(here, name)
			}
		}
		slices.Sort(here)
		slices.Reverse(here)
		names = append(names, here...)
	}
	return names
}

// Releases returns the branches and tags whose name is wanted, newest first. If a branch and a tag have
// the same name, it returns only the branch.
func (cs Commits) Releases(wanted func(name string) bool) []ReleaseBranch {
	var all []ReleaseBranch
	for full := range cs.Refs.Hashes {
		name, branch := strings.CutPrefix(full, "refs/heads/")
		if !branch {
			tag := false
			if name, tag = strings.CutPrefix(full, "refs/tags/"); !tag {
				continue
			}
			if _, taken := cs.Refs.Hashes["refs/heads/"+name]; taken {
				continue
			}
		}
		if !wanted(name) {
			continue
		}
		c, err := cs.named(name)
		if err != nil {
			continue // a tag of an object that is not a commit
		}
		all = append(all,
			ReleaseBranch{Name: name, Commit: c.Hash.String(), Branch: branch, At: c.Committer.When})
	}
	slices.SortFunc(all,
		func(a, b ReleaseBranch) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Name, a.Name)) })
	return all
}
