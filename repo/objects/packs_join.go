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

// Each fetch that brings something leaves a pack, and each pack costs a descriptor, a cache
// and a look at every search.
const (
	packsMany  = 24       // from so many small ones on they are made one
	packsSmall = 64 << 20 // larger ones are left as they are
)

// CombinePacks makes one pack of the small ones where there are many, and returns how many it
// made one. to takes in the new pack. Readers go on: what they have in hand is closed when
// the last of them lets go of it.
func (p *Packs) CombinePacks(to func() (io.WriteCloser, error)) (combined int, err error) {
	small := slices.DeleteFunc(slices.Clone(p.ListPacks()), func(one *pack) bool { return one.size > packsSmall })
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
		return 0, fmt.Errorf("repo: make one pack of %d: %w", len(small), err)
	}
	return len(small), nil
}

// joinPacks writes the entries of all packs one after the other, as they are: a delta names
// its base by how far back it stands in its own pack, or by its hash, so both still hold.
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
		if _, err := io.Copy(w, io.NewSectionReader(p.file, PackHead, p.size-PackHead-sha1.Size)); err != nil {
			return err
		}
	}
	_, err := to.Write(sum.Sum(nil))
	return err
}

// DropPacks removes packs once every object of theirs is found elsewhere. Their files are left
// to be closed when nobody can read from them any more.
func (p *Packs) DropPacks(list []*pack) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(p.Open), func(one *pack) bool { return slices.Contains(list, one) })
	for _, one := range list {
		for i := range one.Count {
			h := plumbing.Hash(one.NameAt(i))
			if !slices.ContainsFunc(rest, func(other *pack) bool { _, ok := other.FindOffset(h); return ok }) {
				return fmt.Errorf("object %s would be lost", h)
			}
		}
	}
	p.Open = rest // a new list: readers may be in the old one
	for _, one := range list {
		name := one.file.Name()
		name = name[:len(name)-len(".pack")]
		delete(p.named, name)
		for _, ext := range []string{".idx", ".pack", ".rev"} { // whoever lists packs looks for the index
			if err := os.Remove(name + ext); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
	}
	return nil
}
