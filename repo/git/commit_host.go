package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// commitAtHost has the host make the commit, or reads the one that it made before, and keeps it in the
// workspace's own objects. What the host made counts only if it has the tree, the parents and the message
// that were asked for, and if its bytes have its hash.
func (w *Workspace) commitAtHost(ctx context.Context, spec CommitSpec, how remote.Commits) (string, error) {
	parents, err := spec.check(w.Store)
	if err != nil {
		return "", err
	}
	var made remote.HostCommit
	if spec.Made != "" {
		if w.HasCommit(spec.Made) {
			return spec.Made, nil
		}
		made, err = how.Host.ReadCommit(ctx, spec.Made)
	} else {
		var asked remote.CommitRequest
		if asked, err = w.hostRequest(ctx, spec, parents, how.SignOff); err != nil {
			return "", err
		}
		made, err = how.Host.MakeCommit(ctx, asked)
		failpoint.Crash("host_commit_made")
	}
	if err != nil {
		return "", err
	}
	if err := spec.checkHostCommit(made, parents); err != nil {
		return "", err
	}
	h, err := w.Store.Put(plumbing.CommitObject, made.Raw)
	if err != nil {
		return "", fmt.Errorf("git: keep commit: %w", err)
	}
	return h.String(), nil
}

// hostRequest describes the commit for the host, with the files that differ from the first parent.
func (w *Workspace) hostRequest(
	ctx context.Context, spec CommitSpec, parents []plumbing.Hash, signOff bool,
) (remote.CommitRequest, error) {
	r := remote.CommitRequest{Tree: spec.Tree, Message: spec.buildMessage(), SignOff: signOff}
	for _, h := range parents {
		r.Parents = append(r.Parents, h.String())
	}
	parent, err := w.Store.Commit(parents[0])
	if err != nil {
		return r, err
	}
	r.BaseTree = parent.TreeHash.String()
	deltas, err := gittree.Compare(ctx, w.Store, parent.TreeHash, plumbing.NewHash(spec.Tree), "")
	if err != nil {
		return r, err
	}
	for _, d := range deltas {
		f := remote.CommitFile{Path: d.Path}
		if !d.After.None() {
			f.Mode = fmt.Sprintf("%06o", uint32(d.After.Mode))
			f.Hash = d.After.Hash.String()
			if d.After.Mode != gittree.Submodule {
				f.Content = func() ([]byte, error) {
					return w.Store.GetTyped(plumbing.BlobObject, d.After.Hash)
				}
			}
		}
		r.Files = append(r.Files, f)
	}
	return r, nil
}

// checkHostCommit returns an error if the commit of a host is another one than was asked for. A sign-off of
// the author that the host chose may follow the message.
func (cs CommitSpec) checkHostCommit(made remote.HostCommit, parents []plumbing.Hash) error {
	wrong := func(what string) error {
		return &remote.Error{
			Op:     "commit",
			Reason: "the host made a commit with " + what + " that was not asked for",
			Cure:   "Nothing was pushed. Sign commits with a key (commits.sign_key_file) instead",
		}
	}
	if plumbing.ComputeHash(plumbing.CommitObject, made.Raw).String() != made.Hash {
		return wrong("a hash")
	}
	var c object.Commit
	o := &plumbing.MemoryObject{}
	o.SetType(plumbing.CommitObject)
	if _, err := o.Write(made.Raw); err != nil {
		return err
	}
	if err := c.Decode(o); err != nil {
		return wrong("a form")
	}
	text := bytes.TrimSpace([]byte(cs.buildMessage()))
	switch {
	case c.TreeHash.String() != cs.Tree:
		return wrong("files")
	case !slices.Equal(c.ParentHashes, parents):
		return wrong("parents")
	case !bytes.HasPrefix([]byte(c.Message), text):
		return wrong("a message")
	case c.PGPSignature == "":
		return &remote.Error{
			Op:     "commit",
			Reason: "the host made the commit, but did not sign it",
			Cure: "It signs those of a GitHub App only: set github_app for the repository, or sign commits " +
				"with a key (commits.sign_key_file)",
		}
	}
	return nil
}
