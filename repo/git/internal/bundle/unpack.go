package bundle

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/klauspost/compress/zlib"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// need is an object that another one names, and the kind that it must have.
type need struct {
	hash plumbing.Hash
	kind plumbing.ObjectType
}

// needsOf checks an object by itself and returns the objects that it needs. The pin of a submodule is
// left out, since it is a commit of another repository.
func needsOf(kind plumbing.ObjectType, content []byte) (out []need, err error) {
	switch {
	case len(content) > gittree.MaxFile:
		return nil, fmt.Errorf("it has %s, more than %s", gittree.FormatMegabytes(int64(len(content))), gittree.FormatMegabytes(gittree.MaxFile))
	case kind == plumbing.TreeObject:
		return treeNeeds(content)
	case kind != plumbing.CommitObject:
		return nil, nil
	}
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	_, _ = o.Write(content) // writing to memory does not fail
	c := &object.Commit{}
	if err := c.Decode(o); err != nil {
		return nil, err
	}
	out = append(out, need{c.TreeHash, plumbing.TreeObject})
	for _, h := range c.ParentHashes {
		out = append(out, need{h, plumbing.CommitObject})
	}
	return out, nil
}

func treeNeeds(content []byte) (out []need, err error) {
	nodes, err := gittree.Parse(content)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		err := gittree.CheckNode(n)
		switch {
		case err != nil:
			return nil, &gittree.PathError{Path: n.Name, Reason: err.Error()}
		case seen[n.Name]:
			return nil, &gittree.PathError{Path: n.Name, Reason: "is in the tree twice"}
		case n.IsDir():
			out = append(out, need{n.Hash, plumbing.TreeObject})
		case n.Mode != gittree.Submodule:
			out = append(out, need{n.Hash, plumbing.BlobObject})
		}
		seen[n.Name] = true
	}
	return out, nil
}

// Unpack stores the objects of a pack made by Pack. It accepts only blobs, trees and commits, each
// valid by itself and after all objects that it names. Any other pack is an *Error, and nothing of it
// is stored.
func Unpack(ctx context.Context, s *objects.Store, pack []byte) error {
	c := &unpacking{store: s, kinds: map[plumbing.Hash]plumbing.ObjectType{}}
	if err := ReadPack(ctx, pack, c.checkObject); err != nil {
		return err
	}
	return ReadPack(ctx, pack, func(kind plumbing.ObjectType, content []byte) error {
		_, err := s.Put(kind, content)
		return err
	})
}

// unpacking holds the kinds of the objects that were read so far.
type unpacking struct {
	store *objects.Store
	kinds map[plumbing.Hash]plumbing.ObjectType
}

func (c *unpacking) checkObject(kind plumbing.ObjectType, content []byte) error {
	h := plumbing.ComputeHash(kind, content)
	needs, err := needsOf(kind, content)
	if err != nil {
		return newError("the %s %s in it is not sound: %v", kind, h, err)
	}
	for _, n := range needs {
		if was, ok := c.kinds[n.hash]; ok && was == n.kind {
			continue
		} else if ok {
			return newError("the %s %s in it names a %s as a %s", kind, h, was, n.kind)
		}
		if !c.store.Has(n.hash) {
			e := newError("the %s %s in it builds on the %s %s, which is not here: fetch the repository and try again", kind, h, n.kind, n.hash)
			e.Missing = n.hash.String()
			return e
		}
	}
	if _, twice := c.kinds[h]; twice {
		return newError("the %s %s is in it twice", kind, h)
	}
	c.kinds[h] = kind
	return nil
}

func newError(format string, args ...any) *Error {
	return &Error{Reason: "the pack of the session's work is refused: " + gittree.Printable(fmt.Sprintf(format, args...))}
}

// ReadPack calls each for every object of a pack, in order, and trusts no number in the pack.
func ReadPack(ctx context.Context, pack []byte, each func(plumbing.ObjectType, []byte) error) error {
	if len(pack) < objects.PackHead+sha1.Size || string(pack[:8]) != "PACK\x00\x00\x00\x02" {
		return newError("it is no git pack of version 2")
	}
	body := pack[:len(pack)-sha1.Size]
	if sum := sha1.Sum(body); !bytes.Equal(sum[:], pack[len(body):]) {
		return newError("it is damaged or cut short: its checksum does not fit")
	}
	r := &packReader{in: bytes.NewReader(body[objects.PackHead:]), room: inflateLimit}
	for range binary.BigEndian.Uint32(body[8:]) {
		if err := ctx.Err(); err != nil {
			return err
		}
		kind, content, err := r.nextObject()
		if err == nil {
			err = each(kind, content)
		}
		if err != nil {
			return err
		}
	}
	if r.in.Len() > 0 {
		return newError("it goes on after its last object")
	}
	return nil
}

type packReader struct {
	in   *bytes.Reader // it reads single bytes, so zlib takes no more than its own stream
	zlib io.ReadCloser
	room int64
}

func (r *packReader) nextObject() (plumbing.ObjectType, []byte, error) {
	first, err := r.in.ReadByte()
	if err != nil {
		return 0, nil, newError("it ends before its last object")
	}
	kind, size := plumbing.ObjectType(first>>4&7), uint64(first&15)
	if kind != plumbing.BlobObject && kind != plumbing.TreeObject && kind != plumbing.CommitObject {
		return 0, nil, newError("it holds something that is no blob, tree or commit")
	}
	if first&0x80 != 0 {
		more, err := binary.ReadUvarint(r.in)
		if err != nil || more > gittree.MaxFile {
			return 0, nil, newError("it holds an object of more than %s", gittree.FormatMegabytes(gittree.MaxFile))
		}
		size |= more << 4
	}
	content, err := r.inflateObject(int64(size))
	return kind, content, err
}

func (r *packReader) inflateObject(size int64) (content []byte, err error) {
	switch {
	case size > gittree.MaxFile:
		return nil, newError("it holds an object of more than %s", gittree.FormatMegabytes(gittree.MaxFile))
	case size > int64(r.in.Len())*1100+64: // deflate's best is about 1:1030
		return nil, newError("it holds an object that is smaller than it says")
	case size > r.room:
		return nil, newError("it holds more than %s", gittree.FormatMegabytes(inflateLimit))
	}
	r.room -= size
	if r.zlib == nil {
		r.zlib, err = zlib.NewReader(r.in)
	} else {
		err = r.zlib.(zlib.Resetter).Reset(r.in, nil)
	}
	if err != nil {
		return nil, newError("it holds a damaged object: %v", err)
	}
	content = make([]byte, size)
	if _, err := io.ReadFull(r.zlib, content); err != nil {
		return nil, newError("it holds an object that is damaged or smaller than it says: %v", err)
	}
	// The end of the stream is read too, since that checks zlib's checksum.
	var beyond [1]byte
	if n, err := r.zlib.Read(beyond[:]); n != 0 || err != io.EOF {
		return nil, newError("it holds an object that is damaged or larger than it says")
	}
	return content, nil
}
