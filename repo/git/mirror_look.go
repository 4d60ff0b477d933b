package git

import (
	"context"
	"os"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// LookAt asks a remote once for its branches and tags. Its errors are *remote.Error.
func (m *Mirrors) LookAt(ctx context.Context, r remote.Remote) (transfer.RemoteInfo, error) {
	return m.mirrorOf(r).client.Inspect(ctx, r)
}

// MayPush asks a remote whether it would accept a push from us, without pushing. Hosts check the right
// to push before they list their branches to a pusher; rules for single branches are only reported when
// such a branch is pushed. Its errors are *remote.Error.
func (m *Mirrors) MayPush(ctx context.Context, r remote.Remote) error {
	return m.mirrorOf(r).client.MayPush(ctx, r)
}

// TopNames returns the names in the top folder of a branch if this machine already has the repository:
// in its mirror, or because the remote is a local path. Otherwise it returns nil.
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
