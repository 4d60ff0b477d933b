package attachment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	maskBlock   = 1 << 20  // bytes that are masked at once
	storedEnd   = 64 << 10 // bytes of each end of a long text that are stored
	maxAllTexts = 1 << 30  // bytes of the texts of one session
)

// fetchWithin reads a file unless the files of the session are too much already.
func (at *Attachments) fetchWithin(
	ctx context.Context, a workflow.Attachment, list []workflow.Attachment,
) (workflow.Attachment, error) {
	sum := int64(0)
	for _, other := range list {
		if other.State == workflow.AttachmentRead {
			sum += other.Size
		}
		if other.State == workflow.AttachmentGone {
			_ = os.Remove(at.longPath(other)) // most have none
		}
	}
	if sum > maxAllTexts {
		a.State = workflow.AttachmentUnread
		a.Why = "the files of this thread have more than " + plaintext.FormatSize(maxAllTexts) +
			" already; attach it in a new thread"
		return a, nil
	}
	return at.fetch(ctx, a)
}

// fetch reads a file, with its secrets masked. A text that is too long to be stored is put into the session's
// folder.
func (at *Attachments) fetch(
	ctx context.Context, a workflow.Attachment,
) (got workflow.Attachment, err error) {
	dir := at.Folder("attachments")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return a, fmt.Errorf("make room for attachments: %w", err)
	}
	text, err := newMaskedText(dir, at.SecretFinder().Mask)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, text.close()) }()
	if got, err = at.Slack.Fetch(ctx, a, dir, text); err != nil {
		return a, err
	}
	if got.State != workflow.AttachmentRead || got.Media != workflow.MediaText {
		return got, nil
	}
	if got.Content, err = text.finish(); err != nil {
		return a, err
	}
	if got.Size = text.size; got.Long() {
		return got, text.keep(at.longPath(got))
	}
	return got, nil
}

// longPath returns where the whole of a long text is kept.
func (at *Attachments) longPath(a workflow.Attachment) string {
	return filepath.Join(at.Folder("attachments"), fmt.Sprintf("%d.txt", a.Number))
}

// openLong opens a long text. A machine that does not have it, such as another replica, gets it from Slack
// again; if that fails, the text is the ends that are stored.
func (at *Attachments) openLong(ctx context.Context, a workflow.Attachment) (io.ReadSeekCloser, error) {
	at.fetching.Lock()
	defer at.fetching.Unlock()
	f, err := os.Open(at.longPath(a))
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	again := a
	again.URL = "" // Slack is asked for the address and the size of today
	got, err := at.fetch(ctx, again)
	if err == nil && got.Long() {
		return os.Open(at.longPath(a))
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	at.Log.Warn("a long attachment cannot be read again", "file", a.File, "why", got.Why, "err", err)
	return memory{bytes.NewReader(a.Content)}, nil
}

// memory is a text that is held in memory.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// A maskedText is a file to which text is written with its secrets masked. It is masked in blocks that end
// with a line, so that memory stays bounded.
type maskedText struct {
	file    *os.File
	mask    func(string) string
	pending []byte
	size    int64 // bytes in the file
	kept    bool
}

// newMaskedText creates a file in dir, which close removes unless it is kept.
func newMaskedText(dir string, mask func(string) string) (*maskedText, error) {
	f, err := os.CreateTemp(dir, "text-")
	if err != nil {
		return nil, fmt.Errorf("make room for an attachment: %w", err)
	}
	return &maskedText{file: f, mask: mask}, nil
}

func (m *maskedText) Write(p []byte) (int, error) {
	m.pending = append(m.pending, p...)
	for len(m.pending) > maskBlock {
		if err := m.flush(blockEnd(m.pending[:maskBlock])); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// blockEnd returns where a block ends: after its last line, or, in a line that is longer than the block,
// before its last character.
func blockEnd(block []byte) int {
	if end := bytes.LastIndexByte(block, '\n') + 1; end > 0 {
		return end
	}
	end := len(block) - 1
	for end > len(block)-utf8.UTFMax && !utf8.RuneStart(block[end]) {
		end--
	}
	return end
}

// flush masks and writes the first bytes that are pending.
func (m *maskedText) flush(end int) error {
	n, err := m.file.WriteString(m.mask(string(m.pending[:end])))
	m.size += int64(n)
	m.pending = append(m.pending[:0], m.pending[end:]...)
	return err
}

// finish writes what is pending and returns the text as it is stored: the whole of it, or the ends of a long
// one.
func (m *maskedText) finish() ([]byte, error) {
	if err := m.flush(len(m.pending)); err != nil {
		return nil, err
	}
	if m.size <= workflow.MaxStoredText {
		return io.ReadAll(io.NewSectionReader(m.file, 0, m.size))
	}
	head := make([]byte, storedEnd)
	tail := make([]byte, storedEnd)
	if _, err := m.file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if _, err := m.file.ReadAt(tail, m.size-storedEnd); err != nil {
		return nil, err
	}
	head = head[:blockEnd(head)]
	tail = tail[bytes.IndexByte(tail, '\n')+1:]
	left := m.size - int64(len(head)+len(tail))
	between := fmt.Sprintf("[… %s left out here …]\n", plaintext.FormatSize(left))
	return bytes.ToValidUTF8(append(append(head, between...), tail...), nil), nil
}

// keep gives the file its name.
func (m *maskedText) keep(name string) error {
	if err := os.Rename(m.file.Name(), name); err != nil {
		return fmt.Errorf("keep an attachment: %w", err)
	}
	m.kept = true
	return nil
}

// close closes the file, and removes it unless it is kept.
func (m *maskedText) close() error {
	err := m.file.Close()
	if !m.kept {
		err = errors.Join(err, os.Remove(m.file.Name()))
	}
	return err
}
