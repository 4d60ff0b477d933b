package bundle

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/klauspost/compress/zlib"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

const (
	packLimit    = 64 << 20 // bytes of a pack, if the caller sets no limit
	inflateLimit = 1 << 30  // inflated bytes of all objects in a pack
)

// Error says in words for people why a pack was not made or was refused.
type Error struct {
	Reason string
	// Missing is an object that the pack needs and this machine lacks. A fetch of the mirror may bring
	// it, and then the same pack is accepted.
	Missing string
}

func (e *Error) Error() string { return e.Reason }

// Pack returns the objects that another machine with its own mirror needs for the named trees and
// commits (whole hashes), as a git pack without deltas. It leaves out the objects of the base and, below
// a named commit, the commits that the mirror has and that are not named. If the base is the session's own
// commit, its nearest ancestors in the mirror take its place. An object comes after those that it names, and
// the same roots give the same bytes. A pack of more than limit bytes (0: 64 MiB) is an *Error.
func Pack(
	ctx context.Context, s *objects.Store, base plumbing.Hash, limit int64, roots ...string,
) ([]byte, error) {
	if limit <= 0 {
		limit = packLimit
	}
	baseTrees, err := findBaseTrees(ctx, s, base)
	if err != nil {
		return nil, err
	}
	fresh, err := newObjects(ctx, s, base, baseTrees, roots)
	if err != nil {
		return nil, err
	}
	p := NewPacking(s, fresh, limit)
	for _, h := range sortedHashes(fresh) {
		if err := p.addObject(ctx, h); err != nil {
			return nil, err
		}
	}
	if p.isTooLarge() {
		return nil, sizeError(ctx, s, limit, baseTrees, roots)
	}
	return p.appendChecksum(), nil
}

// findBaseTrees returns the trees that every mirror with the base has.
func findBaseTrees(
	ctx context.Context, s *objects.Store, base plumbing.Hash,
) (trees []plumbing.Hash, err error) {
	seen := map[plumbing.Hash]bool{}
	for queue := []plumbing.Hash{base}; len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := s.Commit(queue[0])
		if err != nil {
			return nil, err
		}
		if s.InMirror(c.Hash) {
			trees = append(trees, c.TreeHash)
		} else {
			queue = append(queue, c.ParentHashes...)
		}
	}
	return trees, nil
}

// newObjects returns the objects below the roots that the base trees do not hold.
func newObjects(
	ctx context.Context, s *objects.Store, base plumbing.Hash, baseTrees []plumbing.Hash, roots []string,
) (map[plumbing.Hash]bool, error) {
	out := map[plumbing.Hash]bool{}
	named := map[plumbing.Hash]bool{}
	for _, root := range roots {
		named[plumbing.NewHash(root)] = true
	}
	there := func(h plumbing.Hash) bool { return s.InMirror(h) && (h == base || !named[h]) }
	for _, root := range roots {
		list, err := newObjectsBelow(ctx, s, baseTrees, root, there)
		if err != nil {
			return nil, err
		}
		for _, h := range list {
			out[h] = true
		}
	}
	return out, dropBaseObjects(ctx, s, baseTrees, out)
}

func newObjectsBelow(
	ctx context.Context,
	s *objects.Store,
	baseTrees []plumbing.Hash,
	root string,
	there func(commit plumbing.Hash) bool,
) ([]plumbing.Hash, error) {
	h := plumbing.NewHash(root)
	if !plumbing.IsHash(root) {
		return nil, fmt.Errorf("git: pack: %q is not the whole hash of a tree or commit", root)
	}
	kind, _, err := s.Get(h)
	switch {
	case err != nil:
		return nil, fmt.Errorf("git: pack %s: %w", root, err)
	case kind == plumbing.CommitObject:
		return listCommits(ctx, s, h, there)
	case kind != plumbing.TreeObject:
		return nil, fmt.Errorf("git: pack: %s is a %s, not a tree or commit", root, kind)
	}
	list := &objectList{store: s, seen: map[plumbing.Hash]bool{}}
	if err := list.addTree(h, baseTrees); err != nil {
		return nil, fmt.Errorf("git: pack %s: %w", root, err)
	}
	return list.hashes, nil
}

// dropBaseObjects removes from fresh the objects that the base trees hold at another path, as after the
// rename of a folder. Only objects in the mirror can be such objects, so the walk is mostly skipped.
func dropBaseObjects(
	ctx context.Context, s *objects.Store, baseTrees []plumbing.Hash, fresh map[plumbing.Hash]bool,
) error {
	maybe := 0
	for h := range fresh {
		if s.InMirror(h) {
			maybe++
		}
	}
	seen := map[plumbing.Hash]bool{}
	for queue := slices.Clone(baseTrees); maybe > 0 && len(queue) > 0; {
		h := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if err := ctx.Err(); err != nil {
			return err
		}
		nodes, err := gittree.Read(s, h)
		if err != nil {
			return err
		}
		for _, n := range append(nodes, gittree.Node{Hash: h}) {
			if fresh[n.Hash] && n.Mode != gittree.Submodule {
				delete(fresh, n.Hash)
				maybe--
			}
			if n.IsDir() && !seen[n.Hash] {
				seen[n.Hash] = true
				queue = append(queue, n.Hash)
			}
		}
	}
	return nil
}

func sortedHashes(set map[plumbing.Hash]bool) []plumbing.Hash {
	out := make([]plumbing.Hash, 0, len(set))
	for h := range set {
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	return out
}

// sizeError names the largest file, since a person can do something about that.
func sizeError(
	ctx context.Context, s *objects.Store, limit int64, baseTrees []plumbing.Hash, roots []string,
) error {
	var path string
	var most int64
	for _, root := range roots {
		tree, err := gittree.FindTree(s, root)
		if err != nil {
			continue
		}
		deltas, _ := gittree.Compare(ctx, s, baseTrees[0], tree, "")
		for _, d := range deltas {
			if d.After.None() || d.After.Mode == gittree.Submodule {
				continue
			}
			if size, err := s.EncodedObjectSize(d.After.Hash); err == nil && size > most {
				path = d.Path
				most = size
			}
		}
	}
	e := &Error{Reason: fmt.Sprintf("the session's own work takes more than the %s that are kept of it",
		formatSize(limit))}
	if path == "" {
		e.Reason += ": take large files out or name them in .gitignore"
	} else {
		e.Reason += fmt.Sprintf(": take large files out or name them in .gitignore, first of all %q with %s",
			path, formatSize(most))
	}
	return e
}

func formatSize(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return gittree.FormatMegabytes(n)
}

// packing writes a pack object by object, so that besides the pack only the objects on one path are in
// memory. It writes only objects that Unpack accepts.
type packing struct {
	store *objects.Store
	left  map[plumbing.Hash]bool
	Out   bytes.Buffer
	zlib  *zlib.Writer
	room  int64 // maximum size of the pack in bytes, without its checksum
	bulk  int64 // inflated bytes so far
}

func NewPacking(s *objects.Store, fresh map[plumbing.Hash]bool, limit int64) *packing {
	p := &packing{store: s, left: make(map[plumbing.Hash]bool, len(fresh)), room: limit - sha1.Size}
	for h := range fresh {
		p.left[h] = true
	}
	p.Out.WriteString("PACK\x00\x00\x00\x02")
	_ = binary.Write(&p.Out, binary.BigEndian, uint32(len(fresh)))
	p.zlib = zlib.NewWriter(&p.Out)
	return p
}

func (p *packing) isTooLarge() bool { return int64(p.Out.Len()) > p.room || p.bulk > inflateLimit }

func (p *packing) addObject(ctx context.Context, h plumbing.Hash) error {
	if !p.left[h] || p.isTooLarge() {
		return ctx.Err()
	}
	delete(p.left, h)
	kind, content, err := p.store.Get(h)
	if err != nil {
		return fmt.Errorf("git: pack %s: %w", h, err)
	}
	needs, err := needsOf(kind, content)
	if err != nil {
		return &Error{Reason: fmt.Sprintf("the %s %s cannot be kept: %v", kind, h, err)}
	}
	for _, n := range needs {
		if err := p.addObject(ctx, n.hash); err != nil {
			return err
		}
	}
	return p.WriteObject(kind, content)
}

func (p *packing) WriteObject(kind plumbing.ObjectType, content []byte) error {
	size := uint64(len(content))
	first, size := byte(kind)<<4|byte(size&15), size>>4
	if size > 0 {
		first |= 0x80
	}
	p.Out.WriteByte(first)
	if size > 0 {
		p.Out.Write(binary.AppendUvarint(nil, size))
	}
	p.bulk += int64(len(content))
	p.zlib.Reset(&p.Out)
	_, err := p.zlib.Write(content)
	return errors.Join(err, p.zlib.Close())
}

func (p *packing) appendChecksum() []byte {
	sum := sha1.Sum(p.Out.Bytes())
	p.Out.Write(sum[:])
	return p.Out.Bytes()
}
