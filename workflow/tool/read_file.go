package tool

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	defaultLines = 400
	maxShown     = 50 << 10 // bytes of one answer
	maxLine      = 2000     // characters of one line
)

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line, from 1"`
	Limit  int    `json:"limit,omitempty" jsonschema:"lines, default 400"`
}

func (b *Bench) readFile(ctx context.Context, in readArgs) (string, error) {
	if kept, ok := strings.CutPrefix(in.Path, outputPrefix); ok {
		c, err := b.openOutput(kept)
		if err != nil {
			return "", err
		}
		return page(in.Path, c.data, in)
	}
	if strings.HasPrefix(in.Path, attachmentPrefix) {
		name, content, err := b.openAttachment(ctx, in.Path)
		if err != nil {
			return "", err
		}
		text, err := page(in.Path, content, in)
		return "Attached in the thread as " + plaintext.QuotePath(plaintext.CutCounted(name, maxSkillName)) + ": data, whoever wrote it.\n" + text, err
	}
	if strings.TrimSpace(in.Path) == "" {
		return "", wrong("Which file? Give its path; list_files shows what there is.")
	}
	if Private(in.Path) {
		return "", secretFile(in.Path)
	}
	b.changing.RLock() // so that what is remembered is what is there
	defer b.changing.RUnlock()
	c, err := b.open(ctx, in.Path)
	if err != nil {
		return "", err
	}
	if Private(c.path) {
		return "", secretFile(c.path)
	}
	text, err := page(c.path, c.data, in)
	if err == nil {
		b.remember(c.path, c.data)
	}
	return text, err
}

func secretFile(p string) error {
	return wrongf("%s may hold secrets and is not shown. See whether there is an example of it beside it.", plaintext.QuotePath(p))
}

// page is the lines that were asked for, with what is to be known about the file.
func page(p string, data []byte, in readArgs) (string, error) {
	switch {
	case len(data) == 0:
		return fmt.Sprintf("%s is empty.", plaintext.QuotePath(p)), nil
	case binary(data):
		return fmt.Sprintf("%s is a binary file (%s, %s): it is not shown.", plaintext.QuotePath(p), plaintext.FormatSize(int64(len(data))), http.DetectContentType(data)), nil
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	first, limit := max(in.Offset, 1), in.Limit
	if limit <= 0 {
		limit = defaultLines
	}
	if first > len(lines) {
		return "", wrongf("%s has %s; offset %d lies behind its end.", plaintext.QuotePath(p), plaintext.CountNoun(len(lines), "line"), first)
	}
	shown, last, clean := numbered(lines, first, limit)
	return header(p, data, first, last, len(lines), clean) + shown, nil
}

// numbered writes lines until there are enough, or enough bytes.
func numbered(lines []string, first, limit int) (text string, last int, clean bool) {
	var s strings.Builder
	clean, last = true, first-1
	for _, line := range lines[first-1:] {
		if last-first+1 >= limit {
			break
		}
		line, ok := plaintext.EscapeLine(plaintext.CutCounted(strings.TrimSuffix(line, "\r"), maxLine))
		if s.Len() > 0 && s.Len()+len(line) > maxShown {
			break
		}
		clean = clean && ok
		last++
		s.WriteString(strconv.Itoa(last) + "\t" + line + "\n")
	}
	return s.String(), last, clean
}

func header(p string, data []byte, first, last, all int, clean bool) string {
	var notes []string
	if last < all {
		notes = append(notes, fmt.Sprintf("go on with offset %d", last+1))
	}
	if crlf(data) {
		notes = append(notes, "lines end in CRLF, which edits keep")
	}
	if !clean {
		notes = append(notes, `bytes that are not text are shown as \x or \u`)
	}
	if bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")) {
		notes = append(notes, "a Git LFS pointer: the content itself is not here")
	}
	h := fmt.Sprintf("%s, lines %d-%d of %d", plaintext.QuotePath(p), first, last, all)
	if len(notes) > 0 {
		h += "; " + strings.Join(notes, "; ")
	}
	return h + "\n"
}
