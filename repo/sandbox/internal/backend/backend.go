package backend

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

// A Backend is one kind of sandbox.
type Backend interface {
	// Start starts the job. All its processes are killed when the calling thread ends.
	Start(j *Job) (Process, error)
	// Describe describes the confinement in a few words.
	Describe() string
	// Environment returns the properties of the inside that the probes need to know.
	Environment() Environment
	// Remedy returns what to do if the kind does not work because of why, or "" if the remedy does not depend
	// on the kind.
	Remedy(why string) string
}

// An Environment lists how the inside of one kind may differ from that of other kinds without allowing more.
type Environment struct {
	User      int    // the uid of commands
	OwnKernel bool   // commands run on another kernel, with its own users, processes and system calls
	Image     bool   // commands see the files of an image, not the machine's
	SameIDs   bool   // uids are the machine's, and cannot be changed
	ImageID   string // of that image; other content has another one
}

// A Process is a started job.
type Process interface {
	// PID returns the process of this machine at the root of the job's processes, or 0 if they are not
	// children of this program.
	PID() int
	// Usage returns the current use of the job's processes, or zero if it is limited elsewhere.
	Usage() process.Usage
	// Kill kills all processes of the job.
	Kill()
	// Wait returns when all processes of the job are dead.
	Wait() (Outcome, error)
}

// An Outcome is how the command ended.
type Outcome struct {
	// 128 + n for signal n
	Code int
	// it was killed before it reported its code
	Killed bool
	// the limit for which the backend itself ended it
	Reason string
	// if set, CodeSetup with an error output that starts with "sandbox: " means
	// that the command did not start
	Ours bool
}

// ErrSetup is the error of Process.Wait for a command that did not start. The first lines of its error output
// have the reason.
var ErrSetup = errors.New("sandbox: could not be set up")

// CodeSetup is the exit code of the first process inside if it could not set up the sandbox.
const CodeSetup = 125

// CodeKilled is the exit code of a shell for a command that was killed.
const CodeKilled = 128 + 9

// OutcomeOf returns the outcome of a process that has been waited for.
func OutcomeOf(state *os.ProcessState) Outcome {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Outcome{Code: 128 + int(status.Signal()), Killed: status.Signal() == syscall.SIGKILL}
	}
	return Outcome{Code: state.ExitCode()}
}

// NotStartedCode returns the exit code of a shell for a command that could not be started.
func NotStartedCode(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return 127
	}
	return 126
}

// Unavailable is the error of a kind of sandbox that does not work on this machine, with the reason and a
// remedy.
type Unavailable struct {
	Kind string
	Why  string
	Cure string
}

// Error returns the reason and the remedy in one line.
func (u *Unavailable) Error() string {
	line := fmt.Sprintf("sandbox %s: %s", u.Kind, u.Why)
	if u.Cure != "" {
		line += "; " + u.Cure
	}
	return line
}
