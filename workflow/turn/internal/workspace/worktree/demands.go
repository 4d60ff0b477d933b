package worktree

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// demandsTime is how long the host may take to tell what it demands.
const demandsTime = 10 * time.Second

// checkFork returns an error if the work could not be pushed to the fork, before any of it begins. A host
// that does not answer now keeps nobody from working: the push asks it again.
func (t *Trees) checkFork(ctx context.Context, p *Checkout) error {
	if p.Repository.PushTo == nil || t.Session().Branch != "" {
		return nil
	}
	asked, cancel := context.WithTimeout(ctx, demandsTime)
	defer cancel()
	err := p.Repository.CheckFork(asked)
	if err == nil {
		err = t.Mirrors.MayPush(asked, p.Repository.Remote)
	}
	var refused *remote.Error
	switch {
	case err == nil, ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused) && !refused.Retry:
		return err
	}
	t.Log.Warn("whether the fork takes pushes is not known", "repository", p.Repository.Name, "err", err)
	return nil
}

// startDemands begins to ask the host what it demands of commits and branches, beside other work. The
// function that it returns waits until the thread was told what the work would not meet. After an approval
// nothing is asked any more.
func (t *Trees) startDemands(ctx context.Context, p *Checkout) (wait func()) {
	if p.Repository.Pulls.Host == nil || t.Session().Branch != "" {
		return func() {}
	}
	var told sync.WaitGroup
	told.Go(func() { t.sayDemands(ctx, p) })
	return told.Wait
}

// sayDemands tells the thread what the host demands of the base and of pushed branches that the work would
// not meet. A demand that it was told of is not repeated; those of another base are told, too.
func (t *Trees) sayDemands(ctx context.Context, p *Checkout) {
	asked, cancel := context.WithTimeout(ctx, demandsTime)
	defer cancel()
	found, err := p.Repository.FindDemands(asked, p.BaseBranch())
	if err != nil && ctx.Err() == nil {
		t.Log.Warn("what the git host demands is not known", "repository", p.Repository.Name, "err", err)
	}
	said, err := t.Store.Lines(ctx, t.Session().ID)
	if err != nil {
		t.Log.Warn("what the thread was told is not known", "err", err)
		return
	}
	if text := found.Text(store.Texts(said), t.MaskShown); text != "" && ctx.Err() == nil {
		if err := t.Record(ctx, store.Lines(t.ProgramLine(text))); err != nil {
			t.Log.Warn("a line was not posted", "err", err)
		}
	}
}
