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
	"github.com/bobbinhq/bobbin/repo/gittree"
	"github.com/bobbinhq/bobbin/repo/objects"
	"github.com/bobbinhq/bobbin/repo/worktree/index"
)

const maxBaseFile = 64 << 10

// Worktree is the files of a session and the objects that only it has. Its methods may be
// called by several goroutines, but what they return is only as steady as the files are.
type Worktree struct {
	rootFiles
	Dir string

	closing sync.Once // the packs are in use until then

	mu sync.Mutex // over the state file

	standing sync.RWMutex // over the base, which SetBase moves
	base     plumbing.Hash
	tree     plumbing.Hash // of the base
}

// rootFiles reads and writes single paths of a worktree.
type rootFiles struct {
	root  *os.Root
	Store *objects.Store
}

// New names the worktree in dir, an absolute path, over the objects of packs. Open
// or Create comes next.
func New(dir string, p *objects.Packs) *Worktree {
	return &Worktree{Dir: dir, rootFiles: rootFiles{Store: objects.NewStore(p, filepath.Join(dir, "git", "objects"))}}
}

// Open opens a worktree that was made before; fs.ErrNotExist where there is none.
func (w *Worktree) Open() error {
	st, err := index.Read(w.StatePath())
	if err != nil {
		return err
	}
	w.base, w.tree = st.Base, st.Tree
	return w.openRoot()
}

// Create writes the files of a commit first and the state file last: a worktree without
// one is unfinished, and its files folder is only thrown away when the mark of an
// unfinished making stands beside it.
func (w *Worktree) Create(ctx context.Context, c *object.Commit) error {
	w.base, w.tree = c.Hash, c.TreeHash
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
		return fmt.Errorf("repo: open workspace: %w", err)
	}
	w.Store.Packs.Users.Add(1)
	return nil
}

// Close leaves the worktree on disk for another day. It may be called twice.
func (w *Worktree) Close() error {
	w.closing.Do(func() { w.Store.Packs.Users.Add(-1) })
	return w.root.Close()
}

func (w *Worktree) clearFolders() error {
	mark := filepath.Join(w.Dir, "git", "unfinished")
	_, marked := os.Stat(mark)
	if entries, err := os.ReadDir(w.Files()); err == nil && len(entries) > 0 && marked != nil {
		return fmt.Errorf("repo: %s is not empty and not a workspace of ours", w.Files())
	}
	if err := w.removeFolders(); err != nil {
		return err
	}
	if err := os.MkdirAll(w.Store.Loose, 0o755); err != nil {
		return fmt.Errorf("repo: make workspace: %w", err)
	}
	if err := os.WriteFile(mark, nil, 0o644); err != nil {
		return fmt.Errorf("repo: make workspace: %w", err)
	}
	if err := os.Mkdir(w.Files(), 0o755); err != nil {
		return fmt.Errorf("repo: make workspace: %w", err)
	}
	return nil
}

func (w *Worktree) recordFiles(written []index.Record) error {
	//crash:workspace_written
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

// Files is the folder that holds the plain tree.
func (w *Worktree) Files() string { return filepath.Join(w.Dir, "files") }

// Base is the commit that the files are compared with.
func (w *Worktree) Base() string {
	w.standing.RLock()
	defer w.standing.RUnlock()
	return w.base.String()
}

// BaseFiles gives the content of the base's plain files that are wanted by their path, of
// each the first 64 KB.
func (w *Worktree) BaseFiles(want func(path string) bool) (map[string][]byte, error) {
	w.mu.Lock()
	st, err := index.Read(w.StatePath())
	w.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("repo: the workspace's record: %w", err)
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

// Root is open on Files: every path that comes from elsewhere goes through it.
func (w *Worktree) Root() *os.Root { return w.root }

// Remove closes the worktree and takes it off the disk.
func (w *Worktree) Remove() error {
	err := w.Close()
	return errors.Join(err, w.removeFolders(), removeEmpty(w.Dir))
}

// removeFolders takes away the two folders that are ours, also where a command took the
// permissions off a folder.
func (w *Worktree) removeFolders() error {
	for _, name := range []string{"files", "git"} {
		if err := disk.RemoveFolder(filepath.Join(w.Dir, name)); err != nil {
			return fmt.Errorf("repo: remove workspace: %w", err)
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

// isGone is what is said of a path that another process has taken away or
// replaced by something that cannot be opened.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) ||
		errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENXIO)
}
