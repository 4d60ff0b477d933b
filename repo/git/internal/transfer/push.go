package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

	"github.com/bobbinhq/bobbin/repo/git/internal/bundle"
	"github.com/bobbinhq/bobbin/repo/git/internal/dial"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// A PushSpec says which commit to push to which branch.
type PushSpec struct {
	Commit string
	// the tree that Commit must have; empty: any
	Tree string
	// the commit that Commit must descend from; empty: any
	Base   string
	Branch string
	// the prefix that Branch must have; default bobbin/
	Prefix string
	// names that Branch may have without the prefix; nil: none
	Named *regexp.Regexp
	// branches never pushed to, as path.Match patterns; the default branch is always protected
	Protected []string
	// Branch is somebody else's, which a person named: it may be outside Prefix, and has to be at Base
	Existing bool
	// the remote is a fork, which may lack commits of the repository; Workspace.Push fills it in
	ToFork bool
}

// A PushResult is the state of the branch on the remote after a push.
type PushResult struct {
	Branch, Commit string
	Already        bool // the branch was at Commit before this push
}

// DefaultPrefix is the branch prefix for a PushSpec without one.
const DefaultPrefix = "bobbin/"

const (
	pushTime   = 5 * time.Minute
	verifyTime = 30 * time.Second // to check whether a push whose response was lost had arrived
	stopTime   = time.Second      // the same, for a caller whose context was cancelled
)

// Push sends a commit of the store to a branch of the remote. The caller has to call p.Check before. own are
// the commits that are sent, unless the remote lists them, also if the mirror has them.
func (c *Client) Push(
	ctx context.Context, r remote.Remote, s *objects.Store, p PushSpec, own map[plumbing.Hash]bool,
) (PushResult, error) {
	res := PushResult{Branch: p.Branch, Commit: p.Commit}
	err := c.retryRemote(ctx, r, func() (err error) {
		// Each try first reads the branch on the remote, so a push that arrived in an earlier try is found
		// and not sent again.
		push := &Push{
			Client: c,
			Store:  s,
			Remote: r,
			Commit: plumbing.NewHash(p.Commit),
			Ref:    plumbing.NewBranchReferenceName(p.Branch),
			own:    own,
			toFork: p.ToFork,
		}
		if p.Existing {
			push.from = plumbing.NewHash(p.Base)
		}
		if push.credential, err = r.Credential(ctx, remote.Write); err == nil {
			res.Already, err = push.sendChecked(ctx)
		}
		if err == nil || errors.Is(err, remote.ErrLocal) {
			return push.credential.CleanError(err)
		}
		return remote.NewError(ctx, p.operationName(), r, push.credential, err, push.output.String())
	})
	if err != nil {
		return PushResult{}, err
	}
	return res, nil
}

// BranchCommit asks the remote for the commit of a branch. It returns an empty string if there is no such
// branch.
func (c *Client) BranchCommit(
	ctx context.Context, r remote.Remote, branch string,
) (commit string, err error) {
	err = c.retryRemote(ctx, r, func() error {
		with, err := r.Credential(ctx, remote.Read)
		push := &Push{Client: c, Remote: r, credential: with, Ref: plumbing.NewBranchReferenceName(branch)}
		at := plumbing.ZeroHash
		if err == nil {
			at, err = push.readBranch(ctx)
		}
		if err != nil {
			return remote.NewError(ctx, "look at "+gittree.QuotePath(branch), r, with, err, "")
		}
		if commit = ""; !at.IsZero() {
			commit = at.String()
		}
		return nil
	})
	return commit, err
}

func (p *PushSpec) operationName() string { return "push " + gittree.QuotePath(p.Branch) }

// Check returns a *remote.Error if the bot must not write to the branch of p.
func (p *PushSpec) Check(defaultBranch string) error {
	if err := p.findFault(defaultBranch); err != nil {
		return &remote.Error{
			Op:     p.operationName(),
			Reason: err.Error(),
			Cure:   "Choose a branch that is the bot's own",
		}
	}
	return nil
}

// isOwn reports whether Branch has a name of the bot's own.
func (p *PushSpec) isOwn() bool {
	return strings.HasPrefix(p.Branch, p.Prefix) && p.Branch != p.Prefix ||
		p.Named != nil && p.Named.MatchString(p.Branch)
}

func (p *PushSpec) findFault(defaultBranch string) error {
	if p.Prefix == "" {
		p.Prefix = DefaultPrefix
	}
	name := plumbing.NewBranchReferenceName(p.Branch)
	switch {
	case strings.HasPrefix(p.Branch, "refs/"):
		return fmt.Errorf("%q is not the short name of a branch", p.Branch)
	case p.Existing && p.Base == "":
		return fmt.Errorf("%q is to be moved from no known commit", p.Branch)
	case !p.Existing && !p.isOwn():
		return fmt.Errorf("%q is outside %s, and the bot pushes nowhere else", p.Branch, p.Prefix)
	case name.Validate() != nil:
		return fmt.Errorf("%q is not a name that git allows for a branch", p.Branch)
	case strings.EqualFold(p.Branch, defaultBranch):
		return fmt.Errorf("%s is the default branch, and is never pushed to", p.Branch)
	}
	for _, pattern := range p.Protected {
		if ok, err := path.Match(strings.TrimPrefix(pattern, "refs/heads/"), p.Branch); ok || err != nil ||
			strings.EqualFold(pattern, p.Branch) {
			return fmt.Errorf("%s is a protected branch, and is never pushed to", p.Branch)
		}
	}
	return nil
}

// A Push is one try of a push.
type Push struct {
	Store  *objects.Store
	Client *Client
	Remote remote.Remote
	Commit plumbing.Hash
	Ref    plumbing.ReferenceName
	own    map[plumbing.Hash]bool
	from   plumbing.Hash // where the branch must be; zero: wherever it can be moved forward from
	toFork bool
	output dial.OutputHead

	credential remote.Credential
}

func (p *Push) sendChecked(ctx context.Context) (already bool, err error) {
	sent, cancel := context.WithTimeout(ctx, pushTime)
	defer cancel()
	already, tried, err := p.SendRequest(sent)
	if already || !tried {
		return already, err
	}
	// Whatever the response was, the current commit of the branch decides.
	patience := verifyTime
	if ctx.Err() != nil {
		patience = stopTime
	}
	look, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	stands, lookErr := p.readBranch(look)
	switch {
	case lookErr == nil && stands == p.Commit:
		return false, nil
	case err != nil:
		return false, err
	case lookErr != nil:
		return false, fmt.Errorf("the remote took the push but did not answer when asked again: %w", lookErr)
	}
	return false, &remote.Error{
		Op:     "push " + p.Ref.Short(), // without Retry: the branch was moved or removed on purpose
		Reason: "the remote said yes, but the branch does not stand at " + p.Commit.String()[:12],
		Cure:   "Somebody may have moved or removed it meanwhile: look at the branch before trying again",
	}
}

// SendRequest pushes once. already reports that the branch was at the commit before, tried that the request
// to change the branch was sent.
func (p *Push) SendRequest(ctx context.Context) (already, tried bool, err error) {
	l, err := p.Client.dialRemote(ctx, p.Remote, p.credential)
	if err != nil {
		return false, false, err
	}
	session, err := l.OpenReceive(ctx)
	if err != nil {
		return false, false, err
	}
	defer func() { _ = session.Close() }()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return false, false, err
	}
	stands := adv.References[p.Ref.String()]
	if stands == p.Commit {
		return true, false, nil
	}
	req, err := p.buildRequest(ctx, adv, stands)
	if err != nil {
		return false, false, err
	}
	report, err := session.ReceivePack(ctx, req)
	failpoint.Crash("push_sent")
	if err == nil && report == nil {
		err = remote.ErrSilent
	}
	return false, true, err
}

func (p *Push) buildRequest(
	ctx context.Context, adv *packp.AdvRefs, stands plumbing.Hash,
) (*packp.ReferenceUpdateRequest, error) {
	there := map[plumbing.Hash]bool{}
	for h := range maps.Values(adv.References) {
		there[h] = true
	}
	own := p.own
	if p.toFork {
		var err error
		if own, err = p.lackedByFork(ctx, adv); err != nil {
			return nil, err
		}
	}
	fresh, err := bundle.NewObjects(ctx, p.Store, p.Commit, there, own)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), remote.LocalError("list the objects of the commit", err))
	}
	if !p.from.IsZero() && stands != p.from {
		return nil, &remote.Error{
			Op:     "push " + p.Ref.Short(),
			Reason: "the branch is not where it was any more",
			Cure:   "Look at it, and ask again if the change still belongs there",
		}
	}
	if !stands.IsZero() && !p.isDescendant(stands) {
		return nil, errors.New("non-fast-forward")
	}
	var pack bytes.Buffer
	// A window of 0 makes no deltas, so the pack needs no base object that the remote might lack.
	if _, err := packfile.NewEncoder(&pack, p.Store, false).Encode(fresh, 0); err != nil {
		return nil, remote.LocalError("pack the commit", err)
	}
	req := packp.NewReferenceUpdateRequestFromCapabilities(adv.Capabilities)
	if adv.Capabilities.Supports(capability.Sideband64k) {
		if err := req.Capabilities.Set(capability.Sideband64k); err != nil {
			return nil, remote.LocalError("ask the remote", err)
		}
		req.Progress = &p.output
	}
	req.Commands = []*packp.Command{{Name: p.Ref, Old: stands, New: p.Commit}}
	req.Packfile = io.NopCloser(&pack)
	return req, nil
}

// isDescendant reports whether the pushed commit descends from stands, the commit of the branch.
func (p *Push) isDescendant(stands plumbing.Hash) bool {
	c, err := p.Store.Commit(p.Commit)
	if err != nil {
		return false
	}
	old, err := p.Store.Commit(stands)
	if err != nil {
		return false // the commit was never fetched here, so it is not the bot's
	}
	ok, err := old.IsAncestor(c)
	return err == nil && ok
}

// readBranch asks the remote for the commit of the branch; the zero hash means that there is none.
func (p *Push) readBranch(ctx context.Context) (plumbing.Hash, error) {
	l, err := p.Client.dialRemote(ctx, p.Remote, p.credential)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	session, err := l.OpenUpload(ctx)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	defer func() { _ = session.Close() }()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if isEmptyRemote(adv, err) {
		return plumbing.ZeroHash, nil
	}
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return adv.References[p.Ref.String()], nil
}
