package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
)

// Snapshots records the state of the session's workspaces, so that another machine can make them from
// rows.
type Snapshots struct {
	*ledger.Ledger

	mu       sync.Mutex       // guards the fields below
	recorded map[int64]string // the tree that was recorded last, by task; 0: the session's own
	latest   map[int64]string // the tree that was there last, recorded or not
}

// Snapshot returns the current state of a workspace, to be recorded with the change that led to it. It
// returns nil if nothing changed since the last snapshot, or if the files cannot be committed or packed.
// A snapshot also holds the trees that the work may be restored to.
func (sn *Snapshots) Snapshot(ctx context.Context, w *git.Workspace, task int64) (*progress.Snapshot, error) {
	tree, err := w.Tree(ctx)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		sn.Log.Warn("the files as they stand cannot be kept", "task", task, "why", unfit)
		return nil, sn.markLocalOnly(ctx, task, false) // the tool done tells the worker
	}
	if err != nil {
		return nil, fmt.Errorf("keep the files: %w", err)
	}
	sn.noteLatest(task, tree)
	sn.mu.Lock()
	same := sn.recorded[task] == tree
	sn.mu.Unlock()
	if same {
		return nil, sn.markLocalOnly(ctx, task, true)
	}
	return sn.Pack(ctx, w, task, tree)
}

// Pack returns a snapshot with the git objects that a machine without these files needs: the tree, and
// the trees and commits that may be restored or merged from. further are commits that no remote has yet.
// It returns nil if the pack is too large; the files then stay on this machine only.
func (sn *Snapshots) Pack(
	ctx context.Context, w *git.Workspace, task int64, tree string, further ...string,
) (*progress.Snapshot, error) {
	s := sn.Session()
	roots := append([]string{tree}, further...)
	if task == 0 && s.Head != "" {
		own, err := sn.ownCommits(ctx, w)
		if err != nil {
			return nil, err
		}
		roots = append(roots, own...)
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
	var large *git.PackError
	if errors.As(err, &large) {
		sn.Log.Warn("the files are not kept in the database: they stay on this machine alone",
			"task", task, "why", large)
		return nil, sn.markLocalOnly(ctx, task, false)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the files: %w", err)
	}
	failpoint.Crash("files_packed")
	sn.noteRecorded(task, tree)
	return &progress.Snapshot{Task: task, Tree: tree, Pack: pack}, nil
}

// ownCommits returns the commits of the session's branch. They are packed even if this mirror has them: once
// the branch is deleted in the remote, no other mirror gets them.
func (sn *Snapshots) ownCommits(ctx context.Context, w *git.Workspace) ([]string, error) {
	s := sn.Session()
	pushes, err := sn.Store.Pushes(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	bases := []string{s.BaseCommit}
	for _, p := range pushes {
		bases = append(bases, p.BaseCommit)
	}
	return w.OwnCommits(s.Head, bases...)
}

// Some returns the snapshot as a list of parts, empty if it is nil.
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

func (sn *Snapshots) noteLatest(task int64, tree string) {
	sn.mu.Lock()
	defer sn.mu.Unlock()
	if sn.latest == nil {
		sn.latest = map[int64]string{}
	}
	sn.latest[task] = tree
}

// LatestTree returns the tree that a task's workspace was last known to hold, without a look at its files, or
// an empty string.
func (sn *Snapshots) LatestTree(task int64) string {
	sn.mu.Lock()
	defer sn.mu.Unlock()
	return sn.latest[task]
}

// restoreRecorded brings a workspace to the state in its row: on a machine without the files, and after
// the program died between a change and its record. If there is no row, it records the current state.
// Files that are marked as newer than the row stay as they are.
func (sn *Snapshots) restoreRecorded(ctx context.Context, m *git.Mirror, w *git.Workspace, task int64) error {
	row, err := sn.Store.Snapshot(ctx, sn.Session().ID, task)
	if err != nil {
		return err
	}
	if row == nil {
		// what is there may be work that was given up for another base
		if task == 0 && !w.IsFresh() {
			if err := w.Restore(ctx, ""); err != nil {
				return fmt.Errorf("begin with the base's files: %w", err)
			}
		}
		return sn.RecordTree(ctx, w, task)
	}
	if tree, err := w.Tree(ctx); err == nil && tree == row.Tree {
		sn.noteRecorded(task, tree)
		sn.noteLatest(task, tree)
		return sn.markLocalOnly(ctx, task, true)
	}
	if sn.isLocalOnly(task, row.Tree) {
		return nil
	}
	sn.Log.Info("putting a workspace back to what was recorded", "task", task,
		"tree", prompt.ShortHash(row.Tree))
	err = w.Unpack(ctx, row.Pack)
	var behind *git.PackError
	if errors.As(err, &behind) && behind.Missing != "" {
		// the pack builds on commits that this mirror does not have
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
	sn.noteLatest(task, row.Tree)
	return nil
}

// RecordTree records the current state of a workspace.
func (sn *Snapshots) RecordTree(ctx context.Context, w *git.Workspace, task int64) error {
	s, err := sn.Snapshot(ctx, w, task)
	if err != nil || s == nil {
		return err
	}
	return sn.Record(ctx, *s)
}

// markLocalOnly marks on this machine's disk that a task's files are newer than their last snapshot,
// because they could not be recorded. If kept is set, it removes the mark.
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

// isLocalOnly reports whether this machine's files are newer than the recorded tree and could not be
// recorded. The mark names the tree that was recorded when it was made, so it does not count once
// another machine has recorded a newer one.
func (sn *Snapshots) isLocalOnly(task int64, recorded string) bool {
	tree, err := os.ReadFile(sn.Folder(folder.LocalOnlyFile + fmt.Sprint(task)))
	return err == nil && strings.TrimSpace(string(tree)) == recorded
}
