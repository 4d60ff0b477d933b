package account

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// A Tie is how a process is made to end when this program does, even by kill -9.
type Tie int

const (
	DefaultTie Tie = iota
	kernelTie      // the kernel sends a signal: Linux
	WatcherTie     // a shell waits for the end of a pipe, and sends it: everywhere
	NoTie          // not at all: what tests compare with
)

// Start starts a dressed command tied, from a thread that stays; untie is called when it has
// ended.
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

// watch starts a shell that reads from a pipe of which only this program holds the other
// end; when that closes, the process is told to end.
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
