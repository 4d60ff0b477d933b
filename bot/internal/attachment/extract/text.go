package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// readText writes a file of text as valid UTF-8. It also reads UTF-16 with a byte order mark, which Windows
// shells write. It refuses what is no text by its beginning.
func (r *reader) readText(f File, head []byte, media string) (what string, err error) {
	src := f.stream()
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		src = transform.NewReader(src, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
		return "", r.copyText(src)
	}
	if !isText(head) {
		return "", refusal(fmt.Sprintf("it is neither text nor a picture that I can read "+
			"(%s by its content); attach what matters in it as text", media))
	}
	if isJSONLines(head) {
		return "JSON lines, one entry below the other", r.copyJSONLines(src)
	}
	return "", r.copyText(src)
}

// isText reports whether the first 8000 bytes hold no NUL and hardly any byte that is not UTF-8.
func isText(head []byte) bool {
	head = head[:min(len(head), 8000)]
	head = head[:completeRunes(head)]
	invalid := 0
	for rest := head; len(rest) > 0; {
		c, size := utf8.DecodeRune(rest)
		if c == utf8.RuneError && size == 1 {
			invalid++
		}
		rest = rest[size:]
	}
	return bytes.IndexByte(head, 0) < 0 && invalid <= len(head)/10
}

// completeRunes returns the length of b without a rune that is cut off at its end.
func completeRunes(b []byte) int {
	for n := len(b) - 1; n >= 0 && n >= len(b)-utf8.UTFMax; n-- {
		if utf8.RuneStart(b[n]) {
			if utf8.FullRune(b[n:]) {
				return len(b)
			}
			return n
		}
	}
	return len(b)
}

// copyText writes text, with replacement characters for what is not valid UTF-8, and for NUL.
func (r *reader) copyText(src io.Reader) error {
	buffer := make([]byte, 64<<10)
	kept := 0
	for first := true; ; first = false {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(src, buffer[kept:])
		n += kept
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return brokenError(err)
		}
		end := n
		if !ended {
			end = completeRunes(buffer[:n])
		}
		text := cleanText(buffer[:end])
		if first {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if _, err := r.out.Write(text); err != nil {
			return err
		}
		if ended {
			return nil
		}
		kept = copy(buffer, buffer[end:n])
	}
}

// cleanText returns text as valid UTF-8 without NUL.
func cleanText(b []byte) []byte {
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	if bytes.IndexByte(b, 0) >= 0 {
		b = bytes.ReplaceAll(b, []byte{0}, []byte("\uFFFD"))
	}
	return b
}
