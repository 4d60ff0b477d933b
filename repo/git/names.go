package git

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// ErrNoCommit is the error for a repository without a branch.
var ErrNoCommit = errors.New("push a first commit to it")

// DefaultBranch returns the branch that the remote's HEAD names, or "" if it names none.
func (cs Commits) DefaultBranch() string { return cs.Refs.Head }

// HasBranch reports whether the remote has a branch of that name.
func (cs Commits) HasBranch(name string) bool {
	_, ok := cs.Refs.Hashes["refs/heads/"+name]
	return ok
}

// HasName reports whether the remote has a branch or a tag of that name.
func (cs Commits) HasName(name string) bool {
	_, tag := cs.Refs.Hashes["refs/tags/"+name]
	return tag || cs.HasBranch(name)
}

// Resolve returns the hash of the commit that a branch, a tag, or a whole or shortened hash names. ""
// means the default branch.
func (cs Commits) Resolve(name string) (string, error) {
	refs := cs.Refs
	if len(refs.Hashes) == 0 {
		return "", fmt.Errorf("git: the repository %s is empty: %w", cs.Repository, ErrNoCommit)
	}
	if name == "" {
		name = refs.Head
	}
	for _, full := range []string{"refs/heads/" + name, "refs/tags/" + name, name} {
		if h, ok := refs.Hashes[full]; ok {
			return cs.peelTag(h, name)
		}
	}
	if h, ok := cs.findByHash(name); ok {
		return cs.peelTag(h, name)
	}
	return "", fmt.Errorf("git: %s has no branch, tag or commit %q: its branches are %s", cs.Repository, name,
		plaintext.FirstOf(refs.Branches(), 8))
}

// peelTag follows annotated tags to the commit that they name.
func (cs Commits) peelTag(h plumbing.Hash, name string) (string, error) {
	for range 10 {
		kind, content, err := cs.Store.Get(h)
		switch {
		case err != nil:
			return "", fmt.Errorf("git: resolve %s: %w", name, err)
		case kind == plumbing.CommitObject:
			return h.String(), nil
		case kind != plumbing.TagObject || len(content) < 47:
			return "", fmt.Errorf("git: %q is a %s, not a commit", name, kind)
		}
		h = plumbing.NewHash(string(content[len("object "):47]))
	}
	return "", fmt.Errorf("git: %q is a tag of a tag of a tag", name)
}

const shortestHash = 7

// findByHash finds the object with a whole hash, or the only commit whose hash begins with a shortened
// one.
func (cs Commits) findByHash(name string) (plumbing.Hash, bool) {
	name = strings.ToLower(name)
	if plumbing.IsHash(name) {
		h := plumbing.NewHash(name)
		return h, cs.Store.Has(h)
	}
	even := name[:len(name)&^1]
	prefix, err := hex.DecodeString(even)
	if err != nil || len(name) < shortestHash {
		return plumbing.ZeroHash, false
	}
	var commits []plumbing.Hash
	for _, h := range cs.Store.Packs.WithPrefix(prefix) {
		if !strings.HasPrefix(h.String(), name) {
			continue
		}
		if kind, _, err := cs.Store.Get(h); err == nil && kind == plumbing.CommitObject {
			commits = append(commits, h)
		}
	}
	if len(commits) != 1 {
		return plumbing.ZeroHash, false
	}
	return commits[0], true
}
