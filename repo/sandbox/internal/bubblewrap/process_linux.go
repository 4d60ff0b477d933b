package bubblewrap

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

// A bwrapProcess is a running bwrap.
type bwrapProcess struct {
	cmd    *exec.Cmd
	known  chan struct{} // closed when first is set, or will never be
	mu     sync.Mutex    // keeps first open while it is used
	first  int           // pidfd of the first process inside, or -1
	said   chan struct{} // closed when all output of bwrap has been read
	code   *int          // the exit code of the command; set before said is closed
	status *os.File
}

// newBwrapProcess starts to read what bwrap reports about the process that it starts.
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

// Kill kills the first process inside, after which bwrap exits. It also kills bwrap itself, in case there is
// no such process yet.
func (w *bwrapProcess) Kill() {
	select {
	case <-w.known:
	case <-time.After(time.Second):
	}
	inside := process.Subtree(w.PID())[1:]
	w.killFirst()
	w.cmd.Process.Kill()         //nolint:errcheck // it may be gone
	for _, pid := range inside { // a first process that bwrap has not reported yet waits for bwrap for ever
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

// Wait returns when bwrap and all processes of the name space are dead.
func (w *bwrapProcess) Wait() (backend.Outcome, error) {
	defer w.status.Close()
	err := w.cmd.Wait()
	if w.cmd.ProcessState == nil {
		return backend.Outcome{}, err
	}
	<-w.known // bwrap is dead, so it has reported the process, or its end of the pipe is closed
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

// awaitFirst waits for the first process inside, which is the last one to die.
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
