package kills

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/postgres"
)

// A restartable is a Postgres server of one test, which can be restarted while clients use it, or replaced by
// a standby.
type restartable struct {
	dir, url string
	server   *postgres.Cluster
	standby  *exec.Cmd // nil: no standby
}

// startPostgres starts a server. Its clients reach it at the same address after each restart and failover.
func startPostgres(t *testing.T) *restartable {
	t.Helper()
	dir, err := stage.MakeDir("")
	require.NoError(t, err)
	p := &restartable{dir: dir}
	t.Cleanup(func() {
		p.server.Stop()
		if p.standby != nil {
			p.standby.Process.Signal(syscall.SIGQUIT)
			p.standby.Wait()
		}
		os.RemoveAll(dir)
	})
	require.NoError(t, p.start(t.Context()))
	return p
}

func (p *restartable) start(ctx context.Context) (err error) {
	// Durable, so that commits survive an immediate shutdown.
	if p.server, err = postgres.Start(ctx, postgres.Config{Dir: filepath.Join(p.dir, "cluster"), Durable: true}); err != nil {
		return err
	}
	u, err := url.Parse(p.server.URL())
	if err != nil {
		return err
	}
	q := u.Query()
	if err := p.point("socket", q.Get("host")); err != nil {
		return err
	}
	q.Set("host", filepath.Join(p.dir, "socket"))
	u.RawQuery = q.Encode()
	p.url = u.String()
	return p.point("primary", q.Get("host"))
}

// point makes a symbolic link to the current folder of a server's socket.
func (p *restartable) point(name, to string) error {
	if real, err := os.Readlink(to); err == nil {
		to = real
	}
	link := filepath.Join(p.dir, name)
	os.Remove(link)
	return os.Symlink(to, link)
}

// data returns the server's data folder, and the pid of its main process.
func (p *restartable) data() (folder string, pid int, err error) {
	found, err := filepath.Glob(filepath.Join(p.dir, "cluster", "*", "postmaster.pid"))
	if err != nil || len(found) != 1 {
		return "", 0, fmt.Errorf("no server is running in %s: %w", p.dir, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		return "", 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err = strconv.Atoi(line)
	return filepath.Dir(found[0]), pid, err
}

// restart shuts the server down immediately, without notice to its clients, and starts it again after away.
func (p *restartable) restart(ctx context.Context, away time.Duration) error {
	_, pid, err := p.data()
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGQUIT)
	}
	if err != nil {
		return err
	}
	p.server.Stop()
	harness.Sleep(ctx, away)
	return p.start(context.WithoutCancel(ctx))
}

// follow starts a standby with synchronous replication, so that no commit is lost with the server.
func (p *restartable) follow(ctx context.Context) error {
	data, _, err := p.data()
	if err != nil {
		return err
	}
	options, err := os.ReadFile(filepath.Join(data, "postmaster.opts"))
	if err != nil {
		return err
	}
	program := strings.Fields(string(options))[0]
	p.server.Stop()
	copied := filepath.Join(p.dir, "standby")
	if out, err := exec.Command("cp", "-a", data, copied).CombinedOutput(); err != nil {
		return fmt.Errorf("copy the data: %w: %s", err, out)
	}
	owner, err := os.Stat(data)
	if err != nil {
		return err
	}
	as := owner.Sys().(*syscall.Stat_t)
	mark := filepath.Join(copied, "standby.signal")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	socket := filepath.Join(p.dir, "standby-socket")
	if err := os.Mkdir(socket, 0o700); err != nil {
		return err
	}
	for _, name := range []string{mark, socket} {
		if err := os.Chown(name, int(as.Uid), int(as.Gid)); err != nil {
			return err
		}
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	p.standby = exec.Command(program, "-D", copied, "-k", socket, "-c", "listen_addresses=", "-c", "port=5432", "-c", "hot_standby=on",
		"-c", fmt.Sprintf("primary_conninfo=host=%s port=5432 user=bobbin", filepath.Join(p.dir, "primary")))
	p.standby.Dir = "/"
	p.standby.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Getuid() != int(as.Uid) {
		p.standby.SysProcAttr.Credential = &syscall.Credential{Uid: as.Uid, Gid: as.Gid}
	}
	if err := p.standby.Start(); err != nil {
		return err
	}
	return p.say(ctx, p.url, `alter system set synchronous_standby_names = '*'`, `select pg_reload_conf()`)
}

func (p *restartable) say(ctx context.Context, address string, statements ...string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// failOver kills the server for good, promotes the standby and makes the address lead to it.
func (p *restartable) failOver(ctx context.Context) error {
	_, pid, err := p.data()
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGQUIT)
	}
	if err != nil {
		return err
	}
	p.server.Stop()
	if err := p.say(ctx, strings.Replace(p.url, url.QueryEscape(filepath.Join(p.dir, "socket")), url.QueryEscape(filepath.Join(p.dir, "standby-socket")), 1), `select pg_promote()`); err != nil {
		return err
	}
	return p.point("socket", filepath.Join(p.dir, "standby-socket"))
}

// TestPostgresFailsOver kills the server in the middle of the sessions, and a standby takes its place at the
// same address.
func TestPostgresFailsOver(t *testing.T) {
	t.Parallel()
	c := &chaos{t: t, seed: 1, sessions: 9, replicas: 2, restarts: 1}
	c.strikes = []blow{{name: "fail over", times: 1, do: func(ctx context.Context, _ int) { require.NoError(t, c.own.failOver(ctx)) }}}
	c.open()
	require.NoError(t, c.own.follow(t.Context()))
	c.play()
	require.Empty(t, c.faults(t.Context()))
}
