package git

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// LookAt asks a remote once for its branches and tags. Its errors are *remote.Error.
func (m *Mirrors) LookAt(ctx context.Context, r remote.Remote) (transfer.RemoteInfo, error) {
	return m.mirrorOf(r).client.Inspect(ctx, r)
}

// MayPush asks the remote to which branches of r are pushed whether it would accept a push from us, without
// pushing. Hosts check the right to push before they list their branches to a pusher; rules for single
// branches are only reported when such a branch is pushed. Its errors are *remote.Error.
func (m *Mirrors) MayPush(ctx context.Context, r remote.Remote) error {
	return m.mirrorOf(r).client.MayPush(ctx, r.Pushed())
}
