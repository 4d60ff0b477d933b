package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// none is the kind that confines nothing. It gives commands the clean environment and
// ends their processes as well as it can, and that is all.
type none struct{}

func (none) describe() string { return "nothing" }

func (none) world() world { return world{User: insideID} }

func (none) start(j *job) (process, error) {
	home, err := os.MkdirTemp("", "bobbin-home-")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(j.cmd.Args[0], j.cmd.Args[1:]...)
	cmd.Env = outside(j, append(j.env, "HOME="+home, "PATH="+os.Getenv("PATH")))
	cmd.Dir = strings.Replace(j.dir(), "/src", j.workspace, 1)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = j.stdio.in, j.stdio.out, j.stdio.err
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	if err := cmd.Start(); err != nil {
		os.RemoveAll(home)
		fmt.Fprintf(j.stdio.err, "sandbox: %v\n", err) // the caller's mistake, said as a shell would
		return ended{Code: notStarted(err)}, nil
	}
	return &plain{cmd: cmd, home: home}, nil
}

// outside writes the paths of the mounts in the environment as the machine knows them:
// nothing is mounted for this kind.
func outside(j *job, env []string) []string {
	out := append([]string(nil), env...)
	for i, kv := range out {
		name, value, _ := strings.Cut(kv, "=")
		for _, m := range j.cmd.Mounts {
			if value == m.Inside || strings.HasPrefix(value, m.Inside+"/") {
				out[i] = name + "=" + m.Host + strings.TrimPrefix(value, m.Inside)
			}
		}
	}
	return out
}

// plain is a process with nothing around it.
type plain struct {
	cmd  *exec.Cmd
	home string
}

func (p *plain) pid() int { return p.cmd.Process.Pid }

func (p *plain) use() usage { return treeUse(p.pid()) }

func (p *plain) kill() {
	for _, pid := range tree(p.pid()) {
		syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it may be gone
	}
	syscall.Kill(-p.pid(), syscall.SIGKILL) //nolint:errcheck // it may be gone
}

func (p *plain) wait() (outcome, error) {
	err := p.cmd.Wait()
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // the group's stragglers
	os.RemoveAll(p.home)
	if p.cmd.ProcessState == nil {
		return outcome{}, err
	}
	return outcomeOf(p.cmd.ProcessState), nil
}

// outcomeOf is the outcome of a process that we waited for.
func outcomeOf(state *os.ProcessState) outcome {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return outcome{Code: 128 + int(status.Signal()), Killed: status.Signal() == syscall.SIGKILL}
	}
	return outcome{Code: state.ExitCode()}
}

// notStarted is the code that a shell gives.
func notStarted(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return 127
	}
	return 126
}

// ended is a process that never was.
type ended outcome

func (ended) pid() int                 { return 0 }
func (ended) use() usage               { return usage{} }
func (ended) kill()                    {}
func (e ended) wait() (outcome, error) { return outcome(e), nil }
