package repo

import (
	"context"
	"crypto/sha1" //nolint:gosec // the format's own checksum
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// Each fetch that brings something leaves a pack, and each pack costs a descriptor, a cache
// and a look at every search.
const (
	packsMany  = 24       // from so many small ones on they are made one
	packsSmall = 64 << 20 // larger ones are left as they are
)

// combine makes one pack of a mirror's small ones, where this process has it open. Readers
// go on: what they have in hand is closed when the last of them lets go of it.
func (m *Mirrors) combine(ctx context.Context, dir string) error {
	m.mu.Lock()
	one := m.open[dir]
	m.mu.Unlock()
	if one == nil || !one.isReady() {
		return nil
	}
	if err := one.lock(ctx); err != nil {
		return nil //nolint:nilerr // the program stops
	}
	defer one.unlock()
	if !one.isReady() {
		return nil
	}
	small := slices.DeleteFunc(slices.Clone(one.packs.list()), func(p *pack) bool { return p.size > packsSmall })
	if len(small) < packsMany {
		return nil
	}
	if err := one.combine(ctx, small); err != nil {
		return fmt.Errorf("repo: make one pack of %d: %w", len(small), err)
	}
	one.log.Debug("made one pack of many", "repository", one.Remote().Name, "packs", len(small))
	return nil
}

// combine writes the entries of all packs one after the other, as they are: a delta names
// its base by how far back it stands in its own pack, or by its hash, so both still hold.
func (m *Mirror) combine(ctx context.Context, small []*pack) error {
	w, err := m.packWriter(ctx)
	if err != nil {
		return err
	}
	err = joinPacks(w, small)
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := m.packs.load(); err != nil {
		return err
	}
	return m.packs.drop(small)
}

func joinPacks(to io.Writer, list []*pack) error {
	sum := sha1.New() //nolint:gosec // the format's own checksum
	w := io.MultiWriter(to, sum)
	head := [packHead]byte{'P', 'A', 'C', 'K', 7: 2}
	var count uint32
	for _, p := range list {
		var own [packHead]byte
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
		if _, err := io.Copy(w, io.NewSectionReader(p.file, packHead, p.size-packHead-sha1.Size)); err != nil {
			return err
		}
	}
	_, err := to.Write(sum.Sum(nil))
	return err
}

// drop removes packs once every object of theirs is found elsewhere. Their files are left
// to be closed when nobody can read from them any more.
func (p *packs) drop(list []*pack) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(p.open), func(one *pack) bool { return slices.Contains(list, one) })
	for _, one := range list {
		for i := range one.count {
			h := plumbing.Hash(one.name(i))
			if !slices.ContainsFunc(rest, func(other *pack) bool { _, ok := other.find(h); return ok }) {
				return fmt.Errorf("object %s would be lost", h)
			}
		}
	}
	p.open = rest // a new list: readers may be in the old one
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
