package git

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// Files returns the files of a commit as a file system. Symbolic links are followed if they stay in the
// commit, and submodules are left out.
func (cs Commits) Files(commit string) (fs.FS, error) {
	c, err := cs.named(commit)
	if err != nil {
		return nil, err
	}
	return gittree.FS(cs.Store, c.TreeHash), nil
}

// A Local is a repository that this machine already has.
type Local struct {
	Commits
	Commit string // the newest commit of the branch, as this machine has it
	Branch string
}

// Close closes the files of the repository.
func (l *Local) Close() { l.Store.Packs.Close() }

// Local opens a repository without asking its remote, if this machine already has it: in its mirror, or
// because the remote is a local path. An empty branch is the default one. It returns nil if the machine does
// not have the branch. The caller closes it.
func (m *Mirrors) Local(r remote.Remote, branch string) *Local {
	dir := m.mirrorOf(r).dir
	if _, err := os.Stat(dir); err != nil {
		ep, err := transport.NewEndpoint(r.URL)
		if err != nil || ep.Protocol != "file" {
			return nil
		}
		dir = ep.Path
	}
	repository, err := git.PlainOpen(dir)
	if err != nil {
		return nil
	}
	name := plumbing.HEAD
	if branch != "" {
		name = plumbing.NewBranchReferenceName(branch)
	}
	ref, err := repository.Reference(name, true)
	if err != nil {
		return nil
	}
	if info, err := os.Stat(filepath.Join(dir, ".git")); err == nil && info.IsDir() {
		dir = filepath.Join(dir, ".git")
	}
	store, err := openObjects(dir)
	if err != nil {
		return nil
	}
	branch = cmp.Or(branch, ref.Name().Short())
	refs := transfer.Refs{
		Head:   branch,
		Hashes: map[string]plumbing.Hash{"refs/heads/" + branch: ref.Hash()},
	}
	found := &Local{Commits{Repository: r.Name, Refs: refs, Store: store}, ref.Hash().String(), branch}
	if !found.Has(found.Commit) {
		found.Close()
		return nil
	}
	return found
}
