package sandbox

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// stdioGrace is how long to wait for remaining output after all processes are dead.
const stdioGrace = 2 * time.Second

// A stdio connects the three streams of a command with those of the caller by pipes. It never passes the
// caller's own files to the command, which could see their names and offsets.
type stdio struct {
	in, out, err *os.File // the command's ends of the pipes
	ours         []*os.File
	copies       []func()
	head         head // the beginning of stderr
	running      sync.WaitGroup
}

// openPipes opens the pipes. If a stream exceeds limit bytes, over is called once and the rest is discarded.
func (s *stdio) openPipes(c *Cmd, limit int64, over func()) (err error) {
	defer func() {
		if err != nil {
			s.closeAll()
		}
	}()
	if s.in, err = s.openInput(c.Stdin); err != nil {
		return err
	}
	both := isSameWriter(c.Stdout, c.Stderr)
	stdout := c.Stdout
	if both {
		stdout = io.MultiWriter(&s.head, c.Stdout)
	}
	if s.out, err = s.openOutput(stdout, limit, over); err != nil {
		return err
	}
	if both {
		s.err = s.out
		return nil
	}
	stderr := c.Stderr
	if stderr == nil {
		stderr = io.Discard
	}
	s.err, err = s.openOutput(io.MultiWriter(&s.head, stderr), limit, over)
	return err
}

// A head keeps the first 2048 bytes that are written to it. It is read after the last write.
type head struct{ bytes.Buffer }

// Write always succeeds.
func (h *head) Write(p []byte) (int, error) {
	if room := 2048 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// openInput returns the command's end of its input stream.
func (s *stdio) openInput(r io.Reader) (*os.File, error) {
	if r == nil {
		return os.Open(os.DevNull)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	user.HandOver(theirs)
	s.ours = append(s.ours, ours)
	go func() { // not waited for: a reader may never end; the pipe breaks when the command ends
		io.Copy(ours, r) //nolint:errcheck // the command need not read to the end
		ours.Close()
	}()
	return theirs, nil
}

// openOutput returns the command's end of an output stream.
func (s *stdio) openOutput(w io.Writer, limit int64, over func()) (*os.File, error) {
	if w == nil {
		w = io.Discard
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	user.HandOver(theirs)
	s.ours = append(s.ours, ours)
	s.copies = append(s.copies, func() {
		defer ours.Close()
		if n, _ := io.Copy(w, io.LimitReader(ours, limit)); n == limit {
			if more, _ := io.CopyN(io.Discard, ours, 1); more > 0 {
				over()
			}
		}
		io.Copy(io.Discard, ours) //nolint:errcheck // also where the caller's writer failed: the command must not block
	})
	return theirs, nil
}

// startCopying closes the command's ends, which the command has inherited by now, and starts to copy.
func (s *stdio) startCopying() {
	s.closeTheirs()
	for _, f := range s.copies {
		s.running.Go(f)
	}
}

// awaitCopies waits until all output has been copied.
func (s *stdio) awaitCopies() {
	arrived := make(chan struct{})
	go func() { s.running.Wait(); close(arrived) }()
	// A process outside the sandbox may still hold the pipe; all processes of the command are dead. The wait has
	// parts, so that a machine that stands still for a moment does not use it up.
	const parts = 20
	for n := 0; n < parts && !closedWithin(arrived, stdioGrace/parts); n++ {
	}
	s.closeOurs()
}

func closedWithin(c chan struct{}, wait time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(wait):
		return false
	}
}

// closeAll closes all ends of the pipes, for a command that was not started.
func (s *stdio) closeAll() {
	s.closeTheirs()
	s.closeOurs()
}

func (s *stdio) closeTheirs() {
	for _, f := range []*os.File{s.in, s.out, s.err} {
		if f != nil {
			f.Close() // if stdout is stderr, the second Close only returns an error
		}
	}
}

func (s *stdio) closeOurs() {
	for _, f := range s.ours {
		f.Close()
	}
}

// isSameWriter reports whether two writers are the same. It also works for types that are not comparable.
func isSameWriter(a, b io.Writer) bool {
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) &&
		reflect.TypeOf(a).Comparable() && a == b
}
