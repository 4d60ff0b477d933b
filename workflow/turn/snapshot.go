package turn

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/bundle"
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// snapshot is what a tree is now, to be recorded with the fact that changed it; nil where
// nothing changed since the last one. It holds what the work goes back to as well.
func (t *Trees) snapshot(ctx context.Context, w *repo.Workspace, task int64) (*store.Snapshot, error) {
	tree, err := w.Tree(ctx)
	var unfit *gittree.PathError
	if errors.As(err, &unfit) {
		t.log.Warn("the files as they stand cannot be kept", "task", task, "why", unfit)
		return nil, t.alone(ctx, task, false) // done says so to the worker
	}
	if err != nil {
		return nil, fmt.Errorf("keep the files: %w", err)
	}
	t.mu.Lock()
	same := t.recorded[task] == tree
	t.mu.Unlock()
	if same {
		return nil, t.alone(ctx, task, true)
	}
	return t.pack(ctx, w, task, tree)
}

// pack takes together what a machine without these files needs: the tree, and what may be
// gone back to or merged from. Further roots are commits that no remote has yet.
func (t *Trees) pack(ctx context.Context, w *repo.Workspace, task int64, tree string, further ...string) (*store.Snapshot, error) {
	s := t.Session()
	roots := append([]string{tree}, further...)
	if task == 0 && s.Head != "" {
		roots = append(roots, s.Head)
	}
	tasks, err := t.Store.Tasks(ctx, s.ID, "")
	if err != nil {
		return nil, err
	}
	for _, k := range tasks {
		if mine := task == 0 && !k.Apart || k.ID == task; mine && k.StartTree != "" {
			roots = append(roots, k.StartTree)
		}
	}
	pack, err := w.Pack(ctx, 0, roots...)
	var large *bundle.Error
	if errors.As(err, &large) {
		t.log.Warn("the files are not kept in the database: they stay on this machine alone", "task", task, "why", large)
		return nil, t.alone(ctx, task, false)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the files: %w", err)
	}
	//crash:files_packed
	t.recordedAs(task, tree)
	return &store.Snapshot{Task: task, Tree: tree, Pack: pack}, nil
}

// some is the snapshot that there is, or none.
func some(s *store.Snapshot) []store.Part {
	if s == nil {
		return nil
	}
	return []store.Part{*s}
}

func (t *Trees) recordedAs(task int64, tree string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.recorded == nil {
		t.recorded = map[int64]string{}
	}
	t.recorded[task] = tree
}

// recall makes a tree what its row says: on a machine that does not have the files, and
// where the program died between a change and its record. A tree without a row gets one.
func (t *Trees) recall(ctx context.Context, m *repo.Mirror, w *repo.Workspace, task int64) error {
	row, err := t.Store.Snapshot(ctx, t.Session().ID, task)
	if err != nil {
		return err
	}
	if row == nil {
		return t.remember(ctx, w, task)
	}
	if tree, err := w.Tree(ctx); err == nil && tree == row.Tree {
		t.recordedAs(task, tree)
		return t.alone(ctx, task, true)
	}
	if t.beyond(task, row.Tree) {
		return nil
	}
	t.log.Info("putting a workspace back to what was recorded", "task", task, "tree", short(row.Tree))
	err = w.Unpack(ctx, row.Pack)
	var behind *bundle.Error
	if errors.As(err, &behind) && behind.Missing != "" { // made over commits that this mirror has not seen
		if err := m.Fetch(ctx); err != nil {
			return err
		}
		err = w.Unpack(ctx, row.Pack)
	}
	if err != nil {
		return fmt.Errorf("get the files back: %w", err)
	}
	if err := w.Restore(ctx, row.Tree); err != nil {
		return fmt.Errorf("get the files back: %w", err)
	}
	t.recordedAs(task, row.Tree)
	return nil
}

// remember records what a tree is now.
func (t *Trees) remember(ctx context.Context, w *repo.Workspace, task int64) error {
	s, err := t.snapshot(ctx, w, task)
	if err != nil || s == nil {
		return err
	}
	return t.Record(ctx, *s)
}

// keep puts down what the task's tree is now; it is recorded with the call's result.
func (h *hand) keep(ctx context.Context) error {
	s, err := h.Trees.snapshot(ctx, h.tree, h.where())
	h.journal.add(some(s)...)
	return err
}

// where says whose tree the task works in.
func (h *hand) where() int64 {
	if h.task.Apart {
		return h.task.ID
	}
	return 0
}
