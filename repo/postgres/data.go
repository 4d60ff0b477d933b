package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
	"github.com/bobbinhq/bobbin/repo/postgres/internal/programs"
)

const (
	socketName   = ".s.PGSQL.5432"
	socketLimit  = 100 // maximum length of a socket's path in bytes that every platform accepts
	socketPrefix = "bobbin-pg-"
	logLimit     = 10 << 20 // size in bytes above which the server's log is truncated at the next start
)

// major returns the major version of Postgres that created the data, or 0 if there is no data yet.
func (h home) major() int {
	b, err := os.ReadFile(filepath.Join(h.data, "PG_VERSION"))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

// need returns what the cluster needs programs for.
func (h home) need() programs.Need { return programs.Need{Data: h.data, Major: h.major(), As: h.as} }

// initialise creates the data folder with initdb if there is none. initdb writes to a sibling folder that
// is renamed when it is complete, so a crash leaves no incomplete data folder.
func (h home) initialise(ctx context.Context, bin programs.Programs, cfg Config) error {
	if h.major() != 0 {
		return nil
	}
	fresh := h.data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	if err := h.as.Give(fresh); err != nil {
		return err
	}
	args := []string{
		"-D", fresh, "-U", userName, "--auth=trust", "-E", "UTF8", "--locale=C", "--no-instructions",
	}
	if !cfg.Durable {
		args = append(args, "--no-sync", "--wal-segsize=1") // smaller and faster
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin.Dir, "initdb"), args...)
	h.as.Prepare(cmd)
	switch out, err := account.Run(cmd); {
	case err != nil && ctx.Err() != nil: // it was killed for that, and its output says nothing of use
		return fmt.Errorf("postgres: initdb: %w", ctx.Err())
	case err != nil:
		return fmt.Errorf("postgres: initdb: %w\n%s", err, account.Tail(out, 2000))
	}
	if err := os.Rename(fresh, h.data); err != nil {
		return fmt.Errorf("postgres: %s is there, but holds no data of Postgres; move it away: %w", h.data,
			err)
	}
	return nil
}

// makeSocketDir creates a folder for the Unix socket whose path is short enough for a socket.
func (h home) makeSocketDir() (string, error) {
	note := filepath.Join(h.dir, "socket")
	if old, err := os.ReadFile(note); err == nil {
		sweepSocketDir(string(old))
	}
	dir := filepath.Join(h.dir, "run")
	if len(filepath.Join(dir, socketName)) > socketLimit {
		var err error
		if dir, err = os.MkdirTemp(shortTemp(), socketPrefix); err != nil {
			return "", fmt.Errorf("postgres: %w", err)
		}
	}
	if err := os.WriteFile(note, []byte(dir), 0o644); err != nil {
		return "", fmt.Errorf("postgres: %w", err)
	}
	return dir, h.as.Give(dir)
}

// shortTemp returns the folder for temporary files, or /tmp if its path is too long for a socket.
func shortTemp() string {
	if dir := os.TempDir(); len(dir)+len(socketPrefix)+len(socketName)+12 < socketLimit {
		return dir
	}
	return "/tmp"
}

// sweepSocketDir removes a temporary folder that makeSocketDir created; it does nothing to any other
// folder.
func sweepSocketDir(dir string) {
	if !strings.HasPrefix(filepath.Base(dir), socketPrefix) {
		return
	}
	os.Remove(filepath.Join(dir, socketName))
	os.Remove(filepath.Join(dir, socketName+".lock"))
	os.Remove(dir)
}

// clearLeftovers stops the server that a dead program left behind. It removes a pid file whose pid another
// process has got since; a pid file whose process is gone is cleaned up by Postgres itself. The caller must
// hold the lock.
func (h home) clearLeftovers(ctx context.Context, log *slog.Logger) error {
	p, err := readPIDFile(h.data)
	if err != nil || !alive(p.pid) {
		return nil
	}
	if !isPostmaster(p.pid, h.data) {
		log.Info("postgres: removing a stale pid file", "dir", h.data, "pid", p.pid)
		if err := os.Remove(filepath.Join(h.data, "postmaster.pid")); err != nil {
			return fmt.Errorf("postgres: %w", err)
		}
		return nil
	}
	log.Info("postgres: stopping the server of a program that is gone", "dir", h.data, "pid", p.pid)
	deadline := time.Now().Add(stopQuick)
	for sig := syscall.SIGINT; alive(p.pid) && isPostmaster(p.pid, h.data); {
		if err := syscall.Kill(p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("postgres: process %d runs Postgres in %s and cannot be stopped: %w",
				p.pid, h.data, err)
		}
		if err := pauseOnce(ctx, deadline); err != nil {
			if ctx.Err() != nil || sig == syscall.SIGQUIT {
				return fmt.Errorf("postgres: process %d runs Postgres in %s and does not stop: %w",
					p.pid, h.data, err)
			}
			sig = syscall.SIGQUIT
			deadline = time.Now().Add(patience)
		}
	}
	return nil
}

// A pidFile holds what a running server writes about itself to postmaster.pid in its data folder.
type pidFile struct {
	pid    int
	port   int
	socket string
}

func readPIDFile(data string) (pidFile, error) {
	b, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return pidFile{}, err
	}
	lines := append(strings.Split(string(b), "\n"), "", "", "", "", "")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 1 {
		return pidFile{}, fmt.Errorf("postgres: postmaster.pid: no pid in %q", lines[0])
	}
	p := pidFile{pid: pid, socket: strings.TrimSpace(lines[4])}
	p.port, _ = strconv.Atoi(strings.TrimSpace(lines[3]))
	return p, nil
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
