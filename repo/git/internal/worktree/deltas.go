package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
	"github.com/bobbinhq/bobbin/repo/git/internal/worktree/index"
)

// Deltas compares the files with the base and returns the differences, sorted by path. It records the new
// stat data of files that it had to read and found unchanged, so that the next call need not read them.
func (w *Worktree) Deltas(ctx context.Context) ([]gittree.Delta, error) {
	_, out, err := w.deltasTo(ctx)
	return out, err
}

// deltasTo is Deltas; it also returns the tree that it compared with.
func (w *Worktree) deltasTo(ctx context.Context) (base plumbing.Hash, out []gittree.Delta, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	st, err := index.Read(w.StatePath())
	if err != nil {
		return base, nil, fmt.Errorf("git: the workspace's record: %w", err)
	}
	began := time.Now()
	suspects, err := scanFiles(ctx, w.root, st.Records)
	if err != nil {
		return base, nil, err
	}
	nodes, err := w.hashAll(ctx, suspects)
	if err != nil {
		return base, nil, err
	}
	out, refreshed := compareSuspects(suspects, nodes, began)
	for i := range st.Records {
		if r := &st.Records[i]; !r.Found && r.Mode != gittree.Submodule {
			out = append(out, gittree.Delta{Path: r.Path, Before: r.Node()})
		}
	}
	slices.SortFunc(out, func(a, b gittree.Delta) int { return strings.Compare(a.Path, b.Path) })
	if refreshed {
		return st.Tree, out, st.Write(w.StatePath())
	}
	return st.Tree, out, nil
}

// compareSuspects returns the suspects that differ from their records. The unchanged ones are marked as
// found and get new stat data; refreshed reports whether that changed any record.
func compareSuspects(
	suspects []suspect, nodes []gittree.Node, began time.Time,
) (out []gittree.Delta, refreshed bool) {
	for i, s := range suspects {
		r := s.record
		now := nodes[i]
		switch {
		case now.None(): // deleted during the walk
		case r == nil:
			out = append(out, gittree.Delta{Path: s.path, After: now, Size: s.stat.Size})
		case r.Hash == now.Hash && gittree.SameMode(r.Mode, now.Mode):
			r.Found = true
			if !s.isLink() {
				was := *r
				r.Stat = s.stat
				r.MarkDoubtful(began)
				refreshed = refreshed || was.Stat != r.Stat || was.Doubtful != r.Doubtful
			}
		default:
			r.Found = true
			out = append(out, gittree.Delta{Path: s.path, Before: r.Node(), After: now, Size: s.stat.Size})
		}
	}
	return out, refreshed
}

func (rf *rootFiles) hashAll(ctx context.Context, suspects []suspect) ([]gittree.Node, error) {
	nodes := make([]gittree.Node, len(suspects))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for i := range suspects {
		if inner.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			nodes[i], err = rf.hashFile(inner, suspects[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return nodes, ctx.Err()
}

// hashFile returns the node that a suspect would be in a tree, or the zero node if the file is gone. A new
// file larger than gittree.MaxFile is not read, and its hash is zero.
func (rf *rootFiles) hashFile(ctx context.Context, s suspect) (gittree.Node, error) {
	n := gittree.Node{Mode: s.mode}
	if s.isLink() {
		target, err := rf.root.Readlink(fromSlash(s.path))
		if isGone(err) {
			return gittree.Node{}, nil
		}
		n.Hash = plumbing.ComputeHash(plumbing.BlobObject, []byte(target))
		return n, err
	}
	if s.stat.Size > gittree.MaxFile && (s.record == nil || s.record.Stat.Size != s.stat.Size) {
		return n, nil
	}
	f, size, err := rf.openRegular(s.path)
	if err != nil || f == nil {
		return gittree.Node{}, err
	}
	defer func() { _ = f.Close() }()
	hasher := plumbing.NewHasher(plumbing.BlobObject, size)
	if _, err := io.Copy(hasher, objects.NewContextReader(ctx, io.LimitReader(f, size))); err != nil {
		return gittree.Node{}, fmt.Errorf("git: read %s: %w", s.path, err)
	}
	n.Hash = hasher.Sum()
	return n, nil
}

// openRegular opens a plain file and returns its size; a FIFO does not block it. It returns a nil file if
// the path is gone or is no longer a plain file.
func (rf *rootFiles) openRegular(path string) (*os.File, int64, error) {
	f, err := rf.root.OpenFile(fromSlash(path), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrPermission) {
		if rf.root.Chmod(fromSlash(path), 0o644) == nil {
			f, err = rf.root.OpenFile(fromSlash(path), os.O_RDONLY|unix.O_NONBLOCK, 0)
		}
	}
	if isGone(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("git: open %s: %w", path, err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// readFile returns the content that the path of a delta would have in a tree.
func (rf *rootFiles) readFile(d *gittree.Delta) ([]byte, error) {
	if d.After.IsLink() {
		target, err := rf.root.Readlink(fromSlash(d.Path))
		return []byte(target), err
	}
	f, size, err := rf.openRegular(d.Path)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, &gittree.PathError{Path: d.Path, Reason: "went away while it was read"}
	}
	defer func() { _ = f.Close() }()
	if size > gittree.MaxFile {
		return nil, gittree.TooLargeError(d.Path, size)
	}
	return io.ReadAll(io.LimitReader(f, size))
}
