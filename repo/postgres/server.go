package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
	"github.com/bobbinhq/bobbin/repo/postgres/internal/programs"
)

// A server is the Postgres process that this program started.
type server struct {
	cmd    *exec.Cmd
	socket string
	log    string // path of the log file
	from   int64  // offset in the log file where this run begins
	state  string // how the process ended; valid when done is closed
	done   chan struct{}
}

// startServer starts Postgres and does not wait until it answers.
func startServer(h home, bin programs.Programs, socket string, cfg Config) (*server, error) {
	s := &server{socket: socket, log: filepath.Join(h.dir, "postgres.log"), done: make(chan struct{})}
	log, err := s.openLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.cmd = exec.Command(filepath.Join(bin.Dir, "postgres"), settings(h.data, socket, cfg)...)
	h.as.Prepare(s.cmd)
	s.cmd.Stdout = log
	s.cmd.Stderr = log
	started := make(chan error, 1)
	go s.attend(cfg.tie, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("postgres: starting Postgres: %w", err)
	}
	return s, nil
}

// attend starts the process and waits for its end. It keeps the OS thread that started the process, because
// the kernel sends the signal of a Tie when that thread ends.
func (s *server) attend(t account.Tie, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	untie, err := t.Start(s.cmd)
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
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return f, nil
}

// errMemoryHeld means that processes of an earlier server still use its shared memory.
var errMemoryHeld = errors.New("postgres: processes of an earlier Postgres are still there")

// died returns the error for a server that ended by itself, with the end of its log.
func (s *server) died() error {
	b, _ := os.ReadFile(s.log)
	b = b[min(int(s.from), len(b)):]
	err := fmt.Errorf("postgres: the server ended at once (%s); %s says:\n%s", s.state, s.log,
		account.Tail(b, 2000))
	if bytes.Contains(b, []byte("pre-existing shared memory block")) {
		return fmt.Errorf("%w: %w", errMemoryHeld, err)
	}
	return err
}

// stop asks for a fast shutdown, then for an immediate one, then kills the server. It waits up to ten
// seconds after each signal and returns when the server has ended.
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

// settings returns the arguments of the server's command line.
func settings(data, socket string, cfg Config) []string {
	args := []string{"-D", data, "-k", socket}
	set := []string{
		"listen_addresses=", "unix_socket_permissions=0700", "port=5432",
		fmt.Sprintf("max_connections=%d", cfg.Most), "shared_buffers=64MB", "timezone=UTC",
		"log_timezone=UTC", "logging_collector=off",
	}
	if !cfg.Durable {
		set = append(set, "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	}
	if cfg.Brief {
		set = append(set, "autovacuum=off", "plan_cache_mode=force_generic_plan")
	}
	for _, s := range set {
		args = append(args, "-c", s)
	}
	return args
}
