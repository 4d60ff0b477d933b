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

	"github.com/bobbinhq/bobbin/workflow/postgres/account"
	"github.com/bobbinhq/bobbin/workflow/postgres/programs"
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
func startServer(h home, bin programs.Programs, socket string, cfg Config) (*server, error) {
	s := &server{socket: socket, log: filepath.Join(h.dir, "postgres.log"), done: make(chan struct{})}
	log, err := s.openLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.cmd = exec.Command(filepath.Join(bin.Dir, "postgres"), settings(h.data, socket, cfg)...)
	h.as.Dress(s.cmd)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	started := make(chan error, 1)
	go s.attend(cfg.tie, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cluster: starting Postgres: %w", err)
	}
	return s, nil
}

// attend starts the process and stays with it. Its death with ours hangs on the thread
// that started it, so that thread is kept for it.
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
	err := fmt.Errorf("cluster: Postgres ended at once (%s); %s says:\n%s", s.state, s.log, account.Tail(b, 2000))
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
func settings(data, socket string, cfg Config) []string {
	args := []string{"-D", data, "-k", socket}
	set := []string{
		"listen_addresses=", "unix_socket_permissions=0700", "port=5432",
		fmt.Sprintf("max_connections=%d", cfg.Most), "shared_buffers=64MB", "timezone=UTC", "log_timezone=UTC", "logging_collector=off",
	}
	if !cfg.Durable {
		set = append(set, "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	}
	if cfg.NoVacuum {
		set = append(set, "autovacuum=off")
	}
	for _, s := range set {
		args = append(args, "-c", s)
	}
	return args
}
