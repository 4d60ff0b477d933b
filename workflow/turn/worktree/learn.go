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
	all, err := lessons.Of(ctx, t.Store.DB, l.Repository, l.Folder)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(all, func(k lessons.Lesson) bool { return k.Key == l.Key && k.Folder == l.Folder })
	if known == (l.Text != "") {
		return nil
	}
	return t.Record(ctx, l)
}
