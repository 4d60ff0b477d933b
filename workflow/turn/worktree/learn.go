package worktree

import (
	"context"
	"slices"

	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// learnStart keeps that the tests did not start on the base, until a run of them starts. It says
// nothing in the words of what was run: those are the repository's.
func (p *Place) learnStart(ctx context.Context, t *Trees) error {
	l := lessons.Seen{Repository: p.Repository.Name, Folder: p.Folder(), Key: lessons.KeyStart, Source: "the base's run at " + prompt.ShortHash(t.Session().BaseCommit)}
	if p.Tests.Unprovable() != "" {
		l.Text = "Its tests do not start on the machine that Bobbin runs on: something that they call is missing there."
	} else if p.err != nil {
		return nil
	}
	known, err := p.startLearned(ctx, t)
	if err != nil || known == (l.Text != "") {
		return err
	}
	return t.Record(ctx, l)
}

// startLearned reports whether the tests did not start when they were run last.
func (p *Place) startLearned(ctx context.Context, t *Trees) (bool, error) {
	all, err := lessons.Of(ctx, t.Store.DB, p.Repository.Name, p.Folder())
	return slices.ContainsFunc(all, func(l lessons.Lesson) bool { return l.Key == lessons.KeyStart && l.Folder == p.Folder() }), err
}

// AwaitStart waits for the base's own run where the last one did not start: whoever is to
// change something has to know whether that is still so, and such a run ends at once.
func (t *Trees) AwaitStart(ctx context.Context) error {
	p := t.Current()
	learned, err := p.startLearned(ctx, t)
	if err != nil || !learned {
		return err
	}
	select {
	case <-p.Warm:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
