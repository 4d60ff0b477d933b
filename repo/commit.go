package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/objects"
)

// Identity is who wrote or committed something.
type Identity struct{ Name, Email string }

// CommitSpec says what to commit. The same one gives the same hash.
type CommitSpec struct {
	Tree     string   // "": as the files stand
	Parent   string   // "": the base
	Parents  []string // further ones, after Parent: it is a merge, which may hold what Parent holds
	Message  string
	Author   Identity // zero: the mirror's own
	When     time.Time
	Trailers [][2]string // Approved-by and the like, in this order
}

// errNoChanges says that a commit would hold what its parent holds.
var errNoChanges = errors.New("repo: nothing to commit: the files are as they were")

// Commit writes a commit to the session's own storage. It moves no branch.
func (w *Workspace) Commit(ctx context.Context, spec CommitSpec) (string, error) {
	if spec.When.IsZero() {
		return "", errors.New("repo: commit: no time given")
	}
	if spec.Tree == "" {
		tree, err := w.Tree(ctx)
		if err != nil {
			return "", err
		}
		spec.Tree = tree
	}
	if spec.Parent == "" {
		spec.Parent = w.Base()
	}
	parent, err := w.Store.Commit(plumbing.NewHash(spec.Parent))
	if err != nil {
		return "", err
	}
	tree := plumbing.NewHash(spec.Tree)
	if _, err := w.Store.GetTyped(plumbing.TreeObject, tree); err != nil {
		return "", err
	}
	if parent.TreeHash == tree && len(spec.Parents) == 0 {
		return "", errNoChanges
	}
	parents, err := readParents(w.Store, spec)
	if err != nil {
		return "", err
	}
	return writeCommit(w.Store, tree, parents, spec, w.mirror.identity)
}

// HasCommit tells whether a commit (its whole hash) is here, the session's own or the mirror's.
func (w *Workspace) HasCommit(commit string) bool {
	_, err := w.Store.Commit(plumbing.NewHash(commit))
	return plumbing.IsHash(commit) && err == nil
}

// readParents reads all parents, so that no commit is made that could not be pushed.
func readParents(s *objects.Store, spec CommitSpec) ([]plumbing.Hash, error) {
	parents := []plumbing.Hash{plumbing.NewHash(spec.Parent)}
	for _, name := range spec.Parents {
		h := plumbing.NewHash(name)
		if !plumbing.IsHash(name) || slices.Contains(parents, h) {
			return nil, fmt.Errorf("repo: commit: the further parent %q is not a whole hash or is named twice", name)
		}
		if _, err := s.Commit(h); err != nil {
			return nil, err
		}
		parents = append(parents, h)
	}
	return parents, nil
}

func writeCommit(s *objects.Store, tree plumbing.Hash, parents []plumbing.Hash, spec CommitSpec, committer Identity) (string, error) {
	if spec.Author == (Identity{}) {
		spec.Author = committer
	}
	c := &object.Commit{
		Author: spec.Author.signatureAt(spec.When), Committer: committer.signatureAt(spec.When),
		Message: buildMessage(spec), TreeHash: tree, ParentHashes: parents,
	}
	o := &plumbing.MemoryObject{}
	if err := c.Encode(o); err != nil {
		return "", fmt.Errorf("repo: encode commit: %w", err)
	}
	h, err := s.SetEncodedObject(o)
	if err != nil {
		return "", fmt.Errorf("repo: keep commit: %w", err)
	}
	return h.String(), nil
}

// signatureAt leaves out what would break the line of a commit.
func (i Identity) signatureAt(when time.Time) object.Signature {
	clean := func(s string) string { return oneLine(strings.NewReplacer("<", "", ">", "").Replace(s)) }
	return object.Signature{Name: clean(i.Name), Email: clean(i.Email), When: when.UTC().Truncate(time.Second)}
}

// buildMessage puts the trailers into a paragraph of their own, so that lines of the
// text which look like trailers are not read as such, and keeps each on one line.
func buildMessage(spec CommitSpec) string {
	text := strings.ReplaceAll(strings.ReplaceAll(spec.Message, "\r\n", "\n"), "\x00", "")
	out := strings.TrimSpace(text) + "\n"
	if len(spec.Trailers) > 0 {
		out += "\n"
	}
	for _, t := range spec.Trailers {
		out += fmt.Sprintf("%s: %s\n", strings.ReplaceAll(oneLine(t[0]), " ", "-"), oneLine(t[1]))
	}
	return out
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
}
