package repo

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/worktree"
)

// DefaultBranch is the branch that the remote's HEAD names; "" when it has none.
func (m *Mirror) DefaultBranch() string { return m.currentRefs().Head }

// Branches lists the branches of the remote, sorted.
func (m *Mirror) Branches() []string { return m.currentRefs().Branches() }

// Resolve gives the commit of a branch, tag, or whole or shortened commit hash;
// "" is the default branch.
func (m *Mirror) Resolve(name string) (string, error) {
	refs := m.currentRefs()
	if len(refs.Hashes) == 0 {
		return "", fmt.Errorf("repo: the repository %s is empty: push a first commit to it", m.Remote().Name)
	}
	if name == "" {
		name = refs.Head
	}
	for _, full := range []string{"refs/heads/" + name, "refs/tags/" + name, name} {
		if h, ok := refs.Hashes[full]; ok {
			return m.peelTag(h, name)
		}
	}
	if h, ok := m.findByHash(name); ok {
		return m.peelTag(h, name)
	}
	return "", fmt.Errorf("repo: %s has no branch, tag or commit %q: its branches are %s", m.Remote().Name, name, firstNames(refs.Branches()))
}

// peelTag follows annotated tags to their commit.
func (m *Mirror) peelTag(h plumbing.Hash, name string) (string, error) {
	for range 10 {
		kind, content, err := m.store.Get(h)
		switch {
		case err != nil:
			return "", fmt.Errorf("repo: resolve %s: %w", name, err)
		case kind == plumbing.CommitObject:
			return h.String(), nil
		case kind != plumbing.TagObject || len(content) < 47:
			return "", fmt.Errorf("repo: %q is a %s, not a commit", name, kind)
		}
		h = plumbing.NewHash(string(content[len("object "):47]))
	}
	return "", fmt.Errorf("repo: %q is a tag of a tag of a tag", name)
}

const shortestHash = 7

// findByHash finds a whole hash, or the one commit that a shortened one begins.
func (m *Mirror) findByHash(name string) (plumbing.Hash, bool) {
	name = strings.ToLower(name)
	if plumbing.IsHash(name) {
		h := plumbing.NewHash(name)
		return h, m.store.Has(h)
	}
	even := name[:len(name)&^1]
	prefix, err := hex.DecodeString(even)
	if err != nil || len(name) < shortestHash {
		return plumbing.ZeroHash, false
	}
	var commits []plumbing.Hash
	for _, h := range m.packs.WithPrefix(prefix) {
		if !strings.HasPrefix(h.String(), name) {
			continue
		}
		if kind, _, err := m.store.Get(h); err == nil && kind == plumbing.CommitObject {
			commits = append(commits, h)
		}
	}
	if len(commits) != 1 {
		return plumbing.ZeroHash, false
	}
	return commits[0], true
}

func firstNames(names []string) string {
	if len(names) > 8 {
		return strings.Join(names[:8], ", ") + fmt.Sprintf(" and %d more", len(names)-8)
	}
	return strings.Join(names, ", ")
}

// Materialise writes the plain files of a commit into dir, which has to be
// empty or absent. After an error what is in dir is not whole.
func (m *Mirror) Materialise(ctx context.Context, commit, dir string) error {
	c, err := m.commitNamed(commit)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("repo: materialise: %w", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return errors.Join(fmt.Errorf("repo: materialise: %s is not empty", dir), err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("repo: materialise: %w", err)
	}
	defer func() { _ = root.Close() }()
	_, err = worktree.CheckoutTree(ctx, m.store, c.TreeHash, root)
	return err
}

// ReadFile gives a file of a commit. A path that is not there is fs.ErrNotExist.
func (m *Mirror) ReadFile(commit, path string) ([]byte, error) {
	c, err := m.commitNamed(commit)
	if err != nil {
		return nil, err
	}
	n, err := gittree.FindNode(m.store, c.TreeHash, strings.Trim(path, "/"))
	if err != nil {
		return nil, err
	}
	if !n.IsFile() && !n.IsLink() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return m.store.GetTyped(plumbing.BlobObject, n.Hash)
}
