package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// PushSpec says what to push where.
type PushSpec struct {
	Commit    string
	Tree      string // that Commit has to be of; "": any
	Base      string // that Commit has to come from; "": any
	Branch    string
	Prefix    string   // Branch has to begin with it; default bobbin/
	Protected []string // branches never pushed to, as path.Match patterns; the default branch is always one
}

// PushResult says what stands on the remote.
type PushResult struct {
	Branch, Commit string
	Already        bool // it stood there before this push
}

// DefaultPrefix is where branches go when a PushSpec names no other place.
const DefaultPrefix = "bobbin/"

const (
	pushTime   = 5 * time.Minute
	verifyTime = 30 * time.Second // to look whether a push whose answer was lost had arrived
	stopTime   = time.Second      // the same, for a caller who has told us to stop
	newCommits = 10_000           // more than this on top of what the remote has is a mistake
)

// Push brings a commit to a branch of the remote: it creates the branch or moves
// it forward, and never anything else. When the branch stands at the commit
// already, that is success. After an answer that was lost, the remote is asked
// where the branch stands, and that decides.
func (w *Workspace) Push(ctx context.Context, p PushSpec) (PushResult, error) {
	r := w.mirror.Remote()
	op := "push " + quote(p.Branch)
	if err := p.check(w.mirror.DefaultBranch()); err != nil {
		return PushResult{}, &RemoteError{Op: op, Reason: err.Error(), Cure: "Choose a branch that is the bot's own"}
	}
	commit := plumbing.NewHash(p.Commit)
	c, err := w.store.commit(commit)
	if err != nil {
		return PushResult{}, err
	}
	if err := w.matches(ctx, c, p); err != nil {
		return PushResult{}, err
	}
	res := PushResult{Branch: p.Branch, Commit: p.Commit}
	err = w.mirror.persist(ctx, func() (err error) {
		// Each try looks first where the branch stands, so what an earlier one has
		// brought there is found and not sent again.
		push := &push{store: w.store, mirror: w.mirror, remote: r, commit: commit, ref: plumbing.NewBranchReferenceName(p.Branch)}
		if push.credential, err = r.credential(ctx, Write); err == nil {
			res.Already, err = push.run(ctx)
		}
		if err == nil || errors.Is(err, errOurs) {
			return push.credential.clean(err)
		}
		return remoteError(ctx, op, r, push.credential, err, push.said.String())
	})
	if err != nil {
		return PushResult{}, err
	}
	return res, nil
}

// Stands asks the remote for the commit that a branch is at; "" where there is none.
func (w *Workspace) Stands(ctx context.Context, branch string) (commit string, err error) {
	r := w.mirror.Remote()
	err = w.mirror.persist(ctx, func() error {
		c, err := r.credential(ctx, Read)
		push := &push{mirror: w.mirror, remote: r, credential: c, ref: plumbing.NewBranchReferenceName(branch)}
		stands := plumbing.ZeroHash
		if err == nil {
			stands, err = push.look(ctx)
		}
		if err != nil {
			return remoteError(ctx, "look at "+quote(branch), r, c, err, "")
		}
		if commit = ""; !stands.IsZero() {
			commit = stands.String()
		}
		return nil
	})
	return commit, err
}

// matches holds the commit against what it was said to be.
func (w *Workspace) matches(ctx context.Context, c *object.Commit, p PushSpec) error {
	if p.Tree != "" && c.TreeHash.String() != p.Tree {
		return fmt.Errorf("repo: push: commit %s has the tree %s, not %s", p.Commit, c.TreeHash, p.Tree)
	}
	if p.Base == "" {
		return nil
	}
	common, err := w.MergeBase(ctx, p.Base, p.Commit)
	if err == nil && common != p.Base {
		err = fmt.Errorf("repo: push: commit %s does not come from %s", p.Commit, p.Base)
	}
	return err
}

// check enforces where the bot may write at all.
func (p *PushSpec) check(defaultBranch string) error {
	if p.Prefix == "" {
		p.Prefix = DefaultPrefix
	}
	name := plumbing.NewBranchReferenceName(p.Branch)
	switch {
	case strings.HasPrefix(p.Branch, "refs/"):
		return fmt.Errorf("%q is not the short name of a branch", p.Branch)
	case !strings.HasPrefix(p.Branch, p.Prefix) || p.Branch == p.Prefix:
		return fmt.Errorf("%q is outside %s, and the bot pushes nowhere else", p.Branch, p.Prefix)
	case name.Validate() != nil:
		return fmt.Errorf("%q is not a name that git allows for a branch", p.Branch)
	case strings.EqualFold(p.Branch, defaultBranch):
		return fmt.Errorf("%s is the default branch, and is never pushed to", p.Branch)
	}
	for _, pattern := range p.Protected {
		if ok, err := path.Match(strings.TrimPrefix(pattern, "refs/heads/"), p.Branch); ok || err != nil || strings.EqualFold(pattern, p.Branch) {
			return fmt.Errorf("%s is a protected branch, and is never pushed to", p.Branch)
		}
	}
	return nil
}

var errSilent = errors.New("no answer to the push")

// push is one push on its way.
type push struct {
	store  *store
	mirror *Mirror
	remote Remote
	commit plumbing.Hash
	ref    plumbing.ReferenceName
	said   headBuffer

	credential Credential
}

func (p *push) run(ctx context.Context) (already bool, err error) {
	sent, cancel := context.WithTimeout(ctx, pushTime)
	defer cancel()
	already, tried, err := p.send(sent)
	if already || !tried {
		return already, err
	}
	// Whatever was answered, what counts is where the branch stands.
	patience := verifyTime
	if ctx.Err() != nil {
		patience = stopTime
	}
	look, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	stands, lookErr := p.look(look)
	switch {
	case lookErr == nil && stands == p.commit:
		return false, nil
	case err != nil:
		return false, err
	case lookErr != nil:
		return false, fmt.Errorf("the remote took the push but did not answer when asked again: %w", lookErr)
	}
	return false, &RemoteError{
		Op:     "push " + p.ref.Short(), // and no further try: whoever took it away meant it
		Reason: "the remote said yes, but the branch does not stand at " + p.commit.String()[:12],
		Cure:   "Somebody may have moved or removed it meanwhile: look at the branch before trying again",
	}
}

// send tells whether the branch stood there already, and whether the remote was
// asked to change anything.
func (p *push) send(ctx context.Context) (already, tried bool, err error) {
	l, err := p.mirror.dial(ctx, p.remote, p.credential)
	if err != nil {
		return false, false, err
	}
	session, err := within(ctx, func() (transport.ReceivePackSession, error) {
		return l.transport.NewReceivePackSession(l.endpoint, l.auth)
	})
	if err != nil {
		return false, false, err
	}
	defer func() { _ = session.Close() }()
	adv, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return false, false, err
	}
	stands := adv.References[p.ref.String()]
	if stands == p.commit {
		return true, false, nil
	}
	req, err := p.request(ctx, adv, stands)
	if err != nil {
		return false, false, err
	}
	report, err := session.ReceivePack(ctx, req)
	//crash:push_sent
	if err == nil && report == nil {
		err = errSilent
	}
	return false, true, err
}

func (p *push) request(ctx context.Context, adv *packp.AdvRefs, stands plumbing.Hash) (*packp.ReferenceUpdateRequest, error) {
	there := map[plumbing.Hash]bool{}
	for h := range maps.Values(adv.References) {
		there[h] = true
	}
	fresh, err := p.fresh(ctx, there)
	if err != nil {
		return nil, err
	}
	if !stands.IsZero() && !p.descends(stands) {
		return nil, errors.New("non-fast-forward")
	}
	var pack bytes.Buffer
	// A window of 0: no deltas, so no base that the remote might lack.
	if _, err := packfile.NewEncoder(&pack, p.store, false).Encode(fresh, 0); err != nil {
		return nil, ours("pack the commit", err)
	}
	req := packp.NewReferenceUpdateRequestFromCapabilities(adv.Capabilities)
	if adv.Capabilities.Supports(capability.Sideband64k) {
		if err := req.Capabilities.Set(capability.Sideband64k); err != nil {
			return nil, ours("ask the remote", err)
		}
		req.Progress = &p.said
	}
	req.Commands = []*packp.Command{{Name: p.ref, Old: stands, New: p.commit}}
	req.Packfile = io.NopCloser(&pack)
	return req, nil
}

// descends tells whether the commit grew out of where the branch stands.
func (p *push) descends(stands plumbing.Hash) bool {
	c, err := p.store.commit(p.commit)
	if err != nil {
		return false
	}
	old, err := p.store.commit(stands)
	if err != nil {
		return false // never seen here: somebody else's
	}
	ok, err := old.IsAncestor(c)
	return err == nil && ok
}

// look asks the remote where the branch stands.
func (p *push) look(ctx context.Context) (plumbing.Hash, error) {
	l, err := p.mirror.dial(ctx, p.remote, p.credential)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	session, err := within(ctx, func() (transport.UploadPackSession, error) {
		return l.transport.NewUploadPackSession(l.endpoint, l.auth)
	})
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
	return adv.References[p.ref.String()], nil
}
