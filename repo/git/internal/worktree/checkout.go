package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree/index"
)

// checkoutWorkers is the number of goroutines besides the first one. Most of the time goes into the kernel
// creating names, which gains little from more.
const checkoutWorkers = 3

// A checkout writes a tree into an empty folder and collects the index records of what it wrote, sorted by
// path. Symbolic links are written last, so that no file is ever written through one.
type checkout struct {
	store *objects.Store
	root  *os.Root
	group *errgroup.Group

	mu      sync.Mutex
	written []index.Record
	links   []index.Record
}

func CheckoutTree(
	ctx context.Context, s *objects.Store, tree plumbing.Hash, root *os.Root,
) ([]index.Record, error) {
	c := &checkout{store: s, root: root}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(checkoutWorkers + 1)
	c.group = group
	group.Go(func() error { return c.writeFolder(ctx, tree, root, "") })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := c.writeLinks(); err != nil {
		return nil, err
	}
	slices.SortFunc(c.written, func(a, b index.Record) int { return strings.Compare(a.Path, b.Path) })
	return c.written, nil
}

// writeFolder writes one folder through an os.Root opened on it, so that the kernel need not walk from the
// top for each file.
func (c *checkout) writeFolder(ctx context.Context, tree plumbing.Hash, at *os.Root, prefix string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	nodes, err := gittree.Read(c.store, tree)
	if err != nil {
		return err
	}
	var files, links []index.Record
	for _, n := range nodes {
		r := index.Record{Path: prefix + n.Name, Mode: n.Mode, Hash: n.Hash}
		err := gittree.CheckNode(n)
		switch {
		case err != nil:
			return &gittree.PathError{Path: r.Path, Reason: err.Error()}
		case n.IsDir():
			err = c.writeSubfolder(ctx, n, at, r.Path)
		case n.IsLink():
			links = append(links, r)
		case n.Mode == filemode.Submodule:
			err = at.Mkdir(n.Name, 0o755)
			files = append(files, r)
		default:
			r.Stat, err = c.writeFile(at, n)
			files = append(files, r)
		}
		if err != nil {
			return checkoutError(r.Path, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written = append(c.written, files...)
	c.links = append(c.links, links...)
	return nil
}

func (c *checkout) writeSubfolder(ctx context.Context, n gittree.Node, at *os.Root, where string) error {
	if err := at.Mkdir(n.Name, 0o755); err != nil {
		return err
	}
	child, err := at.OpenRoot(n.Name)
	if err != nil {
		return err
	}
	work := func() error {
		defer func() { _ = child.Close() }()
		return c.writeFolder(ctx, n.Hash, child, where+"/")
	}
	if c.group.TryGo(work) {
		return nil
	}
	return work()
}

func (c *checkout) writeFile(at *os.Root, n gittree.Node) (index.Stat, error) {
	f, err := at.OpenFile(n.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, permissionsOf(n.Mode))
	if err != nil {
		return index.Stat{}, err
	}
	err = c.store.CopyBlob(f, n.Hash)
	st, statErr := index.StatFile(f)
	return st, errors.Join(err, statErr, f.Close())
}

func (c *checkout) writeLinks() error {
	for _, r := range c.links {
		target, err := c.store.GetTyped(plumbing.BlobObject, r.Hash)
		if err == nil {
			err = c.root.Symlink(string(target), r.Path)
		}
		if err != nil {
			return checkoutError(r.Path, err)
		}
	}
	c.written = append(c.written, c.links...)
	return nil
}

func permissionsOf(mode filemode.FileMode) os.FileMode {
	if mode == filemode.Executable {
		return 0o755
	}
	return 0o644
}

// checkoutError returns a *gittree.PathError for a name that the tree holds twice or that is too long for
// the disk. It adds the path to any other error, and leaves PathErrors and context errors unchanged.
func checkoutError(where string, err error) error {
	var tree *gittree.PathError
	switch {
	case errors.As(err, &tree):
		return err
	case errors.Is(err, fs.ErrExist):
		return &gittree.PathError{Path: where, Reason: "is in the tree twice"}
	case errors.Is(err, unix.ENAMETOOLONG):
		return &gittree.PathError{Path: where, Reason: "has too long a name for this disk"}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("git: write %s: %w", path.Clean(where), err)
}
