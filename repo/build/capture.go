package build

import (
	"fmt"
	"sync"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// A capture keeps the beginning and the end of what is written to it: runners say at the beginning what
// they are doing, and print a summary at the end.
type capture struct {
	mu    sync.Mutex
	half  int
	first []byte
	last  []byte // the newest bytes, at most twice half
	lost  int64
	total int64
}

// Write never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += int64(n)
	if room := c.half - len(c.first); room > 0 {
		room = min(room, len(p))
		c.first, p = append(c.first, p[:room]...), p[room:]
	}
	c.last = append(c.last, p...)
	if len(c.last) > 2*c.half {
		drop := len(c.last) - c.half
		c.lost += int64(drop)
		c.last = append(c.last[:0], c.last[drop:]...)
	}
	return n, nil
}

// printed returns the number of bytes written.
func (c *capture) printed() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// since returns at most most bytes of what was written after the first at bytes, and up to where it reaches.
// What is no longer kept is skipped.
func (c *capture) since(at int64, most int) (part string, next int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.first
	from := int64(0)
	if at >= int64(len(c.first)) {
		text = c.last
		from = int64(len(c.first)) + c.lost
	}
	at = max(at, from)
	if at-from >= int64(len(text)) {
		return "", at
	}
	text = text[at-from:]
	text = text[:min(len(text), most)]
	return string(text), at + int64(len(text))
}

// String returns the kept text, with a note in the middle of how much was left out.
func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == 0 {
		return string(c.first) + string(c.last)
	}
	return fmt.Sprintf("%s\n[… %s left out …]\n%s", c.first, result.SizeInWords(int(c.lost)), c.last)
}
