package extract

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// enter refuses an archive that is in too many others.
func (r *reader) enter(depth int) error {
	if depth >= r.limits.Depth {
		return refusal(fmt.Sprintf("it is an archive in %s", plaintext.CountNoun(depth, "other archive")))
	}
	return nil
}

// A counter counts what is read of a stream.
type counter struct {
	src io.Reader
	n   int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) count() int64 { return c.n }

// readGzip reads the one file that is packed with gzip. What can be unpacked of a broken one is read.
func (r *reader) readGzip(f File, depth int) (string, error) {
	if err := r.enter(depth); err != nil {
		return "", err
	}
	packed := &counter{src: f.stream()}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return "", brokenError(err)
	}
	name := strings.TrimSuffix(f.Name, path.Ext(f.Name))
	if strings.HasSuffix(strings.ToLower(f.Name), ".tgz") {
		name += ".tar"
	}
	inner, done, err := r.spool(name, z, packed.count)
	defer done()
	broken := err
	cut := isBroken(err) && inner.Size > 0
	if err != nil && !cut {
		return "", err
	}
	what, err := r.read(inner, depth+1)
	var picture pictureError
	if errors.As(err, &picture) {
		return "", refusal("it is a picture that is packed; attach it unpacked")
	}
	if cut && err == nil {
		r.leave("the rest", broken)
	}
	if what == "" {
		what = "text"
	}
	return what + ", unpacked with gzip", err
}

// isTar reports whether a file begins with the header of a tar archive in one of the forms of today.
func isTar(head []byte) bool { return len(head) > 262 && bytes.Equal(head[257:262], []byte("ustar")) }

// readTar reads the regular files of a tar archive. Links, devices and the like are noted.
func (r *reader) readTar(f File, depth int) (string, error) {
	if err := r.enter(depth); err != nil {
		return "", err
	}
	packed := &counter{src: f.stream()}
	t := tar.NewReader(packed)
	count := 0
	what := func() string { return "a tar archive with " + plaintext.CountNoun(count, "file") }
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			if !endsInZeros(f.Data, packed.n) {
				return what(), refusal("it is cut off")
			}
			return what(), nil
		}
		if err != nil {
			return what(), brokenError(err)
		}
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		count++
		if h.Typeflag != tar.TypeReg {
			if r.files++; r.files > r.limits.Files {
				return what(), refusal(fmt.Sprintf("there are more than %d files in it", r.limits.Files))
			}
			r.leave(h.Name, refusal("a link or a special file"))
			continue
		}
		begin := packed.n - 512 // its header
		if err := r.readMember(h.Name, t, func() int64 { return packed.n - begin }, depth+1); err != nil {
			return what(), err
		}
	}
}

// endsInZeros reports whether a tar archive ends there as it should, with a block of zeros. One that is cut
// between two members has none.
func endsInZeros(archive io.ReaderAt, end int64) bool {
	block := make([]byte, 512)
	_, err := archive.ReadAt(block, max(0, end-int64(len(block))))
	return (err == nil || errors.Is(err, io.EOF)) && bytes.Count(block, []byte{0}) == len(block)
}

// A cappedReader refuses to read more than a number of bytes, until it is opened.
type cappedReader struct {
	io.ReaderAt
	left int64
	open bool
}

func (c *cappedReader) ReadAt(p []byte, off int64) (int, error) {
	if !c.open {
		if c.left -= int64(len(p)); c.left < 0 {
			return 0, refusal("its list of files is too long")
		}
	}
	return c.ReaderAt.ReadAt(p, off)
}

// openZip reads the directory of a zip archive, within its limit: it is held in memory.
func (r *reader) openZip(f File) (*zip.Reader, error) {
	capped := &cappedReader{ReaderAt: f.Data, left: r.limits.Listing}
	z, err := zip.NewReader(capped, f.Size)
	capped.open = true
	var refused refusal
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, brokenError(err)
	}
	return z, nil
}

// readZip reads the files of a zip archive, or an office document, which is one.
func (r *reader) readZip(f File, depth int) (string, error) {
	z, err := r.openZip(f)
	if err != nil {
		return "", err
	}
	if d := documentOf(z); d != nil {
		return d(r, z)
	}
	if err := r.enter(depth); err != nil {
		return "", err
	}
	count := 0
	for _, m := range z.File {
		if !strings.HasSuffix(m.Name, "/") {
			count++
		}
	}
	what := "a zip archive with " + plaintext.CountNoun(count, "file")
	for _, m := range z.File {
		if strings.HasSuffix(m.Name, "/") {
			continue
		}
		if err := r.readZipMember(m, f.Size, depth+1); err != nil {
			return what, err
		}
	}
	return what, nil
}

// readZipMember reads one file of a zip archive of that size.
func (r *reader) readZipMember(m *zip.File, size int64, depth int) error {
	why := ""
	switch {
	case m.Flags&1 != 0:
		why = "it is encrypted"
	case m.Mode()&fs.ModeType != 0:
		why = "a link or a special file"
	}
	if why != "" {
		if r.files++; r.files > r.limits.Files {
			return refusal(fmt.Sprintf("there are more than %d files in it", r.limits.Files))
		}
		r.leave(m.Name, refusal(why))
		return nil
	}
	src, err := m.Open()
	if err != nil {
		return r.endMember(m.Name, brokenError(err))
	}
	defer src.Close()
	// a header may say any packed size, but no member takes more than the archive holds
	packed := func() int64 { return int64(min(m.CompressedSize64, uint64(size))) }
	return r.readMember(m.Name, src, packed, depth)
}
