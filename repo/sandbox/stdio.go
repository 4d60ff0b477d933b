package sandbox

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox/user"
)

// stdioGrace is how long output may still be on its way when every process is dead.
const stdioGrace = 2 * time.Second

// A stdio connects a command's three streams to the caller's by pipes. It never hands in
// the caller's own files: inside, their names and offsets would show.
type stdio struct {
	in, out, err *os.File // the command's ends
	ours         []*os.File
	copies       []func()
	head         head // how the errors begin
	running      sync.WaitGroup
}

// openPipes makes the pipes. Past limit bytes on one stream, over is called once and the rest
// is thrown away.
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

// head keeps the beginning of what is written to it. It is read after the writing.
type head struct{ bytes.Buffer }

// Write never fails.
func (h *head) Write(p []byte) (int, error) {
	if room := 2048 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// openInput returns the command's end of a stream that it reads.
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
	go func() { // not waited for: a reader may never end; the pipe breaks with the command
		io.Copy(ours, r) //nolint:errcheck // the command need not read to the end
		ours.Close()
	}()
	return theirs, nil
}

// openOutput returns the command's end of a stream that it writes.
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

// startCopying starts copying; the command has its own ends by now.
func (s *stdio) startCopying() {
	s.closeTheirs()
	for _, f := range s.copies {
		s.running.Go(f)
	}
}

// awaitCopies waits until what was written has arrived.
func (s *stdio) awaitCopies() {
	arrived := make(chan struct{})
	go func() { s.running.Wait(); close(arrived) }()
	select {
	case <-arrived:
	case <-time.After(stdioGrace):
		// Somebody outside the sandbox was handed the pipe; nothing of the command lives.
	}
	s.closeOurs()
}

// closeAll closes everything: nothing was started.
func (s *stdio) closeAll() {
	s.closeTheirs()
	s.closeOurs()
}

func (s *stdio) closeTheirs() {
	for _, f := range []*os.File{s.in, s.out, s.err} {
		if f != nil {
			f.Close() // closing twice, where stdout is stderr, is only an error
		}
	}
}

func (s *stdio) closeOurs() {
	for _, f := range s.ours {
		f.Close()
	}
}

// isSameWriter reports whether two writers are one. They need not be comparable.
func isSameWriter(a, b io.Writer) bool {
	return a != nil && b != nil && reflect.TypeOf(a) == reflect.TypeOf(b) &&
		reflect.TypeOf(a).Comparable() && a == b
}
