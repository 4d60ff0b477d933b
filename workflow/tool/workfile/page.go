package workfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

const (
	defaultLines = 400
	maxPage      = 50 << 10 // bytes of one answer
	maxLine      = 2000     // characters of one line
)

// ShowPage returns the requested lines, after a line with what a reader has to know about the file.
func ShowPage(p string, data []byte, offset, limit int) (string, error) {
	switch {
	case len(data) == 0:
		return fmt.Sprintf("%s is empty.", plaintext.QuotePath(p)), nil
	case IsBinary(data):
		return fmt.Sprintf("%s is a binary file (%s, %s): it is not shown.", plaintext.QuotePath(p),
			plaintext.FormatSize(int64(len(data))), http.DetectContentType(data)), nil
	}
	lines := strings.Split(strings.TrimSuffix(redact.HideKeys(string(data)), "\n"), "\n")
	first := max(offset, 1)
	if limit <= 0 {
		limit = defaultLines
	}
	if first > len(lines) {
		return "", model.Mistakef("%s has %s; offset %d lies behind its end.", plaintext.QuotePath(p),
			plaintext.CountNoun(len(lines), "line"), first)
	}
	shown, last, clean := NumberLines(lines, first, limit)
	notes := []string{fmt.Sprintf("%s, lines %d-%d of %d", plaintext.QuotePath(p), first, last, len(lines))}
	if last < len(lines) {
		notes = append(notes, fmt.Sprintf("go on with offset %d", last+1))
	}
	notes = append(notes, oddities(data, clean)...)
	return strings.Join(notes, "; ") + "\n" + shown, nil
}

// ShowText returns the requested lines of a text of any size, as ShowPage does. It holds no more than a page
// of a text that is longer than MaxFile.
func ShowText(p string, text io.ReadSeeker, offset, limit int) (string, error) {
	size, err := text.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = text.Seek(0, io.SeekStart)
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", p, err)
	}
	if size <= MaxFile {
		data, err := io.ReadAll(text)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", p, err)
		}
		return ShowPage(p, data, offset, limit)
	}
	first := max(offset, 1)
	if limit <= 0 {
		limit = defaultLines
	}
	lines, total, err := readLines(text, first, min(limit, maxPage))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", p, err)
	case len(lines) == 0:
		return "", model.Mistakef("%s has %s; offset %d lies behind its end.", plaintext.QuotePath(p),
			plaintext.CountNoun(total, "line"), first)
	}
	shown, last, _ := numberFrom(lines, first, limit)
	note := fmt.Sprintf("%s, lines %d-%d of %d", plaintext.QuotePath(p), first, last, total)
	if last < total {
		note += fmt.Sprintf("; go on with offset %d", last+1)
	}
	return note + "\n" + shown, nil
}

// readLines returns limit lines from number first on, as far as they fit on a page, and counts all lines.
func readLines(text io.Reader, first, limit int) (lines []string, total int, err error) {
	r := bufio.NewReaderSize(text, 64<<10)
	size := 0
	begins := true // the next piece begins a line
	for {
		piece, err := r.ReadSlice('\n')
		if len(piece) > 0 && begins {
			if total++; total >= first && total < first+limit && size <= maxPage {
				line := strings.TrimSuffix(string(piece[:min(len(piece), 4*maxLine)]), "\n")
				size += len(line)
				lines = append(lines, line)
			}
		}
		begins = err == nil
		if errors.Is(err, io.EOF) {
			return lines, total, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, 0, err
		}
	}
}

// NumberLines returns the lines from number first on with their numbers, until there are limit lines or
// maxPage bytes. last is the number of the last one; clean is false if a character was escaped.
func NumberLines(lines []string, first, limit int) (text string, last int, clean bool) {
	return numberFrom(lines[first-1:], first, limit)
}

// numberFrom is NumberLines for lines of which the first has that number.
func numberFrom(lines []string, first, limit int) (text string, last int, clean bool) {
	var s strings.Builder
	clean = true
	last = first - 1
	for _, line := range lines {
		if last-first+1 >= limit {
			break
		}
		line, ok := plaintext.EscapeLine(plaintext.CutCounted(strings.TrimSuffix(line, "\r"), maxLine))
		if s.Len() > 0 && s.Len()+len(line) > maxPage {
			break
		}
		clean = clean && ok
		last++
		s.WriteString(strconv.Itoa(last) + "\t" + line + "\n")
	}
	return s.String(), last, clean
}

// oddities returns what a reader has to know about a file besides its lines.
func oddities(data []byte, clean bool) (notes []string) {
	if HasCRLF(data) {
		notes = append(notes, "lines end in CRLF, which edits keep")
	}
	if !clean {
		notes = append(notes, `bytes that are not text are shown as \x or \u`)
	}
	if bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")) {
		notes = append(notes, "a Git LFS pointer: the content itself is not here, "+
			"but commands see it where it could be fetched")
	}
	return notes
}

// ShowLines returns a text with all characters made visible and long lines cut.
func ShowLines(text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i], _ = plaintext.EscapeLine(plaintext.CutCounted(strings.TrimSuffix(line, "\r"), maxLine))
	}
	return strings.Join(all, "\n")
}
