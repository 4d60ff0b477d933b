package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// RefreshCopy brings the session's files, as its workers left them, into the copy that the orchestrator
// reads, so that it can compare the result with the request. p is the opened repository, or one that is not
// open yet.
func (t *Trees) RefreshCopy(ctx context.Context, p *Checkout) error {
	t.merging.Lock()
	defer t.merging.Unlock()
	tree, err := p.Work.Tree(ctx)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		tree = p.CopyTree
		err = nil // files that cannot be committed are not shown either
	} else if err == nil {
		err = p.Copy.AdoptTree(ctx, p.Work, tree)
	}
	if err == nil {
		err = p.Copy.Restore(ctx, tree)
	}
	if err != nil {
		return fmt.Errorf("look at the work: %w", err)
	}
	p.CopyTree = tree
	t.change(func(open *Checkout) { open.CopyTree = tree })
	return t.LetCommandsWrite(p.Copy)
}

// BaseTree writes the files of the session's base commit to a folder, once, and opens it. It returns an
// os.Root, since a repository is not trusted. The caller closes it.
func (t *Trees) BaseTree(ctx context.Context) (*os.Root, error) {
	base := t.Current().Work.Base()
	dir := t.Folder("base-" + prompt.ShortHash(base))
	if root, err := os.OpenRoot(dir); err == nil {
		return root, nil
	}
	making := dir + ".new"
	if err := os.RemoveAll(making); err != nil {
		return nil, fmt.Errorf("write the base: %w", err)
	}
	if err := t.Current().Mirror.Materialise(ctx, base, making); err != nil {
		return nil, err
	}
	if err := os.Rename(making, dir); err != nil {
		return nil, fmt.Errorf("write the base: %w", err)
	}
	return os.OpenRoot(dir)
}

// openWorkspace opens the session's own workspace in its last recorded state. Its base is set to the
// session's base commit, which a merge of the base branch may have changed meanwhile.
func (t *Trees) openWorkspace(ctx context.Context, p *Checkout) (*git.Workspace, error) {
	w, err := t.readWorkspace(ctx, p.Mirror)
	if err != nil {
		return nil, err
	}
	if err := t.makeOrdered(ctx, p, w); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}
