package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree/index"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

const maxBaseFile = 64 << 10

// A Worktree is the files of a session together with the objects that only this session has. Several
// goroutines may call its methods, but a result holds only as long as nothing changes the files.
type Worktree struct {
	rootFiles
	Dir string

	closing sync.Once // Close counts this user of the packs off once

	mu sync.Mutex // guards the state file

	baseMu sync.RWMutex // guards base and tree, which MoveBase changes
	base   plumbing.Hash
	tree   plumbing.Hash // of the base commit
}

// A rootFiles reads and writes single paths of a worktree.
type rootFiles struct {
	root  *os.Root
	Store *objects.Store
}

// New returns a Worktree for dir, an absolute path, that reads objects from p. It touches no file: call
// Open or Create next.
func New(dir string, p *objects.Packs) *Worktree {
	return &Worktree{
		Dir:       dir,
		rootFiles: rootFiles{Store: objects.NewStore(p, filepath.Join(dir, "git", "objects"))},
	}
}

// Open opens a worktree that Create made. It returns fs.ErrNotExist if there is none.
func (w *Worktree) Open() error {
	st, err := index.Read(w.StatePath())
	if err != nil {
		return err
	}
	w.base = st.Base
	w.tree = st.Tree
	return w.openRoot()
}

// Create writes the files of a commit and then the state file: a worktree without a state file is
// unfinished. Create deletes a files folder that is not empty only if the file git/unfinished, the mark of
// an interrupted Create, exists; otherwise it fails.
func (w *Worktree) Create(ctx context.Context, c *object.Commit) error {
	w.base = c.Hash
	w.tree = c.TreeHash
	if err := w.clearFolders(); err != nil {
		return err
	}
	if err := w.openRoot(); err != nil {
		return err
	}
	written, err := CheckoutTree(ctx, w.Store, w.tree, w.root)
	if err == nil {
		err = w.recordFiles(written)
	}
	if err != nil {
		return errors.Join(err, w.Close(), w.removeFolders())
	}
	return nil
}

func (w *Worktree) StatePath() string { return filepath.Join(w.Dir, "git", "state") }

func (w *Worktree) openRoot() (err error) {
	if w.root, err = os.OpenRoot(w.Files()); err != nil {
		return fmt.Errorf("git: open workspace: %w", err)
	}
	w.Store.Packs.Users.Add(1)
	return nil
}

// Close closes the worktree and leaves its files on disk. It may be called twice.
func (w *Worktree) Close() error {
	w.closing.Do(func() { w.Store.Packs.Users.Add(-1) })
	return w.root.Close()
}

func (w *Worktree) clearFolders() error {
	mark := filepath.Join(w.Dir, "git", "unfinished")
	_, marked := os.Stat(mark)
	if entries, err := os.ReadDir(w.Files()); err == nil && len(entries) > 0 && marked != nil {
		return fmt.Errorf("git: %s is not empty and not a workspace of ours", w.Files())
	}
	if err := w.removeFolders(); err != nil {
		return err
	}
	if err := os.MkdirAll(w.Store.Loose, 0o755); err != nil {
		return fmt.Errorf("git: make workspace: %w", err)
	}
	if err := os.WriteFile(mark, nil, 0o644); err != nil {
		return fmt.Errorf("git: make workspace: %w", err)
	}
	if err := os.Mkdir(w.Files(), 0o755); err != nil {
		return fmt.Errorf("git: make workspace: %w", err)
	}
	return nil
}

func (w *Worktree) recordFiles(written []index.Record) error {
	failpoint.Crash("workspace_written")
	now := time.Now()
	for i := range written {
		written[i].MarkDoubtful(now)
	}
	st := &index.Index{Base: w.base, Tree: w.tree, Records: written}
	if err := st.Write(w.StatePath()); err != nil {
		return err
	}
	return os.Remove(filepath.Join(w.Dir, "git", "unfinished"))
}

// Files returns the path of the folder that holds the plain tree.
func (w *Worktree) Files() string { return filepath.Join(w.Dir, "files") }

// Base returns the hash of the commit that the files are compared with.
func (w *Worktree) Base() string {
	w.baseMu.RLock()
	defer w.baseMu.RUnlock()
	return w.base.String()
}

// BaseFiles returns the contents of the base's plain files for whose path want is true, each cut to its
// first 64 KiB.
func (w *Worktree) BaseFiles(want func(path string) bool) (map[string][]byte, error) {
	w.mu.Lock()
	st, err := index.Read(w.StatePath())
	w.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("git: the workspace's record: %w", err)
	}
	out := map[string][]byte{}
	for i := range st.Records {
		r := &st.Records[i]
		if !r.Node().IsFile() || !want(r.Path) {
			continue
		}
		content, err := gittree.ReadContent(w.Store, r.Node())
		if err != nil {
			return nil, err
		}
		out[r.Path] = content[:min(len(content), maxBaseFile)]
	}
	return out, nil
}

// Root returns the os.Root of Files. Every path from outside has to go through it.
func (w *Worktree) Root() *os.Root { return w.root }

// Remove closes the worktree and deletes it from disk.
func (w *Worktree) Remove() error {
	err := w.Close()
	return errors.Join(err, w.removeFolders(), removeEmpty(w.Dir))
}

// removeFolders deletes the folders files and git, even if a command took away the permissions of a folder
// in them.
func (w *Worktree) removeFolders() error {
	for _, name := range []string{"files", "git"} {
		if err := disk.RemoveFolder(filepath.Join(w.Dir, name)); err != nil {
			return fmt.Errorf("git: remove workspace: %w", err)
		}
	}
	return nil
}

func removeEmpty(dir string) error {
	err := os.Remove(dir)
	if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func fromSlash(path string) string { return filepath.FromSlash(path) }

// isGone reports whether err means that another process deleted the path or replaced it by something that
// cannot be opened.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.Is(err, syscall.ELOOP) ||
		errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENXIO)
}
