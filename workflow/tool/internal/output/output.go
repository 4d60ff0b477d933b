package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const (
	// Prefix begins a path that names a kept output, not a file of the repository.
	Prefix       = "output:"
	keptInMemory = 128 << 10 // bytes of each end
)

// A Capture takes both streams of a command in order: the two ends in memory, the whole in a file.
type Capture struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // up to twice keptInMemory
	total int64
	file  *os.File // nil: the whole output is not kept
	name  string   // of the file, for the model
	lost  error    // why the file is incomplete
}

// Write never fails: a full disk must not look like a failing command.
func (c *Capture) Write(p []byte) (int, error) {
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

// Size returns the number of bytes printed.
func (c *Capture) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// Text returns the output without terminal sequences. Of a long output it returns head characters of the
// beginning and tail characters of the end. whole says that nothing is left out.
func (c *Capture) Text(head, tail int) (out string, whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	missing := c.total - int64(len(c.head)) - int64(len(c.tail))
	if missing <= 0 {
		out, left := plaintext.CutMiddle(plaintext.StripTerminal(string(c.head)+string(c.tail)), head, tail)
		return out, left == 0
	}
	first := []rune(plaintext.StripTerminal(string(c.head)))
	last := []rune(plaintext.StripTerminal(string(c.tail)))
	first = first[:min(len(first), head)]
	last = last[max(0, len(last)-tail):]
	return fmt.Sprintf("%s\n[… the middle of %s left out …]\n%s", string(first),
		plaintext.FormatSize(c.total), string(last)), false
}

// NewCapture returns a Capture that keeps the whole output of the run or check with that number in dir, or
// nowhere if dir is empty. The name of the tool, run or check, begins that of the file. Without a number, 0,
// it gets the next one that is free in dir.
func NewCapture(dir, tool string, number int) (*Capture, error) {
	file, name, err := createOutput(dir, tool, number)
	if err != nil {
		return nil, err
	}
	return &Capture{file: file, name: name}, nil
}

// createOutput creates the file for a whole output in dir, such as run-1.txt; it returns nil if dir is empty.
func createOutput(dir, tool string, number int) (*os.File, string, error) {
	if dir == "" {
		return nil, "", nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", fmt.Errorf("make the folder for outputs: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", fmt.Errorf("open the folder for outputs: %w", err)
	}
	defer func() { _ = root.Close() }()
	if number > 0 { // a run with that number that was interrupted may have left a file; nobody was told of it
		_ = root.Remove(outputFile(tool, number))
	}
	for n := max(number, 1); ; n++ {
		name := outputFile(tool, n)
		f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("keep an output: %w", err)
		}
		return f, name, nil
	}
}

func outputFile(tool string, number int) string { return fmt.Sprintf("%s-%d.txt", tool, number) }

// Finish closes a capture. It removes the file if the model was shown everything, or if the file is
// incomplete.
func (c *Capture) Finish(whole bool) (kept bool) {
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

var outputName = regexp.MustCompile(`^(?:run|check)-\d{1,9}\.txt$`)

// LoadOutput reads an output that was kept, and no other file.
func LoadOutput(dir, name string) (workfile.Content, error) {
	gone := model.Mistakef("There is no kept output %s: run the command again.", plaintext.QuotePath(name))
	if dir == "" || !outputName.MatchString(name) {
		return workfile.Content{}, gone
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return workfile.Content{}, gone
	}
	if err != nil {
		return workfile.Content{}, fmt.Errorf("open the folder for outputs: %w", err)
	}
	defer func() { _ = root.Close() }()
	if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return workfile.Content{}, gone
	}
	c, err := workfile.Load(root, name)
	if err != nil {
		return workfile.Content{}, err
	}
	c.Data = []byte(plaintext.StripTerminal(string(c.Data)))
	return c, nil
}

// LastLines returns the end of an output, as much of it as is worth storing.
func LastLines(text string) string {
	const most = 400
	text = strings.TrimSpace(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "")
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
	}
	return text
}

func OrNone(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return "(no output)"
	}
	return text
}

// DescribeRest tells the model where the whole output is.
func (c *Capture) DescribeRest(whole, kept bool) string {
	switch {
	case whole:
		return ""
	case kept:
		return fmt.Sprintf("\n[the whole output: read_file or search with path %s%s]", Prefix, c.name)
	}
	return "\n[to see the rest run it again with | grep, | head or | tail]"
}
