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

func (c *baseCache) get(offset int64) (plumbing.ObjectType, []byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.at[offset]
	if !ok {
		return 0, nil, false
	}
	c.order.MoveToFront(el)
	item := el.Value.(baseItem)
	return item.kind, item.content, true
}

func (c *baseCache) put(offset int64, kind plumbing.ObjectType, content []byte) {
	if len(content) > baseCacheItem {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.at[offset]; ok {
		return
	}
	if c.at == nil {
		c.at = map[int64]*list.Element{}
	}
	c.at[offset] = c.order.PushFront(baseItem{offset, kind, content})
	for c.size += len(content); c.size > baseCacheSize; {
		last := c.order.Remove(c.order.Back()).(baseItem)
		delete(c.at, last.offset)
		c.size -= len(last.content)
	}
}
