package account

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// A Tie is the way in which a process is ended when this program ends, even by kill -9.
type Tie int

const (
	DefaultTie Tie = iota
	kernelTie      // the kernel sends a signal: Linux only
	WatcherTie     // a shell waits for the end of a pipe and sends the signal: every platform
	NoTie          // the process is not tied; tests use it as a control
)

// Start starts a command that Prepare has set up, tied to this program. The calling goroutine has to be
// locked to its OS thread until the process ends. The caller calls untie when the process has ended.
func (t Tie) Start(cmd *exec.Cmd) (untie func(), err error) {
	if t == DefaultTie {
		t = platformTie
	}
	if t == kernelTie {
		dieWithUs(cmd.SysProcAttr)
		return func() {}, cmd.Start()
	}
	if err := cmd.Start(); err != nil || t == NoTie {
		return func() {}, err
	}
	untie, err = watch(cmd)
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, err
	}
	return untie, nil
}

// watch starts a shell that reads from a pipe whose other end only this program holds. When the pipe
// closes, the shell sends SIGINT to the process.
func watch(cmd *exec.Cmd) (func(), error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	watcher := exec.Command("/bin/sh", "-c", `cat >/dev/null; kill -INT "$1"`, "watcher", strconv.Itoa(cmd.Process.Pid))
	watcher.Stdin = r
	watcher.Dir = "/"
	watcher.SysProcAttr = &syscall.SysProcAttr{Credential: cmd.SysProcAttr.Credential, Setpgid: true}
	if err := watcher.Start(); err != nil {
		w.Close()
		return nil, err
	}
	return func() {
		syscall.Kill(-watcher.Process.Pid, syscall.SIGKILL)
		watcher.Wait()
		w.Close()
	}, nil
}
