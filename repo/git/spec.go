package git

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// Identity is the name and address of an author or committer.
type Identity struct{ Name, Email string }

// A CommitSpec describes a commit. The same CommitSpec and committer give the same hash, unless a host makes
// the commits.
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
	// Made is the whole hash of this commit if it was made before; empty: it was not, or that is not known.
	// Of a host that makes the commits, it is read instead of made anew.
	Made string
}

// errNoChanges says that a commit would have the same tree as its parent.
var errNoChanges = errors.New("git: nothing to commit: the files are as they were")

// Write stores the commit, made as how says, and returns its hash. The tree and the parents must be in the
// store. It moves no branch.
func (cs CommitSpec) Write(store *objects.Store, how remote.Commits) (string, error) {
	if cs.When.IsZero() {
		return "", errors.New("git: commit: no time given")
	}
	parents, err := cs.check(store)
	if err != nil {
		return "", err
	}
	var committer Identity
	committer.Name, committer.Email = how.Committer()
	if cs.Author == (Identity{}) {
		cs.Author = committer
	}
	if how.SignOff {
		cs.Trailers = append(slices.Clip(cs.Trailers), [2]string{SignedOffBy, committer.String()})
	}
	c := &object.Commit{
		Author: cs.Author.signatureAt(cs.When), Committer: committer.signatureAt(cs.When),
		Message: cs.buildMessage(), TreeHash: plumbing.NewHash(cs.Tree), ParentHashes: parents,
	}
	if c.PGPSignature, err = signCommit(c, how); err != nil {
		return "", err
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

// SignedOffBy is the trailer that says by whom a change may be passed on.
const SignedOffBy = "Signed-off-by"

// signCommit returns the signature of a commit without one, or an empty string if commits are not signed.
func signCommit(c *object.Commit, how remote.Commits) (string, error) {
	if how.Signer == nil {
		return "", nil
	}
	plain := &plumbing.MemoryObject{}
	if err := c.EncodeWithoutSignature(plain); err != nil {
		return "", fmt.Errorf("git: encode commit: %w", err)
	}
	r, err := plain.Reader()
	if err != nil {
		return "", fmt.Errorf("git: encode commit: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("git: encode commit: %w", err)
	}
	signature, err := how.Signer.Sign(text)
	if err != nil {
		return "", fmt.Errorf("git: sign the commit: %w", err)
	}
	return signature, nil
}

// check returns the parents. It fails if the tree or one of them is not in the store, or if the commit would
// change nothing.
func (cs CommitSpec) check(store *objects.Store) ([]plumbing.Hash, error) {
	parent, err := store.Commit(plumbing.NewHash(cs.Parent))
	if err != nil {
		return nil, err
	}
	tree := plumbing.NewHash(cs.Tree)
	if _, err := store.GetTyped(plumbing.TreeObject, tree); err != nil {
		return nil, err
	}
	if parent.TreeHash == tree && len(cs.Parents) == 0 {
		return nil, errNoChanges
	}
	return cs.readParents(store)
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

// String returns the name and address as a trailer has them.
func (i Identity) String() string {
	return cleanIdentity(i.Name) + " <" + cleanIdentity(i.Email) + ">"
}

func cleanIdentity(s string) string { return oneLine(strings.NewReplacer("<", "", ">", "").Replace(s)) }

// signatureAt returns a signature without the characters that would break the line of a commit.
func (i Identity) signatureAt(when time.Time) object.Signature {
	return object.Signature{
		Name:  cleanIdentity(i.Name),
		Email: cleanIdentity(i.Email),
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
