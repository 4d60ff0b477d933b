package worktree

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// A Change is what the session has changed so far, as people may read it.
type Change struct {
	Repository repository.Repository
	Branch     string        // that the work starts from
	Files      []diff.Change // all files that differ from the base
	Private    []string      // files whose content is left out of Diff, since they usually hold secrets
	Diff       string        // with the configured secrets masked, and those in the base's private files
}

// ReadChange reads what the session has changed. If the repository is not open, it opens nothing but the
// session's own workspace, so that it waits for no place, fetches no packages and runs nothing. It returns
// nil if the session has no workspace, as before an approval.
func (t *Trees) ReadChange(ctx context.Context) (*Change, error) {
	if p := t.Current(); p != nil {
		if p.Work == nil {
			return nil, nil
		}
		return readChange(ctx, p)
	}
	approval, err := t.StandingApproval(ctx)
	if err != nil || approval == nil && t.Session().Head == "" {
		return nil, err
	}
	r, ok, err := t.Catalog.Current(ctx)
	if err != nil || !ok {
		return nil, err
	}
	mirror, err := t.Mirrors.Open(ctx, r.Remote)
	if err != nil {
		return nil, err
	}
	p := &Checkout{Repository: r, Mirror: mirror}
	if commit := t.Session().BaseCommit; !mirror.Commits().Has(commit) {
		if err := mirror.FetchCommit(ctx, commit); err != nil {
			return nil, err
		}
	}
	if p.Work, err = t.readWorkspace(ctx, mirror); err != nil {
		return nil, err
	}
	defer p.Work.Close()
	values, err := privateValues(p.Work)
	if err != nil {
		return nil, err
	}
	p.Secrets = t.Secrets.With(values...)
	return readChange(ctx, p)
}

// readWorkspace opens the session's own workspace in its last recorded state, and makes no merge that was
// ordered.
func (t *Trees) readWorkspace(ctx context.Context, mirror *git.Mirror) (*git.Workspace, error) {
	base := t.Session().BaseCommit
	w, err := mirror.Workspace(ctx, t.Folder("work"), base)
	if errors.Is(err, git.ErrOtherBase) {
		if w, err = mirror.Workspace(ctx, t.Folder("work"), ""); err == nil {
			if err = w.SetBase(ctx, base); err != nil {
				w.Close()
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open the session's workspace: %w", err)
	}
	if err := t.restoreRecorded(ctx, mirror, w, 0); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func readChange(ctx context.Context, p *Checkout) (*Change, error) {
	c := &Change{Repository: p.Repository, Branch: p.BaseBranch()}
	var err error
	if c.Files, err = p.Work.Changes(ctx); err != nil {
		return nil, err
	}
	for _, f := range c.Files {
		if workfile.IsPrivate(f.Path) {
			c.Private = append(c.Private, f.Path)
		}
	}
	text, err := p.Work.DiffOf(ctx, func(path string) bool { return !workfile.IsPrivate(path) })
	c.Diff = p.Secrets.Mask(text)
	return c, err
}
