package objects

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Packs holds the packs of one mirror, shared by all its readers.
type Packs struct {
	dir  string // objects/pack
	pool *sync.Pool

	Users atomic.Int64 // number of open worktrees that read from the packs

	mu     sync.RWMutex
	Open   []*pack
	named  map[string]bool
	loaded time.Time // modification time of the folder when it was last listed
}

func OpenPacks(dir string) (*Packs, error) {
	p := &Packs{dir: dir, pool: NewInflaters(), named: map[string]bool{}}
	return p, p.LoadNew()
}

// LoadNew opens the packs that are new in the folder. Packs that a repack removed stay open, since
// readers may be using them.
func (p *Packs) LoadNew() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(p.dir)
	if err != nil {
		return fmt.Errorf("git: list packs: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(p.dir, "pack-*.idx"))
	if err != nil {
		return fmt.Errorf("git: list packs: %w", err)
	}
	for _, idx := range found {
		name := strings.TrimSuffix(idx, ".idx")
		if p.named[name] {
			continue
		}
		if _, err := os.Stat(name + ".pack"); errors.Is(err, os.ErrNotExist) {
			continue // it is being written: its index comes first
		}
		one, err := OpenPack(name, p.pool)
		if err != nil {
			return err
		}
		p.Open = append(p.Open, one)
		p.named[name] = true
	}
	p.loaded = info.ModTime()
	return nil
}

// isStale reports whether the folder has changed since it was listed, as when another process has added
// a pack.
func (p *Packs) isStale() bool {
	info, err := os.Stat(p.dir)
	p.mu.RLock()
	defer p.mu.RUnlock()
	return err == nil && !info.ModTime().Equal(p.loaded)
}

func (p *Packs) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, one := range p.Open {
		errs = append(errs, one.Close())
	}
	p.Open = nil
	p.named = map[string]bool{}
	return errors.Join(errs...)
}

// WithPrefix lists the objects whose hash begins with the given bytes.
func (p *Packs) WithPrefix(prefix []byte) []plumbing.Hash {
	found := map[plumbing.Hash]struct{}{}
	for _, one := range p.ListPacks() {
		one.withPrefix(prefix, found)
	}
	return slices.Collect(maps.Keys(found))
}

// Len returns the number of open packs.
func (p *Packs) Len() int { return len(p.ListPacks()) }

func (p *Packs) ListPacks() []*pack {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.Open
}

func (p *Packs) findObject(h plumbing.Hash) (*pack, int64) {
	list := p.ListPacks()
	for i := len(list) - 1; i >= 0; i-- {
		if offset, ok := list[i].FindOffset(h); ok {
			return list[i], offset
		}
	}
	return nil, 0
}
