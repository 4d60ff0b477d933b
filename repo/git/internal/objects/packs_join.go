package objects

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

const PackHead = 12 // PACK, version, count

// Each fetch of new objects leaves a pack, and each pack costs a descriptor, a cache and a lookup in
// every search.
const (
	packsMany  = 24       // from this many small packs on they are combined
	packsSmall = 64 << 20 // bytes; larger packs are left as they are
)

// CombinePacks combines the small packs into one if there are many, and returns how many it combined.
// to opens the writer of the new pack. Readers continue: the file of an old pack is closed when its
// last reader has released it.
func (p *Packs) CombinePacks(to func() (io.WriteCloser, error)) (combined int, err error) {
	small := slices.DeleteFunc(slices.Clone(p.ListPacks()),
		func(one *pack) bool { return one.size > packsSmall })
	if len(small) < packsMany {
		return 0, nil
	}
	w, err := to()
	if err == nil {
		err = joinPacks(w, small)
		if closed := w.Close(); err == nil {
			err = closed
		}
	}
	if err == nil {
		err = p.LoadNew()
	}
	if err == nil {
		err = p.DropPacks(small)
	}
	if err != nil {
		return 0, fmt.Errorf("git: make one pack of %d: %w", len(small), err)
	}
	return len(small), nil
}

// joinPacks writes the entries of all packs one after the other, unchanged. A delta names its base by
// its distance within its own pack, or by its hash, so both stay valid.
func joinPacks(to io.Writer, list []*pack) error {
	sum := sha1.New() //nolint:gosec // the format's own checksum
	w := io.MultiWriter(to, sum)
	head := [PackHead]byte{'P', 'A', 'C', 'K', 7: 2}
	var count uint32
	for _, p := range list {
		var own [PackHead]byte
		if _, err := p.file.ReadAt(own[:], 0); err != nil {
			return err
		}
		count += binary.BigEndian.Uint32(own[8:])
	}
	binary.BigEndian.PutUint32(head[8:], count)
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	for _, p := range list {
		if _, err := io.Copy(w,
			io.NewSectionReader(p.file, PackHead, p.size-PackHead-sha1.Size)); err != nil {
			return err
		}
	}
	_, err := to.Write(sum.Sum(nil))
	return err
}

// DropPacks removes packs if all their objects are in other packs, and fails otherwise. It does not
// close their files; that happens when no reader can use them any more.
func (p *Packs) DropPacks(list []*pack) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(p.Open),
		func(one *pack) bool { return slices.Contains(list, one) })
	for _, one := range list {
		for i := range one.Count {
			h := plumbing.Hash(one.NameAt(i))
			if !slices.ContainsFunc(rest, func(other *pack) bool {
				_, ok := other.FindOffset(h)
				return ok
			}) {
				return fmt.Errorf("object %s would be lost", h)
			}
		}
	}
	p.Open = rest // a new slice, since readers may be using the old one
	for _, one := range list {
		name := one.file.Name()
		name = name[:len(name)-len(".pack")]
		delete(p.named, name)
		for _, ext := range []string{".idx", ".pack", ".rev"} {
			// the index first, since a process that lists packs looks for it
			if err := os.Remove(name + ext); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
	}
	return nil
}
