package unconfined

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// A none confines nothing. It only gives commands the clean environment and kills their processes as far as
// it can.
type none struct{}

// Open returns the backend. It needs nothing on the machine.
func Open() backend.Backend { return none{} }

func (none) Describe() string { return "nothing" }

func (none) Environment() backend.Environment { return backend.Environment{User: user.InsideID} }

// Remedy returns "", because this kind always works.
func (none) Remedy(string) string { return "" }

func (none) Start(j *backend.Job) (backend.Process, error) {
	home, err := os.MkdirTemp("", "bobbin-home-")
	if err != nil {
		return nil, err
	}
	if err := backend.WriteHomeFiles(home); err != nil {
		os.RemoveAll(home)
		return nil, err
	}
	cmd := exec.Command(j.Args[0], j.Args[1:]...)
	cmd.Env = mapPaths(j, append(j.Env, "HOME="+home, "PATH="+os.Getenv("PATH")))
	cmd.Dir = strings.Replace(j.Dir, "/src", j.Workspace, 1)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = j.Stdin, j.Stdout, j.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	process.DieWithParent(cmd.SysProcAttr)
	if err := cmd.Start(); err != nil {
		os.RemoveAll(home)
		fmt.Fprintf(j.Stderr, "sandbox: %v\n", err) // a mistake of the caller, reported like in a shell
		return ended{Code: backend.NotStartedCode(err)}, nil
	}
	return &plainProcess{cmd: cmd, home: home}, nil
}

// mapPaths replaces the inside paths of mounts in the environment by their paths on the machine, because this
// kind mounts nothing.
func mapPaths(j *backend.Job, env []string) []string {
	out := append([]string(nil), env...)
	for i, kv := range out {
		name, value, _ := strings.Cut(kv, "=")
		for _, m := range j.Mounts {
			if value == m.Inside || strings.HasPrefix(value, m.Inside+"/") {
				out[i] = name + "=" + m.Host + strings.TrimPrefix(value, m.Inside)
			}
		}
	}
	return out
}

// A plainProcess is an unconfined process.
type plainProcess struct {
	cmd  *exec.Cmd
	home string
}

func (p *plainProcess) PID() int { return p.cmd.Process.Pid }

func (p *plainProcess) Usage() process.Usage { return process.MeasureTree(p.PID()) }

func (p *plainProcess) Kill() {
	for _, pid := range process.Subtree(p.PID()) {
		syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it may be gone
	}
	syscall.Kill(-p.PID(), syscall.SIGKILL) //nolint:errcheck // it may be gone
}

func (p *plainProcess) Wait() (backend.Outcome, error) {
	err := p.cmd.Wait()
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // the group's stragglers
	os.RemoveAll(p.home)
	if p.cmd.ProcessState == nil {
		return backend.Outcome{}, err
	}
	return backend.OutcomeOf(p.cmd.ProcessState), nil
}

// ended is the Process of a command that could not be started.
type ended backend.Outcome

func (ended) PID() int { return 0 }

func (ended) Usage() process.Usage { return process.Usage{} }

func (ended) Kill() {}

func (e ended) Wait() (backend.Outcome, error) { return backend.Outcome(e), nil }
