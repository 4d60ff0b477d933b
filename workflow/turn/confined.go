package turn

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// folder is the part of the repository that its configuration limits the work to; empty:
// all of it.
func (p *place) folder() string {
	if f := path.Clean(p.repository.Scope); f != "." {
		return strings.TrimPrefix(f, "./")
	}
	return ""
}

// noFolder says that the part is not there, and rests; false where it is.
func (t *Trees) noFolder(ctx context.Context, p *place) (bool, error) {
	folder := p.folder()
	if folder == "" {
		return false, nil
	}
	if info, err := fs.Stat(p.look.FS(), folder); err == nil && info.IsDir() {
		return false, nil
	}
	return true, t.Record(ctx,
		store.Update{Events: []workflow.Event{workflow.EventPause}, Open: no},
		store.Lines(t.program(fmt.Sprintf("The configuration limits %s to the folder `%s`, and %s has no such folder. Whoever runs me corrects `scope:` of that repository; reply here then, and I go on.",
			p.repository.Name, folder, p.baseBranch()))),
	)
}

// confine takes out of the tree what was changed outside of the folder, and says so: the
// tools that edit stay in it by themselves, commands need not. left is false when nothing
// of the change stands within.
func (d *Delivery) confine(ctx context.Context, tree *repo.Workspace, task int64) (left bool, err error) {
	folder := d.Trees.here().folder()
	if folder == "" {
		return true, nil
	}
	hunks, err := tree.Hunks(ctx)
	if err != nil {
		return true, err
	}
	var outside []int
	var said []string
	for _, h := range hunks {
		if !workfile.Within(folder, h.Path) {
			outside = append(outside, h.Number)
			if line := "  • `" + strings.ReplaceAll(h.Path, "`", "'") + "`"; !slices.Contains(said, line) {
				said = append(said, line)
			}
		}
	}
	if len(outside) == 0 {
		return true, nil
	}
	if more := len(said) - 20; more > 0 {
		said = append(said[:20], fmt.Sprintf("  • and %d more", more))
	}
	text := fmt.Sprintf("Taken out, since the work is limited to `%s`:\n%s", folder, strings.Join(said, "\n"))
	if err := d.sayUnlessSaid(ctx, text); err != nil {
		return true, err
	}
	if _, err := tree.TakeOut(ctx, outside); err != nil {
		return true, fmt.Errorf("take out what stands outside of %s: %w", folder, err)
	}
	return len(outside) < len(hunks), d.Trees.remember(ctx, tree, task)
}

// sayUnlessSaid says what the session's newest line does not say already: the program may
// have died between that line and what it tells of.
func (l *Ledger) sayUnlessSaid(ctx context.Context, text string) error {
	said, err := l.Store.Lines(ctx, l.Session().ID)
	if err != nil || len(said) > 0 && said[len(said)-1].Text == text {
		return err
	}
	return l.Record(ctx, store.Lines(l.program(text)))
}

// name is what the place is called in words: "shop", or "services/cart of shop".
func (p *place) name() string {
	if f := p.folder(); f != "" {
		return "`" + f + "` of " + p.repository.Name
	}
	return p.repository.Name
}
