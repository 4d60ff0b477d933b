package worktree

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// learnStart records as a lesson that the tests do not start on the base, and removes it once they
// start. The lesson says nothing in the words of the command's output, since those come from the
// repository. It learns nothing if the run of the base failed on this machine.
func (co *Checkout) learnStart(ctx context.Context, t *Trees, failed bool) error {
	l := lessons.Seen{
		Repository: co.Repository.Name,
		Folder:     co.Folder(),
		Key:        lessons.KeyStart,
		Source:     "the base's run at " + prompt.ShortHash(t.Session().BaseCommit),
	}
	if co.Tests.unprovable() != "" {
		l.Text = "Its tests do not start on the machine that Bobbin runs on: " +
			"something that they call is missing there."
	} else if failed {
		return nil
	}
	known, err := lessons.Has(ctx, t.Store.DB, l.Repository, l.Folder, l.Key)
	if err != nil || known == (l.Text != "") {
		return err
	}
	return t.Record(ctx, l)
}

// AwaitStart waits for the base's own test run if a lesson says that the tests did not start last time.
// An agent that is to change something has to know whether that is still so, and a run that does not
// start ends at once.
func (co *Checkout) AwaitStart(ctx context.Context, db *database.DB) error {
	learned, err := lessons.Has(ctx, db, co.Repository.Name, co.Folder(), lessons.KeyStart)
	if err != nil || !learned {
		return err
	}
	select {
	case <-co.BaseTested:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
