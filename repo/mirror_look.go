package repo

import (
	"context"
	"os"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/bobbinhq/bobbin/repo/remote"
	"github.com/bobbinhq/bobbin/repo/transfer"
)

// LookAt asks a remote once what it has. Its errors are *remote.Error.
func (m *Mirrors) LookAt(ctx context.Context, r remote.Remote) (transfer.Sight, error) {
	return m.mirrorOf(r).client.LookAt(ctx, r)
}

// MayPush asks a remote whether it would take a push from us, without pushing. Hosts
// decide that before they show what they have to a pusher; rules for single branches they
// tell only when one is pushed. Its errors are *remote.Error.
func (m *Mirrors) MayPush(ctx context.Context, r remote.Remote) error {
	return m.mirrorOf(r).client.MayPush(ctx, r)
}

// TopNames are the names at the top of a branch, as far as this machine has the repository
// already: in its mirror, or where the remote is a local path. Nil where it does not.
func (m *Mirrors) TopNames(r remote.Remote, branch string) (names []string) {
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
	ref, err := repository.Reference(plumbing.NewBranchReferenceName(branch), true)
	if err != nil {
		return nil
	}
	commit, err := repository.CommitObject(ref.Hash())
	if err != nil {
		return nil
	}
	tree, err := commit.Tree()
	if err != nil {
		return nil
	}
	for _, e := range tree.Entries {
		names = append(names, e.Name)
	}
	return names
}
