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

	"github.com/bobbinhq/bobbin/workflow/postgres/account"
	"github.com/bobbinhq/bobbin/workflow/postgres/programs"
)

const (
	socketName   = ".s.PGSQL.5432"
	socketLimit  = 100 // bytes of a socket's name that every platform takes
	socketPrefix = "bobbin-pg-"
	logLimit     = 10 << 20 // the server's log starts afresh beyond this
)

// major is the version of Postgres that made the data; 0 when there is none yet.
func (h home) major() int {
	b, err := os.ReadFile(filepath.Join(h.data, "PG_VERSION"))
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

// need is what the cluster needs programs for.
func (h home) need() programs.Need { return programs.Need{Data: h.data, Major: h.major(), As: h.as} }

// initialise makes the data where there is none: beside its place first, so that a crash
// leaves nothing half done there.
func (h home) initialise(ctx context.Context, bin programs.Programs, cfg Config) error {
	if h.major() != 0 {
		return nil
	}
	fresh := h.data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	if err := h.as.Give(fresh); err != nil {
		return err
	}
	args := []string{"-D", fresh, "-U", userName, "--auth=trust", "-E", "UTF8", "--locale=C", "--no-instructions"}
	if !cfg.Durable {
		args = append(args, "--no-sync", "--wal-segsize=1") // small and quick
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin.Dir, "initdb"), args...)
	h.as.Dress(cmd)
	if out, err := account.Run(cmd); err != nil {
		return fmt.Errorf("cluster: initdb: %w\n%s", err, account.Tail(out, 2000))
	}
	if err := os.Rename(fresh, h.data); err != nil {
		return fmt.Errorf("cluster: %s is there, but holds no data of Postgres; move it away: %w", h.data, err)
	}
	return nil
}

// makeSocketDir is a folder for the unix socket whose name is short enough for one.
func (h home) makeSocketDir() (string, error) {
	note := filepath.Join(h.dir, "socket")
	if old, err := os.ReadFile(note); err == nil {
		sweepSocketDir(string(old))
	}
	dir := filepath.Join(h.dir, "run")
	if len(filepath.Join(dir, socketName)) > socketLimit {
		var err error
		if dir, err = os.MkdirTemp(shortTemp(), socketPrefix); err != nil {
			return "", fmt.Errorf("cluster: %w", err)
		}
	}
	if err := os.WriteFile(note, []byte(dir), 0o644); err != nil {
		return "", fmt.Errorf("cluster: %w", err)
	}
	return dir, h.as.Give(dir)
}

// shortTemp is the folder for temporary files, unless its name is itself too long.
func shortTemp() string {
	if dir := os.TempDir(); len(dir)+len(socketPrefix)+len(socketName)+12 < socketLimit {
		return dir
	}
	return "/tmp"
}

// sweepSocketDir removes a temporary folder for a socket, and nothing else.
func sweepSocketDir(dir string) {
	if !strings.HasPrefix(filepath.Base(dir), socketPrefix) {
		return
	}
	os.Remove(filepath.Join(dir, socketName))
	os.Remove(filepath.Join(dir, socketName+".lock"))
	os.Remove(dir)
}

// clearLeftovers ends the server of a program that died, and removes a pid file whose pid
// some other process has by now (Postgres itself sees to those whose process is gone).
// Only the holder of the lock may.
func (h home) clearLeftovers(ctx context.Context, log *slog.Logger) error {
	p, err := readPIDFile(h.data)
	if err != nil || !alive(p.pid) {
		return nil
	}
	if !isPostmaster(p.pid, h.data) {
		log.Info("postgres: removing a stale pid file", "dir", h.data, "pid", p.pid)
		if err := os.Remove(filepath.Join(h.data, "postmaster.pid")); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
		return nil
	}
	log.Info("postgres: stopping the server of a program that is gone", "dir", h.data, "pid", p.pid)
	deadline := time.Now().Add(stopQuick)
	for sig := syscall.SIGINT; alive(p.pid) && isPostmaster(p.pid, h.data); {
		if err := syscall.Kill(p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("cluster: process %d runs Postgres in %s and cannot be stopped: %w", p.pid, h.data, err)
		}
		if err := pauseOnce(ctx, deadline); err != nil {
			if ctx.Err() != nil || sig == syscall.SIGQUIT {
				return fmt.Errorf("cluster: process %d runs Postgres in %s and does not stop: %w", p.pid, h.data, err)
			}
			sig, deadline = syscall.SIGQUIT, time.Now().Add(stopQuick)
		}
	}
	return nil
}

// a pidFile is what a running server says of itself in its data folder.
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
		return pidFile{}, fmt.Errorf("cluster: postmaster.pid: no pid in %q", lines[0])
	}
	p := pidFile{pid: pid, socket: strings.TrimSpace(lines[4])}
	p.port, _ = strconv.Atoi(strings.TrimSpace(lines[3]))
	return p, nil
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
