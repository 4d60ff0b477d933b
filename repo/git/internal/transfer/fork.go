package transfer

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"

	"github.com/bobbinhq/bobbin/repo/git/internal/history"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// maxTips is how many branches and tags of a fork are compared with the pushed commit.
const maxTips = 50

// lackedByFork returns the commits that lead to the pushed one and that no branch of the fork leads to, also
// those of the repository: a fork may lag behind. It refuses a fork that shares no commit with the
// repository, since that is none.
func (p *Push) lackedByFork(ctx context.Context, adv *packp.AdvRefs) (map[plumbing.Hash]bool, error) {
	pushed, err := p.Store.Commit(p.Commit)
	if err != nil {
		return nil, err
	}
	var lacked map[plumbing.Hash]bool
	for _, h := range forkTips(adv) {
		tip, err := p.Store.Commit(h)
		if err != nil {
			continue // somebody's own commit, which was never fetched here
		}
		common, err := history.MergeBase(ctx, p.Store, pushed, tip)
		if err != nil {
			return nil, err
		}
		if common == "" {
			continue
		}
		beyond, err := history.Beyond(ctx, p.Store, pushed, tip)
		if err != nil {
			return nil, err
		}
		if lacked == nil {
			lacked = beyond
		}
		maps.DeleteFunc(lacked, func(h plumbing.Hash, _ bool) bool { return !beyond[h] })
	}
	if lacked == nil {
		return nil, &remote.Error{
			Op:     "push " + p.Ref.Short(),
			Reason: p.Remote.Name + " has no commit of the repository on any branch, so it is not its fork",
			Cure:   "Name a fork of it under push_to, and bring its default branch up to date",
		}
	}
	return lacked, nil
}

// forkTips returns the commits of the fork's branches and tags: that of HEAD first, and each once.
func forkTips(adv *packp.AdvRefs) (tips []plumbing.Hash) {
	if adv.Head != nil {
		tips = append(tips, *adv.Head)
	}
	for _, h := range slices.SortedFunc(maps.Values(readAdvertised(adv).Hashes),
		func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) }) {
		if len(tips) < maxTips && !slices.Contains(tips, h) {
			tips = append(tips, h)
		}
	}
	return tips
}
