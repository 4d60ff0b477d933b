package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	// outputPrefix before a path names an output that was kept, not a file of the repository.
	outputPrefix = "output:"
	// attachmentPrefix likewise names what people attached.
	attachmentPrefix = "attachment:"
	keptInMemory     = 128 << 10 // bytes of each end
)

// A capture takes both streams of a command as they come: the two ends in memory, the
// whole in a file.
type capture struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // up to twice keptInMemory
	total int64
	file  *os.File // nil: nothing is kept
	lost  error    // why the file is not whole
}

// Write never fails: a full disk must not look like a failing command.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += int64(len(p))
	if c.file != nil && c.lost == nil {
		_, c.lost = c.file.Write(p)
	}
	rest := p
	if room := keptInMemory - len(c.head); room > 0 {
		n := min(room, len(rest))
		c.head, rest = append(c.head, rest[:n]...), rest[n:]
	}
	c.tail = append(c.tail, rest[max(0, len(rest)-keptInMemory):]...)
	if len(c.tail) > 2*keptInMemory {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-keptInMemory:]...)
	}
	return len(p), nil
}

// size is how much was printed.
func (c *capture) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// text is the output without what a terminal would act upon, its middle left out where
// it is long. whole says that nothing is missing.
func (c *capture) text(head, tail int) (out string, whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	missing := c.total - int64(len(c.head)) - int64(len(c.tail))
	if missing <= 0 {
		out, left := plaintext.CutMiddle(plaintext.StripTerminal(string(c.head)+string(c.tail)), head, tail)
		return out, left == 0
	}
	first, last := []rune(plaintext.StripTerminal(string(c.head))), []rune(plaintext.StripTerminal(string(c.tail)))
	first, last = first[:min(len(first), head)], last[max(0, len(last)-tail):]
	return fmt.Sprintf("%s\n[… the middle of %s left out …]\n%s", string(first), plaintext.FormatSize(c.total), string(last)), false
}

// newOutput makes the next file for a whole output; nil when none are kept.
func (b *Bench) newOutput() (*os.File, string, error) {
	if b.OutputDir == "" {
		return nil, "", nil
	}
	if err := os.MkdirAll(b.OutputDir, 0o700); err != nil {
		return nil, "", fmt.Errorf("make the folder for outputs: %w", err)
	}
	dir, err := os.OpenRoot(b.OutputDir)
	if err != nil {
		return nil, "", fmt.Errorf("open the folder for outputs: %w", err)
	}
	defer func() { _ = dir.Close() }()
	for n := 1; ; n++ {
		name := fmt.Sprintf("run-%d.txt", n)
		f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("keep an output: %w", err)
		}
		return f, name, nil
	}
}

// finish closes a capture and throws its file away where the model was told everything.
func (c *capture) finish(whole bool) (kept bool) {
	if c.file == nil {
		return false
	}
	_ = c.file.Close()
	if whole || c.lost != nil {
		_ = os.Remove(c.file.Name())
		return false
	}
	return true
}

// openAttachment reads what people attached.
func (b *Bench) openAttachment(ctx context.Context, ref string) (name string, content []byte, err error) {
	if b.Attachment == nil {
		return "", nil, wrong("Nothing was attached.")
	}
	return b.Attachment(ctx, ref)
}

// attachedAs is what people attached, where a model calls it by their name for it.
func (b *Bench) attachedAs(ctx context.Context, p string) string {
	if b.AttachedAs == nil {
		return ""
	}
	return b.AttachedAs(ctx, path.Base(p))
}

var outputName = regexp.MustCompile(`^run-\d{1,9}\.txt$`)

// openOutput reads an output that was kept, and no other file.
func (b *Bench) openOutput(name string) (content, error) {
	gone := wrongf("There is no kept output %s: run the command again.", plaintext.QuotePath(name))
	if b.OutputDir == "" || !outputName.MatchString(name) {
		return content{}, gone
	}
	dir, err := os.OpenRoot(b.OutputDir)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, gone
	}
	if err != nil {
		return content{}, fmt.Errorf("open the folder for outputs: %w", err)
	}
	defer func() { _ = dir.Close() }()
	if _, err := dir.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return content{}, gone
	}
	c, err := load(dir, name)
	if err != nil {
		return content{}, err
	}
	c.data = []byte(plaintext.StripTerminal(string(c.data)))
	return c, nil
}
