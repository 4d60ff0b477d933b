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
	cmd        *exec.Cmd
	known      chan struct{} // closed when first is set, or will never be
	mu         sync.Mutex    // keeps first open while it is used
	first      int           // pidfd of the first process inside, or -1
	outputRead chan struct{} // closed when all output of bwrap has been read
	code       *int          // the exit code of the command; set before outputRead is closed
	status     *os.File
}

// newBwrapProcess starts to read what bwrap reports about the process that it starts.
func newBwrapProcess(cmd *exec.Cmd, status *os.File) *bwrapProcess {
	w := &bwrapProcess{
		cmd:        cmd,
		known:      make(chan struct{}),
		first:      -1,
		outputRead: make(chan struct{}),
		status:     status,
	}
	go func() {
		defer close(w.outputRead)
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

func (b *bwrapProcess) PID() int { return b.cmd.Process.Pid }

func (b *bwrapProcess) Usage() process.Usage { return process.MeasureTree(b.PID()) }

// Kill kills the first process inside, after which bwrap exits. It also kills bwrap itself, in case there is
// no such process yet.
func (b *bwrapProcess) Kill() {
	select {
	case <-b.known:
	case <-time.After(time.Second):
	}
	inside := process.Subtree(b.PID())[1:]
	b.killFirst()
	b.cmd.Process.Kill()         //nolint:errcheck // it may be gone
	for _, pid := range inside { // a first process that bwrap has not reported yet waits for bwrap for ever
		unix.Kill(pid, unix.SIGKILL) //nolint:errcheck // it may be gone
	}
}

func (b *bwrapProcess) killFirst() {
	select {
	case <-b.known:
	default:
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first >= 0 {
		unix.PidfdSendSignal(b.first, unix.SIGKILL, nil, 0) //nolint:errcheck // it may be gone
	}
}

// Wait returns when bwrap and all processes of the name space are dead.
func (b *bwrapProcess) Wait() (backend.Outcome, error) {
	defer b.status.Close()
	err := b.cmd.Wait()
	if b.cmd.ProcessState == nil {
		return backend.Outcome{}, err
	}
	<-b.known // bwrap is dead, so it has reported the process, or its end of the pipe is closed
	b.killFirst()
	b.awaitFirst()
	<-b.outputRead
	if b.code != nil {
		return backend.Outcome{Code: *b.code}, nil
	}
	if out := backend.OutcomeOf(b.cmd.ProcessState); out.Killed || out.Code == backend.CodeKilled {
		return backend.Outcome{Code: backend.CodeKilled, Killed: true}, nil
	}
	return backend.Outcome{}, backend.ErrSetup
}

// awaitFirst waits for the first process inside, which is the last one to die.
func (b *bwrapProcess) awaitFirst() {
	if b.first < 0 {
		return
	}
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(b.first), Events: unix.POLLIN}}, 5000)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	unix.Close(b.first)
	b.first = -1
}
