package account

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// Tail returns at most the last n bytes of b, trimmed; a shortened text begins at the start of a line if it
// has one.
func Tail(b []byte, n int) string {
	s := strings.TrimSpace(string(b))
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		return rest
	}
	return s
}

// Prepare sets up cmd to run as the account: in the folder /, which every account may enter; in a process
// group of its own, so that Ctrl-C in a terminal reaches this program first; and with an environment
// without PG… variables.
func (p Account) Prepare(cmd *exec.Cmd) {
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.cred, Setpgid: true}
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC", "HOME=/"}
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "LD_LIBRARY_PATH=") || strings.HasPrefix(kv, "DYLD_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
}

// Run runs a short command, tied to this program, waits for its end and returns its output and errors
// together.
func Run(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		untie, err := DefaultTie.Start(cmd)
		if err == nil {
			err = cmd.Wait()
			untie()
		}
		done <- err
	}()
	err := <-done
	return out.Bytes(), err
}
