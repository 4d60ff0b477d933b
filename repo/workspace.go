package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

const submodule = filemode.Submodule

const maxBaseFile = 64 << 10

// Workspace is a session's own tree over a mirror. Its methods may be called by
// several goroutines, but what they say is only as steady as the files are.
type Workspace struct {
	mirror *Mirror
	store  *store
	dir    string
	root   *os.Root

	closing sync.Once // the mirror is in use until then

	mu sync.Mutex // over the state file

	standing sync.RWMutex // over the base, which SetBase moves
	base     plumbing.Hash
	tree     plumbing.Hash // of the base
}

// Workspace opens the workspace in dir, making it at the commit where there is
// none. An interrupted making is begun again. One that exists at another commit
// is refused: it holds somebody's work.
func (m *Mirror) Workspace(ctx context.Context, dir, commit string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("repo: open workspace: %w", err)
	}
	w := &Workspace{mirror: m, dir: dir, store: &store{packs: m.packs, loose: filepath.Join(dir, "git", "objects")}}
	st, err := readState(w.statePath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = w.create(ctx, commit)
	case err == nil:
		err = w.reopen(st, commit)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Workspace) statePath() string { return filepath.Join(w.dir, "git", "state") }

func (w *Workspace) reopen(st *state, commit string) error {
	if commit != "" && !strings.HasPrefix(st.base.String(), strings.ToLower(commit)) {
		if named, err := w.mirror.Resolve(commit); err != nil || named != st.base.String() {
			return fmt.Errorf("repo: the workspace %s stands on %s, not on %s", w.dir, st.base, commit)
		}
	}
	w.base, w.tree = st.base, st.tree
	return w.openRoot()
}

func (w *Workspace) openRoot() (err error) {
	if w.root, err = os.OpenRoot(w.Files()); err != nil {
		return fmt.Errorf("repo: open workspace: %w", err)
	}
	w.store.packs.users.Add(1)
	return nil
}

// closeRoot may be called twice.
func (w *Workspace) closeRoot() error {
	w.closing.Do(func() { w.store.packs.users.Add(-1) })
	return w.root.Close()
}

// create writes the files first and the state file last: a workspace without
// one is unfinished, and its files folder is only thrown away when the mark of
// an unfinished making stands beside it.
func (w *Workspace) create(ctx context.Context, commit string) error {
	c, err := w.commitAt(commit)
	if err != nil {
		return err
	}
	w.base, w.tree = c.Hash, c.TreeHash
	if err := w.clear(); err != nil {
		return err
	}
	if err := w.openRoot(); err != nil {
		return err
	}
	written, err := w.store.checkout(ctx, w.tree, w.root)
	if err == nil {
		err = w.record(written)
	}
	if err != nil {
		return errors.Join(err, w.closeRoot(), w.wipe())
	}
	return nil
}

func (w *Workspace) clear() error {
	mark := filepath.Join(w.dir, "git", "unfinished")
	_, marked := os.Stat(mark)
	if entries, err := os.ReadDir(w.Files()); err == nil && len(entries) > 0 && marked != nil {
		return fmt.Errorf("repo: %s is not empty and not a workspace of ours", w.Files())
	}
	if err := w.wipe(); err != nil {
		return err
	}
	if err := os.MkdirAll(w.store.loose, 0o755); err != nil {
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

func (w *Workspace) record(written []record) error {
	//crash:workspace_written
	now := time.Now()
	for i := range written {
		written[i].mark(now)
	}
	st := &state{base: w.base, tree: w.tree, records: written}
	if err := st.write(w.statePath()); err != nil {
		return err
	}
	return os.Remove(filepath.Join(w.dir, "git", "unfinished"))
}

// commitAt finds a commit of the mirror or of the session's own.
func (w *Workspace) commitAt(name string) (*object.Commit, error) {
	h := plumbing.NewHash(name)
	if !plumbing.IsHash(name) {
		full, err := w.mirror.Resolve(name)
		if err != nil {
			return nil, err
		}
		h = plumbing.NewHash(full)
	}
	return w.store.commit(h)
}

// Files is the folder that holds the plain tree.
func (w *Workspace) Files() string { return filepath.Join(w.dir, "files") }

// Base is the commit that the files are compared with.
func (w *Workspace) Base() string {
	w.standing.RLock()
	defer w.standing.RUnlock()
	return w.base.String()
}

// BaseFiles gives the content of the base's plain files that are wanted by their path, of
// each the first 64 KB.
func (w *Workspace) BaseFiles(want func(path string) bool) (map[string][]byte, error) {
	w.mu.Lock()
	st, err := readState(w.statePath())
	w.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("repo: the workspace's record: %w", err)
	}
	out := map[string][]byte{}
	for i := range st.records {
		r := &st.records[i]
		if !r.node().isFile() || !want(r.path) {
			continue
		}
		content, err := w.store.content(r.node())
		if err != nil {
			return nil, err
		}
		out[r.path] = content[:min(len(content), maxBaseFile)]
	}
	return out, nil
}

// Root is open on Files: every path that comes from elsewhere goes through it.
func (w *Workspace) Root() *os.Root { return w.root }

// Close leaves the workspace on disk for another day.
func (w *Workspace) Close() error { return w.closeRoot() }

// Remove closes the workspace and takes it off the disk.
func (w *Workspace) Remove() error {
	err := w.closeRoot()
	return errors.Join(err, w.wipe(), removeEmpty(w.dir))
}

// wipe takes away the two folders that are ours, also where a command took the
// permissions off a folder.
func (w *Workspace) wipe() error {
	for _, name := range []string{"files", "git"} {
		if err := RemoveFolder(filepath.Join(w.dir, name)); err != nil {
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

// gone is what is said of a path that another process has taken away or
// replaced by something that cannot be opened.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) ||
		errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENXIO)
}
