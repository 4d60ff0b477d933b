package git

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// Identity is the name and address of an author or committer.
type Identity struct{ Name, Email string }

// A CommitSpec describes a commit. The same CommitSpec and committer give the same hash.
type CommitSpec struct {
	// whole hash; for Workspace.Commit, "" means the current files
	Tree string
	// whole hash; for Workspace.Commit, "" means the base
	Parent string
	// further parents after Parent; the commit is then a merge, which may have Parent's tree
	Parents []string
	Message string
	// zero: the committer
	Author Identity
	When   time.Time
	// such as Approved-by, in this order
	Trailers [][2]string
}

// errNoChanges says that a commit would have the same tree as its parent.
var errNoChanges = errors.New("git: nothing to commit: the files are as they were")

// Write stores the commit and returns its hash. The tree and the parents must be in the store. It moves
// no branch.
func (cs CommitSpec) Write(store *objects.Store, committer Identity) (string, error) {
	if cs.When.IsZero() {
		return "", errors.New("git: commit: no time given")
	}
	parent, err := store.Commit(plumbing.NewHash(cs.Parent))
	if err != nil {
		return "", err
	}
	tree := plumbing.NewHash(cs.Tree)
	if _, err := store.GetTyped(plumbing.TreeObject, tree); err != nil {
		return "", err
	}
	if parent.TreeHash == tree && len(cs.Parents) == 0 {
		return "", errNoChanges
	}
	parents, err := cs.readParents(store)
	if err != nil {
		return "", err
	}
	if cs.Author == (Identity{}) {
		cs.Author = committer
	}
	c := &object.Commit{
		Author: cs.Author.signatureAt(cs.When), Committer: committer.signatureAt(cs.When),
		Message: cs.buildMessage(), TreeHash: tree, ParentHashes: parents,
	}
	o := &plumbing.MemoryObject{}
	if err := c.Encode(o); err != nil {
		return "", fmt.Errorf("git: encode commit: %w", err)
	}
	h, err := store.SetEncodedObject(o)
	if err != nil {
		return "", fmt.Errorf("git: keep commit: %w", err)
	}
	return h.String(), nil
}

// readParents reads all parents, so that no commit is written that could not be pushed.
func (cs CommitSpec) readParents(store *objects.Store) ([]plumbing.Hash, error) {
	parents := []plumbing.Hash{plumbing.NewHash(cs.Parent)}
	for _, name := range cs.Parents {
		h := plumbing.NewHash(name)
		if !plumbing.IsHash(name) || slices.Contains(parents, h) {
			return nil,
				fmt.Errorf("git: commit: the further parent %q is not a whole hash or is named twice", name)
		}
		if _, err := store.Commit(h); err != nil {
			return nil, err
		}
		parents = append(parents, h)
	}
	return parents, nil
}

// signatureAt returns a signature without the characters that would break the line of a commit.
func (i Identity) signatureAt(when time.Time) object.Signature {
	clean := func(s string) string { return oneLine(strings.NewReplacer("<", "", ">", "").Replace(s)) }
	return object.Signature{
		Name:  clean(i.Name),
		Email: clean(i.Email),
		When:  when.UTC().Truncate(time.Second),
	}
}

// buildMessage puts the trailers into a separate paragraph, so that lines of the text that look like
// trailers are not read as trailers. It keeps each trailer on one line.
func (cs CommitSpec) buildMessage() string {
	text := strings.ReplaceAll(strings.ReplaceAll(cs.Message, "\r\n", "\n"), "\x00", "")
	out := strings.TrimSpace(text) + "\n"
	if len(cs.Trailers) > 0 {
		out += "\n"
	}
	for _, t := range cs.Trailers {
		out += fmt.Sprintf("%s: %s\n", strings.ReplaceAll(oneLine(t[0]), " ", "-"), oneLine(t[1]))
	}
	return out
}

func oneLine(s string) string {
	breaks := func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029'
	}
	return strings.Join(strings.FieldsFunc(s, breaks), " ")
}
