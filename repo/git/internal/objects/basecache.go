package objects

import (
	"container/list"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

const (
	baseCacheSize = 16 << 20 // bytes of inflated delta bases kept per pack
	baseCacheItem = baseCacheSize / 4
)

// baseCache keeps the objects to which deltas were last applied, and the results, by their offset in
// the pack. Neighbours in a pack share their bases.
type baseCache struct {
	mu    sync.Mutex
	size  int
	order list.List
	at    map[int64]*list.Element
}

type baseItem struct {
	offset  int64
	kind    plumbing.ObjectType
	content []byte
}

func (b *baseCache) get(offset int64) (plumbing.ObjectType, []byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	el, ok := b.at[offset]
	if !ok {
		return 0, nil, false
	}
	b.order.MoveToFront(el)
	item := el.Value.(baseItem)
	return item.kind, item.content, true
}

func (b *baseCache) put(offset int64, kind plumbing.ObjectType, content []byte) {
	if len(content) > baseCacheItem {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.at[offset]; ok {
		return
	}
	if b.at == nil {
		b.at = map[int64]*list.Element{}
	}
	b.at[offset] = b.order.PushFront(baseItem{offset, kind, content})
	for b.size += len(content); b.size > baseCacheSize; {
		last := b.order.Remove(b.order.Back()).(baseItem)
		delete(b.at, last.offset)
		b.size -= len(last.content)
	}
}
