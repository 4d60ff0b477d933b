package backend

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/bobbinhq/bobbin/repo/sandbox/process"
)

// A Backend is one kind of sandbox: a manner of confining a command.
type Backend interface {
	// Start begins the job; its tree of processes dies with the thread that calls.
	Start(j *Job) (Process, error)
	// Describe says in a few words what holds commands in.
	Describe() string
	// Environment says what the probes have to know of the inside.
	Environment() Environment
	// Remedy says what somebody can do where the kind does not hold for the reason why;
	// "" where what helps is the same as for other kinds.
	Remedy(why string) string
}

// An Environment is in what the inside of one kind may differ from that of others without
// being any freer.
type Environment struct {
	User      int  // who commands are
	OwnKernel bool // the kernel is not the machine's: users, processes and calls are its own inventions
	Image     bool // the files are an image's, not the machine's
	SameIDs   bool // users have the machine's numbers, and cannot be changed
}

// A Process is a started job.
type Process interface {
	// PID is the root of the job's processes as this machine numbers them; 0 where they are
	// somebody else's children.
	PID() int
	// Usage is what the job's processes take now; zero where something else keeps count.
	Usage() process.Usage
	// Kill ends all of the job's processes.
	Kill()
	// Wait returns when all of them are dead.
	Wait() (Outcome, error)
}

// An Outcome is how the command itself ended.
type Outcome struct {
	Code   int    // 128 + n after signal n
	Killed bool   // it was ended before it could say its code
	Reason string // why the kind ended it by itself
	Ours   bool   // where the code is CodeSetup and the errors begin with our name, it never began
}

// ErrSetup is returned by Process.Wait for a command that never began; the first lines of
// its errors say why.
var ErrSetup = errors.New("sandbox: could not be set up")

// CodeSetup is what the program ends with inside where it could not confine itself.
const CodeSetup = 125

// CodeKilled is the code that a shell gives for a command that was killed.
const CodeKilled = 128 + 9

// OutcomeOf is the outcome of a process that was waited for.
func OutcomeOf(state *os.ProcessState) Outcome {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Outcome{Code: 128 + int(status.Signal()), Killed: status.Signal() == syscall.SIGKILL}
	}
	return Outcome{Code: state.ExitCode()}
}

// NotStartedCode is the code that a shell gives for a command that could not be started.
func NotStartedCode(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return 127
	}
	return 126
}

// Unavailable says that a kind of sandbox does not hold on this machine, why, and what
// somebody can do about it.
type Unavailable struct {
	Kind string
	Why  string
	Cure string
}

// Error is one line.
func (u *Unavailable) Error() string {
	line := fmt.Sprintf("sandbox %s: %s", u.Kind, u.Why)
	if u.Cure != "" {
		line += "; " + u.Cure
	}
	return line
}
