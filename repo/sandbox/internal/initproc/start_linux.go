package initproc

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// Start starts this program as the first process in new name spaces, and sends it its orders.
func Start(j *backend.Job, marker string, o Orders, sources []*os.File, attr *syscall.SysProcAttr) (*InitProcess, error) {
	p := &InitProcess{}
	theirs, err := p.openPipes()
	defer process.CloseAll(theirs)
	if err != nil {
		return nil, err
	}
	p.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{marker}, Env: []string{}, Dir: "/",
		Stdin: j.Stdin, Stdout: j.Stdout, Stderr: j.Stderr,
		ExtraFiles: append(theirs, sources...), SysProcAttr: attr,
	}
	j.PlaceIn(p.cmd.SysProcAttr)
	process.CloseOnExec(3)
	if err := process.StartMapped(p.cmd); err != nil {
		p.close()
		return nil, fmt.Errorf("sandbox: new name spaces: %w", err)
	}
	if err := gob.NewEncoder(p.orders).Encode(o); err != nil && !errors.Is(err, syscall.EPIPE) {
		p.Kill()
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return p, nil
}

// NewAttributes returns attributes for a process in new name spaces, with the capabilities that it needs to
// build the sandbox. The capabilities are valid in these name spaces only.
func NewAttributes() *syscall.SysProcAttr {
	uid, gid := user.CommandUser()
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user.InsideID, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user.InsideID, HostID: gid, Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN},
		Setsid:      true,
		// root must be able to give up groups; for other users, the kernel requires that this is forbidden
		GidMappingsEnableSetgroups: user.RunsAsRoot(),
	}
	process.DieWithParent(a)
	return a
}

// An InitProcess is the first process inside, seen from outside.
type InitProcess struct {
	cmd    *exec.Cmd
	orders *os.File // kept open as long as this program lives
	report *os.File
}

// openPipes opens the two pipes and returns the ends for the new process.
func (p *InitProcess) openPipes() (theirs []*os.File, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.orders = write
	back, say, err := os.Pipe()
	if err != nil {
		p.close()
		return []*os.File{read}, err
	}
	p.report = back
	return []*os.File{read, say}, nil
}

func (p *InitProcess) close() { process.CloseAll([]*os.File{p.orders, p.report}) }

// PID returns the number of the process on this machine.
func (p *InitProcess) PID() int { return p.cmd.Process.Pid }

// Usage returns the memory of the process and of all processes below it.
func (p *InitProcess) Usage() process.Usage { return process.MeasureTree(p.PID()) }

// Kill kills the first process; the kernel then kills all others in its name space.
func (p *InitProcess) Kill() { p.cmd.Process.Kill() } //nolint:errcheck // it may be gone

// Wait returns when all processes of the name space are dead.
func (p *InitProcess) Wait() (backend.Outcome, error) {
	defer p.close()
	err := p.cmd.Wait()
	if p.cmd.ProcessState == nil {
		return backend.Outcome{}, err
	}
	return readReport(p.report, p.cmd.ProcessState)
}

// readReport returns the outcome from the reports that the first process wrote before it ended.
func readReport(r *os.File, state *os.ProcessState) (backend.Outcome, error) {
	decoder := json.NewDecoder(r)
	var first, last Report
	if err := decoder.Decode(&first); err != nil {
		if state.Exited() {
			return backend.Outcome{}, fmt.Errorf("sandbox: the first process inside ended before the command began: %s", state)
		}
		return backend.Outcome{Code: backend.CodeKilled, Killed: true}, nil
	}
	if err := decoder.Decode(&last); err != nil && first.Started {
		return backend.Outcome{Code: backend.CodeKilled, Killed: true}, nil
	}
	if msg := first.Error + last.Error; msg != "" {
		return backend.Outcome{}, errors.New("sandbox: " + msg)
	}
	return backend.Outcome{Code: last.Code}, nil
}
