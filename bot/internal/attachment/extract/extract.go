package extract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Limits are the most that one attached file may use.
type Limits struct {
	Text     int64 // bytes of text that are written
	Unpacked int64 // bytes that are unpacked from archives, at all depths together
	Ratio    int64 // how many times its packed size a file may have unpacked
	Unjudged int64 // bytes that a file may have whatever its ratio
	Files    int   // files in archives, at all depths together
	Depth    int   // archives in one another; .tar.gz counts as two
	Listing  int64 // bytes of the directory of a zip archive
	Part     int64 // bytes of one part of an office document, and of one request of a HAR file
	Nesting  int   // elements of XML in one another
	Requests int   // requests of a HAR file
}

// Default are the limits of attached files.
var Default = Limits{
	Text: 200 << 20, Unpacked: 400 << 20, Ratio: 200, Unjudged: 1 << 20, Files: 500, Depth: 3,
	Listing: 8 << 20, Part: 32 << 20, Nesting: 200, Requests: 5000,
}

// A File is one file to read.
type File struct {
	Name string // for its kind where the content does not tell it, and to call it
	Data io.ReaderAt
	Size int64 // bytes
}

// A Result says what was read.
type Result struct {
	// what the file is, such as "a zip archive with 3 files"; empty for plain text
	What string
	// what was not read of it, each with its reason; nil: all was read
	Left []string
	// for a picture, whose content is no text: its media type; else empty
	Picture string
	// why nothing was read, and what to do about it; empty if something was
	Why string
}

// maxLeft is how many parts that were not read are named one by one.
const maxLeft = 8

// Read writes the text of a file to out. dir is a folder for what is unpacked meanwhile; nothing stays in it.
// A file that cannot be read is not an error: the result says why. An error means that dir, out or the
// context failed.
func Read(ctx context.Context, f File, dir string, out io.Writer, l Limits) (Result, error) {
	r := &reader{ctx: ctx, limits: l, dir: dir, out: &textWriter{out: out, most: l.Text}}
	what, err := r.read(f, 0)
	result := Result{What: what, Left: r.left}
	var picture pictureError
	var refused refusal
	switch {
	case errors.As(err, &picture):
		return Result{Picture: string(picture)}, nil
	case errors.As(err, &refused) && r.out.written == 0:
		return Result{Why: string(refused)}, nil
	case errors.As(err, &refused):
		result.Left = append(result.Left, "the rest ("+string(refused)+")")
	case err != nil:
		return Result{}, err
	case r.out.written == 0 && len(r.left) > 0:
		return Result{Why: what + ", and nothing in it can be read: " + plaintext.FirstOf(r.left, 3)}, nil
	case r.out.written == 0:
		return Result{Why: "there is no text in it"}, nil
	}
	if more := len(result.Left) - maxLeft; more > 0 {
		result.Left = append(result.Left[:maxLeft:maxLeft], fmt.Sprintf("%d more", more))
	}
	return result, nil
}

// A refusal is an error that says to people why something cannot be read.
type refusal string

func (e refusal) Error() string { return string(e) }

// A pictureError says that a file is a picture of that media type.
type pictureError string

func (e pictureError) Error() string { return "a picture; attach it by itself" }

// A reader reads one attached file, with what is in it.
type reader struct {
	ctx      context.Context
	limits   Limits
	dir      string
	out      *textWriter
	files    int   // files of archives so far
	unpacked int64 // bytes so far
	left     []string
}

// maxHead is how many bytes of a file's beginning tell what it is.
const maxHead = 64 << 10

// read writes the text of a file, which is in depth archives, and returns what the file is.
func (r *reader) read(f File, depth int) (what string, err error) {
	head := make([]byte, min(f.Size, maxHead))
	n, err := f.Data.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	head = head[:n]
	media, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case len(head) == 0:
		return "", refusal("it is empty")
	case slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, media):
		return "", pictureError(media)
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return r.readGzip(f, depth)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return r.readZip(f, depth)
	case isTar(head):
		return r.readTar(f, depth)
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")):
		return "", refusal("it is a PDF, which I do not read; attach what matters in it as text")
	case isHAR(f.Name, head):
		return r.readHAR(f)
	}
	return r.readText(f, head, media)
}

// stream returns the content of a file from its beginning.
func (f File) stream() io.Reader { return io.NewSectionReader(f.Data, 0, f.Size) }

// leave notes a part that was not read.
func (r *reader) leave(name string, why error) {
	r.left = append(r.left, shown(name)+" ("+why.Error()+")")
}

// shown returns the name of a part of a file for people: on one line and not too long.
func shown(name string) string {
	return plaintext.CutLine(plaintext.OneLine(plaintext.EscapeText(name)), 80)
}

// readMember reads a file of an archive: src is its content, and packed returns how many bytes of the archive
// were read for it so far. A member that cannot be read is noted. The error is one that ends the archive,
// too.
func (r *reader) readMember(name string, src io.Reader, packed func() int64, depth int) error {
	if r.files++; r.files > r.limits.Files {
		return refusal(fmt.Sprintf("there are more than %d files in it", r.limits.Files))
	}
	f, done, err := r.spool(name, src, packed)
	defer done()
	broken := isBroken(err) && f.Size > 0 // what is there of it is read
	if err != nil && !broken {
		return r.endMember(name, err)
	}
	r.out.begin(shown(name))
	before := r.out.written
	_, unread := r.read(f, depth)
	if broken && unread == nil && r.out.written > before {
		return r.endMember("the rest of "+name, err)
	}
	return r.endMember(name, cmp.Or(unread, err))
}

// endMember notes why a member was not read, or not read to its end. It returns an error that ends the
// archive.
func (r *reader) endMember(name string, err error) error {
	var refused refusal
	var picture pictureError
	if errors.Is(err, errFull) || errors.Is(err, errUnpacked) ||
		!errors.As(err, &refused) && !errors.As(err, &picture) {
		return err
	}
	r.leave(name, err)
	return nil
}

// The refusals that end the reading of an attached file.
const (
	errFull     = refusal("it is more text than I read")
	errUnpacked = refusal("all together it is more than I unpack")
)

// spool unpacks src into a file without a name. The caller calls done, which removes the file.
func (r *reader) spool(name string, src io.Reader, packed func() int64) (f File, done func(), err error) {
	done = func() {}
	file, err := os.CreateTemp(r.dir, "unpacked-")
	if err != nil {
		return File{}, done, err
	}
	done = func() { _ = file.Close() }
	if err := os.Remove(file.Name()); err != nil {
		return File{}, done, err
	}
	n, err := r.unpack(file, src, packed)
	return File{Name: path.Base(name), Data: file, Size: n}, done, err
}

// unpack copies src to dst within the limits.
func (r *reader) unpack(dst io.Writer, src io.Reader, packed func() int64) (n int64, err error) {
	buffer := make([]byte, 64<<10)
	for {
		if err := r.ctx.Err(); err != nil {
			return n, err
		}
		got, err := src.Read(buffer)
		n += int64(got)
		r.unpacked += int64(got)
		switch {
		case r.unpacked > r.limits.Unpacked:
			return n, errUnpacked
		case n > r.limits.Unjudged && n > r.limits.Ratio*packed():
			return n, refusal(fmt.Sprintf("it unpacks to more than %d times its size", r.limits.Ratio))
		}
		if _, err := dst.Write(buffer[:got]); err != nil {
			return n, err
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, brokenError(err)
		}
	}
}

// isBroken reports whether an error is a brokenError.
func isBroken(err error) bool {
	var refused refusal
	return errors.As(err, &refused) && strings.HasPrefix(string(refused), brokenPrefix)
}

const brokenPrefix = "it is broken: "

// brokenError returns a refusal for a file whose content is not what it begins as.
func brokenError(err error) error {
	return refusal(brokenPrefix + plaintext.CutLine(plaintext.OneLine(err.Error()), 100))
}

// A textWriter writes text up to a limit, with a line before the text of each member of an archive.
type textWriter struct {
	out     io.Writer
	most    int64
	written int64
	heading string // of the member whose text comes next; empty: its line was written
	inLine  bool   // what was written ends within a line
}

// begin names the member of which text comes next.
func (w *textWriter) begin(name string) { w.heading = name }

func (w *textWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	before := ""
	if w.heading != "" {
		before = "==> " + w.heading + " <==\n"
		if w.inLine {
			before = "\n" + before
		}
		w.heading = ""
	}
	room := w.most - w.written - int64(len(before))
	if room <= 0 {
		return 0, errFull
	}
	kept := p[:min(int64(len(p)), room)]
	if before != "" {
		kept = append([]byte(before), kept...)
	}
	n, err := w.out.Write(kept)
	w.written += int64(n)
	w.inLine = kept[len(kept)-1] != '\n'
	if err == nil && len(kept)-len(before) < len(p) {
		err = errFull
	}
	return len(kept) - len(before), err
}
