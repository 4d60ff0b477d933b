package testrun

import (
	"fmt"
	"sync"

	"github.com/bobbinhq/bobbin/repo/result"
)

// A capture keeps the beginning and the end of what is written to it. Runners sum up at
// the end, and say what they are doing at the beginning.
type capture struct {
	mu    sync.Mutex
	half  int
	first []byte
	last  []byte // the newest bytes, twice the half at most
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

// printed is how many bytes were written.
func (c *capture) printed() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// String is what was kept, with a word on what was not.
func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == 0 {
		return string(c.first) + string(c.last)
	}
	return fmt.Sprintf("%s\n[… %s left out …]\n%s", c.first, result.SizeInWords(int(c.lost)), c.last)
}
