package transfer

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// Delete deletes the branch of p on the remote if it is at p.Commit. stands is the commit that the branch is
// at instead, and then it stays; empty: there is no such branch now. Whether this call deleted it or an
// earlier one makes no difference. The caller has to call p.Check before.
func (c *Client) Delete(ctx context.Context, r remote.Remote, p PushSpec) (stands string, err error) {
	err = c.retryRemote(ctx, r, func() error {
		with, err := r.Credential(ctx, remote.Write)
		push := &Push{
			Client:     c,
			Remote:     r,
			Commit:     plumbing.NewHash(p.Commit),
			Ref:        plumbing.NewBranchReferenceName(p.Branch),
			credential: with,
		}
		at := plumbing.ZeroHash
		if err == nil {
			at, err = push.deleteChecked(ctx)
		}
		if err != nil {
			return remote.NewError(ctx, "delete "+gittree.QuotePath(p.Branch), r, with, err,
				push.output.String())
		}
		if stands = ""; !at.IsZero() {
			stands = at.String()
		}
		return nil
	})
	return stands, err
}

// deleteChecked deletes the branch if it is at the commit, and returns where it is afterwards.
func (p *Push) deleteChecked(ctx context.Context) (stands plumbing.Hash, err error) {
	sent, cancel := context.WithTimeout(ctx, pushTime)
	defer cancel()
	stands, err = p.sendDeletion(sent)
	if err != nil || stands != p.Commit {
		return stands, err
	}
	return p.readBranch(sent)
}

// sendDeletion asks the remote to delete the branch, and returns the commit that it was at. It asks nothing
// if the branch is at another commit than p.Commit. The remote itself refuses if the branch moves meanwhile.
func (p *Push) sendDeletion(ctx context.Context) (was plumbing.Hash, err error) {
	l, err := p.Client.dialRemote(ctx, p.Remote, p.credential)
	if err != nil {
		return was, err
	}
	session, err := l.OpenReceive(ctx)
	if err != nil {
		return was, err
	}
	defer func() { _ = session.Close() }()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if isEmptyRemote(adv, err) {
		return was, nil
	}
	if err != nil {
		return was, err
	}
	if was = adv.References[p.Ref.String()]; was != p.Commit {
		return was, nil
	}
	if !adv.Capabilities.Supports(capability.DeleteRefs) {
		return was, errors.New("the remote lets nobody delete branches")
	}
	req := packp.NewReferenceUpdateRequestFromCapabilities(adv.Capabilities)
	if adv.Capabilities.Supports(capability.Sideband64k) {
		if err := req.Capabilities.Set(capability.Sideband64k); err != nil {
			return was, remote.LocalError("ask the remote", err)
		}
		req.Progress = &p.output
	}
	req.Commands = []*packp.Command{{Name: p.Ref, Old: was, New: plumbing.ZeroHash}}
	report, err := session.ReceivePack(ctx, req)
	if err == nil && report == nil {
		err = remote.ErrSilent
	}
	return was, err
}
