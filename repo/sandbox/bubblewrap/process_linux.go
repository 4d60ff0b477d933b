package bubblewrap

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/process"
)

// A bwrapProcess is a running bwrap.
type bwrapProcess struct {
	cmd    *exec.Cmd
	known  chan struct{} // closed when first is set, or never will be
	mu     sync.Mutex    // keeps first open while it is used
	first  int           // pidfd of the first process inside, -1
	said   chan struct{} // closed when bwrap has said all
	code   *int          // what the command ended with; set before said
	status *os.File
}

// newBwrapProcess reads what bwrap says of the process that it started.
func newBwrapProcess(cmd *exec.Cmd, status *os.File) *bwrapProcess {
	w := &bwrapProcess{cmd: cmd, known: make(chan struct{}), first: -1, said: make(chan struct{}), status: status}
	go func() {
		defer close(w.said)
		decoder := json.NewDecoder(status)
		var born struct {
			Pid int `json:"child-pid"`
		}
		if decoder.Decode(&born) == nil && born.Pid > 0 {
			if fd, err := unix.PidfdOpen(born.Pid, 0); err == nil {
				w.first = fd
			}
		}
		close(w.known)
		var ended struct {
			Code *int `json:"exit-code"`
		}
		if decoder.Decode(&ended) == nil {
			w.code = ended.Code
		}
	}()
	return w
}

func (w *bwrapProcess) PID() int { return w.cmd.Process.Pid }

func (w *bwrapProcess) Usage() process.Usage { return process.MeasureTree(w.PID()) }

// Kill ends the first process inside, after which bwrap ends; and bwrap itself, in case
// there is none yet.
func (w *bwrapProcess) Kill() {
	select {
	case <-w.known:
	case <-time.After(time.Second):
	}
	inside := process.Subtree(w.PID())[1:]
	w.killFirst()
	w.cmd.Process.Kill()         //nolint:errcheck // it may be gone
	for _, pid := range inside { // a first process that bwrap did not tell of yet waits for bwrap, for ever
		unix.Kill(pid, unix.SIGKILL) //nolint:errcheck // it may be gone
	}
}

func (w *bwrapProcess) killFirst() {
	select {
	case <-w.known:
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first >= 0 {
		unix.PidfdSendSignal(w.first, unix.SIGKILL, nil, 0) //nolint:errcheck // it may be gone
	}
}

// Wait returns when bwrap and, after it, the whole name space are gone.
func (w *bwrapProcess) Wait() (backend.Outcome, error) {
	defer w.status.Close()
	err := w.cmd.Wait()
	if w.cmd.ProcessState == nil {
		return backend.Outcome{}, err
	}
	<-w.known // bwrap is dead: it has spoken, or its end of the pipe is closed
	w.killFirst()
	w.awaitFirst()
	<-w.said
	if w.code != nil {
		return backend.Outcome{Code: *w.code}, nil
	}
	if out := backend.OutcomeOf(w.cmd.ProcessState); out.Killed || out.Code == backend.CodeKilled {
		return backend.Outcome{Code: backend.CodeKilled, Killed: true}, nil
	}
	return backend.Outcome{}, backend.ErrSetup
}

// awaitFirst waits for the first process inside, which is the last to die there.
func (w *bwrapProcess) awaitFirst() {
	if w.first < 0 {
		return
	}
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(w.first), Events: unix.POLLIN}}, 5000)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	unix.Close(w.first)
	w.first = -1
}
