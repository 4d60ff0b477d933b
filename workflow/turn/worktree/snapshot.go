package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/bundle"
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/folder"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// Snapshots keep what the trees of a session are, so that another machine can make them from
// rows.
type Snapshots struct {
	*ledger.Ledger

	mu       sync.Mutex       // over what follows
	recorded map[int64]string // the trees as they were recorded last, by task
}

// Snapshot is what a tree is now, to be recorded with the fact that changed it; nil where
// nothing changed since the last one. It holds what the work goes back to as well.
func (sn *Snapshots) Snapshot(ctx context.Context, w *repo.Workspace, task int64) (*progress.Snapshot, error) {
	tree, err := w.Tree(ctx)
	var unfit *gittree.PathError
	if errors.As(err, &unfit) {
		sn.Log.Warn("the files as they stand cannot be kept", "task", task, "why", unfit)
		return nil, sn.markLocalOnly(ctx, task, false) // done says so to the worker
	}
	if err != nil {
		return nil, fmt.Errorf("keep the files: %w", err)
	}
	sn.mu.Lock()
	same := sn.recorded[task] == tree
	sn.mu.Unlock()
	if same {
		return nil, sn.markLocalOnly(ctx, task, true)
	}
	return sn.Pack(ctx, w, task, tree)
}

// Pack takes together what a machine without these files needs: the tree, and what may be
// gone back to or merged from. Further roots are commits that no remote has yet.
func (sn *Snapshots) Pack(ctx context.Context, w *repo.Workspace, task int64, tree string, further ...string) (*progress.Snapshot, error) {
	s := sn.Session()
	roots := append([]string{tree}, further...)
	if task == 0 && s.Head != "" {
		roots = append(roots, s.Head)
	}
	tasks, err := sn.Store.Tasks(ctx, s.ID, "")
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
		sn.Log.Warn("the files are not kept in the database: they stay on this machine alone", "task", task, "why", large)
		return nil, sn.markLocalOnly(ctx, task, false)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the files: %w", err)
	}
	//crash:files_packed
	sn.noteRecorded(task, tree)
	return &progress.Snapshot{Task: task, Tree: tree, Pack: pack}, nil
}

// Some is the snapshot that there is, or none.
func Some(s *progress.Snapshot) []store.Part {
	if s == nil {
		return nil
	}
	return []store.Part{*s}
}

func (sn *Snapshots) noteRecorded(task int64, tree string) {
	sn.mu.Lock()
	defer sn.mu.Unlock()
	if sn.recorded == nil {
		sn.recorded = map[int64]string{}
	}
	sn.recorded[task] = tree
}

// restoreRecorded makes a tree what its row says: on a machine that does not have the files, and
// where the program died between a change and its record. A tree without a row gets one.
func (sn *Snapshots) restoreRecorded(ctx context.Context, m *repo.Mirror, w *repo.Workspace, task int64) error {
	row, err := sn.Store.Snapshot(ctx, sn.Session().ID, task)
	if err != nil {
		return err
	}
	if row == nil {
		return sn.RecordTree(ctx, w, task)
	}
	if tree, err := w.Tree(ctx); err == nil && tree == row.Tree {
		sn.noteRecorded(task, tree)
		return sn.markLocalOnly(ctx, task, true)
	}
	if sn.isLocalOnly(task, row.Tree) {
		return nil
	}
	sn.Log.Info("putting a workspace back to what was recorded", "task", task, "tree", prompt.ShortHash(row.Tree))
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
	sn.noteRecorded(task, row.Tree)
	return nil
}

// RecordTree records what a tree is now.
func (sn *Snapshots) RecordTree(ctx context.Context, w *repo.Workspace, task int64) error {
	s, err := sn.Snapshot(ctx, w, task)
	if err != nil || s == nil {
		return err
	}
	return sn.Record(ctx, *s)
}

// markLocalOnly marks that a task's files stand beyond what was recorded of them last, or, with
// kept, that they do not any more.
func (sn *Snapshots) markLocalOnly(ctx context.Context, task int64, kept bool) error {
	name := sn.Folder(folder.LocalOnlyFile + fmt.Sprint(task))
	if kept {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	row, err := sn.Store.Snapshot(ctx, sn.Session().ID, task)
	if err != nil {
		return err
	}
	tree := ""
	if row != nil {
		tree = row.Tree
	}
	return os.WriteFile(name, []byte(tree), 0o600)
}

// isLocalOnly tells whether this machine's files are newer than what was recorded, since they
// could not be: nobody else has recorded anything after that.
func (sn *Snapshots) isLocalOnly(task int64, recorded string) bool {
	tree, err := os.ReadFile(sn.Folder(folder.LocalOnlyFile + fmt.Sprint(task)))
	return err == nil && strings.TrimSpace(string(tree)) == recorded
}
