//go:build unix

package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// a server is the process that this program started.
type server struct {
	cmd    *exec.Cmd
	socket string
	log    string // file
	from   int64  // where this run begins in it
	state  string // how it ended
	done   chan struct{}
}

// startServer starts Postgres; it does not wait until it answers.
func startServer(h home, bin programs, socket string, cfg Config) (*server, error) {
	s := &server{socket: socket, log: filepath.Join(h.dir, "postgres.log"), done: make(chan struct{})}
	log, err := s.openLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.cmd = exec.Command(filepath.Join(bin.dir, "postgres"), settings(h.data, socket, cfg.Most, cfg.Durable)...)
	h.as.dress(s.cmd)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	started := make(chan error, 1)
	go s.attend(cfg.tie.orDefault(), started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cluster: starting Postgres: %w", err)
	}
	return s, nil
}

// attend starts the process and stays with it. Its death with ours hangs on the thread
// that started it, so that thread is kept for it.
func (s *server) attend(t tie, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	untie, err := t.start(s.cmd)
	started <- err
	if err != nil {
		return
	}
	err = s.cmd.Wait()
	untie()
	s.state = "exit status 0"
	if err != nil {
		s.state = err.Error()
	}
	sweepSocketDir(s.socket)
	close(s.done)
}

func (s *server) openLog() (*os.File, error) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if fi, err := os.Stat(s.log); err == nil && fi.Size() > logLimit {
		flags |= os.O_TRUNC
	} else if err == nil {
		s.from = fi.Size()
	}
	f, err := os.OpenFile(s.log, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return f, nil
}

// errMemoryHeld means that the memory of a server before this one is still in use.
var errMemoryHeld = errors.New("cluster: processes of an earlier Postgres are still there")

// died is the error for a server that ended by itself, with what it said.
func (s *server) died() error {
	b, _ := os.ReadFile(s.log)
	b = b[min(int(s.from), len(b)):]
	err := fmt.Errorf("cluster: Postgres ended at once (%s); %s says:\n%s", s.state, s.log, tail(b, 2000))
	if bytes.Contains(b, []byte("pre-existing shared memory block")) {
		return fmt.Errorf("%w: %w", errMemoryHeld, err)
	}
	return err
}

// stop asks for a fast shutdown, then for an immediate one, then kills.
func (s *server) stop() {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		if err := s.cmd.Process.Signal(sig); errors.Is(err, os.ErrProcessDone) {
			break
		}
		select {
		case <-s.done:
			return
		case <-time.After(stopQuick):
		}
	}
	<-s.done
}

// settings is the server's command line.
func settings(data, socket string, most int, durable bool) []string {
	args := []string{"-D", data, "-k", socket}
	set := []string{
		"listen_addresses=", "unix_socket_permissions=0700", "port=5432",
		fmt.Sprintf("max_connections=%d", most), "shared_buffers=64MB", "timezone=UTC", "log_timezone=UTC", "logging_collector=off",
	}
	if !durable {
		set = append(set, "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	}
	for _, s := range set {
		args = append(args, "-c", s)
	}
	return args
}

// dress gives a command the account, a folder that everybody may enter, a process group
// of its own (so that Ctrl-C in a terminal reaches this program first), and an
// environment without PG… variables.
func (p person) dress(cmd *exec.Cmd) {
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

// combined runs a short command to its end, tied to this program.
func combined(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		untie, err := tie(0).orDefault().start(cmd)
		if err == nil {
			err = cmd.Wait()
			untie()
		}
		done <- err
	}()
	err := <-done
	return out.Bytes(), err
}
