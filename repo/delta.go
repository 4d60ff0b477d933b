package repo

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
)

// MaxFile is the largest file that is compared line by line, committed or
// restored. Hosts refuse pushes with files not much larger.
const MaxFile = 50 << 20

// delta is one path that differs between two trees; before or after is the
// zero node where there is nothing. size is of a file on disk, kept of the
// larger side that is in the store, as far as that was asked for.
type delta struct {
	path          string
	before, after node
	size, kept    int64
}

func (d *delta) tooLarge() bool { return max(d.size, d.kept) > MaxFile }

// deltas compares the files with the base. What it read and found untouched is
// recorded anew, so that the next call need not read it.
func (w *Workspace) deltas(ctx context.Context) ([]delta, error) {
	_, out, err := w.deltasTo(ctx)
	return out, err
}

// deltasTo also gives the tree that it compared with.
func (w *Workspace) deltasTo(ctx context.Context) (base plumbing.Hash, out []delta, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	st, err := readState(w.statePath())
	if err != nil {
		return base, nil, fmt.Errorf("repo: the workspace's record: %w", err)
	}
	began := time.Now()
	suspects, err := scan(ctx, w.root, st.records)
	if err != nil {
		return base, nil, err
	}
	nodes, err := w.hashAll(ctx, suspects)
	if err != nil {
		return base, nil, err
	}
	out, refreshed := compare(suspects, nodes, began)
	for i := range st.records {
		if r := &st.records[i]; !r.found && r.mode != submodule {
			out = append(out, delta{path: r.path, before: r.node()})
		}
	}
	slices.SortFunc(out, func(a, b delta) int { return strings.Compare(a.path, b.path) })
	if refreshed {
		return st.tree, out, st.write(w.statePath())
	}
	return st.tree, out, nil
}

// compare sorts the suspects into changed ones and falsely accused ones.
func compare(suspects []suspect, nodes []node, began time.Time) (out []delta, refreshed bool) {
	for i, s := range suspects {
		r, now := s.record, nodes[i]
		switch {
		case now.none(): // gone while we looked
		case r == nil:
			out = append(out, delta{path: s.path, after: now, size: s.stat.size})
		case r.hash == now.hash && sameMode(r.mode, now.mode):
			r.found = true
			if !s.isLink() {
				was := *r
				r.stat = s.stat
				r.mark(began)
				refreshed = refreshed || was.stat != r.stat || was.doubtful != r.doubtful
			}
		default:
			r.found = true
			out = append(out, delta{path: s.path, before: r.node(), after: now, size: s.stat.size})
		}
	}
	return out, refreshed
}

func (w *Workspace) hashAll(ctx context.Context, suspects []suspect) ([]node, error) {
	nodes := make([]node, len(suspects))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for i := range suspects {
		if inner.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			nodes[i], err = w.hash(inner, suspects[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return nodes, ctx.Err()
}

// hash gives the node that a suspect would be in a tree, and the zero node when
// it is no longer there. A new file that is too large to keep is not read: its
// hash stays zero.
func (w *Workspace) hash(ctx context.Context, s suspect) (node, error) {
	n := node{mode: s.mode}
	if s.isLink() {
		target, err := w.root.Readlink(fromSlash(s.path))
		if gone(err) {
			return node{}, nil
		}
		n.hash = plumbing.ComputeHash(plumbing.BlobObject, []byte(target))
		return n, err
	}
	if s.stat.size > MaxFile && (s.record == nil || s.record.stat.size != s.stat.size) {
		return n, nil
	}
	f, size, err := w.openRegular(s.path)
	if err != nil || f == nil {
		return node{}, err
	}
	defer func() { _ = f.Close() }()
	hasher := plumbing.NewHasher(plumbing.BlobObject, size)
	if _, err := io.Copy(hasher, &cancelled{ctx, io.LimitReader(f, size)}); err != nil {
		return node{}, fmt.Errorf("repo: read %s: %w", s.path, err)
	}
	n.hash = hasher.Sum()
	return n, nil
}

// openRegular opens a plain file and nothing else: a FIFO does not block it. A
// nil file is one that is gone or no longer plain.
func (w *Workspace) openRegular(path string) (*os.File, int64, error) {
	f, err := w.root.OpenFile(fromSlash(path), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrPermission) {
		if w.root.Chmod(fromSlash(path), 0o644) == nil {
			f, err = w.root.OpenFile(fromSlash(path), os.O_RDONLY|unix.O_NONBLOCK, 0)
		}
	}
	if gone(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("repo: open %s: %w", path, err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// read gives the content that a path would have in a tree.
func (w *Workspace) read(d *delta) ([]byte, error) {
	if d.after.isLink() {
		target, err := w.root.Readlink(fromSlash(d.path))
		return []byte(target), err
	}
	f, size, err := w.openRegular(d.path)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, &TreeError{d.path, "went away while it was read"}
	}
	defer func() { _ = f.Close() }()
	if size > MaxFile {
		return nil, tooLarge(d.path, size)
	}
	return io.ReadAll(io.LimitReader(f, size))
}

func tooLarge(path string, size int64) error {
	return &TreeError{path, fmt.Sprintf("is %s, more than the %s that a commit may hold: remove it or name it in .gitignore", megabytes(size), megabytes(MaxFile))}
}

func megabytes(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
}

// cancelled is a reader that ends with its context.
type cancelled struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelled) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// treeDeltas compares two trees, reading only the folders that differ. The zero
// hash is the empty tree.
func (s *store) treeDeltas(ctx context.Context, before, after plumbing.Hash, prefix string) ([]delta, error) {
	if before == after {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := s.treeOrNone(before)
	if err != nil {
		return nil, err
	}
	b, err := s.treeOrNone(after)
	if err != nil {
		return nil, err
	}
	var out []delta
	for name, pair := range pairs(a, b) {
		more, err := s.nodeDeltas(ctx, pair[0], pair[1], prefix+name)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	if prefix == "" {
		slices.SortFunc(out, func(a, b delta) int { return strings.Compare(a.path, b.path) })
	}
	return out, nil
}

func (s *store) treeOrNone(h plumbing.Hash) ([]node, error) {
	if h.IsZero() {
		return nil, nil
	}
	return s.tree(h)
}

func pairs(a, b []node) map[string][2]node {
	out := map[string][2]node{}
	for _, n := range a {
		out[n.name] = [2]node{n, {}}
	}
	for _, n := range b {
		out[n.name] = [2]node{out[n.name][0], n}
	}
	return out
}

// nodeDeltas handles a file that became a folder as both a removal and what is
// in the folder.
func (s *store) nodeDeltas(ctx context.Context, before, after node, path string) ([]delta, error) {
	if before.same(after) {
		return nil, nil
	}
	var a, b plumbing.Hash
	d := delta{path: path, before: before, after: after}
	if before.isDir() {
		a, d.before = before.hash, node{}
	}
	if after.isDir() {
		b, d.after = after.hash, node{}
	}
	out, err := s.treeDeltas(ctx, a, b, path+"/")
	if !d.before.none() || !d.after.none() {
		out = append(out, d)
	}
	return out, err
}
